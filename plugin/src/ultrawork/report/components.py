"""What the report page and the live page are made of: the mark of a state, a verdict with its strength, a row of a
session and a run of a check. Each is described here as data; the report page renders it here too, and the live page
draws the same data with the same classes and the same style.

Also the pictures of a session's page: its tasks as a graph, its agents and checks along the time."""

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ..core import state as states
from ..core.plan import graph
from ..core.plan.task import Task
from ..core.session.session import Session
from ..core.status_line import describe_check
from ..core.times import format_duration
from ..core.value import Value
from ..core.verdict.summary import describe_counts
from ..core.wording import cut, escape_html, fill_html, join_lines
from ..store.agents import AgentCall
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


_BOX = (190, 56)
_GAP = (54, 20)
_EDGE = 8
_LANE = 26
_LABEL = 150
_SPAN = 700
_STEPS = (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400)


def draw_tasks(listed: Sequence[Task], took: Mapping[str, float]) -> str:
    """Draw waves as columns, needs as curves, and the status in each box."""
    needs = {task.id: task.blocked_by for task in listed}
    waves = graph.list_waves(needs)
    rows = max(len(wave) for wave in waves)
    places = {
        name: (_across(column), _down(row, rows, len(wave)))
        for column, wave in enumerate(waves)
        for row, name in enumerate(wave)
    }
    width = _across(len(waves)) - _GAP[0] + _EDGE
    height = rows * (_BOX[1] + _GAP[1]) - _GAP[1] + 2 * _EDGE
    curves = [_curve(places[other], places[name]) for name in needs for other in _direct(name, needs)]
    boxes = [_box(task, places[task.id], took.get(task.id)) for task in listed]
    return _svg(width, height, "task graph", [*curves, *boxes])


def _svg(width: int, height: int, label: str, parts: Sequence[str]) -> str:
    return (
        f"<div class='wide'><svg viewBox='0 0 {width} {height}' width='{width}' height='{height}'"
        f" role='img' aria-label='{label}'>{''.join(parts)}</svg></div>"
    )


def _across(column: int) -> int:
    return _EDGE + column * (_BOX[0] + _GAP[0])


def _down(row: int, rows: int, inside: int) -> int:
    """Return a row's position; short columns are centered."""
    step = _BOX[1] + _GAP[1]
    return _EDGE + row * step + (rows - inside) * step // 2


def _direct(name: str, needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a task's direct needs only: indirect ones would just add lines."""
    passed: set[str] = set()
    queue = [other for need in needs[name] for other in needs[need]]
    while queue:
        task = queue.pop()
        if task not in passed:
            passed.add(task)
            queue += needs[task]
    return [other for other in needs[name] if other not in passed]


def _curve(start: tuple[int, int], end: tuple[int, int]) -> str:
    x1, y1 = start[0] + _BOX[0], start[1] + _BOX[1] // 2
    x2, y2 = end[0], end[1] + _BOX[1] // 2
    middle = (x1 + x2) // 2
    return f"<path class='need' d='M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}'/>"


def _box(task: Task, place: tuple[int, int], seconds: float | None) -> str:
    x, y = place
    text = task.status.replace("_", " ")
    text += f", {format_duration(seconds)}" if seconds else ""
    text += f", attempt {task.attempts}" if task.attempts > 1 else ""
    template = (
        f"<g class='task {task.status}'><title>{{}}</title>"
        f"<rect class='card' x='{x}' y='{y}' width='{_BOX[0]}' height='{_BOX[1]}' rx='7'/>"
        f"<rect class='side' x='{x}' y='{y}' width='6' height='{_BOX[1]}' rx='3'/>"
        f"<text class='name' x='{x + 16}' y='{y + 19}'>{{}}</text>"
        f"<text class='soft' x='{x + 16}' y='{y + 34}'>{{}}</text>"
        f"<text class='state' x='{x + 16}' y='{y + 49}'>{{}}</text></g>"
    )
    return fill_html(template, task.subject, cut(task.id, 22), cut(join_lines(task.subject), 27), text)


def draw_timeline(listed: Sequence[AgentCall], checks: Sequence[tuple[float, float, str, str]], ended: float) -> str:
    """Draw one lane per subject, a bar per agent; below them every check run."""
    if not listed:
        return ""
    begun = min(agent_call.asked_at for agent_call in listed)
    span = max(ended - begun, *(at + took - begun for at, took, _, _ in checks), 0.1)
    names = list(dict.fromkeys(agent_call.subject for agent_call in listed))
    scale = _SPAN / span
    foot = _EDGE + len(names) * _LANE
    bars = [_bar(agent_call, names.index(agent_call.subject), begun, begun + span, scale) for agent_call in listed]
    labels = [_label(place, name) for place, name in enumerate(names)]
    marks = [_mark(at - begun, took, colour, title, foot, scale) for at, took, colour, title in checks]
    labels += [_label(len(names), "checks")] if checks else []
    height = foot + (_LANE if checks else 0) + 22
    return _svg(_LABEL + _SPAN + 70, height, "timeline", [*_ticks(span, scale, height), *labels, *bars, *marks])


def _label(place: int, name: str) -> str:
    return f"<text class='name' x='0' y='{_EDGE + place * _LANE + 14}'>{escape_html(cut(name, 20))}</text>"


def _bar(agent: AgentCall, place: int, begun: float, last: float, scale: float) -> str:
    end = agent.ended_at or last
    x, width = _LABEL + (agent.asked_at - begun) * scale, max(3.0, (end - agent.asked_at) * scale)
    y = _EDGE + place * _LANE
    kind = agent.role.rpartition(":")[2]
    duration = format_duration(end - agent.asked_at)
    template = (
        f"<g class='bar {{}}'><title>{{}}</title>"
        f"<rect x='{x:.0f}' y='{y}' width='{width:.0f}' height='18' rx='4'/>"
        f"<text class='soft' x='{x + width + 5:.0f}' y='{y + 13}'>{duration}</text></g>"
    )
    return fill_html(template, kind, f"{kind} {agent.subject}, {agent.model}, {duration}")


def _mark(at: float, took: float, colour: str, title: str, y: int, scale: float) -> str:  # noqa: PLR0917 (a place and a size)
    x, width = _LABEL + at * scale, max(4.0, took * scale)
    template = (
        f"<g class='check {{}}'><title>{{}}</title>"
        f"<rect x='{x:.0f}' y='{y}' width='{width:.0f}' height='18' rx='2'/></g>"
    )
    return fill_html(template, colour, title)


def _ticks(span: float, scale: float, height: int) -> list[str]:
    step = next((seconds for seconds in _STEPS if span / seconds <= 8), _STEPS[-1])
    ticks = []
    for number in range(int(span / step) + 1):
        x = _LABEL + number * step * scale
        ticks.append(
            f"<path class='tick' d='M{x:.0f} 0 V{height - 18}'/>"
            f"<text class='soft' x='{x:.0f}' y='{height - 4}'>{format_duration(number * step)}</text>"
        )
    return ticks
