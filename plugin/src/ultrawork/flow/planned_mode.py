"""Keep a planned mode in step with its session: phase, counts, facts and files follow what is stored. Beside its plan
it may write a specification, acceptance criteria, and the files that show them.

Hand a planned session over to another client: a live client keeps it until the user asks for it elsewhere. Then the
first client is notified, and its agents end before new ones start."""

from collections.abc import Sequence
from time import monotonic, sleep

from ..core import registry
from ..core.caller import ANCHOR, Caller, read_caller
from ..core.course import judges, mode_progress
from ..core.course.steps import SessionFacts
from ..core.errors import Conflict, UltraworkError, UsageError
from ..core.modes import modes, record, tables
from ..core.modes.tables import ModeProgress
from ..core.plan import criteria as rules
from ..core.plan import task as core_task
from ..core.plan.task import VERIFY, Task
from ..core.session.session import Session
from ..core.times import format_iso
from ..core.verdict_values import UNVERIFIED
from ..core.wording import count_things
from ..store import agents, markers, sessions, tasks
from ..store.agents import AgentCall
from ..store.omc.folder import Omc
from ..store.store import Store
from ..system import ancestry
from . import modes as flow_modes
from .course import Course
from .planning import parse_block

ACCEPTANCE, EXPANSION = "acceptance", "expansion"
MOST = 5
_LONGEST = 20_000


def take_draft(store: Store, name: str, part: str, message: str, by: str = "") -> list[str]:
    """Store what a planner wrote for this part; return its errors. Papers of a requirement record their author."""
    if _is_led(store, name):
        errors: list[str] = registry.ask_lead("take_paper")(store, name, part, message, by=by)
        return errors
    return _TAKE[part](store, name, message)


def _is_led(store: Store, name: str) -> bool:
    return bool(sessions.get(store.database, name).state.lead)


def _specified(store: Store, name: str, message: str) -> list[str]:
    """Store the specification. Without one the goal is used, so that the session continues."""
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        session.design = message.strip()[:_LONGEST] or f"Goal: {session.goal}"
        for progress in record.read_active(session).values():
            if EXPANSION in progress.limits:
                tables.spend(progress, EXPANSION, change.now)
                record.put(session, progress)
        sessions.save(change, session, "spec.taken", {"characters": len(session.design)})
    return []


def _accepted(store: Store, name: str, message: str) -> list[str]:
    """Add a last task from the criteria of the whole result. A worker integrates the parts, and the program runs the
    criteria."""
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        try:
            criteria = _criteria(message)
            task = _last_task(criteria, tasks.list_all(change.database, name), change.now)
            tasks.create(change, [task])
        except UltraworkError as error:
            return [str(error)]
        tasks.wait_for_all(change, VERIFY)
        session.state.prd = {"criteria": criteria, "at": format_iso(change.now)}
        sessions.save(change, session, "prd.taken", {"criteria": criteria})
    return []


def note_missing_draft(store: Store, name: str, part: str, why: str) -> None:
    """Record that a draft is missing, so that the rest can continue."""
    if _is_led(store, name):
        registry.ask_lead("lose_paper")(store, name, part, why)
        return
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        missing = {"missing": why, "at": format_iso(change.now)}
        if part == judges.PRD:
            session.state.prd = missing
        else:
            session.state.spec = missing
        sessions.save(change, session, f"{part}.missing", {"why": why})


def _criteria(message: str) -> list[str]:
    criteria = parse_block(message).get("criteria")
    texts = [text for text in criteria if isinstance(text, str)] if isinstance(criteria, list) else []
    if not texts or len(texts) != len(criteria or ()):
        raise UsageError('the block has no "criteria": a list of 1 to 5 texts')
    return texts[:MOST]


def _last_task(given: list[str], plan: list[Task], now: float) -> Task:
    task = Task(
        id=ACCEPTANCE,
        subject="Integrate the parts until the whole result is acceptable",
        description="All other tasks are done. Check the criteria of the whole result, and fix those that fail.",
        complexity=core_task.COMPLEX,
        criteria=given,
        blocked_by=[part.id for part in plan if not part.is_verify],
        created_at=now,
        updated_at=now,
    )
    rules.refuse_unchecked([task])
    return task


_TAKE = {judges.SPEC: _specified, judges.PRD: _accepted}


def show_files(place: str, known: SessionFacts, progress: ModeProgress) -> None:
    """Write files for people and models; nothing is read back from them."""
    omc = Omc(place)
    for key, page in _PAGES.items():
        path = progress.facts.get(key)
        if path:
            _write(omc, f"{omc.top}/{path}", page(known))
    if progress.mode == modes.ULTRAPILOT:
        from . import file_ownership

        file_ownership.show_owners(omc, known)


def _write(omc: Omc, path: str, text: str) -> None:
    omc.change(path, lambda _: text)


def _spec(known: SessionFacts) -> str:
    return f"# Specification: {known.session.goal}\n\n{known.session.design}\n"


def _plan(known: SessionFacts) -> str:
    lines = [f"# Plan: {known.session.goal}", ""]
    for task in known.work:
        needs = f" (after {', '.join(task.blocked_by)})" if task.blocked_by else ""
        lines.append(f"- **{task.id}** {task.subject}{needs}: {task.status}")
        lines += [f"  - {criterion}" for criterion in task.criteria]
    return "\n".join([*lines, ""])


def _prd(known: SessionFacts) -> str:
    session = known.session
    criteria = session.state.prd.get("criteria", [])
    lines = [f"# Acceptance: {session.goal}", "", *(f"- {criterion}" for criterion in criteria)]
    return "\n".join([*lines, ""])


_PAGES = {"spec_path": _spec, "plan_path": _plan, "prd_path": _prd}


def sync(course: Course, known: SessionFacts) -> bool:
    """Update the mode; return whether something changed, so that the next step is decided again."""
    progress = known.mode
    assert progress is not None
    current = ModeProgress.read(progress.document())
    move_progress(current, known, course.store.now())
    if _comparable(current) == _comparable(progress):
        return False
    with course.change() as change:
        session = sessions.get(change.database, course.name)
        flow_modes.save(change, session, current)
    _show(known, current)
    return True


def move_progress(progress: ModeProgress, known: SessionFacts, now: float) -> None:
    """Advance as far as tables and guards allow; the session's own rules decide how it may end."""
    facts = {key: value for key, value in progress.facts.items() if key != "proved"}
    progress.facts = {**facts, **mode_progress.collect_facts(progress, known)}
    mode_progress.record_reviews(progress, known, now)
    machine = tables.find(progress.mode)
    target = mode_progress.find_phase(progress, known)
    try:
        for step in mode_progress.find_route(machine, progress.phase, target):
            tables.move(progress, step, now)
    except Conflict:
        pass
    mode_progress.count_rounds(progress, known)
    mode_progress.record_reviews(progress, known, now)


def _comparable(progress: ModeProgress) -> tuple[object, ...]:
    return progress.phase, progress.counts, progress.facts


def _show(known: SessionFacts, progress: ModeProgress) -> None:

    show_files(known.session.working_dir, known, progress)


PATIENCE = 20.0
_PAUSE = 0.2
_REASON = "another client took over this session"


def list_rivals(store: Store, session: str, caller: Caller | None) -> list[str]:
    """Return other clients that are on for this session and whose process is still there."""
    rivals = []
    for client, content in markers.list_drivers(store.home, session).items():
        anchor = read_caller(content.get(ANCHOR))
        own = caller is not None and anchor is not None and _is_same_process(caller, anchor)
        if anchor is not None and not own and not ancestry.is_gone(anchor):
            rivals.append(client)
    return rivals


def _is_same_process(caller: Caller, other: Caller) -> bool:
    return (caller.pid, caller.started) == (other.pid, other.started)


def is_driven_by(store: Store, session: str, client: str, caller: Caller | None) -> bool:
    """Return whether this process already conducts the session: its agents continue."""
    content = markers.list_drivers(store.home, session).get(client) or {}
    anchor = read_caller(content.get(ANCHOR))
    return caller is not None and anchor is not None and _is_same_process(caller, anchor)


def refuse_live(session: Session, working: Sequence[AgentCall]) -> None:
    name = session.id[:8]
    busy = f", {count_things(len(working), 'agent')} working" if working else ""
    raise Conflict(
        f"session {name} is running in another client{busy}. Watch it: ultrawork watch --session {name}. Take it over: /ultrawork:ultrawork-exec --take-over. Or work in another worktree: git worktree add ../other"
    )


def await_handover(store: Store, session: Session, rivals: Sequence[str], *, patience: float = PATIENCE) -> None:
    """Notify the other clients, and wait until none of their agents runs."""
    for client in rivals:
        markers.put(store.home, markers.HANDED, client, {"session": session.id})
    until = monotonic() + patience
    working = list_working(store, session.id)
    while working and monotonic() < until:
        sleep(_PAUSE)
        working = list_working(store, session.id)
    if working:
        names = ", ".join(agent.subject or agent.role for agent in working[:3])
        raise Conflict(
            f"I asked the other client to stop, but its agents are still running: {names}. They end at their next step. Try again in a moment, or quit that client"
        )


def release_agent(store: Store, session: str, agent: AgentCall) -> None:
    """End an agent of the notified client; its work is for the next one."""
    with store.change(session) as change:
        agents.mark_ended(change, agent.call)
        held = tasks.list_all(change.database, session, status=core_task.IN_PROGRESS)
        if any(task.id == agent.subject for task in held):
            tasks.update(change, agent.subject, status=core_task.PENDING, reason=_REASON)
            agents.release(change, agent.subject)


def withdraw_pass(store: Store, session: str) -> Session:
    """Withdraw a PASS, because files were written after the verdict."""
    with store.change(session) as change:
        stored_session = sessions.get(change.database, session)
        stored_session.verdict = UNVERIFIED
        sessions.save(change, stored_session, "session.ended", {"why": "files changed after PASS"})
    return stored_session


def list_working(store: Store, session: str) -> list[AgentCall]:
    return agents.list_at_work(store.database, session, now=store.now())
