"""Start a planned session from what a user typed after the command.

Planned modes too: a session starts with the mode's options and follows the same course as any other."""

from collections.abc import Callable, Mapping
from typing import Any

from ..core import check
from ..core.caller import Caller
from ..core.course import roles
from ..core.errors import Conflict, NotFound, UsageError
from ..core.modes import modes, record, tables
from ..core.modes.tables import ModeProgress
from ..core.plan.task import FAILED, PENDING, RESOLVED, SKIPPED
from ..core.session.session import (
    CANCELLED,
    EXECUTION,
    FULL,
    OPTION_LIMIT,
    OPTION_NUMBERS,
    PLANNING,
    PLANNING_COMPLETE,
    Session,
)
from ..core.session.session import OPTION_SWITCHES as WISHES
from ..core.times import format_duration, format_iso
from ..core.value import Value
from ..gates.session import pinning
from ..store import anchors, ending, markers, pins, sessions, settings, tasks, trace
from ..store.database import Change
from ..store.store import Store
from ..system import ancestry
from . import modes as kept
from . import planned_mode
from .course import abandon_all

SWITCHES = {**WISHES, "--restart": "restart", "--force": "force", "--help": "help", "--take-over": "take_over"}
TEXTS = {"--session": "session"}
_KEYS = {**{word: key for word, (key, _) in OPTION_NUMBERS.items()}, **TEXTS}
EXEC_USAGE = "[--session ID] [--max-iterations N] [--skip-verify] [--barrier] [--restart] [--take-over]"
USAGE = "[--auto] [--max-workers N] [--max-iterations N] [--skip-verify] [--plan-only] [--barrier] <goal>"


class GoalCommand(Value):
    """A command: flags first, then the goal verbatim, which may hold quotes, dashes and brackets."""

    options: dict[str, Any]
    goal: str


def parse(text: str) -> GoalCommand:
    options: dict[str, Any] = {}
    rest = text.strip()
    while rest.startswith("--"):
        word, _, rest = rest.partition(" ")
        rest = rest.lstrip()
        if word in SWITCHES:
            options[SWITCHES[word]] = True
        elif word in OPTION_NUMBERS or word in TEXTS:
            value, _, rest = rest.partition(" ")
            rest = rest.lstrip()
            options[_KEYS[word]] = _value(word, value)
        else:
            close = check.find_nearest(word, [*SWITCHES, *OPTION_NUMBERS, *TEXTS])
            hint = f"did you mean {close}?" if close else f"known: {USAGE}"
            raise UsageError(f"no flag {check.quote(word)}; {hint}")
    return GoalCommand(options, rest.strip().strip('"'))


def _value(word: str, value: str) -> object:
    if not value:
        raise UsageError(f"{word} requires a value")
    if word in TEXTS:
        return check.require_session_id(value)
    return check.parse_number(value, f"value for {word}", OPTION_NUMBERS[word][1], OPTION_LIMIT)


def begin(
    store: Store,
    environ: Mapping[str, str],
    place: str,
    name: str,
    words: GoalCommand,
    *,
    fill: Callable[[Change, Session], None] | None = None,
) -> Session:
    """Create the session with its baseline and checks in one transaction; a checkout has one planned session at a
    time. `fill` adds an existing plan."""
    _refuse_second(store, place, name)
    known = ("auto_mode", "skip_verify", "plan_only", "barrier", "max_workers", "max_iterations")
    session = Session(
        id=check.require_session_id(name),
        goal=check.clean_text(words.goal, "goal"),
        working_dir=place,
        options={key: words.options[key] for key in known if key in words.options},
        started_at=store.now(),
    )
    session.state.delegation = read_delegation_level(store, environ, session)
    pin = pinning.pin(place, store, environ, session.goal)
    with store.change(name) as change:
        sessions.create(change, session, force=bool(words.options.get("force")))
        pins.save(change, pin)
        if fill is not None:
            fill(change, session)
    return session


def read_delegation_level(store: Store, environ: Mapping[str, str], session: Session) -> str:
    """Return how strictly work is delegated: as the user asked in the goal, else as configured now."""
    if roles.wants_direct(session.goal):
        session.state.direct = True
        return roles.OFF
    configuration = settings.load_at(environ, store.home, session.working_dir)
    return str(configuration["delegation.level"])


def _refuse_second(store: Store, place: str, name: str) -> None:
    for session in sessions.list_all(store.database):
        if session.active and session.kind == FULL and session.working_dir == place and session.id != name:
            raise Conflict(
                f'session {session.id[:8]} "{session.goal[:40]}" is active in this checkout. Work in another worktree (git worktree add), or end it: ultrawork cancel'
            )


def resume(store: Store, place: str, name: str, words: GoalCommand, caller: Caller | None = None) -> Session:
    """Resume with `ultrawork-exec`: executing an existing plan approves it; a failed one needs `--restart`. `caller`
    is the client's process: a session of another living client is taken over only on request."""
    session = find_planned(store, place, name, words.options.get("session"))
    taken = _free(store, session, caller, take_over=bool(words.options.get("take_over")))
    if session.state.modes and not taken:
        session = resume_mode(store, session.working_dir, name, session)
    own = planned_mode.is_driven_by(store, session.id, name, caller)
    since = anchors.find_anchored_at(store.database, session.id) if own else float("inf")
    abandon_all(store, session.id, "its client is gone", asked_before=since)
    markers.remove(store.home, markers.OFF, session.id)
    with store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        if words.options.get("restart"):
            _queue_failed(change)
        if current.ended_at is not None and current.can_go_on:
            _reopen_undecided(change, current)
        _prepare(current, words, change.now)
        sessions.save(change, current, "session.resumed", {"phase": current.phase})
    return current


def _free(store: Store, session: Session, caller: Caller | None, *, take_over: bool) -> bool:
    """Return whether it was taken from another client; refuse if that client is alive and the user did not ask."""
    rivals = planned_mode.list_rivals(store, session.id, caller) if session.active else []
    if rivals and not take_over:
        planned_mode.refuse_live(session, planned_mode.list_working(store, session.id))
    if rivals:
        planned_mode.await_handover(store, session, rivals)
    return bool(rivals)


def find_planned(store: Store, place: str, name: str, wanted: str | None) -> Session:
    """Return the named session; else this client's own, or the newest here that can continue."""
    if wanted is not None:
        session = sessions.find(store.database, wanted, place)
        if session.working_dir != place:
            raise Conflict(f"session {session.id[:8]} belongs to {session.working_dir}; go there")
        return session
    here = [
        candidate
        for candidate in sessions.list_all(store.database)
        if candidate.kind == FULL and candidate.working_dir == place
    ]
    if not here:
        raise NotFound("no planned session in this checkout. Start one: /ultrawork:ultrawork GOAL")
    own = [candidate for candidate in here if candidate.id == name]
    return (own or [candidate for candidate in here if candidate.can_go_on] or here)[0]


def reopen(store: Store, name: str) -> Session:
    """Reopen a session that ended without a final verdict, for an engine."""
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        _reopen_undecided(change, session)
        sessions.save(change, session, "session.resumed", {"phase": session.phase})
    return session


def _reopen_undecided(change: Change, session: Session) -> None:
    """Reopen it: plan and results stay; what was undecided is decided again by new runs of the checks."""
    session.ended_at, session.verdict = None, None
    session.options["skip_verify"] = False
    state = session.state
    del state.stop_continuation, state.skipped, state.unproved, state.skipping, state.last_line
    if state.verification:
        from ..store import receipts

        after = receipts.count_verdicts(change.database, change.session)
        state.verification = {**state.verification, "after": after, "judged": {}}


def _queue_failed(change: Change) -> None:
    """Queue failed tasks again with the full number of tries; the count of attempts stays."""
    for task in tasks.list_all(change.database, change.session):
        if task.status == FAILED:
            tasks.update(change, task.id, status=PENDING, retry_count=0)
        elif task.retry_count and task.status not in (RESOLVED, SKIPPED):
            tasks.update(change, task.id, retry_count=0)


def _prepare(session: Session, words: GoalCommand, now: float) -> None:
    from ..core.session import session as phases

    for key in ("max_iterations", "skip_verify", "barrier"):
        if key in words.options:
            session.options[key] = words.options[key]
    session.options["plan_only"] = False
    if is_unapproved(session):
        session.plan = {**session.plan, "approved_at": session.plan.get("approved_at") or format_iso(now)}
    if session.phase == phases.FAILED:
        if not words.options.get("restart"):
            raise Conflict("this session failed. Run it again: ultrawork-exec --restart")
        session.phase, session.iteration, session.run = phases.EXECUTION, 1, session.run + 1
        session.ended_at, session.verdict = None, None
    if session.phase == phases.CANCELLED:
        _reopen_cancelled(session)
    if session.phase == phases.COMPLETE:
        raise Conflict(f"this session is {session.phase}; start a new one")


def _reopen_cancelled(session: Session) -> None:
    """Reopen a canceled session with an approved plan: resolved tasks stay, the rest is done."""
    approved = session.plan.get("approved_at") or session.options["auto_mode"]
    if session.state.lead or not (approved and session.plan.get("created_at")):
        raise Conflict(f"this session is {CANCELLED}, and its plan was never approved; start a new one")
    session.phase, session.ended_at, session.verdict = EXECUTION, None, None
    del session.state.stop_continuation


def is_unapproved(session: Session) -> bool:
    """Return whether there is a plan that only its execution would approve."""
    if session.phase == PLANNING_COMPLETE:
        return True
    planned = session.phase == PLANNING and bool(session.plan.get("created_at"))
    return planned and not session.state.plan_errors


MODE_OPTIONS = {
    modes.AUTOPILOT: {"max_workers": 5, "max_iterations": 10},
    modes.ULTRAPILOT: {"max_workers": 20, "max_iterations": 3},
    modes.TEAM: {"max_workers": 5, "max_iterations": 25},
}
MODE_FACTS = {modes.TEAM: {"preserve_for_resume": True}}


def begin_mode(  # noqa: PLR0917 (what a session needs, and the mode)
    store: Store, environ: Mapping[str, str], place: str, name: str, mode: str, words: GoalCommand
) -> Session:
    """Start the session and the mode, or neither. A mode that may replace another continues its session."""
    if not _takes_over(store, name, mode):
        kept.refuse_rivals(store, place, name, mode)
        words.options = {**_options(mode, words.options), "auto_mode": True}
        begin(store, environ, place, name, words)
    limits = {"iteration": int(str(sessions.get(store.database, name).options["max_iterations"]))}
    add_mode(store, place, name, mode, facts=MODE_FACTS.get(mode), limits=limits)
    return sessions.get(store.database, name)


def add_mode(store: Store, place: str, name: str, mode: str, **how: Any) -> None:
    """Put the mode over a session that was started for it; end the session if another process was faster."""
    try:
        kept.begin(store, place, name, mode, **how, now=store.now())
    except Conflict:
        ending.cancel(store, name, rule="mode-refused", how=f"{mode} could not start")
        raise


def _options(mode: str, given: dict[str, object]) -> dict[str, object]:
    """Return the options; a user may request less than the mode allows, never more."""
    most = MODE_OPTIONS[mode]
    wished = {key: int(str(given.get(key) or number)) for key, number in most.items()}
    return {**given, **{key: min(wished[key], number) for key, number in most.items()}}


def _takes_over(store: Store, name: str, mode: str) -> bool:
    try:
        session = sessions.get(store.database, name)
    except NotFound:
        return False
    return session.active and modes.OVER.get(mode, "") in record.read_active(session)


def find_by_mode(store: Store, place: str, mode: str) -> Session:
    """Return the newest session here in which this mode was ever on."""
    for session in sessions.list_all(store.database):
        if session.working_dir == place and mode in record.read_all(session):
            return session
    raise NotFound(f"{mode} has never run in this checkout; start it with a task")


def resume_mode(store: Store, place: str, client: str, session: Session) -> Session:
    """
    Resume the planned mode of a session: one cancelled within the hour, or untouched for five minutes; in the
    same conversation at any time.
    """
    progress = find_last_mode(session)
    if progress is None or progress.phase in tables.find(progress.mode).ends:
        return session
    _refuse_unfit(store, session, progress, client)
    if not progress.active:
        kept.refuse_rivals(store, place, session.id, progress.mode)
        _reopen(store, session, progress)
        kept.resume(store, place, session.id, progress.mode, client=client, now=store.now())
    return sessions.get(store.database, session.id)


def find_last_mode(session: Session) -> ModeProgress | None:
    """Return the planned mode that was on last."""
    known = record.read_all(session)
    mode_progresses = [known[mode] for mode in modes.STAGED if mode in known]
    # One that was only interrupted needs no reopening: its stages continue.
    cancelled = known.get(modes.PIPELINE)
    mode_progresses += [cancelled] if cancelled is not None and not cancelled.active else []
    return max(
        mode_progresses, key=lambda mode_progress: (mode_progress.active, mode_progress.updated_at), default=None
    )


def _refuse_unfit(store: Store, session: Session, progress: ModeProgress, client: str) -> None:
    now, touched = store.now(), _touched(store, session, progress)
    progress.updated_at = touched
    state = tables.find_resume_state(progress, now, active=progress.active)
    quiet = format_duration(now - touched)
    left = ancestry.is_gone(anchors.get_anchor(store.database, session.id))
    if state == tables.RUNNING and client != session.id and not left:
        raise Conflict(
            f"{progress.mode} is running in session {session.id[:8]}, last active {quiet} ago. Wait until it is idle for 5 minutes, or end it: ultrawork cancel"
        )
    if state == tables.STALE:
        raise Conflict(f"{progress.mode} was last active {quiet} ago; start it again")


def _touched(store: Store, session: Session, progress: ModeProgress) -> float:
    """Return the last sign of life: of the record, or of any agent's tools."""
    last = store.database.value("SELECT max(at) FROM events WHERE session=?", session.id)
    return max(progress.updated_at, float(last or 0.0), trace.find_last_heard(store.home, session.id))


def _reopen(store: Store, session: Session, progress: ModeProgress) -> None:
    """Reopen a mode: execute what was planned, plan the rest; files and results stay."""
    works = tables.find(progress.mode).works
    with store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        if current.phase == CANCELLED or current.ended_at is not None:
            begun = any(phase in works for phase, _ in progress.history)
            current.phase = EXECUTION if begun else PLANNING
            current.ended_at, current.verdict = None, None
            del current.state.stop_continuation
            sessions.save(change, current, "session.reopened", {"phase": current.phase})
