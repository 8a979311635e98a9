"""
Task runners and hook managers that keep their commands as data: poe, pdm, hatch, Taskfile, pre-commit,
lefthook. Read as recipes, so that what calls them is seen through; none of their hooks is executed.
"""

from ..folder import ProjectFolder, Table, get_table, list_texts
from ..shell import quote_words
from .recipe import Recipe, RecipeBook

PYPROJECT = "pyproject.toml"
TASKFILES = ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml")
PRE_COMMIT_FILES = (".pre-commit-config.yaml", ".pre-commit-config.yml")
LEFTHOOK_FILES = ("lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml")
# Only these hook events check what is about to be shared.
_HOOK_EVENTS = ("pre-commit", "pre-push")
NESTING = 6


def read_poe(project: ProjectFolder) -> RecipeBook | None:
    tasks = get_table(project.read_toml(PYPROJECT), "tool", "poe", "tasks")
    tasks = tasks or get_table(project.read_toml("poe_tasks.toml"), "tasks")
    return _make_book("poe", PYPROJECT, "task", {n: _poe_lines(t) for n, t in tasks.items()})


def _poe_lines(task: object, depth: int = 0) -> list[str]:
    """Return the commands of a poe task: `cmd` and `shell` are commands, `sequence` and a list name tasks or hold
    commands."""
    if depth > NESTING:
        return []
    if isinstance(task, str):
        return [task] if depth == 0 else [f"poe {task}"]
    if isinstance(task, list):
        return [line for entry in task for line in _poe_lines(entry, depth + 1)]
    table = get_table(task)
    for key in ("cmd", "shell"):
        if isinstance(table.get(key), str):
            return [table[key]]
    if isinstance(table.get("ref"), str):
        return [f"poe {table['ref']}"]
    return _poe_lines(table.get("sequence"), depth + 1) if "sequence" in table else []


def read_pdm(project: ProjectFolder) -> RecipeBook | None:
    scripts = get_table(project.read_toml(PYPROJECT), "tool", "pdm", "scripts")
    recipes = {name: _pdm_lines(script) for name, script in scripts.items() if name != "_"}
    return _make_book("pdm", PYPROJECT, "script", recipes)


def _pdm_lines(script: object) -> list[str]:
    if isinstance(script, str):
        return [script]
    table = get_table(script)
    if "composite" in table:
        return [f"pdm run {name}" for name in list_texts(table["composite"])]
    cmd = table.get("cmd", table.get("shell"))
    return [quote_words(list_texts(cmd))] if isinstance(cmd, list) else list_texts(cmd)


def read_hatch(project: ProjectFolder) -> RecipeBook | None:
    """`hatch run lint:style` is the script `style` of the environment `lint`."""
    recipes: dict[str, list[str]] = {}
    options = get_table(project.read_toml(PYPROJECT), "tool", "hatch")
    options = options or project.read_toml("hatch.toml")
    for environment, table in get_table(options, "envs").items():
        scripts = get_table(table, "scripts")
        for name, script in scripts.items():
            lines = [_hatch_line(line, scripts, environment) for line in list_texts(script)]
            recipes[f"{environment}:{name}"] = lines
            if environment == "default":
                recipes[name] = lines
    return _make_book("hatch", PYPROJECT, "script", recipes)


def _hatch_line(line: str, scripts: Table, environment: str) -> str:
    first, _, rest = line.replace("{args}", "").replace("{args:", "").partition(" ")
    rest = rest.replace("}", "") if "{args" in line else rest
    return f"hatch run {environment}:{first} {rest}".strip() if first in scripts else f"{first} {rest}"


def read_taskfile(project: ProjectFolder) -> RecipeBook | None:
    name = project.find_first(*TASKFILES)
    if not name:
        return None
    book = RecipeBook("task", name, "task")
    for task, definition in get_table(project.read_yaml(name), "tasks").items():
        table = get_table(definition) or {"cmds": definition}
        commands = table.get("cmds", table.get("cmd"))
        body = [line for command in _as_list(commands) for line in _task_lines(command)]
        inside = f"cd {quote_words([table['dir']])} && " if _is_plain(table.get("dir")) else ""
        needs = [_task_name(dependency) for dependency in _as_list(table.get("deps"))]
        line = getattr(_first(commands), "line", 1)
        book.add(Recipe(book, task, line, [inside + node for node in body], [n for n in needs if n]))
    book.default = "default" if "default" in book.recipes else ""
    return book


def _task_lines(command: object) -> list[str]:
    if isinstance(command, str):
        return [command] if command else []
    table = get_table(command)
    if isinstance(table.get("task"), str):
        return [f"task {table['task']}"]
    return list_texts(table.get("cmd"))


def _task_name(dependency: object) -> str:
    return dependency if isinstance(dependency, str) else str(get_table(dependency).get("task", ""))


def read_pre_commit(project: ProjectFolder) -> RecipeBook | None:
    """Return one recipe per hook, and `run` for all of them."""
    name = project.find_first(*PRE_COMMIT_FILES)
    if not name:
        return None
    hooks: dict[str, list[str]] = {}
    for repository in _as_list(project.read_yaml(name).get("repos")):
        for hook in _as_list(get_table(repository).get("hooks")):
            identifier = str(get_table(hook).get("id", ""))
            words = [str(get_table(hook).get("entry") or _HOOKS.get(identifier, identifier))]
            words += list_texts(get_table(hook).get("args"))
            if identifier and get_table(hook).get("stages") != ["manual"]:
                hooks[identifier] = [" ".join(words)]
    book = _make_book("pre-commit", name, "hook", hooks)
    if book is not None:
        book.add(Recipe(book, "run", 1, needs=list(hooks)))
        book.default = "run"
    return book


# Hook -> the program it starts, if that has another name.
_HOOKS = {
    "black": "black --check",
    "cargo-check": "cargo check",
    "clippy": "cargo clippy",
    "fmt": "cargo fmt --check",
    "go-vet": "go vet ./...",
    "isort": "isort --check",
    "ruff": "ruff check",
    "ruff-check": "ruff check",
    "ruff-format": "ruff format --check",
}


def read_lefthook(project: ProjectFolder) -> RecipeBook | None:
    name = project.find_first(*LEFTHOOK_FILES)
    if not name:
        return None
    book = RecipeBook("lefthook", name, "hook")
    options = project.read_yaml(name)
    for event in _HOOK_EVENTS:
        table = get_table(options, event)
        jobs = [*get_table(table, "commands").values(), *_as_list(table.get("jobs"))]
        lines = [text for job in jobs for text in list_texts(get_table(job).get("run"))]
        if lines:
            book.add(Recipe(book, event, getattr(lines[0], "line", 1), lines))
    book.default = ""
    return book


def _make_book(tool: str, file: str, noun: str, recipes: dict[str, list[str]]) -> RecipeBook | None:
    book = RecipeBook(tool, file, noun)
    for name, lines in recipes.items():
        if lines:
            book.add(Recipe(book, name, getattr(lines[0], "line", 1), lines))
    book.default = ""
    return book if book.recipes else None


def _as_list(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    return [] if value is None or value == "" else [value]


def _first(value: object) -> object:
    return _as_list(value)[0] if _as_list(value) else None


def _is_plain(value: object) -> bool:
    return isinstance(value, str) and value != "" and "{{" not in value
