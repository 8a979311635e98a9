"""The page that shows how changes are judged, made from the rule table and the situations that tests play."""

import os
import sys

from ultrawork.core.verdict import rules
from ultrawork.report.rule import EFFECTS

from .floor import REPOSITORY
from .situations import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .situations import Patch, Situation

FOLDER = f"{REPOSITORY}/tests/gates/situations"
PAGE = f"{REPOSITORY}/docs/explanation/judging.md"
_HEAD = """\
# How a change is judged

<!-- Made by python -m support.judging_page from the rule table and tests/gates/situations. Do not edit. -->

A change is judged by running things, not by reading them. The files are the baseline's (when `ulw` was typed) or
those of now, sorted by convention into product, tests and the definition of a check. Each run is one combination:

| run | product | tests | definition | answers |
|---|---|---|---|---|
| now | now | now | now, in the checkout | do the checks pass? |
| delivered | now | now | now, clean copy | do they pass without files that nobody will get? |
| old tests | now | baseline | baseline, clean copy | does what used to be expected still hold? |
| old code | baseline | now | now, clean copy | which tests notice the change? |
| undone | now, functions put back or emptied | now | now, clean copy | which tests notice a function? |
| planted | now | now plus one that must fail | now, clean copy | does the runner still report failures? |
| baseline | baseline | baseline | baseline, clean copy | what passed and failed before? |

A rule is one row below: what in the change asks for it, the run that it reads, and what follows. Rows are read in this
order; in the families *checks*, *old tests* and *definition* the first row that fits decides. `ultrawork why RULE` prints
one of them.
"""
_PLAYED = """\
## Situations

Each row is played by the tests, in a small real repository with its real runner. The honest change must come out as
shown and is never sent back. The others only look right; each must come out as FAIL or UNVERIFIED. What is marked as a
limit passes, and [limits](limits.md) says so.
"""
_ZONES = (
    ("0", "Whatever the situation", "Lies about a bug that one test shows."),
    ("2", "Checks", "Situations around a check: its environment, its time, other people's work."),
    ("3", "Tests and definitions", "Situations in which honest work touches tests."),
)


def _list_rules() -> list[str]:
    lines = []
    for family in rules.FAMILIES:
        lines += [
            f"## Rules: {family}",
            "",
            "| rule | applies when | reads | held against | follows |",
        ]
        lines.append("|---|---|---|---|---|")
        for row in rules.list_judging_rules():
            if row.family == family:
                cells = (f"`{row.id}`", row.asks, row.cell, row.control, EFFECTS[row.effect])
                lines.append("| " + " | ".join(map(_cell, cells)) + " |")
        lines.append("")
    return lines


def page(situations: "list[Situation]") -> str:
    lines = [_HEAD, *_list_rules(), _PLAYED]
    for mark, title, words in _ZONES:
        chosen = [one for one in situations if one.row[0] == mark]
        lines += [f"### {title}", "", words, "", "| situation | rule | result |", "|---|---|---|"]
        for one in chosen:
            lines += _rows(one)
        lines.append("")
    lies = sum(len(one.lies) for one in situations)
    lines.append(f"{len(situations)} honest changes, {lies} lies.")
    return "\n".join(lines) + "\n"


def _rows(one: "Situation") -> list[str]:
    honest = f"| {one.title} | {_cell(one.rule)} | {_result(one.honest)} |"
    lies = [f"| ↳ {lie.title} | | {_result(lie)} |" for lie in one.lies]
    limits = [f"| ↳ limit: {limit.title} | | {_result(limit)} |" for limit in one.limits]
    return [honest, *lies, *limits]


def _result(patch: "Patch") -> str:
    rules = ", ".join(f"`{rule}`" for rule in patch.findings)
    return f"{patch.verdict} {f'({rules})' if rules else ''}".strip()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    text = page(load(FOLDER))
    os.makedirs(os.path.dirname(PAGE), exist_ok=True)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
