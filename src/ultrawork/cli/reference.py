"""The reference page of the command line, made from the verbs: `python -m ultrawork.cli.reference` writes it."""

from ..core import errors
from .command import render_help
from .main import load_commands
from .verbs_table import ALIASES, VERBS


def render_page() -> str:
    lines = [
        "# The command line",
        "",
        "`ulw` is the short name of `ultrawork`. Made from the program's own help.",
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
    import os

    from ..store import atomic

    root = os.path.dirname(os.path.abspath(__file__)).rsplit("/", 3)[0]
    atomic.write(f"{root}/docs/reference/cli.md", render_page(), mode=0o644)


if __name__ == "__main__":
    main()
