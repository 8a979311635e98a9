"""
Find checks of Python projects: the test runner itself, and how programs are started.

A project starts its programs through uv, poetry and the like, from a virtual environment, or from PATH. tox and nox
are skipped if the runner that they start is known.
"""

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise

from ....core.patterns import compile_late
from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder, get_table
from ..recipes.recipe import Recipe
from ..settings import find_setting
from ..shell import CommandStep, quote_words
from ..trace import find_book, follow_recipe

# Lock file -> the manager that runs programs in that environment.
_LOCKS = {"poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv"}
_ENVIRONMENT_FOLDERS = (".venv", "venv", "env")


def make_program_argv(project: ProjectFolder, name: str) -> list[str]:
    """The words that start an installed program here."""
    return _managed(project, name) or _installed(project, name) or [name]


def make_module_argv(project: ProjectFolder, name: str) -> list[str]:
    """Return the words that run a module here, with the project folder importable."""
    interpreter = _managed(project, "python") or _installed(project, "python") or ["python3"]
    return [*interpreter, "-m", name]


def make_python_argv(project: ProjectFolder) -> list[str]:
    return make_module_argv(project, "")[:-2]


def has_environment(project: ProjectFolder) -> bool:
    return bool(_managed(project, "python") or _installed(project, "python"))


def _managed(project: ProjectFolder, name: str) -> list[str]:
    if project.find_upward("uv.lock"):
        return ["uv", "run", name]
    lock = project.find_first(*_LOCKS)
    if lock:
        return [_LOCKS[lock], "run", name]
    return ["hatch", "run", name] if _uses_hatch(project) else []


def _installed(project: ProjectFolder, name: str) -> list[str]:
    for folder in _ENVIRONMENT_FOLDERS:
        upward = project.find_upward(f"{folder}/bin/{name}")
        if upward:
            return [upward]
    return []


def _uses_hatch(project: ProjectFolder) -> bool:
    """Return whether hatch's default environment provides the tools and no virtual environment folder does."""
    default = get_table(project.read_toml("pyproject.toml"), "tool", "hatch", "envs", "default")
    return bool(default.get("dependencies")) and not _installed(project, "python")


WRAPPERS = {"tox": "-e", "nox": "-s"}
# Usual names of test environments and sessions, best first.
_TEST_ENVIRONMENTS = ("testenv", "tests", "test", "py", "py3", "pytest", "unit", "unit_tests", "nocov")


class WrappedTests:
    """The step that tests, its folder, and how the wrapper is called for it."""

    def __init__(self, recipe: Recipe, project: ProjectFolder, step: CommandStep) -> None:
        tool = recipe.book.tool
        name = "py" if recipe.name == "testenv" else recipe.name
        self.argv = [tool, WRAPPERS[tool], name]
        self.file = recipe.file
        self.reason = f"the tests that {tool} runs, see {recipe.file}"
        self.project = project
        self.step = step

    def folder(self, above: ProjectFolder) -> str:
        return posixpath.relpath(self.project.where, above.where)


def find_wrapped_tests(project: ProjectFolder) -> WrappedTests | None:
    """Return the first command of a test environment that is known to run tests."""
    for tool in WRAPPERS:
        recipe_book = find_book(project, tool)
        recipes = recipe_book.recipes if recipe_book else {}
        for recipe in [recipes[name] for name in _TEST_ENVIRONMENTS if name in recipes]:
            for project_folder, step in follow_recipe(project, recipe).steps:
                if step.kind == TEST:
                    return WrappedTests(recipe, project_folder, step)
    return None


def list_paths_of(project: ProjectFolder, program: str) -> list[str]:
    """Return the paths that tox or nox passes to a program if its own options name none."""
    for step in _wrapped_steps(project):
        if step.tool == program:
            return _list_paths(project, step)
    return []


# Options of pytest and mypy that take the next word, which may be a folder that is not tested.
_VALUED = frozenset(
    (
        "--basetemp", "--cache-dir", "--config-file", "--confcutdir", "--cov", "--cov-config", "--cov-report", "--deselect",
        "--doctest-glob", "--durations", "--exclude", "--ignore", "--ignore-glob", "--junit-xml", "--junitxml", "--maxfail",
        "--module", "--package", "--python-executable", "--python-version", "--rootdir", "--tb", "-W", "-c", "-k", "-m",
        "-n", "-o", "-p", "-r",
    )
)  # fmt: skip
# Options that select tests: without them fewer or other tests would run.
_CHOOSING = frozenset(("--doctest-glob", "--doctest-modules", "--ignore", "--ignore-glob"))


def _list_paths(project: ProjectFolder, step: CommandStep) -> list[str]:
    return [
        word
        for before, word in pairwise(step.words)
        if word[:1] != "-" and not _is_value(before, word) and project.exists(word)
    ]


def _is_value(option: str, word: str) -> bool:
    """`--cov tests` reads as a value too, but who writes it means the tests."""
    meant = option == "--cov" and f"{word.partition('/')[0]}/" in _TEST_FOLDERS
    return option in _VALUED and not meant


def _list_choices(step: CommandStep) -> list[str]:
    """The options by which a call of pytest chooses its tests, each as one word."""
    choices = []
    for word, after in pairwise([*step.words, ""]):
        if word.partition("=")[0] in _CHOOSING:
            choices.append(f"{word}={after}" if word in _VALUED else word)
    return choices


def _wrapped_steps(project: ProjectFolder) -> Iterator[CommandStep]:
    for tool in WRAPPERS:
        recipe_book = find_book(project, tool)
        for recipe in recipe_book.recipes.values() if recipe_book else ():
            for project_folder, step in follow_recipe(project, recipe).steps:
                if project_folder.where == project.where:
                    yield step


FAMILY = "python"
FILES_LOOKED_AT = 30
FOLDERS_LOOKED_AT = 60
_TEST_FILE = compile_late(r"tests?\.py|test_.*\.py|.*_test\.py|test[A-Z].*\.py")
_PYTEST = compile_late(r"^[ \t]*(?:import|from)\s+pytest\b|^(?:async )?def test", re.MULTILINE)
_UNITTEST = compile_late(r"^[ \t]*(?:import|from)\s+(?:unittest|django\.test)\b", re.MULTILINE)
_NOT_TESTS = ("build/", "dist/", "doc/", "docs/", "env/", "examples/", "node_modules/", "venv/")
_TEST_FOLDERS = ("tests/", "test/", "testing/")


def find(project: ProjectFolder) -> list[Candidate]:
    for look in (_configured, _wrapped, _find_test_runner):
        candidate = look(project)
        if candidate:
            return [candidate]
    return []


def _configured(project: ProjectFolder) -> Candidate | None:
    setting = find_setting(project, "pytest")
    if setting is None:
        return None
    source = setting.file.rpartition("/")[2]
    paths = [] if "testpaths" in setting.text else list_paths_of(project, "pytest")
    return _gate(project, [*make_pytest_argv(project), *paths], source, f"pytest is configured in {source}")


def _wrapped(project: ProjectFolder) -> Candidate | None:
    """Return what tox or nox starts; tox or nox itself if that is unknown."""
    wrapped_tests = find_wrapped_tests(project)
    if wrapped_tests is None:
        return None
    words = _as_here(project, wrapped_tests)
    if words and wrapped_tests.project.where != project.where:
        text = f"cd {quote_words([wrapped_tests.folder(project)])} && {quote_words(words)}"
        return _gate(project, ["sh", "-c", text], wrapped_tests.file, wrapped_tests.reason, text)
    return _gate(project, words or wrapped_tests.argv, wrapped_tests.file, wrapped_tests.reason)


def _find_test_runner(project: ProjectFolder) -> Candidate | None:
    """The runner that the test files are written for."""
    files = _test_files(project)
    texts = [(file, project.read(file) or "") for file in files[:FILES_LOOKED_AT]]
    modern = next((file for file, text in texts if _PYTEST.search(text)), "")
    classic = next((file for file, text in texts if _UNITTEST.search(text)), "")
    if modern:
        return _gate(project, make_pytest_argv(project), modern, f"tests for pytest, such as {modern}")
    if classic and project.exists("manage.py"):
        words = [*make_python_argv(project), "manage.py", "test"]
        return _gate(project, words, "manage.py", f"a Django project with tests such as {classic}")
    if classic:
        words = [*make_module_argv(project, "unittest"), *_discovery(project, classic)]
        return _gate(project, words, classic, f"tests for unittest, such as {classic}")
    return None


def _gate(project: ProjectFolder, argv: list[str], source: str, reason: str, text: str = "") -> Candidate:
    return propose_command(project, FAMILY, TEST, argv, source=source, reason=reason, text=text)


def make_pytest_argv(project: ProjectFolder) -> list[str]:
    started = make_program_argv(project, "pytest")
    if has_environment(project):
        return make_module_argv(project, "pytest") if started == ["pytest"] else started
    if get_table(project.read_toml("pyproject.toml"), "tool", "hatch", "envs").get("hatch-test"):
        return ["hatch", "test"]
    return make_module_argv(project, "pytest") if _imports_from_here(project) else started


def _imports_from_here(project: ProjectFolder) -> bool:
    """Return whether this is a plain folder of modules with tests beside them. Nothing installs it, so the tests find
    it only if the folder itself is importable."""
    options = project.read_toml("pyproject.toml")
    installs = project.find_first("setup.py", "setup.cfg") or get_table(options, "project")
    installs = installs or get_table(options, "build-system") or get_table(options, "tool", "poetry")
    setting = find_setting(project, "pytest")
    has_path = setting is not None and "pythonpath" in setting.text
    return not (installs or has_path or project.find_first("conftest.py", "tests/__init__.py"))


def _as_here(project: ProjectFolder, wrapped_tests: WrappedTests) -> list[str]:
    """A command of tox as this project's environment starts it; empty if it is not plain."""
    step, project_folder = wrapped_tests.step, wrapped_tests.project
    if step.tool == "pytest" and project_folder.where == project.where:
        return [*make_pytest_argv(project), *_list_choices(step), *_list_paths(project, step)]
    if set("{}") & set("".join(step.words)):
        return []
    if step.is_module:
        return [*make_module_argv(project_folder, step.words[0]), *step.words[1:]]
    if step.words[0].endswith(".py"):
        return [*make_python_argv(project_folder), *step.words]
    return [*make_program_argv(project_folder, step.words[0]), *step.words[1:]]


def _discovery(project: ProjectFolder, example: str) -> list[str]:
    """Return unittest's discovery options: by default it finds only `test*.py`, and only in packages."""
    folder, _, name = example.rpartition("/")
    top = folder.partition("/")[0]
    pattern = [] if name.startswith("test") else ["-p", "*_test.py"]
    start = ["-s", top] if top and not project.exists(f"{top}/__init__.py") else []
    return ["discover", *start, *pattern] if start or pattern else []


def _test_files(project: ProjectFolder) -> list[str]:
    """Return test files in the usual places: here, in `tests`, and in the `tests` of packages."""
    folders = [n for n in project.names() if n.endswith("/") and n[0] != "."]
    inner = [f"{f}{t}" for f in folders if f not in _NOT_TESTS for t in ("", "tests/", "test/")]
    tests = _tests_in(project, "")
    for folder in sorted(inner[:FOLDERS_LOOKED_AT], key=lambda f: f not in _TEST_FOLDERS):
        tests += _tests_in(project, folder)
    for folder in _TEST_FOLDERS:
        below = [n for n in project.names(folder) if n.endswith("/")]
        tests += [file for name in below[:FOLDERS_LOOKED_AT] for file in _tests_in(project, folder + name)]
    return list(dict.fromkeys(tests))


def _tests_in(project: ProjectFolder, folder: str) -> list[str]:
    return [folder + name for name in project.names(folder or ".") if _TEST_FILE.fullmatch(name)]


# Packages beside the code that are not type-checked.
_NOT_CODE = frozenset(
    ("bench/", "benchmarks/", "docs/", "examples/", "scripts/", "test/", "testing/", "tests/", "tools/")
)
PACKAGES = 3


def start_program(project: ProjectFolder, tool: str, argv: list[str]) -> list[str]:
    """Return a command the way this project starts programs, with the options the tool needs here."""
    more = _MORE_WORDS.get(tool)
    return [*make_program_argv(project, argv[0]), *argv[1:], *(more(project) if more else [])]


def _list_excludes(project: ProjectFolder) -> list[str]:
    """Return excludes for flake8, which would lint a virtual environment inside the project."""
    inside = [name for name in _ENVIRONMENT_FOLDERS if project.exists(f"{name}/bin")]
    return [f"--extend-exclude={','.join(inside)}"] if inside else []


def _targets(project: ProjectFolder) -> list[str]:
    setting = find_setting(project, "mypy")
    return [] if setting is None or _says_what(setting.value) else _code(project)


def _says_what(value: object) -> bool:
    """Return whether mypy knows what to check, from its options or the command line."""
    if isinstance(value, str):
        return bool(re.search(r"^[ \t]*(files|packages|modules)\s*=", value, re.MULTILINE))
    return bool({"files", "packages", "modules"} & get_table(value).keys())


def _code(project: ProjectFolder) -> list[str]:
    """Return what to type-check: what tox or nox names, else the package, else everything."""
    inside = [f"src/{name}" for name in project.names("src")]
    code = ["src"] if any(_is_code(project, name) for name in inside) else []
    beside = [name for name in project.names() if name not in _NOT_CODE]
    code = code or [name[:-1] for name in beside if _is_package(project, name)]
    return list_paths_of(project, "mypy") or code[:PACKAGES] or ["."]


def _is_code(project: ProjectFolder, name: str) -> bool:
    return name.endswith(".py") or _is_package(project, name)


def _is_package(project: ProjectFolder, name: str) -> bool:
    return name.endswith("/") and project.exists(f"{name}__init__.py")


_MORE_WORDS = {"mypy": _targets, "flake8": _list_excludes}
