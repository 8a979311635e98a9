"""Python tests: which runner a project uses, and how it is started there."""

import re

from ...core.gate import TEST
from . import python_env as env
from .candidate import Candidate, of_command
from .place import Place, table
from .settings import configured
from .shell import quoted
from .wrapped import Wrapped, paths_of, wrapped

FAMILY = "python"
LOOKED_AT = 30
FOLDERS = 60
_TEST_FILE = re.compile(r"tests?\.py|test_.*\.py|.*_test\.py|test[A-Z].*\.py")
_PYTEST = re.compile(r"^[ \t]*(?:import|from)\s+pytest\b|^(?:async )?def test", re.MULTILINE)
_UNITTEST = re.compile(r"^[ \t]*(?:import|from)\s+(?:unittest|django\.test)\b", re.MULTILINE)
_NOT_TESTS = ("build/", "dist/", "doc/", "docs/", "env/", "examples/", "node_modules/", "venv/")
_TESTS = ("tests/", "test/", "testing/")


def tests(place: Place) -> list[Candidate]:
    for look in (_configured, _wrapped, _seen):
        found = look(place)
        if found:
            return [found]
    return []


def _configured(place: Place) -> Candidate | None:
    setting = configured(place, "pytest")
    if setting is None:
        return None
    source = setting.file.rpartition("/")[2]
    paths = [] if "testpaths" in setting.text else paths_of(place, "pytest")
    return _gate(place, [*start_pytest(place), *paths], source, f"pytest is configured in {source}")


def _wrapped(place: Place) -> Candidate | None:
    """What tox or nox starts; tox or nox itself only where that cannot be told."""
    found = wrapped(place)
    if found is None:
        return None
    words = _as_here(place, found)
    if words and found.place.where != place.where:
        text = f"cd {quoted([found.folder(place)])} && {quoted(words)}"
        return _gate(place, ["sh", "-c", text], found.file, found.reason, text)
    return _gate(place, words or found.argv, found.file, found.reason)


def _seen(place: Place) -> Candidate | None:
    """The runner that the test files are written for."""
    files = _test_files(place)
    texts = [(file, place.read(file) or "") for file in files[:LOOKED_AT]]
    modern = next((file for file, text in texts if _PYTEST.search(text)), "")
    classic = next((file for file, text in texts if _UNITTEST.search(text)), "")
    if modern:
        return _gate(place, start_pytest(place), modern, f"tests for pytest, such as {modern}")
    if classic and place.exists("manage.py"):
        words = [*env.python(place), "manage.py", "test"]
        return _gate(place, words, "manage.py", f"a Django project with tests such as {classic}")
    if classic:
        words = [*env.module(place, "unittest"), *_discovery(place, classic)]
        return _gate(place, words, classic, f"tests for unittest, such as {classic}")
    return None


def _gate(place: Place, argv: list[str], source: str, reason: str, text: str = "") -> Candidate:
    return of_command(place, FAMILY, TEST, argv, source=source, reason=reason, text=text)


def start_pytest(place: Place) -> list[str]:
    started = env.program(place, "pytest")
    if env.has_environment(place):
        return env.module(place, "pytest") if started == ["pytest"] else started
    if table(place.toml("pyproject.toml"), "tool", "hatch", "envs").get("hatch-test"):
        return ["hatch", "test"]
    return env.module(place, "pytest") if _imports_from_here(place) else started


def _imports_from_here(place: Place) -> bool:
    """
    A plain folder of modules with tests beside them: nothing installs it, so the tests find it
    only if the folder itself is importable.
    """
    project = place.toml("pyproject.toml")
    installs = place.first("setup.py", "setup.cfg") or table(project, "project")
    installs = installs or table(project, "build-system") or table(project, "tool", "poetry")
    options = configured(place, "pytest")
    told = options is not None and "pythonpath" in options.text
    return not (installs or told or place.first("conftest.py", "tests/__init__.py"))


def _as_here(place: Place, found: Wrapped) -> list[str]:
    """A command of tox as this project's environment starts it; empty if it is not plain."""
    step, there = found.step, found.place
    if step.tool == "pytest" and there.where == place.where:
        return [*start_pytest(place), *paths_of(place, "pytest")]
    if set("{}") & set("".join(step.words)):
        return []
    if step.is_module:
        return [*env.module(there, step.words[0]), *step.words[1:]]
    if step.words[0].endswith(".py"):
        return [*env.python(there), *step.words]
    return [*env.program(there, step.words[0]), *step.words[1:]]


def _discovery(place: Place, example: str) -> list[str]:
    """Where unittest has to look: it finds by itself only `test*.py`, and only in packages."""
    folder, _, name = example.rpartition("/")
    top = folder.partition("/")[0]
    pattern = [] if name.startswith("test") else ["-p", "*_test.py"]
    start = ["-s", top] if top and not place.exists(f"{top}/__init__.py") else []
    return ["discover", *start, *pattern] if start or pattern else []


def _test_files(place: Place) -> list[str]:
    """Test files in the usual places: here, in `tests`, and in the packages' own `tests`."""
    folders = [n for n in place.names() if n.endswith("/") and n[0] != "."]
    inner = [f"{f}{t}" for f in folders if f not in _NOT_TESTS for t in ("", "tests/", "test/")]
    found = _tests_in(place, "")
    for folder in sorted(inner[:FOLDERS], key=lambda f: f not in _TESTS):
        found += _tests_in(place, folder)
    for folder in _TESTS:
        below = [n for n in place.names(folder) if n.endswith("/")]
        found += [file for name in below[:FOLDERS] for file in _tests_in(place, folder + name)]
    return list(dict.fromkeys(found))


def _tests_in(place: Place, folder: str) -> list[str]:
    return [folder + name for name in place.names(folder or ".") if _TEST_FILE.fullmatch(name)]
