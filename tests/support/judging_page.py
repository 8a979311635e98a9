"""The page that shows how changes are judged, made from the rule table and the situations that tests play."""

import os
import sys

from ultrawork.core.verdict import rules

from .floor import REPOSITORY
from .situations import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .situations import Situation

FOLDER = f"{REPOSITORY}/tests/gates/situations"
PAGE = f"{REPOSITORY}/docs/explanation/judging.md"
_HEAD = """\
# How a change is judged

<!-- Made by python -m support.judging_page from the rule table and tests/gates/situations. Do not edit. -->

Every rule behind a verdict. A change is judged by running it: with the files of the baseline (when `ulw` was typed) or the
current ones, sorted by convention into product, tests and the definition of a check. Each run is one combination:

| run | product | tests | definition | answers |
|---|---|---|---|---|
| now | now | now | now, in the checkout | do the checks pass? |
| delivered | now | now | now, clean copy | do they pass without files that no one will get? |
| old tests | now | baseline | baseline, clean copy | does what used to be expected still hold? |
| old code | baseline | now | now, clean copy | which tests notice the change? |
| undone | now, functions put back or emptied | now | now, clean copy | which tests notice a function? |
| planted | now | now plus one that must fail | now, clean copy | does the runner still report failures? |
| baseline | baseline | baseline | baseline, clean copy | what passed and failed before? |

Each row below is a rule: when it applies, the run that it reads and the one that it compares with, and the effect.
A rule without a run reads the changed text. In the families *checks*, *old tests* and *definition* the first row that fits decides. `ultrawork why RULE` explains one.

| effect | meaning |
|---|---|
| FAIL | sent back until it is fixed, within the limits of a session |
| once | sent back once, then UNVERIFIED |
| ask | the agent is asked once, then PASS |
| UNVERIFIED | UNVERIFIED, not sent back |
| note | a note; it costs nothing |
| - | nothing is reported |
"""
_EFFECTS = {
    rules.FAIL: "FAIL", rules.ONCE: "once", rules.ASK: "ask", rules.UNVERIFIED: "UNVERIFIED", rules.SAID: "note", "": "-",
}  # fmt: skip
_TEXT = "text only"
_FOOT = "\n[Glossary](../reference/glossary.md)\n"
_PLAYED = """\
## Situations

Tests play every rule in small real repositories (`tests/gates/situations`): {honest} honest changes, of which none is
sent back, and {lies} dishonest ones, of which none passes. {limits} more can pass; [limits](limits.md) names them.
"""


def _list_rules() -> list[str]:
    lines = []
    for family in rules.FAMILIES:
        lines += [f"## Rules: {family}", "", "| rule | applies when | runs | effect |", "|---|---|---|---|"]
        for row in (row for row in rules.ROWS if row.family == family):
            runs = ", ".join(one for one in (row.cell, row.control) if one not in ("", _TEXT))
            cells = (f"`{row.id}`", row.asks, runs, _EFFECTS[row.effect])
            lines.append("| " + " | ".join(map(_cell, cells)) + " |")
        lines.append("")
    return lines


def page(situations: "list[Situation]") -> str:
    lies, limits = (sum(len(getattr(situation, kind)) for situation in situations) for kind in ("lies", "limits"))
    played = _PLAYED.format(honest=len(situations), lies=lies, limits=limits)
    return "\n".join([_HEAD, *_list_rules(), played]) + _FOOT


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
