"""The reference page of the command line, made from the verbs: `python -m ultrawork.cli.reference` writes it."""

import os

from ..core import errors
from ..store import atomic
from ..store.plugin import find_root
from .command import render_help
from .main import load_commands
from .verbs_table import ALIASES, VERBS


def render_page() -> str:
    lines = [
        "# The command line",
        "",
        "`ulw` is the short name of `ultrawork`. Made from the program's own help. [Glossary](glossary.md)",
        "",
    ]
    for shelf in dict.fromkeys(row.shelf for row in VERBS.values()):
        lines += [f"## For {shelf}", ""]
        for name, row in VERBS.items():
            if row.shelf == shelf:
                lines += _verb(name, row.help)
    lines += ["## Other spellings", "", "| typed | means |", "|---|---|"]
    lines += [f"| `{alias}` | `{name}` |" for alias, name in ALIASES.items()]
    lines += ["", "## Exit status", "", "| status | meaning |", "|---|---|"]
    return "\n".join(
        [*lines, *(f"| {status} | {text} |" for status, text in errors.EXIT_MEANINGS.items()), ""]
    )


def _verb(name: str, summary: str) -> list[str]:
    commands = load_commands(name)
    lines = [f"### {name}", "", summary[:1].upper() + summary[1:] + ".", ""]
    for command in commands:
        lines += ["```", render_help(name, commands, command), "```", ""]
    return lines


def main() -> None:
    atomic.write(f"{os.path.dirname(find_root())}/docs/reference/cli.md", render_page(), mode=0o644)


if __name__ == "__main__":
    main()
