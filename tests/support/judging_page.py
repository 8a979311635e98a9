"""The page that shows how changes are judged, made from the situations that tests play."""

import os
import sys

from .floor import REPOSITORY
from .situations import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .situations import Patch, Situation

FOLDER = f"{REPOSITORY}/tests/gates/situations"
PAGE = f"{REPOSITORY}/docs/explanation/judging.md"
_HEAD = """\
# How a change is judged

<!-- Made by python -m support.judging_page from tests/gates/situations. Do not edit. -->

A refusal needs an executed fact. What changed in tests, definitions and files only chooses what to run:
the tests as they were on the code as it is, the tests as they are on the code as it was, the gate as it
was defined at the start, and, where somebody may have reached into the runner, a planted test that must
fail. What cannot be decided is a line in the verdict: it costs a PASS, and sends nobody back.

Each row below is played by the tests, in a real little repository with its real runner. The honest change
must come out as shown, without a strong or weak finding. The others are changes to the same repository
that only look right; each must come out as FAIL or UNVERIFIED.
"""
_ZONES = (
    ("0", "Whatever the situation", "Lies that were told about a bug which one test shows."),
    ("2", "Gates", "Situations around a gate: its environment, its time, other people's work."),
    ("3", "Tests and definitions", "Situations in which honest work touches tests."),
)


def page(situations: "list[Situation]") -> str:
    lines = [_HEAD]
    for mark, title, words in _ZONES:
        chosen = [one for one in situations if one.row[0] == mark]
        lines += [f"## {title}", "", words, "", "| situation | rule | result |", "|---|---|---|"]
        for one in chosen:
            lines += _rows(one)
        lines.append("")
    lies = sum(len(one.lies) for one in situations)
    lines.append(f"{len(situations)} honest changes, {lies} lies.")
    return "\n".join(lines) + "\n"


def _rows(one: "Situation") -> list[str]:
    honest = f"| {one.title} | {_cell(one.rule)} | {_result(one.honest)} |"
    return [honest, *(f"| ↳ {lie.title} | | {_result(lie)} |" for lie in one.lies)]


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
