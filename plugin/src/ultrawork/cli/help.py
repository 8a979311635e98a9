"""Render the help of the program, of a verb and of a sub-verb from the verbs' own tables."""

from collections.abc import Iterator, Sequence

from .command import Command
from .environment import EVERYWHERE, Flag
from .verbs_table import ALIASES, HEADINGS, PEOPLE, VERBS

# What the words beside the flags mean. A row for one verb ("gates NAME") wins over the general one.
ARGUMENTS = {
    "ANSWER": "an option, its number, or your own words",
    "CATEGORY": "the heading that the note belongs to, such as build",
    "CLIENT": "the client's program, such as claude or codex",
    "FILE": "a path",
    "FOLDER": "a state folder of an earlier version",
    "GOAL": "what to do, in quotes",
    "ID": "an id from the list",
    "KEY": "a setting, such as stop.budget",
    "KEY=VALUE": "a value to store, such as active=true",
    "MODE": "an execution mode, such as ralph",
    "N": "the number of a receipt",
    "NAME": "one name or several; without one: all",
    "OPERATION": "what to do with the saved context",
    "PATH": "a file to bring back",
    "RANGE": "commits such as main..HEAD; without it: uncommitted changes",
    "REASON": "why you accept it, or `test NAME` to allow changing one test",
    "REF": "a commit or a branch; without it: HEAD",
    "ROLE": "an agent's role, such as architect",
    "RULE": "a rule of the verdict, such as check-fails",
    "VERDICT": "PASS, FAIL or UNVERIFIED",
    "RUN": "the id of a run on another machine",
    "SECTION": "one section; without it: all",
    "SESSION": "a session id or a unique prefix",
    "SUBJECT": "what the task is, in one line",
    "TASK": "a task id",
    "TEXT": "the text, in quotes",
    "VALUE": "the new value; separate items of a list with commas",
    "WHY": "the reason, in quotes",
    "WISH": "pause, resume, finish, stop, cancel or priority",
    "WISHES": "what should change, in quotes",
    "WORDS": "the text of a prompt or a task",
    "again": "work on it again",
    "archive": "put the requirement into the archive",
    "codex": "serve questions to Codex",
    "gemini": "serve questions to Gemini",
    "no": "reject",
    "show": "the same as without it",
    "yes": "confirm",
    "bash": "for bash",
    "zsh": "for zsh",
    "fish": "for fish",
    "-": "read standard input",
    "compose WORDS": "names of modes and skills, or a prompt",
    "content NAME": "an agent or a skill",
    "evidence FILE": "a file with a published verdict",
    "export FILE": "the file to write; without it: standard output",
    "providers NAME": "a provider from the list",
    "review FILE": "the file with the reviewer's answer, or -",
    "serve-git NAME": "the name of the repository",
    "with WORDS": "the client's own arguments, passed on unchanged",
    "axiom FILE": "the archive to write",
    "axiom NAME": "one name from the list",
}


def render_overview(*, everything: bool) -> str:
    """Return what `ultrawork --help` prints: verbs by purpose; with `everything` also those for scripts."""
    lines = [
        "ultrawork runs your project's checks when a coding agent says it is done.",
        "",
        "Usage: ultrawork VERB [options]",
        '       ultrawork "GOAL"            start a run',
    ]
    for group in list_groups(everything=everything):
        rows = [(name, row.help) for name, row in VERBS.items() if row.group == group]
        lines += ["", f"{HEADINGS.get(group, group)}:", *render_rows(rows, 12)]
    if everything:
        rows = [(alias, f"Same as {name}") for alias, name in ALIASES.items()]
        lines += ["", "Aliases:", *render_rows(rows, 12)]
    more = [] if everything else ["Verbs for scripts too: ultrawork --help --all"]
    return "\n".join([*lines, "", *more, "Help for one verb: ultrawork VERB --help"])


def list_groups(*, everything: bool) -> list[str]:
    """Return the groups in the order of the help."""
    return [*PEOPLE, *(HEADINGS if everything else ())]


def render_help(verb: str, commands: Sequence[Command], only: Command | None = None) -> str:
    """Return the help of one command, or of a verb with all of its sub-verbs."""
    if only is None and len(commands) == 1 and not commands[0].name:
        only = commands[0]
    if only is None or (not only.name and len(commands) > 1):
        return _render_verb(verb, commands)
    summaries = [VERBS[verb].help] if verb in VERBS and not only.name else []
    parts = [
        [f"Usage: {usage_of(verb, only)}"],
        [f"{summary}." for summary in dict.fromkeys([*summaries, only.help])],
        _list_arguments(verb, [only]),
        ["Options:", *render_flags(only.flags)],
        _list_examples(only.examples),
        _list_related(verb),
    ]
    return _join(parts)


def _render_verb(verb: str, commands: Sequence[Command]) -> str:
    bare = commands[0] if not commands[0].name else None
    named = [command for command in commands if command.name]
    width = max(len(command.name) for command in named)
    usage = f"{verb} [COMMAND] [options]" if bare else f"{verb} COMMAND [options]"
    own = [flag for flag in bare.flags if flag not in EVERYWHERE] if bare else []
    options = [f"Options of ultrawork {verb} itself:", *render_flags(own)] if own else []
    parts = [
        [f"Usage: ultrawork {usage}"],
        [f"{VERBS[verb].help}."],
        ["Commands:", *render_rows([(command.name, command.help) for command in named], width)],
        options,
        _list_examples(pick_examples(commands)),
        _list_related(verb),
        [f"Help for one command: ultrawork {verb} COMMAND --help"],
    ]
    return _join(parts)


def pick_examples(commands: Sequence[Command], most: int = 2) -> list[str]:
    """Return examples for a verb: the first of each command that does something of its own, then further ones."""
    firsts = {command.run: command.examples[0] for command in reversed(commands)}
    ordered = [firsts[command.run] for command in commands]
    return list(dict.fromkeys([*ordered, *commands[0].examples]))[:most]


def usage_of(verb: str, command: Command) -> str:
    """Return the usage line of one command."""
    parts = ("ultrawork", verb, command.name, "[options]", command.rest)
    return " ".join(part for part in parts if part)


def name_arguments(rest: str) -> list[str]:
    """Return the names in a usage such as `[REF|FILE|-]`."""
    for mark in "[]|…":
        rest = rest.replace(mark, " ")
    return list(dict.fromkeys(rest.replace("...", " ").split()))


def explain_argument(verb: str, word: str) -> str:
    """Return what an argument of a verb means."""
    return ARGUMENTS.get(f"{verb} {word}") or ARGUMENTS[word]


def _list_arguments(verb: str, commands: Sequence[Command]) -> list[str]:
    words = [word for command in commands for word in name_arguments(command.rest)]
    rows = [(word, explain_argument(verb, word)) for word in words]
    return ["Arguments:", *render_rows(rows, max(map(len, words)))] if rows else []


def _list_examples(examples: Sequence[str]) -> list[str]:
    if not examples:
        return []
    return ["Examples:" if len(examples) > 1 else "Example:", *(f"  {example}" for example in examples)]


def _list_related(verb: str) -> list[str]:
    return [f"Related: {', '.join(VERBS[verb].related)}"] if verb in VERBS else []


def _join(parts: Sequence[Sequence[str]]) -> str:
    return "\n\n".join("\n".join(part) for part in parts if part)


def render_rows(rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield indented lines with a name and its explanation."""
    return (f"  {name:<{width}}  {text}" for name, text in rows)


def render_flags(flags: Sequence[Flag]) -> list[str]:
    """Return one line for each flag."""
    width = min(34, max(len(flag.usage) for flag in flags))
    return list(render_rows([(flag.usage, describe_flag(flag)) for flag in flags], width))


def describe_flag(flag: Flag) -> str:
    """Return a flag's explanation, with whether it is required or may be repeated."""
    needed = " (required)" if flag.required else ""
    many = " (may be repeated)" if flag.kind == "many" else ""
    return f"{flag.help}{needed}{many}"
