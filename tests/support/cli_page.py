"""Write the reference page of the command line from the verbs' tables; `make generate` calls it."""

from ultrawork.cli.command import Command
from ultrawork.cli.environment import EVERYWHERE, SESSION, Flag
from ultrawork.cli.headless.driver import LIMITS
from ultrawork.cli.help import describe_flag, list_groups, pick_examples, usage_of
from ultrawork.cli.main import load_commands
from ultrawork.cli.verbs_table import ALIASES, HEADINGS, MACHINERY, SCRIPTS, VERBS, VerbRow
from ultrawork.core import errors
from ultrawork.store import atomic

from .floor import REPOSITORY


def render_page() -> str:
    """Return the whole page."""
    lines = [
        "# The command line",
        "",
        "Every verb, from the program's own help. `ulw` is short for `ultrawork`. [Glossary](glossary.md)",
        "Every verb takes `--help`, and `--json` for an answer as `{version, status, data, errors}`.",
        f"Under *{HEADINGS[SCRIPTS]}* and *{HEADINGS[MACHINERY]}* options are left out: `ultrawork VERB --help` lists them.",
        f"Where `--session` stands alone, `-s` is short for it and its value is a {describe_flag(SESSION)}.",
        "",
    ]
    for group in list_groups(everything=True):
        rows = {name: row for name, row in VERBS.items() if row.group == group}
        lines += [f"## {HEADINGS.get(group, group)}", ""]
        lines += _render_briefly(rows) if group in HEADINGS else _render_whole(rows)
    lines += ["## Aliases", "", "| alias | verb |", "|---|---|"]
    lines += [f"| `{alias}` | `{name}` |" for alias, name in ALIASES.items()]
    lines += ["", "## Exit status", "", "| status | meaning |", "|---|---|"]
    return "\n".join([*lines, *(f"| {status} | {text} |" for status, text in errors.EXIT_MEANINGS.items()), ""])


def _render_briefly(rows: dict[str, VerbRow]) -> list[str]:
    """Return a list of verbs and sub-verbs, without their flags."""
    lines = ["```text"]
    for name, row in rows.items():
        commands = load_commands(name)
        rest = commands[0].rest if not commands[0].name else ""
        lines.append(f"{name} {rest}".ljust(34) + row.help)
        named = [command for command in commands if command.name]
        lines += [f"  {one.name} {one.rest}".ljust(34) + one.help for one in named]
    return [*lines, "```", ""]


def _render_whole(rows: dict[str, VerbRow]) -> list[str]:
    return [line for name, row in rows.items() for line in _render_verb(name, row.help)]


def _render_verb(name: str, summary: str) -> list[str]:
    commands = load_commands(name)
    lines, described = [f"### {name}", "", f"{summary}.", "", "```"], list[Flag]()
    for before, command in zip([None, *commands], commands, strict=False):
        if command.name or len(commands) == 1 or _list_own(command):
            lines += _render_usage(name, summary, command)
            same = before is not None and before.name == "" and before.flags == command.flags
            lines += [*([] if same else _render_flags(name, command, described)), ""]
    known = [*lines, f"ultrawork {name}"] if len(commands) == 1 else lines
    examples = [one for one in pick_examples(commands, most=1) if one not in known]
    return [*(lines if examples else lines[:-1]), *examples, "```", ""]


def _render_usage(verb: str, summary: str, command: Command) -> list[str]:
    usage = usage_of(verb, command).replace(" [options]", "")
    about = [f"  {line}" for line in command.help.splitlines()]
    return [usage, *(about if command.help != summary else [])]


def _render_flags(verb: str, command: Command, described: list[Flag]) -> list[str]:
    """Describe the flags of a command; of those that the verb has described before, only name them."""
    own = _list_own(command)
    shared = [flag for flag in own if verb != "run" and flag in LIMITS]
    named = [flag.usage for flag in own if flag in described]
    lines = [f"  {_render_flag(flag)}" for flag in own if flag not in (*shared, *described)]
    lines += [f"  {', '.join(named)}"] if named else []
    described += own
    return [*lines, *(["  ... and the options of run from --backend on"] if shared else [])]


def _render_flag(flag: Flag) -> str:
    """Describe a flag; the one that most verbs have is described once, at the top of the page."""
    return flag.name if flag == SESSION else f"{flag.usage}  {describe_flag(flag)}"


def _list_own(command: Command) -> list[Flag]:
    """Return the flags that not every verb has."""
    return [flag for flag in command.flags if flag not in EVERYWHERE]


def main() -> None:
    atomic.write(f"{REPOSITORY}/docs/reference/cli.md", render_page(), mode=0o644)


if __name__ == "__main__":
    main()
