"""Read the state of every session on this machine from the store. Lists, live screens and pages show this board."""

import os
from typing import Any

from ..core import state as states
from ..core.plan.task import RESOLVED, SKIPPED, Task
from ..core.run.prices import format_cost
from ..core.session.session import FULL, Session
from ..core.state import AGENT, Driver, State, collect_agent, collect_check, collect_task, judge_state
from ..core.status_line import describe_check
from ..core.times import format_duration, format_iso
from ..core.value import Value
from ..core.verdict.summary import name_verdict
from ..core.wording import cut, join_lines
from ..store import agents, attempts, pins, receipts, sessions, tasks
from ..store.atomic import is_held, read_text
from ..store.database import Database
from ..store.store import Store
from ..system import ancestry
from .costs import SessionCost, sum_sessions
from .summary import find_running_check, read_state

DAY = 86400.0
_DONE = (RESOLVED, SKIPPED)


class BoardRow(Value):
    """One session. `cost_usd` is None if no client reports a cost. `cost_complete`: every agent reported its cost."""

    session: Session
    state: State
    driver: Driver
    word: str
    verdict: str
    strength: str | None
    tasks: dict[str, int]
    cost_usd: float | None
    cost_complete: bool
    cost_estimated: bool
    check: dict[str, Any] | None

    @property
    def project(self) -> str:
        return os.path.basename(self.session.working_dir) or "/"

    @property
    def id(self) -> str:
        return self.session.id[:8]

    @property
    def progress(self) -> str:
        """Return `3 of 8 tasks`; empty without a plan."""
        total = sum(self.tasks.values())
        done = sum(self.tasks.get(status, 0) for status in _DONE)
        return f"{done} of {total} tasks" if total else ""

    @property
    def cost(self) -> str:
        """Return `$0.12`, or `$0.12+` if some agents did not report theirs; empty if none did."""
        if self.cost_usd is None:
            return ""
        return format_cost(self.cost_usd, estimated=self.cost_estimated) + ("" if self.cost_complete else "+")

    def document(self) -> dict[str, Any]:
        session = self.session
        return {
            "session_id": session.id,
            "kind": session.kind,
            "project": self.project,
            "folder": session.working_dir,
            "goal": session.goal,
            "word": self.word,
            "state": self.state.document(),
            "driver": self.driver.document(),
            "strength": self.strength,
            "tasks": self.tasks,
            "cost_usd": self.cost_usd,
            "cost_complete": self.cost_complete,
            "cost_estimated": self.cost_estimated,
            "check": self.check,
            "started_at": format_iso(session.started_at),
            "updated_at": format_iso(session.updated_at),
            "ended_at": format_iso(session.ended_at),
        }


def read_board(store: Store, *, since: float = 0.0) -> list[BoardRow]:
    """Return the sessions of all projects, newest first: those updated since then, and all that are active."""
    database = store.database
    listed = sessions.list_all(database)
    counts, costs = _count_tasks(database), sum_sessions(database)
    return [
        _read_row(store, session, counts.get(session.id, {}), costs.get(session.id, SessionCost()))
        for session in listed
        if session.active or session.updated_at >= since
    ]


def _read_row(store: Store, session: Session, counts: dict[str, int], cost: SessionCost) -> BoardRow:
    outcome, strength, driver, state = read_state(store, session)
    ended = name_verdict(outcome.word or session.phase, strength)
    return BoardRow(
        session,
        state,
        driver,
        word=state.word if session.active else ended,
        verdict=outcome.verdict,
        strength=strength,
        tasks=counts,
        cost_usd=cost.usd,
        cost_complete=cost.complete,
        cost_estimated=cost.estimated,
        check=find_running_check(store.home, session.id) if session.active else None,
    )


def _count_tasks(database: Database) -> dict[str, dict[str, int]]:
    """Return session → status → number of tasks, with one query for all sessions."""
    counts: dict[str, dict[str, int]] = {}
    for session, status, number in tasks.count_statuses(database):
        counts.setdefault(session, {})[status] = number
    return counts


_PROOFS = {
    states.PROVED: "proved",
    states.PASSING: "checks pass",
    states.CLAIMED: "claim only",
    states.FAILING: "failing",
    states.COULD_NOT_RUN: "could not run",
    states.LOST: "none",
    states.STOPPED: "none",
    states.ENDED: "none",
}


class Part(Value):
    """A task, an agent or a check of one session."""

    kind: str
    name: str
    text: str
    state: State
    driver: Driver
    cost_usd: float | None = None
    receipt: int = 0
    check: dict[str, Any] | None = None

    @property
    def proof(self) -> str:
        """Return the evidence for it: a receipt, the checks of its session, or only the claim of its agent."""
        if self.receipt:
            return f"{self.state.word} #{self.receipt}"
        return _PROOFS.get(self.state.word, "none yet")

    def document(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "name": self.name,
            "text": self.text,
            "state": self.state.document(),
            "driver": self.driver.document(),
            "cost_usd": self.cost_usd,
            "proof": self.proof,
            "receipt": self.receipt or None,
            "check": self.check,
        }


def read_parts(store: Store, session: Session, known: BoardRow | None = None) -> list[Part]:
    """Return checks, tasks and agents, each with its state. `known` is the row of the session, if it was just read."""
    if known is None:
        outcome, strength, driver, _ = read_state(store, session)
        ending = (outcome.verdict, strength or "")
    else:
        driver, ending = known.driver, (known.verdict, known.strength or "")
    working = _list_agents(store, session, driver)
    return [*_list_checks(store, session), *_list_tasks(store, session, driver, working, ending), *working]


def _list_tasks(
    store: Store, session: Session, driver: Driver, working: list[Part], ending: tuple[str, str]
) -> list[Part]:
    if session.kind != FULL:
        return []
    listed = tasks.list_all(store.database, session.id)
    open_tasks = {task.id for task in listed if task.status not in _DONE}
    drivers = {part.name.partition(".")[0]: part.driver for part in working if part.driver.kind == AGENT}

    def judge(task: Task) -> Part:
        own = drivers.get(task.id, driver)
        facts = collect_task(
            task,
            driver=own,
            open_tasks=open_tasks,
            session_active=session.active,
            verdict=ending[0],
            strength=ending[1],
        )
        return Part("task", task.id, task.subject, judge_state(facts), own)

    return [judge(task) for task in listed if not task.is_verify]


def _list_agents(store: Store, session: Session, driver: Driver) -> list[Part]:
    rows = attempts.list_all(store.database, session.id)
    if rows:
        return [_judge_attempt(row) for row in rows]
    refuted = {row["subject"]: row["why"] for row in agents.list_refuted(store.database, session.id)}
    return [
        Part(
            "agent",
            call.subject or call.call,
            call.role,
            judge_state(
                collect_agent(
                    driver=driver,
                    started_at=call.started_at or call.asked_at,
                    ended_at=call.ended_at,
                    heard_at=call.asked_at,
                    refuted=refuted.get(call.subject, ""),
                )
            ),
            driver,
        )
        for call in agents.list_all(store.database, session.id)
    ]


def _judge_attempt(row: attempts.AttemptRow) -> Part:
    """Judge an attempt. Its wrapper holds a lock while it lives; on another machine only its lease is known."""
    is_running = row.state == attempts.RUNNING
    pid, started = _read_wrapper(row.folder) if is_running and not row.machine else (0, "")
    is_alive = bool(row.machine) or is_held(f"{row.folder.rpartition('.')[0]}.lock")
    driver = Driver(AGENT, pid, started, is_alive=is_alive) if is_running else Driver()
    facts = collect_agent(
        driver=driver,
        started_at=row.started_at or row.claimed_at,
        ended_at=None if is_running else row.ended_at or row.claimed_at,
        heard_at=row.claimed_at,
        status=row.status,
        why=row.reason or row.why,
        is_lost=row.state == attempts.LOST,
    )
    name = f"{row.subject}.{row.epoch}"
    return Part("agent", name, f"{row.role}, {row.backend}", judge_state(facts), driver, row.cost_usd)


def _read_wrapper(folder: str) -> tuple[int, str]:
    """Return the process of an attempt's wrapper and its start time."""
    pid = (read_text(f"{folder}/pid", 64) or "").partition(" ")[0]
    return (int(pid), ancestry.read_start(int(pid))) if pid.isdecimal() else (0, "")


def _list_checks(store: Store, session: Session) -> list[Part]:
    pin = pins.get(store.database, session.id)
    running = find_running_check(store.home, session.id) if session.active else None
    last = receipts.list_last_results(store.database, session.id)
    return [_judge_check(gate.name, gate.command, running, last.get(gate.name)) for gate in (pin.gates if pin else ())]


def _judge_check(name: str, command: str, running: dict[str, Any] | None, last: tuple[str, float, int] | None) -> Part:
    own = running if running is not None and running["gate"] == name else {}
    process = own.get("process")
    if isinstance(process, list):
        facts = collect_check(process=(int(process[0]), str(process[1])), is_there=True, began=float(own["began"]))
        return Part("check", name, command, judge_state(facts), facts.driver, check=own)
    result, ended_at, number = last or ("", None, 0)
    facts = collect_check(result=result, ended_at=ended_at)
    return Part("check", name, command, judge_state(facts), facts.driver, receipt=number)


def render(rows: list[BoardRow], now: float) -> str:
    """Return a line for each session."""
    return "\n".join(render_row(row, now) for row in rows)


def render_row(row: BoardRow, now: float) -> str:
    """Return `needs you   7f3a51c2  shop      fix the login bug  Run make?, 2 of 8 tasks, $0.12, 3 min`."""
    age = format_duration(max(0.0, now - (row.state.since or row.session.updated_at)))
    doing = describe_check(row.check, now) if row.check else row.state.what
    facts = (doing or row.strength or "", row.progress, row.cost, age)
    details = ", ".join(cut(join_lines(part), 60) for part in facts if part)
    goal = cut(join_lines(row.session.goal), 34)
    return f"{row.state.word:<13} {row.id}  {cut(row.project, 14):<14}  {goal:<34}  {details}"
