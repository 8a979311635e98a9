"""Maven and Gradle, through the project's wrapper if it has one."""

from collections.abc import Iterator

from ....core.patterns import compile_late
from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder
from .native import is_part_of_build

FAMILY = "jvm"
_GRADLE = ("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")
_POM_PARTS = ("build", "profiles", "modules")
_POM_OPTIONS = compile_late(r"<[\w.-]{0,60}(?:[sS]kip|[tT]est)[\w.-]{0,60}>[^<]*")


def find(project: ProjectFolder) -> list[Candidate]:
    return [*_maven(project), *_gradle(project)][:1]


def _maven(project: ProjectFolder) -> list[Candidate]:
    text = project.read("pom.xml")
    if text is None or is_part_of_build(project, "pom.xml"):
        return []
    start = "./mvnw" if project.exists("mvnw") else "mvn"
    parts = [part for name in _POM_PARTS for part in _elements(text, name)]
    options = _POM_OPTIONS.findall(text)
    argv = [start, "-B", "test"]
    definition = "\n".join([*parts, *options])
    return [_gate(project, argv, "pom.xml", "a Maven project", definition)]


def _gradle(project: ProjectFolder) -> list[Candidate]:
    file = project.find_first(*_GRADLE)
    if not file or (project.where != "." and not project.find_first("gradlew", *_GRADLE[2:])):
        return []
    start = "./gradlew" if project.exists("gradlew") else "gradle"
    text = project.read(file) or ""
    definition = "\n".join(_test_blocks(text))
    return [_gate(project, [start, "test"], file, "a Gradle project", definition)]


def _gate(project: ProjectFolder, argv: list[str], file: str, subject: str, definition: str) -> Candidate:
    reason = f"{subject}, see {file}"
    return propose_command(project, FAMILY, TEST, argv, source=file, reason=reason, definition=definition)


def _elements(text: str, name: str) -> Iterator[str]:
    start = text.find(f"<{name}>")
    while start >= 0:
        end = text.find(f"</{name}>", start)
        if end < 0:
            return
        yield text[start:end]
        start = text.find(f"<{name}>", end)


def _test_blocks(text: str) -> Iterator[str]:
    """Blocks that configure the tests: `test { … }`, `tasks.withType<Test> { … }`."""
    kept: list[str] = []
    depth = 0
    for line in text.split("\n"):
        if not depth and not ("{" in line and "est" in line.partition("{")[0]):
            continue
        kept.append(line)
        depth += line.count("{") - line.count("}")
        if depth <= 0:
            yield "\n".join(kept)
            kept, depth = [], 0
