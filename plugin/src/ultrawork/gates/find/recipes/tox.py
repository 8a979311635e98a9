"""tox and nox: the commands of their environments and sessions, as far as they are plain."""

import ast
from collections.abc import Iterator

from ....core.patterns import compile_late
from ...language.python import parse_source
from ..folder import ProjectFolder, Table, get_table, list_texts, parse_ini
from ..shell import quote_words
from .recipe import Recipe, RecipeBook

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
