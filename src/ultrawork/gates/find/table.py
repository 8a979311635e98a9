"""
All finders, in the order in which their findings are preferred.

Which of the proposed gates stand: one door, else one for each language; none twice.
"""

from collections.abc import Callable, Sequence

from ...core.verdict.gate import BUILD, LINT, TEST, TYPES
from .candidate import Candidate
from .finders import cmake, dotnet, elixir, go, jvm, make, node, php, python, ruby, rust
from .folder import ProjectFolder

FINDERS: dict[str, Callable[[ProjectFolder], list[Candidate]]] = {
    "make": make.find_make,
    "just": make.find_just,
    "node": node.find,
    "python": python.find,
    "rust": rust.find,
    "go": go.find,
    "jvm": jvm.find,
    "dotnet": dotnet.find,
    "elixir": elixir.find,
    "ruby": ruby.find,
    "php": php.find,
    "cmake": cmake.find,
}
# Where a project has one of these, its checks stand for all its languages.
TASK_RUNNERS = ("make", "just")
# A folder below the root counts as a project of its own only with one of these.
MANIFESTS = (
    "GNUmakefile",
    "Makefile",
    "makefile",
    "justfile",
    "Justfile",
    ".justfile",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "noxfile.py",
    "pytest.ini",
    "requirements.txt",
    "manage.py",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "mix.exs",
    "Gemfile",
    "composer.json",
    "CMakeLists.txt",
)
MANIFEST_ENDINGS = (".sln", ".slnx", ".csproj", ".fsproj", ".vbproj")


NAMES = {TEST: "test", LINT: "lint", TYPES: "types", BUILD: "build"}


def choose_gates(place: ProjectFolder) -> list[Candidate]:
    """The gates of one folder, named, in the order test, lint, types, build."""
    proposed = [found for find in FINDERS.values() for found in find(place)]
    chosen: list[Candidate] = []
    for kind in (TEST, LINT, TYPES):
        chosen += _of_kind(place, proposed, kind, chosen)
    if not any(found.gate.kind in (TEST, TYPES) for found in chosen):
        chosen += _of_kind(place, proposed, BUILD, chosen)
    return chosen


def _of_kind(
    place: ProjectFolder,
    proposed: Sequence[Candidate],
    kind: str,
    before: Sequence[Candidate],
) -> list[Candidate]:
    chosen: list[Candidate] = []
    for found in (found for found in proposed if found.gate.kind == kind):
        why = _objection(found, [*before, *chosen], chosen)
        if why:
            place.leave(found.gate.command, why)
            continue
        name = NAMES[kind] + (f"-{found.family}" if chosen else "")
        found.gate.name = place.path(name)
        chosen.append(found)
    return chosen


def _objection(found: Candidate, standing: Sequence[Candidate], rivals: Sequence[Candidate]) -> str:
    for other in standing:
        if found.covered_by(other):
            return f"{other.gate.command} runs it already"
    for rival in rivals:
        if rival.family in TASK_RUNNERS or rival.family == found.family:
            return f"{rival.gate.command} is taken instead"
    return ""
