"""Follow a script to what it really runs, through make, just, package scripts and tox. Nothing is executed."""

import posixpath
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from ...core.toolchains import toolchain
from ...core.value import Value, fresh
from .folder import ProjectFolder
from .recipes import make, tasks
from .recipes.recipe import Recipe, RecipeBook, read_composer, read_nox, read_package, read_tox
from .settings import ToolSetting, follow_settings, list_compared, list_named_on, note_scripts, read_tool_settings
from .shell import IDLE, CommandStep, get_program_name, quote_words, split_commands, split_lines, unwrap_words

STEPS = 200
CHARACTERS = 100_000
DEPTH = 40
BOOKS = {
    "composer": read_composer,
    "hatch": tasks.read_hatch,
    "just": make.read_justfile,
    "lefthook": tasks.read_lefthook,
    "make": make.read_makefile,
    "nox": read_nox,
    "npm": read_package,
    "pdm": tasks.read_pdm,
    "poe": tasks.read_poe,
    "pre-commit": tasks.read_pre_commit,
    "task": tasks.read_taskfile,
    "tox": read_tox,
}
# Program -> the recipe book that its arguments may name, and words that only introduce a name.
_CALLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bun": ("npm", ("run",)),
    "composer": ("composer", ("run", "run-script")),
    "go-task": ("task", ()),
    "just": ("just", ()),
    "lefthook": ("lefthook", ("run",)),
    "make": ("make", ()),
    "nox": ("nox", ()),
    "npm": ("npm", ("run", "run-script")),
    "npm-run-all": ("npm", ()),
    "pnpm": ("npm", ("run",)),
    "poe": ("poe", ()),
    "poethepoet": ("poe", ()),
    "run-p": ("npm", ()),
    "run-s": ("npm", ()),
    "task": ("task", ()),
    "tox": ("tox", ()),
    "yarn": ("npm", ("run",)),
}
_SHORT_NAMES = {"t": "test", "tst": "test"}
_MANY = frozenset(("just", "make", "nox", "npm-run-all", "run-p", "run-s", "tox"))
# Programs whose `run` starts a script of that name if there is one, else a program.
_SCRIPT_OR_PROGRAM = ("hatch", "pdm")
_START_PROGRAMS = ("pnpm", "yarn")
_ELSEWHERE = ("-C", "--directory", "--prefix", "--cwd", "--dir")
# With these options a call uses other folders or files.
_NOT_PLAIN = {
    "just": frozenset(("-f", "--justfile")),
    "make": frozenset(("-f", "--file", "--makefile")),
    "npm": frozenset(("-w", "--workspace", "--workspaces", "-ws")),
    "pnpm": frozenset(("-r", "--recursive", "-F", "--filter", "-w")),
    "yarn": frozenset(("workspace", "workspaces")),
}
_SHELLS = frozenset(("sh", "bash", "zsh"))
_MOVES = (["cd"], ["pushd"])


class Trace(Value):
    """What a script runs. `opaque`: part of it could not be followed, such as a pattern rule."""

    scripts: dict[str, str] = fresh(dict)
    steps: list[tuple[ProjectFolder, CommandStep]] = fresh(list)
    recipes: dict[tuple[str, str, str], Recipe] = fresh(dict)
    books: dict[tuple[str, str], RecipeBook] = fresh(dict)
    compared: list[str] = fresh(list)
    opaque: bool = False
    read: int = 0
    depth: int = 0
    _settings: list[ToolSetting] | None = None

    def tools(self, *kinds: str) -> set[str]:
        """Return tools of these kinds (default: all) whose failure counts."""
        known = [step for _, step in self.steps if step.tool and not step.forgiven]
        return {step.tool for step in known if not kinds or step.kind in kinds}

    def kinds(self) -> set[str]:
        return {step.kind for _, step in self.steps if step.kind}

    def programs(self) -> set[str]:
        return {step.program for _, step in self.steps}

    def is_idle(self) -> bool:
        return not self.opaque and self.programs() <= IDLE

    def explain_partial(self) -> str:
        """Return why it is not a check: it runs only what changed or failed last. Empty if it runs everything."""
        for _, step in self.steps:
            option = step.find_partial_option()
            if option:
                whole = [word for word in step.words if word != option]
                return toolchain.explain_partial(option, quote_words(whole))
        for setting in self.list_settings():
            option = toolchain.find_partial_setting(setting.tool, setting.text)
            if option:
                return toolchain.explain_partial(option, f"{setting.tool} without it")
        return ""

    def definition(self) -> list[str]:
        """Return the recipes walked through, and the options of each tool met on the way."""
        lines = [line for book in self.books.values() for line in book.settings]
        lines = [recipe.text() for recipe in self.recipes.values()] + lines
        lines += [f"[{path}] {text.strip()}" for path, text in self.scripts.items()]
        return [*lines, *(setting.text for setting in self.list_settings())]

    def files(self) -> list[str]:
        paths = [_at(where, recipe.file) for (where, _, _), recipe in self.recipes.items()]
        others = [*self.scripts, *(setting.file for setting in self.list_settings())]
        return list(dict.fromkeys([*paths, *others]))

    def list_settings(self) -> list[ToolSetting]:
        """Return the settings of all tools met on the way, read when the way is known."""
        if self._settings is None:
            self._settings = list(self._read_settings())
        return self._settings

    def _read_settings(self) -> Iterator[ToolSetting]:
        known: dict[str, None] = {}
        for project, setting in self._usual_settings():
            yield setting
            known[setting.file] = None
            here = posixpath.relpath(setting.file, project.where)
            for path, text in follow_settings(project, here, setting.text).items():
                file = posixpath.normpath(project.path(path))
                if file not in known:
                    known[file] = None
                    yield ToolSetting(setting.tool, file, file, text)

    def _usual_settings(self) -> Iterator[tuple[ProjectFolder, ToolSetting]]:
        """Yield settings in the tool's default places and those that its command names."""
        pairs = {(project.where, step.tool): project for project, step in self.steps if step.tool}
        for (_, tool), project in pairs.items():
            toolchains = project.toolchains
            known = toolchains.get(tool)
            for program in map(toolchains.get, (tool, *(known.measured_by if known else ()))):
                yield from ((project, setting) for setting in (read_tool_settings(project, program) if program else ()))
        for project, step in self.steps:
            for name in list_named_on(project, step.words) if step.tool else ():
                text = project.read(name)
                if text is not None:
                    yield project, ToolSetting(step.tool, project.path(name), name, text)


def find_book(project: ProjectFolder, tool: str) -> RecipeBook | None:
    recipe_book: RecipeBook | None = project.once(f"book {tool}", BOOKS[tool])
    return recipe_book


def follow_text(project: ProjectFolder, text: str) -> Trace:
    trace = Trace()
    _text(trace, project, text)
    return trace


def follow_recipe(project: ProjectFolder, recipe: Recipe) -> Trace:
    trace = Trace()
    _recipe(trace, project, recipe)
    return trace


def _text(trace: Trace, project: ProjectFolder, text: str, *, together: bool = False) -> None:
    """Follow the lines of a text; `together` if one shell reads them all, so that `cd` affects later lines."""
    trace.depth += 1
    trace.compared += list_compared(text)
    project_folder = project
    for line in split_lines(text):
        trace.read += len(line)
        if trace.read > CHARACTERS or trace.depth > DEPTH:
            trace.opaque = True
            break
        folder = _line(trace, project_folder, line)
        project_folder = folder if together else project
    trace.depth -= 1


def _line(trace: Trace, project: ProjectFolder, line: str) -> ProjectFolder:
    """Follows one line; the folder in which it leaves the shell."""
    project_folder = project
    for simple in split_commands(line):
        words = unwrap_words(simple.words)
        if words[:1] in _MOVES and len(words) == 2:
            # A name that only a shell can expand cannot be followed.
            trace.opaque = trace.opaque or "$" in words[1]
            project_folder = project_folder.sub(words[1]) or project_folder
        elif words and len(trace.steps) < STEPS:
            before = len(trace.steps)
            note_scripts(trace.scripts, project_folder, simple, trace.compared)
            script = _find_run_script(project_folder, simple.words)
            if script is not None:
                _recipe(trace, project_folder, script)
            elif not _follows(trace, project_folder, words):
                trace.steps.append((project_folder, CommandStep(simple, project_folder.toolchains)))
            for _, step in trace.steps[before:]:
                step.forgiven = step.forgiven or simple.forgiven
    return project_folder


def _find_run_script(project: ProjectFolder, words: list[str]) -> Recipe | None:
    """The script behind `hatch run lint:style` or `pdm run lint`."""
    plain = [word for word in words if word[:1] not in ("-", "+") and "=" not in word]
    if len(plain) < 3 or plain[0] not in _SCRIPT_OR_PROGRAM or plain[1] != "run":
        return None
    book = find_book(project, plain[0])
    return book.recipes.get(plain[2]) if book else None


def _follows(trace: Trace, project: ProjectFolder, words: list[str]) -> bool:
    """Return whether these words only call recipes or another shell text, which were followed."""
    program = get_program_name(words[0]) if words else ""
    if program in _SHELLS and len(words) > 2 and words[1].endswith("c"):
        _text(trace, project, words[2])
        return True
    if program == "concurrently":
        _text(trace, project, "\n".join(_expand_npm(word) for word in words[1:]))
        return True
    if program not in _CALLS or not _NOT_PLAIN.get(program, frozenset()).isdisjoint(words):
        return False
    return _calls(trace, project, program, words[1:])


def _calls(trace: Trace, project: ProjectFolder, program: str, words: list[str]) -> bool:
    tool, introductions = _CALLS[program]
    elsewhere, words = _folder(words)
    project_folder = project.sub(elsewhere) if elsewhere else project
    if project_folder is None:
        return False
    wanted = [word for word in words if not word.startswith("-") and "=" not in word]
    if program == "tox":
        wanted = _list_environments(words)
    for is_introduction in (introductions.__contains__, partial(_is_test_environment, program)):
        wanted = wanted[1:] if wanted and is_introduction(wanted[0]) else wanted
    source = find_book(project_folder, tool)
    recipes = _named(source, wanted if program in _MANY else wanted[:1]) if source else []
    for recipe in recipes:
        _recipe(trace, project_folder, recipe)
    if not recipes and program in _START_PROGRAMS and wanted:
        _text(trace, project_folder, quote_words(words[words.index(wanted[0]) :]))
        return True
    return bool(recipes)


def _list_environments(words: list[str]) -> list[str]:
    """Return the environments that `tox -e lint,types` names, also by a factor."""
    pairs = pairwise(words)
    named = [value for option, value in pairs if option in ("-e", "-f", "--env")]
    return [name for value in named for name in value.split(",") if name]


def _is_test_environment(program: str, name: str) -> bool:
    """Return whether it is an environment for an interpreter: `py312`, `3.12`, `tests`."""
    return program == "tox" and (name.startswith(("py", "test")) or name[0].isdigit())


def _named(source: RecipeBook, wanted: list[str]) -> list[Recipe]:
    if not wanted:
        return [source.recipes[source.default]] if source.default in source.recipes else []
    recipes: list[Recipe] = []
    for word in wanted:
        prefix, star, _ = word.partition("*")
        exact = source.recipes.get(_SHORT_NAMES.get(word, word))
        if exact:
            recipes.append(exact)
        elif star and prefix:
            recipes += [r for n, r in source.recipes.items() if n.startswith(prefix)]
    return recipes


def _recipe(trace: Trace, project: ProjectFolder, recipe: Recipe) -> None:
    source = recipe.book
    key = (project.where, source.tool, recipe.name)
    if key in trace.recipes or len(trace.recipes) >= STEPS:
        return
    trace.recipes[key] = recipe
    trace.books[(project.where, source.tool)] = source
    for need in recipe.needs:
        if need in source.recipes:
            _recipe(trace, project, source.recipes[need])
        trace.opaque = trace.opaque or need not in source.recipes
    trace.compared += list_compared("\n".join(recipe.body))
    if recipe.runs_as_one():
        _text(trace, project, "\n".join(recipe.body), together=True)
        return
    for line in recipe.body:
        _text(trace, project, line)


def _folder(words: list[str]) -> tuple[str, list[str]]:
    """Return the folder that a call switches to, and the words without it."""
    for index, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option in _ELSEWHERE and equals:
            return value, words[:index] + words[index + 1 :]
        if option in _ELSEWHERE and index + 1 < len(words):
            return words[index + 1], words[:index] + words[index + 2 :]
    return "", words


def _expand_npm(word: str) -> str:
    return "npm run " + word[4:] if word.startswith("npm:") else word


def _at(where: str, file: str) -> str:
    return file if where == "." else f"{where}/{file}"
