"""The reference page of the command line, made from the verbs: `python -m ultrawork.cli.reference` writes it."""

from ..core import exits
from .command import help_page
from .main import commands_of
from .verbs_table import ALIASES, VERBS


def page() -> str:
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
        [*lines, *(f"| {status} | {text} |" for status, text in exits.MEANING.items()), ""]
    )


def _verb(name: str, summary: str) -> list[str]:
    commands = commands_of(name)
    lines = [f"### {name}", "", summary[:1].upper() + summary[1:] + ".", ""]
    for command in commands:
        lines += ["```", help_page(name, commands, command), "```", ""]
    return lines


def main() -> None:
    import os

    from ..store import atomic

    root = os.path.dirname(os.path.abspath(__file__)).rsplit("/", 3)[0]
    atomic.write(f"{root}/docs/reference/cli.md", page(), mode=0o644)


if __name__ == "__main__":
    main()
