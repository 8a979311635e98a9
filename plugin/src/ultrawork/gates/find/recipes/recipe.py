"""Named scripts of a project, and the formats that list them as they run: package.json and composer.json with the
package manager that runs them, tox and nox with the commands of their environments as far as they are plain."""

import ast
import json
from collections.abc import Iterator, Sequence

from ....core.patterns import compile_late
from ....core.toolchains.toolchain import get_built_in
from ...language.python import parse_source
from ..folder import ProjectFolder, Table, get_table, list_texts, parse_ini
from ..shell import quote_words


class Recipe:
    """A script of the project. `body` are its lines as written, `needs` the recipes that run before it."""

    def __init__(
        self,
        book: "RecipeBook",
        name: str,
        line: int,
        body: Sequence[str] = (),
        needs: Sequence[str] = (),
        *,
        file: str = "",
        parameters: bool = False,
    ) -> None:
        self.book = book
        self.name = name
        self.file = file or book.file
        self.line = line
        self.body = list(body)
        self.needs = list(needs)
        self.parameters = parameters

    def runs_as_one(self) -> bool:
        """Return whether one shell runs the whole body, and not one each line."""
        shebang = bool(self.body) and self.body[0].startswith("#!")
        return shebang or any(line.startswith(".ONESHELL") for line in self.book.settings)

    def text(self) -> str:
        head = f"{self.name}: {' '.join(self.needs)}".rstrip()
        if len(self.body) == 1 and not self.needs:
            return f"{head} {self.body[0]}"
        return "\n".join([head, *("\t" + line for line in self.body)])


class RecipeBook:
    """
    All recipes of one tool in one folder: `noun` is what that tool calls one, `family` the
    ecosystem, `default` what runs when none is named, `settings` lines that bear on all of them.
    """

    def __init__(self, tool: str, file: str, noun: str, family: str = "") -> None:
        self.tool = tool
        self.file = file
        self.noun = noun
        self.family = family or tool
        self.recipes: dict[str, Recipe] = {}
        self.settings: list[str] = []
        self.default = ""

    def add(self, recipe: Recipe) -> Recipe:
        self.default = self.default or recipe.name
        return self.recipes.setdefault(recipe.name, recipe)


PACKAGE_FILE = "package.json"
# Lock file -> its package manager; the first one found upward decides.
LOCKS = get_built_in().ecosystems["node"].locks
MANAGERS = frozenset(LOCKS.values())


def read_package(project: ProjectFolder) -> RecipeBook | None:
    scripts = get_table(project.read_json(PACKAGE_FILE), "scripts")
    if not scripts:
        return None
    recipe_book = RecipeBook("npm", PACKAGE_FILE, "script", "node")
    places = _line_numbers(project.read(PACKAGE_FILE) or "")
    for name, text in scripts.items():
        if isinstance(text, str) and text.strip():
            recipe_book.add(Recipe(recipe_book, name, places.get(name, 1), [text]))
    for name, recipe in recipe_book.recipes.items():
        before = [f"pre{name}"] if f"pre{name}" in recipe_book.recipes else []
        after = [f"post{name}"] if f"post{name}" in recipe_book.recipes else []
        recipe.needs = before + after
    recipe_book.default = ""
    return recipe_book


def find_manager(project: ProjectFolder) -> str:
    """Return the package manager that runs the scripts: of the nearest folder upward that names one, else npm."""
    project_folder: ProjectFolder | None = project
    while project_folder is not None:
        named = project_folder.read_json(PACKAGE_FILE).get("packageManager")
        chosen = named.partition("@")[0] if isinstance(named, str) else ""
        chosen = chosen if chosen in MANAGERS else LOCKS.get(project_folder.find_first(*LOCKS), "")
        if chosen:
            return chosen
        project_folder = project_folder.sub("..") if project_folder.where != "." else None
    return "npm"


def make_script_argv(project: ProjectFolder, script: str) -> list[str]:
    chosen = find_manager(project)
    return [chosen, "test"] if script == "test" and chosen != "bun" else [chosen, "run", script]


def list_dependencies(project: ProjectFolder) -> dict[str, str]:
    """Return everything that the package or one above it depends on, with the required versions."""
    dependencies: dict[str, str] = {}
    project_folder: ProjectFolder | None = project
    while project_folder is not None:
        for group in ("dependencies", "devDependencies", "peerDependencies"):
            table = get_table(project_folder.read_json(PACKAGE_FILE), group)
            dependencies = {name: str(version) for name, version in table.items()} | dependencies
        project_folder = project_folder.sub("..") if project_folder.where != "." else None
    return dependencies


def _line_numbers(text: str) -> dict[str, int]:
    """Return line numbers of the scripts, for people to look up."""
    start = text.find('"scripts"')
    line_numbers: dict[str, int] = {}
    first = text.count("\n", 0, max(start, 0)) + 1
    for offset, line in enumerate(text[max(start, 0) :].split("\n")):
        key, colon, _ = line.strip().partition('":')
        if colon and key.startswith('"'):
            line_numbers.setdefault(_unquoted(key + '"'), first + offset)
    return line_numbers


def _unquoted(key: str) -> str:
    try:
        return str(json.loads(key))
    except ValueError:
        return key


COMPOSER_FILE = "composer.json"


def read_composer(project: ProjectFolder) -> RecipeBook | None:
    scripts = get_table(project.read_json(COMPOSER_FILE), "scripts")
    if not scripts:
        return None
    recipe_book = RecipeBook("composer", COMPOSER_FILE, "script", "php")
    for name, value in scripts.items():
        body = [_composer_line(text) for text in list_texts(value)]
        if body:
            recipe_book.add(Recipe(recipe_book, name, 1, body))
    recipe_book.default = ""
    return recipe_book


def _composer_line(text: str) -> str:
    """`@phpstan` calls another script, `@php x.php` the interpreter."""
    if not text.startswith("@"):
        return text
    return text[1:] if text.startswith(("@php ", "@composer ")) else f"composer run {text[1:]}"


MAIN = "testenv"
_POSARGS = compile_late(r"\{posargs(?::([^{}]*))?\}|\[\]")
_PLAIN = {"{envpython}": "python", "{envbindir}/": "", "{toxinidir}/": "", "{toxinidir}": "."}
_FACTOR = compile_late(r"([\w.]+): +(.*)")


def read_tox(project: ProjectFolder) -> RecipeBook | None:
    """Recipes: `testenv`, each named environment, and each factor that commands are tied to."""
    for file, environments in _sources(project):
        recipe_book = RecipeBook("tox", file, "environment")
        for name, (folder, commands) in environments.items():
            for line in commands:
                factor = _FACTOR.fullmatch(line)
                recipe = recipe_book.add(Recipe(recipe_book, factor[1] if factor else name, 1))
                recipe.body.append(_plain(factor[2] if factor else line, folder))
        if recipe_book.recipes:
            recipe_book.default = MAIN
            return recipe_book
    return None


def _sources(project: ProjectFolder) -> Iterator[tuple[str, dict[str, tuple[str, list[str]]]]]:
    """Yield where tox defines its environments, in the order in which tox looks."""
    there = project.list_present(("tox.ini", "setup.cfg", "pyproject.toml", "tox.toml"))
    if "tox.ini" in there:
        yield "tox.ini", _ini(project.read_ini("tox.ini"), "")
    if "setup.cfg" in there:
        yield "setup.cfg", _ini(project.read_ini("setup.cfg"), "tox:")
    if "pyproject.toml" in there:
        options = get_table(project.read_toml("pyproject.toml"), "tool", "tox")
        legacy = options.get("legacy_tox_ini")
        yield "pyproject.toml", _legacy(legacy) if isinstance(legacy, str) else _toml(options)
    if "tox.toml" in there:
        yield "tox.toml", _toml(project.read_toml("tox.toml"))


def _ini(sections: Table, prefix: str) -> dict[str, tuple[str, list[str]]]:
    commands = {}
    for section, options in sections.items():
        kind, _, name = section.removeprefix(prefix).partition(":")
        body = options.get("commands")
        if kind == MAIN and section.startswith(prefix) and isinstance(body, str):
            lines = [line.strip() for line in body.replace("\\\n", " ").split("\n")]
            commands[name or MAIN] = (options.get("changedir") or "", [line for line in lines if line])
    return commands


def _legacy(text: str) -> dict[str, tuple[str, list[str]]]:
    try:
        return _ini(parse_ini(text), "")
    except ValueError:
        return {}


def _toml(options: Table) -> dict[str, tuple[str, list[str]]]:
    environments = {MAIN: get_table(options, "env_run_base"), **get_table(options, "env")}
    commands = {}
    for name, value in environments.items():
        body = get_table(value).get("commands")
        if isinstance(body, list):
            lines = [quote_words(list_texts(line)) for line in body if isinstance(line, list)]
            commands[name] = (str(get_table(value).get("change_dir") or ""), lines)
    return commands


def _plain(line: str, folder: str) -> str:
    forgiven = line.startswith("-")
    line = _POSARGS.sub(lambda match: match[1] or "", line.lstrip("-! "))
    for written, meant in _PLAIN.items():
        line, folder = line.replace(written, meant), folder.replace(written, meant)
    stays = folder in ("", ".") or "{" in folder
    inside = "" if stays else f"cd {quote_words([folder])} && "
    return inside + line.strip() + (" || true" if forgiven else "")


NOX_FILE = "noxfile.py"


def read_nox(project: ProjectFolder) -> RecipeBook | None:
    tree = _nox_tree(project)
    if tree is None:
        return None
    recipe_book = RecipeBook("nox", NOX_FILE, "session")
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and _is_session(node):
            recipe_book.add(Recipe(recipe_book, node.name, node.lineno, _session_commands(node)))
    return recipe_book


def _nox_tree(project: ProjectFolder) -> ast.Module | None:
    text = project.read(NOX_FILE)
    tree = parse_source(text) if text is not None else None
    if text is not None and tree is None:
        project.leave_out(NOX_FILE, "is not valid Python")
    return tree


def _is_session(function: ast.FunctionDef) -> bool:
    return any("session" in ast.dump(mark) for mark in function.decorator_list)


def _session_commands(function: ast.FunctionDef) -> list[str]:
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    session_commands, inside = [], ""
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        name, words = getattr(call.func, "attr", ""), _words(call)
        if name in ("chdir", "cd") and len(words) == 1 and words[0] != "{}":
            inside = f"cd {quote_words(words)} && "
        elif name == "run" and words:
            session_commands.append(inside + quote_words(words))
    return session_commands


def _words(call: ast.Call) -> list[str]:
    plain = [word for word in call.args if not isinstance(word, ast.Starred)]
    return [str(word.value) if isinstance(word, ast.Constant) else "{}" for word in plain]
