"""A session as one self-contained HTML page: task graph, timeline, receipts, changed files."""

from ..core import graph
from ..core.times import iso, spoken
from ..store import agents, attempts, receipts, tasks
from ..store.fast import loads
from . import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..core.session import Session
    from ..core.task import Task
    from ..store.agents import Agent
    from ..store.database import Database

_BOX = (150, 44)
_GAP = (50, 22)
_COLOURS = {
    "resolved": "#2e7d4f",
    "failed": "#b3372f",
    "in_progress": "#2f6db3",
    "skipped": "#8a8a8a",
    "blocked": "#b08a2f",
    "pending": "#6b7280",
}
_RESULT = {"resolved": "green", "failed": "red"}
_SHORT = 120
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1f2933;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;width:100%}
td,th{padding:.3rem .6rem;border-bottom:1px solid #e2e6ea;text-align:left;vertical-align:top}
code{background:#f2f4f6;padding:.1rem .3rem;border-radius:3px;overflow-wrap:anywhere}td:first-child{white-space:nowrap}.green{color:#2e7d4f}.red{color:#b3372f}
.badge{display:inline-block;padding:.1rem .6rem;border-radius:1rem;color:#fff;background:#6b7280}
.badge.PASS{background:#2e7d4f}.badge.FAIL,.badge.FAILED{background:#b3372f}svg{max-width:100%;height:auto}pre{white-space:pre-wrap;font-size:12px}
@media(prefers-color-scheme:dark){body{background:#14181d;color:#dde3ea}code{background:#232a32}td,th{border-color:#2c343d}}
"""


def page(database: "Database", session: "Session", files: "Sequence[tuple[str, str]]") -> str:
    listed = tasks.listed(database, session.id)
    minted = receipts.listed(database, session.id)
    events = database.rows(
        "SELECT at, kind, actor, data FROM events WHERE session=? ORDER BY id", session.id
    )
    result = session.verdict or session.phase
    body = [
        f"<h1>{_text(session.goal)} <span class='badge {_text(result)}'>{_text(result)}</span></h1>",
        f"<p>Session <code>{_text(session.id)}</code>, {_text(session.phase)}, begun {iso(session.started_at)}</p>",
        *_part("Tasks", _graph(listed) + _task_table(listed) if listed else ""),
        *_part("Timeline", _bars(_at_work(database, session.id), session)),
        *_part("Attempts", _attempts(attempts.listed(database, session.id))),
        *_part("Receipts", _receipts(minted)),
        *_part("Files changed", _files(files)),
        f"<details><summary>Everything that happened ({len(events)} events)</summary>{_events(events)}</details>",
    ]
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
        f"content='width=device-width'><title>{_text(session.goal[:60])}</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(body)}</body></html>\n"
    )


def _text(value: object) -> str:
    from html import escape

    return escape(str(value))


def _part(title: str, inner: str) -> list[str]:
    return [f"<h2>{title}</h2>", inner] if inner else []


def _graph(listed: "Sequence[Task]") -> str:
    """Waves as columns, needs as curves."""
    needs = {task.id: task.blocked_by for task in listed}
    waves = graph.waves(needs)
    places = {
        name: (20 + column * (_BOX[0] + _GAP[0]), 20 + row * (_BOX[1] + _GAP[1]))
        for column, wave in enumerate(waves)
        for row, name in enumerate(wave)
    }
    width = 40 + len(waves) * (_BOX[0] + _GAP[0])
    height = 40 + max(len(wave) for wave in waves) * (_BOX[1] + _GAP[1])
    curves = [_curve(places[other], places[name]) for name in needs for other in needs[name]]
    boxes = [_box(task, places[task.id]) for task in listed]
    return f"<svg viewBox='0 0 {width} {height}' role='img' aria-label='task graph'>{''.join([*curves, *boxes])}</svg>"


def _curve(start: tuple[int, int], end: tuple[int, int]) -> str:
    x1, y1 = start[0] + _BOX[0], start[1] + _BOX[1] // 2
    x2, y2 = end[0], end[1] + _BOX[1] // 2
    middle = (x1 + x2) // 2
    return f"<path d='M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}' fill='none' stroke='#9aa5b1' stroke-width='1.5'/>"


def _box(task: "Task", place: tuple[int, int]) -> str:
    x, y = place
    colour = _COLOURS[task.status]
    label = task.id if len(task.id) <= 18 else task.id[:17] + "…"
    return (
        f"<g><title>{_text(task.subject)}</title><rect x='{x}' y='{y}' width='{_BOX[0]}' height='{_BOX[1]}' rx='6'"
        f" fill='{colour}'/><text x='{x + 10}' y='{y + 19}' fill='#fff' font-size='13'>{_text(label)}</text>"
        f"<text x='{x + 10}' y='{y + 35}' fill='#fff' font-size='11' opacity='.85'>{task.status}</text></g>"
    )


def _task_table(listed: "Sequence[Task]") -> str:
    rows = [
        f"<tr><td><code>{_text(task.id)}</code></td><td>{_text(task.subject)}</td><td>{task.status}</td>"
        f"<td>{task.attempts}</td><td>{_text(task.reason or '; '.join(map(str, task.evidence))[:300])}</td></tr>"
        for task in listed
    ]
    return _table(("Task", "What", "Status", "Attempts", "Evidence or reason"), rows)


def _events(events: "Sequence[tuple[Any, ...]]") -> str:
    if not events:
        return ""
    begun = events[0][0]
    rows = [
        f"<tr><td>+{spoken(at - begun)}</td><td>{_text(kind)}</td><td>{_text(actor)}</td>"
        f"<td>{_text(_words(data))}</td></tr>"
        for at, kind, actor, data in events[-300:]
    ]
    return _table(("After", "What", "By", "Details"), rows)


def _words(data: str) -> str:
    """An event's details as people read them."""
    value = loads(data)
    pairs = value.items() if isinstance(value, dict) else [("", value)]
    told = [
        f"{key} {', '.join(map(str, one)) if isinstance(one, list) else one}"
        for key, one in pairs
        if one
    ]
    return "; ".join(told)[:300]


def _at_work(database: "Database", session: str) -> "list[Agent]":
    """Agents of a client and of the engine, in the order in which they began."""
    own = [
        agents.Agent(
            (
                f"{one.subject}.{one.epoch}", one.role, f"{one.subject}.{one.epoch}", one.model,
                one.claimed_at, "", one.started_at, one.ended_at,
            )
        )
        for one in attempts.listed(database, session)
    ]  # fmt: skip
    return [*agents.listed(database, session), *own]


def _attempts(rows: "Sequence[attempts.Row]") -> str:
    """What came of each, and why the work of some went back."""
    lines = [
        f"<tr><td>{_text(one.subject)}.{one.epoch}</td><td>{_text(one.role)}</td>"
        f"<td>{_text(one.backend)} {_text(one.model)}</td>"
        f"<td class='{_RESULT.get(one.status, '')}'>{_text(one.status or one.state)}</td>"
        f"<td>{_why(one.reason)}</td><td>{f'${one.cost_usd:.2f}' if one.cost_usd else ''}</td></tr>"
        for one in rows
    ]
    heads = ("Attempt", "Role", "Agent", "Result", "Why", "Cost")
    return _table(heads, lines) if lines else ""


def _why(reason: str) -> str:
    first, _, rest = reason.partition("\n")
    if not rest and len(first) <= _SHORT:
        return _text(first)
    return (
        f"<details><summary>{_text(first[:_SHORT])}</summary><pre>{_text(reason)}</pre></details>"
    )


def _bars(listed: "Sequence[Agent]", session: "Session") -> str:
    """One bar an agent, from its call to its end."""
    if not listed:
        return ""
    begun = min(one.asked_at for one in listed)
    ended = max([one.ended_at or one.asked_at for one in listed] + [session.ended_at or begun])
    scale = 620 / max(ended - begun, 0.1)
    rows = [_bar(place, one, begun, ended, scale) for place, one in enumerate(listed)]
    height = 26 * len(listed) + 10
    return f"<svg viewBox='0 0 900 {height}' role='img' aria-label='timeline'>{''.join(rows)}</svg>"


def _bar(place: int, agent: "Agent", begun: float, ended: float, scale: float) -> str:
    last = agent.ended_at or ended
    x, width = 170 + (agent.asked_at - begun) * scale, max(2.0, (last - agent.asked_at) * scale)
    y = 5 + place * 26
    return (
        f"<text x='0' y='{y + 14}' font-size='13' fill='currentColor'>{_text(agent.subject[:22])}</text>"
        f"<rect x='{x:.0f}' y='{y}' width='{width:.0f}' height='18' rx='4' fill='#2f6db3'/>"
        f"<text x='{x + width + 6:.0f}' y='{y + 13}' font-size='11' fill='currentColor'>{spoken(last - agent.asked_at)}</text>"
    )


def _receipts(minted: "Sequence[dict[str, Any]]") -> str:
    rows = [
        f"<tr><td>#{one['id']}</td><td>{_text(one['gate']['name'])}</td>"
        f"<td class='{_text(one['result'])}'>{_text(one['result'])}</td><td>{_text(evidence.counts(one))}</td>"
        f"<td><code>{_text(one['gate']['command'])}</code></td><td>{_text(one['run']['on'])}</td>"
        f"<td>{spoken(one['run']['seconds'])}</td><td>{_text(one['run']['by'])}</td></tr>"
        for one in minted
    ]
    return (
        _table(("No", "Gate", "Result", "Tests", "Command", "On", "Time", "By"), rows)
        if rows
        else ""
    )


def _files(files: "Sequence[tuple[str, str]]") -> str:
    rows = [
        f"<tr><td><code>{_text(path)}</code></td><td>{_text(how)}</td></tr>" for path, how in files
    ]
    return _table(("File", "Change"), rows) if rows else ""


def _table(head: "Sequence[str]", rows: "Sequence[str]") -> str:
    return f"<table><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>{''.join(rows)}</table>"
