"""
How a Python project starts its programs: uv, poetry and the like, a virtual environment, PATH.

What tox and nox start: they are passed by where the runner itself can be told.

Python tests: which runner a project uses, and how it is started there.

Python: the test runner itself, and the linter and type checker that are configured.
"""

import posixpath
import re
from collections.abc import Iterator

from ....core.verdict.gate import LINT, TEST, TYPES
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder, get_table
from ..recipes.recipe import Recipe
from ..shell import CommandStep, quote_words
from ..tools import find_setting
from ..trace import find_book, follow_recipe

# Lock file -> what runs programs in that environment.
_LOCKS = {"poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv"}
_ENVIRONMENT_FOLDERS = (".venv", "venv", "env")


def make_program_argv(place: ProjectFolder, name: str) -> list[str]:
    """The words that start an installed program here."""
    return _managed(place, name) or _installed(place, name) or [name]


def make_module_argv(place: ProjectFolder, name: str) -> list[str]:
    """The words that run a module here, with the project's own folder importable."""
    interpreter = _managed(place, "python") or _installed(place, "python") or ["python3"]
    return [*interpreter, "-m", name]


def make_python_argv(place: ProjectFolder) -> list[str]:
    return make_module_argv(place, "")[:-2]


def has_environment(place: ProjectFolder) -> bool:
    return bool(_managed(place, "python") or _installed(place, "python"))


def _managed(place: ProjectFolder, name: str) -> list[str]:
    if place.upward("uv.lock"):
        return ["uv", "run", name]
    lock = place.first(*_LOCKS)
    if lock:
        return [_LOCKS[lock], "run", name]
    return ["hatch", "run", name] if _uses_hatch(place) else []


def _installed(place: ProjectFolder, name: str) -> list[str]:
    for folder in _ENVIRONMENT_FOLDERS:
        found = place.upward(f"{folder}/bin/{name}")
        if found:
            return [found]
    return []


def _uses_hatch(place: ProjectFolder) -> bool:
    """Only where the default environment brings the project's tools and no folder has them."""
    default = get_table(place.toml("pyproject.toml"), "tool", "hatch", "envs", "default")
    return bool(default.get("dependencies")) and not _installed(place, "python")


WRAPPERS = {"tox": "-e", "nox": "-s"}
# Environments and sessions that people name for their tests, best first.
_TEST_ENVIRONMENTS = (
    "testenv",
    "tests",
    "test",
    "py",
    "py3",
    "pytest",
    "unit",
    "unit_tests",
    "nocov",
)


class WrappedTests:
    """The step that tests, the folder it runs in, and how the wrapper itself is called for it."""

    __slots__ = ("argv", "file", "place", "reason", "step")

    def __init__(self, recipe: Recipe, place: ProjectFolder, step: CommandStep) -> None:
        tool = recipe.book.tool
        name = "py" if recipe.name == "testenv" else recipe.name
        self.argv = [tool, WRAPPERS[tool], name]
        self.file = recipe.file
        self.reason = f"the tests that {tool} runs, see {recipe.file}"
        self.place = place
        self.step = step

    def folder(self, above: ProjectFolder) -> str:
        return posixpath.relpath(self.place.where, above.where)


def find_wrapped_tests(place: ProjectFolder) -> WrappedTests | None:
    """The first command of an environment for tests that is known to test."""
    for tool in WRAPPERS:
        found = find_book(place, tool)
        recipes = found.recipes if found else {}
        for recipe in [recipes[name] for name in _TEST_ENVIRONMENTS if name in recipes]:
            for there, step in follow_recipe(place, recipe).steps:
                if step.kind == TEST:
                    return WrappedTests(recipe, there, step)
    return None


def list_paths_of(place: ProjectFolder, program: str) -> list[str]:
    """The paths that tox or nox gives to a program, where its own options name none."""
    for step in _wrapped_steps(place):
        if step.tool == program:
            return [word for word in step.words[1:] if word[:1] != "-" and place.exists(word)]
    return []


def _wrapped_steps(place: ProjectFolder) -> Iterator[CommandStep]:
    for tool in WRAPPERS:
        found = find_book(place, tool)
        for recipe in found.recipes.values() if found else ():
            for there, step in follow_recipe(place, recipe).steps:
                if there.where == place.where:
                    yield step


FAMILY = "python"
FILES_LOOKED_AT = 30
FOLDERS_LOOKED_AT = 60
_TEST_FILE = re.compile(r"tests?\.py|test_.*\.py|.*_test\.py|test[A-Z].*\.py")
_PYTEST = re.compile(r"^[ \t]*(?:import|from)\s+pytest\b|^(?:async )?def test", re.MULTILINE)
_UNITTEST = re.compile(r"^[ \t]*(?:import|from)\s+(?:unittest|django\.test)\b", re.MULTILINE)
_NOT_TESTS = ("build/", "dist/", "doc/", "docs/", "env/", "examples/", "node_modules/", "venv/")
_TEST_FOLDERS = ("tests/", "test/", "testing/")


def find_tests(place: ProjectFolder) -> list[Candidate]:
    for look in (_configured, _wrapped, _seen):
        found = look(place)
        if found:
            return [found]
    return []


def _configured(place: ProjectFolder) -> Candidate | None:
    setting = find_setting(place, "pytest")
    if setting is None:
        return None
    source = setting.file.rpartition("/")[2]
    paths = [] if "testpaths" in setting.text else list_paths_of(place, "pytest")
    return _gate(
        place, [*make_pytest_argv(place), *paths], source, f"pytest is configured in {source}"
    )


def _wrapped(place: ProjectFolder) -> Candidate | None:
    """What tox or nox starts; tox or nox itself only where that cannot be told."""
    found = find_wrapped_tests(place)
    if found is None:
        return None
    words = _as_here(place, found)
    if words and found.place.where != place.where:
        text = f"cd {quote_words([found.folder(place)])} && {quote_words(words)}"
        return _gate(place, ["sh", "-c", text], found.file, found.reason, text)
    return _gate(place, words or found.argv, found.file, found.reason)


def _seen(place: ProjectFolder) -> Candidate | None:
    """The runner that the test files are written for."""
    files = _test_files(place)
    texts = [(file, place.read(file) or "") for file in files[:FILES_LOOKED_AT]]
    modern = next((file for file, text in texts if _PYTEST.search(text)), "")
    classic = next((file for file, text in texts if _UNITTEST.search(text)), "")
    if modern:
        return _gate(place, make_pytest_argv(place), modern, f"tests for pytest, such as {modern}")
    if classic and place.exists("manage.py"):
        words = [*make_python_argv(place), "manage.py", "test"]
        return _gate(place, words, "manage.py", f"a Django project with tests such as {classic}")
    if classic:
        words = [*make_module_argv(place, "unittest"), *_discovery(place, classic)]
        return _gate(place, words, classic, f"tests for unittest, such as {classic}")
    return None


def _gate(
    place: ProjectFolder, argv: list[str], source: str, reason: str, text: str = ""
) -> Candidate:
    return propose_command(place, FAMILY, TEST, argv, source=source, reason=reason, text=text)


def make_pytest_argv(place: ProjectFolder) -> list[str]:
    started = make_program_argv(place, "pytest")
    if has_environment(place):
        return make_module_argv(place, "pytest") if started == ["pytest"] else started
    if get_table(place.toml("pyproject.toml"), "tool", "hatch", "envs").get("hatch-test"):
        return ["hatch", "test"]
    return make_module_argv(place, "pytest") if _imports_from_here(place) else started


def _imports_from_here(place: ProjectFolder) -> bool:
    """
    A plain folder of modules with tests beside them: nothing installs it, so the tests find it
    only if the folder itself is importable.
    """
    project = place.toml("pyproject.toml")
    installs = place.first("setup.py", "setup.cfg") or get_table(project, "project")
    installs = (
        installs or get_table(project, "build-system") or get_table(project, "tool", "poetry")
    )
    options = find_setting(place, "pytest")
    told = options is not None and "pythonpath" in options.text
    return not (installs or told or place.first("conftest.py", "tests/__init__.py"))


def _as_here(place: ProjectFolder, found: WrappedTests) -> list[str]:
    """A command of tox as this project's environment starts it; empty if it is not plain."""
    step, there = found.step, found.place
    if step.tool == "pytest" and there.where == place.where:
        return [*make_pytest_argv(place), *list_paths_of(place, "pytest")]
    if set("{}") & set("".join(step.words)):
        return []
    if step.is_module:
        return [*make_module_argv(there, step.words[0]), *step.words[1:]]
    if step.words[0].endswith(".py"):
        return [*make_python_argv(there), *step.words]
    return [*make_program_argv(there, step.words[0]), *step.words[1:]]


def _discovery(place: ProjectFolder, example: str) -> list[str]:
    """Where unittest has to look: it finds by itself only `test*.py`, and only in packages."""
    folder, _, name = example.rpartition("/")
    top = folder.partition("/")[0]
    pattern = [] if name.startswith("test") else ["-p", "*_test.py"]
    start = ["-s", top] if top and not place.exists(f"{top}/__init__.py") else []
    return ["discover", *start, *pattern] if start or pattern else []


def _test_files(place: ProjectFolder) -> list[str]:
    """Test files in the usual places: here, in `tests`, and in the packages' own `tests`."""
    folders = [n for n in place.names() if n.endswith("/") and n[0] != "."]
    inner = [f"{f}{t}" for f in folders if f not in _NOT_TESTS for t in ("", "tests/", "test/")]
    found = _tests_in(place, "")
    for folder in sorted(inner[:FOLDERS_LOOKED_AT], key=lambda f: f not in _TEST_FOLDERS):
        found += _tests_in(place, folder)
    for folder in _TEST_FOLDERS:
        below = [n for n in place.names(folder) if n.endswith("/")]
        found += [
            file for name in below[:FOLDERS_LOOKED_AT] for file in _tests_in(place, folder + name)
        ]
    return list(dict.fromkeys(found))


def _tests_in(place: ProjectFolder, folder: str) -> list[str]:
    return [folder + name for name in place.names(folder or ".") if _TEST_FILE.fullmatch(name)]


# Kind, tool, how it is called; the first configured of a kind is it.
_TOOLS = (
    (LINT, "ruff", ("ruff", "check", ".")),
    (LINT, "flake8", ("flake8",)),
    (TYPES, "mypy", ("mypy",)),
    (TYPES, "pyright", ("pyright",)),
    (TYPES, "basedpyright", ("basedpyright",)),
    (TYPES, "ty", ("ty", "check")),
)
# Packages beside the code that nobody asks to be typed.
_NOT_CODE = frozenset(
    (
        "bench/",
        "benchmarks/",
        "docs/",
        "examples/",
        "scripts/",
        "test/",
        "testing/",
        "tests/",
        "tools/",
    )
)
PACKAGES = 3


def find(place: ProjectFolder) -> list[Candidate]:
    return [*find_tests(place), *_tools(place)]


def _tools(place: ProjectFolder) -> list[Candidate]:
    found = []
    for kind, tool, words in _TOOLS:
        setting = find_setting(place, tool)
        if setting is None:
            continue
        argv = [*make_program_argv(place, words[0]), *words[1:]]
        if tool == "mypy" and not _says_what(setting.value):
            argv += _code(place)
        source = setting.file.rpartition("/")[2]
        reason = f"{tool} is configured in {source}"
        found.append(propose_command(place, FAMILY, kind, argv, source=source, reason=reason))
    return found


def _says_what(value: object) -> bool:
    """mypy needs to be told what to check, by its options or on the command line."""
    if isinstance(value, str):
        return bool(re.search(r"^[ \t]*(files|packages|modules)\s*=", value, re.MULTILINE))
    return bool({"files", "packages", "modules"} & get_table(value).keys())


def _code(place: ProjectFolder) -> list[str]:
    """What to check by types: what tox or nox names, else the package, else everything."""
    inside = [f"src/{name}" for name in place.names("src")]
    code = ["src"] if any(_is_code(place, name) for name in inside) else []
    beside = [name for name in place.names() if name not in _NOT_CODE]
    code = code or [name[:-1] for name in beside if _is_package(place, name)]
    return list_paths_of(place, "mypy") or code[:PACKAGES] or ["."]


def _is_code(place: ProjectFolder, name: str) -> bool:
    return name.endswith(".py") or _is_package(place, name)


def _is_package(place: ProjectFolder, name: str) -> bool:
    return name.endswith("/") and place.exists(f"{name}__init__.py")
