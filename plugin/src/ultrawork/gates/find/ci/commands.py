"""Find the checks among the commands that CI runs: what each starts, its kind, and why it cannot run here as is (a
secret, a value that only CI has, a service)."""

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile

from ....core.value import Value, fresh
from ....core.verdict.gate import FUNCTIONALITY, LINT, TEST, TYPES, Gate
from ..folder import ProjectFolder
from ..shell import (
    ENVIRONMENTS,
    PROGRAMS,
    SCRIPT_RUNNERS,
    CommandStep,
    get_program_name,
    quote_words,
    split_commands,
    split_lines,
    unwrap_words,
)
from ..trace import Trace, find_book, follow_recipe, follow_text
from .files import GITHUB_FOLDER, SERVICE_FILES
from .steps import CiStep, put_in_variables

COMMANDS = 300
_TASKS = SCRIPT_RUNNERS | {"gradle", "hatch", "invoke", "pdm", "mvn", "nox", "poe", "rake", "task", "tox"}
# The kind of an unknown script by a word in its name.
_WORDS = {
    "test": TEST, "tests": TEST, "unittest": TEST, "unittests": TEST, "spec": TEST, "specs": TEST, "runtests": TEST,
    "lint": LINT, "fmt": LINT, "format": LINT, "style": LINT, "shellcheck": LINT, "linter": LINT,
    "typecheck": TYPES, "types": TYPES, "typing": TYPES, "check": FUNCTIONALITY, "checks": FUNCTIONALITY,
    "verify": FUNCTIONALITY, "validate": FUNCTIONALITY,
}  # fmt: skip
# Only lines with one of these words are parsed.
_WORD = re.compile(r"[a-z][a-z0-9]*")
_HINTS = frozenset(
    ("cd", "gradlew", "mvnw", "gmake", *(_WORD.findall(name)[0] for name in {*PROGRAMS, *_TASKS, *_WORDS}))
)
_NO_PROGRAMS = frozenset(
    ("[", "[[", "cd", "echo", "test", "export", "set", "source", ".", "for", "while", "case", "fi", "done", "then",
     "else", "elif", "exit", "git", "curl", "wget", "apt", "apt-get", "brew", "pip", "pip3", "sudo", "cat", "cp", "mv", "rm",
     "mkdir", "docker", "docker-compose", "podman", "codecov")
)  # fmt: skip
# Words that may precede a command in a shell script.
_KEYWORDS = frozenset(("!", "{", "do", "else", "then"))
# With these options nothing is checked.
_TELLS_ONLY = frozenset(("--collect-only", "--help", "--list", "--notest", "--version", "-h"))
_ASSIGNED = re.compile(r"^(?:export )?([A-Z_]+)=[\"']([^\"'$\n]*)[\"']", re.MULTILINE)
_PREFIX = re.compile(r"\$\{?[A-Z_]+\}?/?(?=[a-z])")
_CALLS = ("run", "exec", "task", "run-script")
_NOT_CHECKS = ("deploy", "publish", "release", "upload", "install", "fix", "watch", "setup")
_ASKED = re.compile(r"\$\{\{\s*(.*?)\s*\}\}|<<\s*(.*?)\s*>>|\$\{?(\w+)|\$(\()")


class CiCommand(Value):
    """A command that CI runs. `text` is what you would type in `where`; `asks` is what only CI can provide."""

    text: str
    words: list[str]
    where: str
    source: str
    job: str
    kind: str
    trace: Trace
    asks: str = ""
    needs: list[str] = fresh(list)
    hooks: set[str] = fresh(set)
    inner: list[tuple[ProjectFolder, CommandStep]] = fresh(list)

    def list_steps(self, where: str) -> list[CommandStep]:
        """Return what it starts in a folder, also through the project's own scripts."""
        return [step for at, step in (*self.trace.steps, *self.inner) if at.where == where]

    def tools_at(self, where: str) -> set[str]:
        """Return the tools that it starts in a folder, through any wrapper."""
        own = {step.tool for step in self.list_steps(where) if step.tool}
        return own | (self.hooks if self.where == where else set())

    def runs(self, gate: Gate, trace: Trace) -> bool:
        """Return whether this is that gate: the same script, or the tools it checks with, in its folder."""
        own = next(iter(trace.recipes), None)
        if own is not None and own in self.trace.recipes:
            return True
        tools = trace.tools(gate.kind)
        if tools:
            return tools <= self.tools_at(gate.where)
        return self.where == gate.where and self.text == gate.command


def read_checks(project: ProjectFolder) -> list[CiCommand]:
    """Return all checks that CI runs on a plain push, for any folder of the project."""
    ci_commands: list[CiCommand] = project.root().once("ci", _read)
    return ci_commands


def _read(root: ProjectFolder) -> list[CiCommand]:
    commands: dict[tuple[str, str], CiCommand] = {}
    seen: set[tuple[str, str, bool]] = set()
    for step in _list_steps(root):
        key = (step.where, step.text, bool(step.needs))
        if key in seen:
            continue
        seen.add(key)
        for command in _list_commands(root, step):
            known = commands.setdefault((command.where, command.text), command)
            # The same command without a service elsewhere can run without it.
            known.needs = known.needs if command.needs else []
        if len(commands) >= COMMANDS:
            break
    return list(commands.values())


def _list_steps(root: ProjectFolder) -> Iterator[CiStep]:
    """Yield the steps of each kind of CI file; a reader is loaded only if its files exist."""
    if root.exists(GITHUB_FOLDER):
        from .github import read_workflows

        yield from read_workflows(root)
    if root.find_first(*SERVICE_FILES):
        from . import services

        for read in services.READERS:
            yield from read(root)


def _list_commands(root: ProjectFolder, step: CiStep) -> list[CiCommand]:
    project_folder = root.sub(step.where)
    ci_commands = []
    for line in split_lines(step.text) if project_folder else ():
        hinted = not _HINTS.isdisjoint(_WORD.findall(line))
        simple = split_commands(line) if hinted else []
        for simple_command in simple:
            own = list(dropwhile(_KEYWORDS.__contains__, simple_command.words))
            words = _read_words(own)
            if words[:1] == ["cd"] and len(words) == 2:
                project_folder = project_folder.sub(words[1]) or project_folder if project_folder else None
            elif project_folder and words and not simple_command.forgiven:
                text = line if len(simple) == 1 and simple_command.words == words else quote_words(own)
                command = _make_command(project_folder, step, text, words)
                ci_commands += [command] if command else []
    return ci_commands


def _read_words(words: list[str]) -> list[str]:
    """Return the words without wrappers; a script run by name through a manager keeps the manager."""
    managed = words[:1] in (["hatch"], ["pdm"])
    return list(words) if managed else unwrap_words(words)


def _make_command(project_folder: ProjectFolder, step: CiStep, text: str, words: list[str]) -> CiCommand | None:
    program = get_program_name(words[0])
    named = _find_named_kind(program, words)
    if not _TELLS_ONLY.isdisjoint(words):
        return None
    if program in _NO_PROGRAMS or (named is None and not _may_check(program, words, project_folder)):
        return None
    trace = follow_text(project_folder, text)
    inner = [pair for script in trace.scripts.values() for pair in _follow_script(project_folder, script)]
    steps = [step for _, step in (*trace.steps, *inner)]
    kinds = {step.kind for step in steps}
    kind = next((choice for choice in (TEST, LINT, TYPES) if choice in kinds), named or "")
    kind = named if named and trace.tools() <= ENVIRONMENTS and not inner else kind
    if not kind or any(command_step.is_rewriting() or command_step.is_watching() for command_step in steps):
        return None
    hooks = list_hook_tools(project_folder) if "pre-commit" in trace.tools() else set()
    return CiCommand(
        text,
        words,
        project_folder.where,
        step.source,
        step.job,
        kind,
        trace,
        asks=_find_expression(text) or _find_missing(project_folder, words),
        needs=step.needs,
        hooks=hooks,
        inner=inner,
    )


def _follow_script(project_folder: ProjectFolder, text: str) -> list[tuple[ProjectFolder, CommandStep]]:
    """Return the checks in a shell script, which often start programs behind a variable: `${PREFIX}mypy src`."""
    if not text.startswith("#!") or "sh" not in text.partition("\n")[0]:
        return []
    variables = dict(reversed(_ASSIGNED.findall(text)))
    plain = _PREFIX.sub("", put_in_variables(text, variables))
    lines = [line for line in split_lines(plain) if not _HINTS.isdisjoint(_WORD.findall(line))]
    return [step for step in follow_text(project_folder, "\n".join(lines)).steps if step[1].tool]


def _find_missing(project_folder: ProjectFolder, words: Sequence[str]) -> str:
    """Return a program or folder of the project that exists only after CI creates it."""
    program = words[0]
    if project_folder.where != "." and not project_folder.exists("."):
        return f"{project_folder.where}, which CI creates first"
    own = "/" in program and not program.startswith("/") and "node_modules" not in program
    return f"{program}, which CI builds first" if own and not project_folder.exists(program) else ""


def list_hook_tools(project: ProjectFolder) -> set[str]:
    """Return the tools that pre-commit hooks run."""
    books = [find_book(project, "pre-commit"), find_book(project, "lefthook")]
    recipes = [recipe for book in books if book for recipe in book.recipes.values()]
    return {tool for recipe in recipes for tool in follow_recipe(project, recipe).tools()}


def _may_check(program: str, words: Sequence[str], project_folder: ProjectFolder) -> bool:
    script = "/" in words[0] or words[0].endswith((".sh", ".py"))
    known = program in PROGRAMS or program in project_folder.toolchains.calls
    return known or program in _TASKS or (script and project_folder.exists(words[0]))


def _find_named_kind(program: str, words: Sequence[str]) -> str | None:
    """Return the kind of a script by its name, or by the task name that a task runner gets."""
    name = find_task_name(words) if program in _TASKS else program
    parts = re.split(r"[^a-z]+", name.lower().rpartition("/")[2])
    if any(part in _NOT_CHECKS for part in parts):
        return None
    if words == ["rake"]:
        return TEST
    script = program in _TASKS or "/" in words[0]
    return next((_WORDS[part] for part in parts if part in _WORDS), None) if script else None


def find_task_name(words: Sequence[str]) -> str:
    """Return the task that a task runner is asked for; "" if none is named."""
    given = [word for word in words[1:] if word[:1] != "-" and "=" not in word and word not in _CALLS]
    return given[0] if given and get_program_name(words[0]) in _TASKS else ""


def _find_expression(text: str) -> str:
    match = _ASKED.search(text)
    if match is None:
        return ""
    expression = match[1] or match[2] or match[3] or "_"
    # The splitter writes `$_` for the output of another command.
    sentence = "a secret" if "secrets." in expression else "the output of another command"
    return sentence if "secrets." in expression or expression == "_" else expression
