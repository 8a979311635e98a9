"""A session as one self-contained HTML page, light and dark, for screens and phones: its result, what was claimed and
found, task graph, timeline, expandable receipts, each task's changes."""

from collections.abc import Sequence
from typing import Any

from ..core import registry
from ..core.plan.task import RESOLVED, Task
from ..core.session.session import Session
from ..core.times import format_duration, format_iso
from ..core.wording import escape_html as _text
from ..core.wording import fill_html
from ..store import agents, attempts, receipts, tasks, witness
from ..store.agents import AgentCall
from ..store.codec import loads
from ..store.database import Database
from ..system.git import FileChange
from . import components, course
from .board import Part
from .components import (
    ROW_HEADS,
    describe_colour,
    describe_part,
    mark_verdict,
    render_head,
    render_part,
    render_verdict_mark,
)
from .page_proof import TaskPatch, make_table, render_claims, render_patches, render_receipts
from .plan import count_tasks
from .timeline import describe_failure

# A page that is live is written, and read again by a browser, this often, in seconds.
EVERY = 5
_REFRESH = f"<meta http-equiv='refresh' content='{EVERY}'>"
_SHOWN = 300
_SHORT = 120
_RESULT = {"resolved": "green", "failed": "red"}


def render(
    database: Database,
    session: Session,
    files: Sequence[FileChange],
    *,
    parts: Sequence[Part] = (),
    patches: Sequence[TaskPatch] = (),
    folder: str = "",
    now: float = 0.0,
    is_live: bool = False,
) -> str:
    """Render the page; `folder` holds the outputs of its checks, `patches` each task's changes, `parts` what stands
    where. The page of a run that goes on is written again and again: `is_live` makes a browser read it again."""
    listed = tasks.list_all(database, session.id)
    minted = receipts.list_all(database, session.id)
    tried = attempts.list_all(database, session.id)
    crew = course.list_crew(database, session.id)
    working = [*agents.list_all(database, session.id), *map(_agent, tried)]
    events = database.rows("SELECT at, kind, actor, data FROM events WHERE session=? ORDER BY id", session.id)
    last = session.ended_at or (events[-1][0] if events else session.started_at)
    body = [
        _head(database, session),
        _figures(session, listed, minted, files, last),
        *_part("Where it stands", _parts(parts, now)),
        *_part("Open findings", _list(course.list_issues(session, receipts.find_last_verdict(database, session.id)))),
        *_part("Requirement", _list(_list_lead(database, session))),
        *_part("Claims and facts", render_claims(agents.list_refuted(database, session.id))),
        *_part("Tasks", components.draw_tasks(listed, _took(working)) + _task_table(listed) if listed else ""),
        *_part("Timeline", components.draw_timeline(working, _checks(database, session.id, minted), last)),
        *_part("Attempts", _attempts(tried)),
        *_part("Programs", _list(crew) if len(crew) > 1 else ""),
        *_part("Machines", _machines(database, tried)),
        *_part("Receipts", render_receipts(minted, folder)),
        *_part("Files changed", _files(files) + _shell(session)),
        *_part("What each task changed", render_patches(patches)),
        f"<details><summary>Everything that happened ({len(events)} events)</summary>{_events(events)}</details>",
    ]
    head = render_head(session.goal[:60], _REFRESH if is_live else "")
    return f"{head}<body><main>{''.join(body)}</main></body></html>\n"


def _part(title: str, inner: str) -> list[str]:
    return [f"<h2>{title}</h2>", inner] if inner else []


def _list_lead(database: Database, session: Session) -> Sequence[str]:
    """Return what the leading feature reports about the session."""
    figures: Sequence[str] = ()
    if session.state.lead:
        figures = registry.ask_lead("list_figures")(database, session)
    return figures


def _list(texts: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{_text(text)}</li>' for text in texts)}</ul>" if texts else ""


def _head(database: Database, session: Session) -> str:
    return (
        f"<h1>{render_verdict_mark(mark_verdict(database, session))} {_text(session.goal)}</h1>"
        f"<p class='quiet'>Session <code>{_text(session.id)}</code>, {_text(session.phase)},"
        f" begun {format_iso(session.started_at)}</p>"
    )


def _parts(parts: Sequence[Part], now: float) -> str:
    rows = [render_part(describe_part(part, now)) for part in parts]
    return make_table(ROW_HEADS, rows) if rows else ""


def _figures(
    session: Session, listed: Sequence[Task], minted: Sequence[dict[str, Any]], files: Sequence[FileChange], last: float
) -> str:
    """Return the key figures."""
    red = sum(1 for receipt in minted if describe_colour(receipt) == "red")
    figures = [
        ("tasks resolved", str(count_tasks(listed))),
        ("rounds", f"{session.iteration} of {session.options['max_iterations']}"),
        ("took" if not session.active else "running for", format_duration(last - session.started_at)),
        ("receipts", f"{len(minted)}, {red} red" if red else str(len(minted))),
        ("files changed", str(len(files))),
        ("lines", f"+{sum(file.added for file in files)} -{sum(file.removed for file in files)}"),
    ]
    cells = "".join(f"<div><dt>{name}</dt><dd>{{}}</dd></div>" for name, _ in figures)
    return fill_html(f"<dl>{cells}</dl>", *(value for _, value in figures))


def _took(listed: Sequence[AgentCall]) -> dict[str, float]:
    """Return how long agents worked on each subject, over all attempts."""
    took: dict[str, float] = {}
    for agent_call in listed:
        took[agent_call.subject] = (
            took.get(agent_call.subject, 0.0) + (agent_call.ended_at or agent_call.asked_at) - agent_call.asked_at
        )
    return took


def _checks(database: Database, session: str, minted: Sequence[dict[str, Any]]) -> list[tuple[float, float, str, str]]:
    """Return start, length, color and label of every run; a document has whole seconds only."""
    colours = {receipt["id"]: describe_colour(receipt) for receipt in minted}
    rows = database.rows(
        "SELECT number, started_at, seconds, gate, result FROM receipts WHERE session=? ORDER BY number", session
    )
    return [
        (at, seconds, colours.get(number, result), f"#{number} {gate}: {result}")
        for number, at, seconds, gate, result in rows
    ]


def _task_table(listed: Sequence[Task]) -> str:
    rows = [
        fill_html("<tr><td><code>{}</code></td><td>{}</td>", task.id, task.subject)
        + f"<td class='{task.status}'>{task.status.replace('_', ' ')}</td>"
        f"<td>{task.attempts}</td><td>{_because(task)}</td></tr>"
        for task in listed
    ]
    return make_table(("Task", "What", "Status", "Attempts", "Evidence or reason"), rows)


def _because(task: Task) -> str:
    """Return the reason if it went wrong, else the evidence, one per line."""
    bad = task.status != RESOLVED and task.reason
    lines = [task.reason or ""] if bad else [course.describe_evidence(piece) for piece in task.evidence]
    return fill_html("<br>".join(["{}"] * len(lines)), *(line[:_SHOWN] for line in lines))


def _events(events: Sequence[tuple[Any, ...]]) -> str:
    if not events:
        return ""
    begun, shown = events[0][0], events[-_SHOWN:]
    template = "<tr><td>+{}</td><td>{}</td><td>{}</td><td>{}</td></tr>"
    details = loads(f"[{','.join(data for *_, data in shown)}]")
    rows = [
        fill_html(template, format_duration(at - begun), kind, _name_doer(kind, actor, detail), _words(detail))
        for (at, kind, actor, _), detail in zip(shown, details, strict=True)
    ]
    return make_table(("After", "What", "By", "Details"), rows)


# Whose event another records: an agent's, under the key that names it, or the user's.
_BY_AGENT = {
    "attempt.ended": "subject",
    "claim.refuted": "subject",
    "explorer.reported": "explorer",
    "task.claimed": "task",
}
_BY_PERSON = (
    "session.armed", "goal.extended", "question.answered", "plan.sent-back", "findings.accepted", "test.accepted",
)  # fmt: skip


def _name_doer(kind: str, actor: str, value: object) -> str:
    if kind in _BY_AGENT:
        named = value.get(_BY_AGENT[kind]) if isinstance(value, dict) else ""
        return f"agent of {named}" if named else "agent"
    return "person" if kind in _BY_PERSON else actor


def _words(value: object) -> str:
    """Return an event's details as people read them."""
    pairs = value.items() if isinstance(value, dict) else [("", value)]
    lines = [
        f"{key} {', '.join(map(str, detail)) if isinstance(detail, list) else detail}"
        for key, detail in pairs
        if detail
    ]
    return "; ".join(lines)[:_SHOWN]


def _agent(attempt_row: attempts.AttemptRow) -> AgentCall:
    """Return an engine's agent in the form of a client's."""
    return agents.AgentCall(
        call=f"{attempt_row.subject}.{attempt_row.epoch}",
        role=attempt_row.role,
        subject=attempt_row.subject,
        model=attempt_row.model,
        asked_at=attempt_row.claimed_at,
        agent="",
        started_at=attempt_row.started_at,
        ended_at=attempt_row.ended_at,
    )


def _attempts(rows: Sequence[attempts.AttemptRow]) -> str:
    """Return the result of each, and why some work was sent back."""
    lines = [
        fill_html(
            f"<tr><td>{{}}.{row.epoch}</td><td>{{}}</td><td>{{}}</td>"
            f"<td class='{_RESULT.get(row.status, '')}'>{{}}</td>",
            *(row.subject, row.role, f"{row.backend} {row.model}{_where(row)}", row.status or row.state),
        )
        + f"<td>{_why(row.reason)}</td><td>{f'${row.cost_usd:.2f}' if row.cost_usd else ''}</td></tr>"
        for row in rows
    ]
    heads = ("Attempt", "Role", "Agent", "Result", "Why", "Cost")
    return make_table(heads, lines) if lines else ""


def _where(attempt_row: attempts.AttemptRow) -> str:
    """Return the machine of an attempt that ran elsewhere."""
    return f" on {attempt_row.machine}" if attempt_row.machine else ""


def _machines(database: Database, rows: Sequence[attempts.AttemptRow]) -> str:
    """Return where agents worked elsewhere: each machine's abilities and work."""
    ran = [row for row in rows if row.machine]
    if not ran:
        return ""
    lines = []
    for machine in witness.list_named_machines(database, [attempt_row.machine for attempt_row in ran]):
        attempt_rows = [attempt_row for attempt_row in ran if attempt_row.machine == machine.name]
        lost = sum(attempt_row.state == attempts.LOST for attempt_row in attempt_rows)
        busy = sum(
            (attempt_row.ended_at or 0) - attempt_row.started_at
            for attempt_row in attempt_rows
            if attempt_row.started_at and attempt_row.ended_at
        )
        lines.append(
            f"<tr><td>{_text(machine.name)}</td><td>{_text(machine.labels)}</td>"
            f"<td>{_text(machine.accounts.replace(',', ', '))}</td><td>{machine.slots or ''}</td>"
            f"<td>{_text(machine.version)}</td><td>{len(attempt_rows)}</td><td>{lost or ''}</td><td>{busy:.0f} s</td></tr>"
        )
    heads = ("Machine", "Labels", "Accounts", "Places", "Version", "Attempts", "Lost", "At work")
    return make_table(heads, lines)


def _why(reason: str) -> str:
    first, _, rest = reason.partition("\n")
    if not rest and len(first) <= _SHORT:
        return _text(first)
    return f"<details><summary>{_text(describe_failure(first, _SHORT))}</summary><pre>{_text(reason)}</pre></details>"


_HOW = {"A": "new", "D": "removed", "M": "changed", "T": "changed"}


def _files(files: Sequence[FileChange]) -> str:
    most = max((file.added + file.removed for file in files), default=1) or 1
    rows = [
        f"<tr><td><code>{_text(file.path)}</code></td><td>{_HOW.get(file.status, file.status)}</td>"
        f"<td>+{file.added} -{file.removed}</td><td>{_lines(file, most)}</td></tr>"
        for file in files
    ]
    return make_table(("File", "How", "Lines", "Share"), rows) if rows else ""


def _lines(change: FileChange, most: int) -> str:
    """Draw added and removed lines as a bar, measured against the largest change."""
    added, removed = (round(160 * number / most) for number in (change.added, change.removed))
    return (
        f"<svg class='lines' width='160' height='10' role='img' aria-label='lines of {_text(change.path)}'>"
        f"<rect class='plus' width='{added}' height='10'/>"
        f"<rect class='minus' x='{added}' width='{removed}' height='10'/></svg>"
    )


def _shell(session: Session) -> str:
    lines = [f"<li>{_text(command)}</li>" for command in session.state.shell]
    return f"<h3>Through the shell</h3><ul>{''.join(lines)}</ul>" if lines else ""
