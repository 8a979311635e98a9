"""Let CI and scripts decide which checks exist.

A linter or type checker that is only configured is not a check if CI names others. If CI runs it, it starts as CI
starts it. CI's own tests become a check if nothing else is. Anything else that CI runs is offered with the line that
would make it a check."""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from ....core.value import Value, fresh
from ....core.verdict.gate import FUNCTIONALITY, LINT, TEST, TYPES, Gate
from ..candidate import ONLY_BY_CONFIG, Candidate, build_candidate, find_objection, propose_command
from ..finders import native, python, shell
from ..folder import ProjectFolder
from ..recipes.recipe import Recipe
from ..shell import ENVIRONMENTS, CommandStep, quote_words, unwrap_words
from ..trace import BOOKS, find_book, follow_recipe, follow_text
from .commands import CiCommand, find_task_name, read_checks
from .files import has_ci, list_ci_files

RECIPES = 80
OFFERS = 30
_HOOK_BOOKS = ("pre-commit", "lefthook")
# For builds or editors: being installed does not make them a check.
_NOT_BY_THEMSELVES = frozenset(("svelte-check", "tsc", "vue-tsc"))
# `make check` is mostly tests.
_TESTING = (TEST, FUNCTIONALITY)
# Options that control output, not what is checked; the second group takes a value.
_TELLING = ("--cov", "--junit", "--color", "--output-format", "--format=", "--message-format", "--annotat", "-v", "-q",
            "--verbose", "--quiet", "--no-color", "--show-", "--error-summary", "--reporter", "--durations", "--statistics",
            "--no-progress", "--locked", "--no-sync")  # fmt: skip
_WITH_VALUE = ("--output-format", "--format", "--message-format", "--reporter", "-n", "--numprocesses")
_UNUSED = "is configured, but no script or CI file runs it"


def read_ci(project: ProjectFolder) -> list[CiCommand]:
    """Return all checks that CI runs on a plain push; readers are loaded only if a CI file exists."""
    if not has_ci(project):
        return []
    return read_checks(project)


def admit_gates(project: ProjectFolder, proposed: list[Candidate]) -> list[Candidate]:
    """Return the proposed checks that agree with CI and scripts; CI is read only if that matters."""
    settled: list[Candidate] = []
    for candidate in proposed:
        kept: Candidate | None = candidate
        if _is_only_configured(candidate):
            kept = _confirm(project, candidate, proposed)
        elif candidate.trace.tools(TEST) == {"unittest"} and not candidate.trace.recipes:
            kept = _prefer_pytest(project, candidate)
        settled += [kept] if kept else []
    if any(proposal.gate.kind == TEST and not _is_guess(project, proposal) for proposal in settled):
        return settled
    if native.needs_configuring(project):
        return _drop_guesses(project, settled, "the tests need a configured build")
    # CI knows more than files that are tests only by name.
    own = _list_tests(project)
    if own:
        return [*own, *settled]
    # CI may test in a way that does not work here yet.
    tests = [
        ci_command
        for ci_command in read_ci(project)
        if ci_command.where == project.where and ci_command.kind in _TESTING
    ]
    return _drop_guesses(project, settled, f"CI runs {tests[0].text}") if tests else settled


def _is_guess(project: ProjectFolder, candidate: Candidate) -> bool:
    """Return whether only a file name suggests tests: shell scripts, or Python files outside a Python project."""
    if candidate.family == python.FAMILY and not candidate.trace.recipes:
        return not any(map(project.find_matching, project.toolchains.ecosystems[python.FAMILY].manifests))
    return candidate.family == shell.FAMILY


def _drop_guesses(project: ProjectFolder, settled: list[Candidate], why: str) -> list[Candidate]:
    guesses = [candidate for candidate in settled if candidate.gate.kind == TEST and _is_guess(project, candidate)]
    for guess in guesses:
        project.leave_out(guess.describe(), why)
    return [candidate for candidate in settled if candidate not in guesses]


def _is_only_configured(candidate: Candidate) -> bool:
    return candidate.gate.kind in (LINT, TYPES) and not candidate.trace.recipes


def _confirm(project: ProjectFolder, candidate: Candidate, proposed: Sequence[Candidate]) -> Candidate | None:
    tools = candidate.trace.tools(candidate.gate.kind)
    for source, step in _list_runs(project, tools):
        return _start_as(project, candidate, source, step) if step else candidate
    scripted = any(proposal.trace.recipes for proposal in proposed if proposal.gate.kind in (TEST, LINT, TYPES))
    in_ci = any(command.where == project.where for command in read_ci(project))
    if in_ci or (scripted and tools <= _NOT_BY_THEMSELVES):
        project.leave_out(candidate.gate.command, _UNUSED)
        return None
    return candidate


def _prefer_pytest(project: ProjectFolder, candidate: Candidate) -> Candidate:
    """Use pytest for unittest-style tests if CI runs them with pytest."""
    tools = {tool: command.source for command in read_ci(project) for tool in command.tools_at(project.where)}
    if "pytest" not in tools or "unittest" in tools:
        return candidate
    file = tools["pytest"].partition(":")[0]
    argv, reason = python.make_pytest_argv(project), f"the tests that {file} gives to pytest"
    return _propose(project, candidate, argv, reason=reason, file=file)


def _propose(project: ProjectFolder, like: Candidate, argv: Sequence[str], *, reason: str, file: str) -> Candidate:
    """Return the check with other words; the file that has them is part of its definition."""
    source = posixpath.relpath(like.gate.source, project.where)
    made = propose_command(project, like.family, like.gate.kind, argv, source=source, reason=reason)
    made.gate.files = tuple(dict.fromkeys([*made.gate.files, file]))
    made.slot = like.slot
    return made


def _list_runs(project: ProjectFolder, tools: set[str]) -> Iterator[tuple[str, CommandStep | None]]:
    """Yield where one of these tools runs here: CI first, then scripts, then pre-commit hooks."""
    for command in read_ci(project):
        for step in command.list_steps(project.where):
            if step.tool in tools:
                yield command.source, step
    for recipe in _list_recipes(project, tools):
        for at, step in follow_recipe(project, recipe).steps:
            if step.tool in tools and at.where == project.where:
                hook = recipe.book.tool in _HOOK_BOOKS
                yield f"{recipe.file}:{recipe.line}", None if hook else step


def _list_recipes(project: ProjectFolder, tools: set[str]) -> list[Recipe]:
    """Return scripts whose own lines mention one of the tools; only those are followed."""
    calls = [key.split() for key, (_, tool) in project.toolchains.calls.items() if tool in tools]
    books = [find_book(project, tool) for tool in BOOKS]
    recipes = [recipe for book in books if book for recipe in list(book.recipes.values())[:RECIPES]]
    return [recipe for recipe in recipes if any(_mentions(line, calls) for line in recipe.body)]


def _mentions(line: str, calls: Sequence[Sequence[str]]) -> bool:
    return any(all(word in line for word in call) for call in calls)


def _start_as(project: ProjectFolder, candidate: Candidate, source: str, step: CommandStep) -> Candidate | None:
    """Return the same tool, started the way this project starts programs, with the options that CI or a script
    passes."""
    telling = strip_telling(step.words[1:])
    own = unwrap_words(candidate.gate.argv)
    writes = step.is_rewriting() or {"-b", "--build", "--watch"} & set(telling)
    expanded = bool(set("".join(telling)) & set("$*?[]{}<>"))
    if expanded and step.tool in _NOT_BY_THEMSELVES:
        project.leave_out(candidate.gate.command, f"{source} runs it with its own files")
        return None
    if writes or expanded or telling == own[1:] or not own:
        return candidate
    started = [*candidate.gate.argv[: len(candidate.gate.argv) - len(own)], own[0]]
    extra = ["--noEmit"] if step.tool == "tsc" and "--noEmit" not in telling else []
    file = source.partition(":")[0]
    reason = f"{step.tool} as {file} runs it"
    return _propose(project, candidate, [*started, *telling, *extra], reason=reason, file=file)


def is_only_by_config(command: CiCommand) -> bool:
    """Return whether a name reaches further than a check; such commands run only if the user configures them."""
    return any(word in command.text.lower() for word in ONLY_BY_CONFIG)


def strip_telling(words: Sequence[str]) -> list[str]:
    """Return the words without options that only affect how results are reported."""
    rest: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in _WITH_VALUE:
            skip = True
        elif not word.startswith(_TELLING):
            rest.append(word)
    return rest


def _list_tests(project: ProjectFolder) -> list[Candidate]:
    """Return what CI runs as tests in this folder, if it can run here as is; note the first that cannot."""
    noted = False
    for command in read_ci(project):
        if command.kind != TEST or command.where != project.where or is_only_by_config(command):
            continue
        why = _explain_unusable(command)
        if why and not noted:
            project.leave_out(command.text, why)
        noted = noted or bool(why)
        if why:
            continue
        reason = f"CI runs it, see {command.source}"
        argv = command.words if quote_words(command.words) == command.text else ["sh", "-c", command.text]
        made = build_candidate(
            project, "ci", TEST, argv, command.trace, source=command.source, reason=reason, command=command.text
        )
        # The CI file belongs to the whole project.
        made.gate.source = command.source
        made.gate.files = (command.source.partition(":")[0], *command.trace.files())
        return [made]
    return []


def _explain_unusable(command: CiCommand) -> str:
    if command.asks:
        return f"CI runs it, and it needs {command.asks}"
    if command.needs:
        return f"CI runs it with {', '.join(command.needs)}"
    recipe = next(iter(command.trace.recipes.values()), None)
    if recipe is not None:
        return find_objection(command.trace, recipe, TEST)
    programs = command.trace.programs()
    if "make" in programs:
        return "CI runs it, but no Makefile here has that target yet"
    return command.trace.explain_partial()


class CiOffer(Value):
    """A CI check that is not a check here: `line` would make it one, or `why` says what it lacks."""

    command: str
    source: str
    line: str = ""
    why: str = ""

    def document(self) -> dict[str, str]:
        return {"command": self.command, "source": self.source, "line": self.line, "why": self.why}


class CiView(Value):
    """What CI says about a list of checks. `runs`: where it runs each, by name. `hidden`: kinds that CI runs in a form
    that cannot be matched here. `offers`: what else it runs."""

    files: list[str] = fresh(list)
    runs: dict[str, str] = fresh(dict)
    hidden: set[str] = fresh(set)
    offers: list[CiOffer] = fresh(list)


def compare_with_ci(root: ProjectFolder, gates: Sequence[Gate]) -> CiView:
    if not has_ci(root):
        return CiView()
    commands = read_ci(root)
    hidden = {ci_command.kind for ci_command in commands if ci_command.asks or ENVIRONMENTS & ci_command.trace.tools()}
    view = CiView(files=root.once("ci files", list_ci_files), hidden=hidden)
    covered: set[int] = set()
    tools: dict[str, set[str]] = {}
    for gate in gates:
        folder = root.sub(gate.where)
        trace = follow_text(folder, gate.command) if folder else None
        tools.setdefault(gate.where, set()).update(trace.tools() if trace else ())
        for index, command in enumerate(commands if trace else ()):
            if trace and command.runs(gate, trace):
                view.runs.setdefault(gate.name, command.source)
                covered |= {index} if trace.recipes or _is_all_of(command, gate) else set()
    taken = {gate.name for gate in gates}
    for index, command in enumerate(commands):
        if index not in covered and not _is_inside(command, tools) and len(view.offers) < OFFERS:
            view.offers.append(_offer(command, taken))
    return view


def _is_all_of(command: CiCommand, gate: Gate) -> bool:
    """
    Return whether two commands check the same. Tests are the same with any reporting options; lint and types must
    also cover the same files.
    """
    if gate.kind == TEST or command.trace.recipes or command.text == gate.command:
        return True
    words, own = strip_telling(command.words[1:]), strip_telling(unwrap_words(gate.argv)[1:])
    return words == own or bool(command.asks)


def _is_inside(command: CiCommand, tools: Mapping[str, set[str]]) -> bool:
    """Tests, or a script, of which the gates together run every tool."""
    own = command.tools_at(command.where) - ENVIRONMENTS
    whole = command.kind == TEST or bool(command.inner or command.trace.recipes)
    return whole and bool(own) and own <= tools.get(command.where, set())


def _offer(command: CiCommand, taken: set[str]) -> CiOffer:
    if command.asks:
        return CiOffer(command.text, command.source, why=f"needs {command.asks}")
    name = _make_name(command, taken)
    taken.add(name)
    value = json.dumps(command.text, ensure_ascii=False)
    if command.where != "." or command.needs:
        parts = [f"run = {value}"]
        parts += [f"in = {json.dumps(command.where, ensure_ascii=False)}"] * (command.where != ".")
        parts += [f"needs = {json.dumps(command.needs)}"] * bool(command.needs)
        value = "{ " + ", ".join(parts) + " }"
    return CiOffer(command.text, command.source, line=f"{name} = {value}")


def _make_name(command: CiCommand, taken: set[str]) -> str:
    """`lint-black`, `test-docs`: the kind, and the script or the tool behind it."""
    recipe = next(iter(command.trace.recipes), None)
    tools = sorted(command.trace.tools(command.kind) - ENVIRONMENTS)
    about = find_task_name(command.words) or command.words[0].rpartition("/")[2]
    about = recipe[2] if recipe else tools[0] if tools else about
    about += "-" + recipe[0].rpartition("/")[2] if recipe and recipe[0] != command.where else ""
    about = re.sub(r"[^a-z0-9]+", "-", about.lower().removesuffix(".sh")).strip("-")[:30] or "ci"
    start = {TEST: "test", LINT: "lint", TYPES: "types"}.get(command.kind, "check")
    name = about if about.startswith(start) else f"{start}-{about}"
    number = 2
    while name in taken:
        name, number = f"{name.rstrip('0123456789').rstrip('-')}-{number}", number + 1
    return name
