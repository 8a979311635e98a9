"""What the report page and the live page are made of: the mark of a state, a verdict with its strength, a row of a
session and a run of a check. Each is described here as data; the report page renders it here too, and the live page
draws the same data with the same classes and the same style."""

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ..core import state as states
from ..core.session.session import Session
from ..core.status_line import describe_check
from ..core.times import format_duration
from ..core.value import Value
from ..core.verdict.summary import describe_counts
from ..core.wording import escape_html, fill_html
from ..store.database import Database
from .board import Part
from .evidence import TARGETS
from .summary import read_ending
from .why import name_outcome

_STYLES = os.path.join(os.path.dirname(__file__), "style")
# No state is shown by color alone: each has its own sign.
SIGNS = {
    states.WORKING: "▶",
    states.WAITING: "…",
    states.NEEDS_YOU: "?",
    states.PROVED: "✓",
    states.PASSING: "+",
    states.CLAIMED: "~",
    states.FAILING: "✗",
    states.COULD_NOT_RUN: "!",
    states.ENDED: "-",
    states.LOST: "x",
    states.STOPPED: "=",
    states.UNKNOWN: "·",
}
TONES = {
    states.NEEDS_YOU: "ask",
    states.PROVED: "good",
    states.PASSING: "good",
    states.FAILING: "bad",
    states.COULD_NOT_RUN: "bad",
    states.LOST: "bad",
}
# Runs that are meant to fail: on the baseline, or with a planted fault.
MEANT = ("base", "new-tests", "again", "canary", "planted")
_PLACES = {"new": "a clean copy", **TARGETS}
ROW_HEADS = ("State", "Kind", "Name", "Proof", "What")


class StateMark(Value):
    """A state as people see it; `tone` is a class of the style."""

    sign: str
    word: str
    tone: str


class VerdictMark(Value):
    """A verdict, or the phase of a session that goes on; `text` also says how strong it is."""

    word: str
    text: str


class PartRow(Value):
    """A task, an agent or a check."""

    mark: StateMark
    kind: str
    name: str
    proof: str
    what: str
    process: str
    receipt: int | None

    def document(self) -> dict[str, Any]:
        return {**super().document(), "mark": self.mark.document()}


class RunRow(Value):
    """One run of a check; `colour` is a class of the style."""

    number: int
    colour: str
    result: str
    name: str
    facts: str


def mark_verdict(database: Database, session: Session) -> VerdictMark:
    """Return how a session ended and how strong that is, or its phase."""
    word = read_ending(database, session).word or session.phase
    return VerdictMark(word, name_outcome(database, session))


def mark_state(word: str) -> StateMark:
    return StateMark(SIGNS.get(word, ""), word, TONES.get(word, ""))


def describe_part(part: Part, now: float) -> PartRow:
    is_working = part.state.word == states.WORKING and bool(part.driver.pid)
    process = str(part.driver.pid) if is_working else ""
    activity = _describe_doing(part, now)
    mark = mark_state(part.state.word)
    return PartRow(mark, part.kind, part.name, part.proof, activity, process, part.receipt or None)


def _describe_doing(part: Part, now: float) -> str:
    """Return what it does, `for task b: Correct a` where it waits, or what it is."""
    if part.check:
        return describe_check(part.check, now)
    if part.state.word != states.WAITING:
        return part.state.what or part.text
    return f"for {part.state.what}" + (f": {part.text}" if part.kind == "task" else "")


def describe_run(receipt: Mapping[str, Any]) -> RunRow:
    colour, run = describe_colour(receipt), receipt["run"]
    facts = (_PLACES.get(run["on"], str(run["on"])), describe_counts(receipt), format_duration(run["seconds"]))
    return RunRow(
        receipt["id"],
        colour,
        "red as expected" if colour == "meant" else str(receipt["result"]),
        str(receipt["gate"]["name"]),
        ", ".join(filter(None, facts)),
    )


def describe_colour(receipt: Mapping[str, Any]) -> str:
    """Return the CSS class of a run: an intended failure has its own color."""
    result = str(receipt["result"])
    return "meant" if result == "red" and receipt["run"]["on"] in MEANT else result


def render_verdict_mark(mark: VerdictMark) -> str:
    return fill_html("<span class='badge {}'>{}</span>", mark.word, mark.text)


def render_run(row: RunRow) -> str:
    template = "<b>#{}</b> <span class='pill {}'>{}</span> {} <span class='quiet'>{}</span>"
    return fill_html(template, row.number, row.colour, row.result, row.name, row.facts)


def render_part(row: PartRow) -> str:
    """Return a row for a table with `ROW_HEADS`."""
    shown = f"{row.mark.sign} {row.mark.word}".strip()
    cells = (row.kind, row.name, row.proof, row.what)
    template = f"<tr><td class='mark {{}}'>{{}}</td>{'<td>{}</td>' * len(cells)}</tr>"
    return fill_html(template, row.mark.tone, shown, *cells)


def render_legend(minted: Sequence[Mapping[str, Any]]) -> str:
    meanings = {
        "green": "green: the check passed",
        "red": "red: the check failed",
        "meant": "red as expected: fails without the change, as it should",
        "flaky": "flaky: passed and failed on the same files",
        "broken": "broken: the check could not run",
    }
    seen = {describe_colour(receipt) for receipt in minted}
    marks = [f"<span class='{name}'><i></i>{text}</span>" for name, text in meanings.items() if name in seen]
    return f"<p class='legend'>{''.join(marks)}</p>" if marks else ""


@cache
def read_style(*names: str) -> str:
    """Return style sheets one after the other: `components` has the colors of all pages, by day and by night, with a
    contrast of at least 4.5 for every text; `page` is for pages that stand alone."""
    texts = []
    for name in names:
        with open(f"{_STYLES}/{name}.css", encoding="utf-8") as file:
            texts.append(file.read())
    return "\n".join(texts)


def render_head(title: str, more: str = "") -> str:
    """Return the beginning of a page that stands alone, up to its body."""
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
        f"content='width=device-width, initial-scale=1'>{more}<title>{escape_html(title)}</title>"
        f"<style>{read_style('components', 'page')}</style></head>"
    )
