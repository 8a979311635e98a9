"""Write the reference page of the command line from the verbs' tables; `make generate` calls it."""

from ultrawork.cli.command import Command
from ultrawork.cli.flags import EVERYWHERE, SESSION, Flag
from ultrawork.cli.headless.driver import LIMITS
from ultrawork.cli.help import describe_flag, list_groups, pick_examples, usage_of
from ultrawork.cli.main import load_commands
from ultrawork.cli.verbs_table import ALIASES, HEADINGS, RELATED, VERBS
from ultrawork.core import errors
from ultrawork.store import atomic

from .floor import REPOSITORY


def render_page() -> str:
    """Return the whole page."""
    lines = [
        "# The command line",
        "",
        "`ulw` is short for `ultrawork`. This page is generated from the program's own help. [Glossary](glossary.md)",
        "Every verb takes `--help`, and `--json` for an answer as `{version, status, data, errors}`.",
        f"Where `--session` stands alone, `-s` is short for it and its value is a {describe_flag(SESSION)}.",
        "",
    ]
    for group in list_groups(everything=True):
        lines += [f"## {HEADINGS.get(group, group)}", ""]
        for name, row in VERBS.items():
            if row.group == group:
                lines += _render_verb(name, row.help)
    lines += ["## Aliases", "", "| alias | verb |", "|---|---|"]
    lines += [f"| `{alias}` | `{name}` |" for alias, name in ALIASES.items()]
    lines += ["", "## Exit status", "", "| status | meaning |", "|---|---|"]
    return "\n".join(
        [*lines, *(f"| {status} | {text} |" for status, text in errors.EXIT_MEANINGS.items()), ""]
    )


def _render_verb(name: str, summary: str) -> list[str]:
    commands = load_commands(name)
    lines = [f"### {name}", "", f"{summary}.", "", "```"]
    for command in commands:
        if command.name or len(commands) == 1 or _list_own(command):
            lines += _render_command(name, summary, command)
    lines += pick_examples(commands)
    related = ", ".join(f"[{one}](#{one})" for one in RELATED.get(name, ()))
    return [*lines, "```", "", *([f"Related: {related}", ""] if related else [])]


def _render_command(verb: str, summary: str, command: Command) -> list[str]:
    lines = [usage_of(verb, command)]
    lines += [f"  {command.help}"] if command.help != summary else []
    own = _list_own(command)
    shared = [flag for flag in own if verb != "run" and flag in LIMITS]
    lines += [f"  {_render_flag(flag)}" for flag in own if flag not in shared]
    lines += ["  ... and the options of run from --backend on"] if shared else []
    return [*lines, ""]


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
