"""Do the program's own steps of a session until the model or the user has to act."""

from collections.abc import Callable

from ..core import registry, verdict_values
from ..core.course import next_step, steps
from ..core.course.steps import NextStep
from ..core.errors import Trouble
from ..core.modes.modes import PIPELINE
from ..core.plan.task import FAILED, PENDING
from ..core.session import exploration
from ..core.session import session as phases
from ..core.session.session import Session
from ..core.times import format_iso
from ..store import pins, sessions, tasks
from ..store.database import Change
from .course import Course, find_mode, release_lapsed

_MOST = 30
_ENDS_ROUND = (steps.ITERATE, steps.COMPLETE, steps.FAILING, steps.UNVERIFIED)


def advance(course: Course) -> NextStep:
    """Do the program's own steps until the model or the user has to act."""
    release_lapsed(course.store, course.name)
    session = sessions.get(course.store.database, course.name)
    _ensure_pin(course, session)
    _watch(course, session)
    for _ in range(_MOST):
        known = course.read_facts()
        if known.mode is not None and _keep_pace(course, known):
            continue
        if known.session.state.lead and registry.ask_lead("sync")(course, known):
            continue
        step = next_step.choose_next(known)
        if step.kind != steps.OWN:
            _show_stages(course, known)
            return _brief(course, step)
        if step.own in _ENDS_ROUND:
            _end_round(course, known.session, step)
        _OWN[step.own](course, step)
    raise Trouble(f"session {course.name} repeats the same steps. To find the cause: ultrawork session check")


def _watch(course: Course, session: Session) -> None:
    """Handle workers that are silent for too long, wherever the course is read."""
    mode = find_mode(session)
    if mode is not None and session.phase == phases.EXECUTION:
        from . import watchdog

        watchdog.queue_messages(course.store, course.name, watchdog.check_workers(course.store, session, mode))


def _end_round(course: Course, session: Session, step: NextStep) -> None:
    """End a round of a mode that works on one task, if no client reports its rounds."""
    if session.state.modes and session.state.run:
        from . import stories

        stories.end_round(course, step)


def _keep_pace(course: Course, known: steps.SessionFacts) -> bool:
    from . import planned_mode

    return planned_mode.sync(course, known)


def _show_stages(course: Course, known: steps.SessionFacts) -> None:
    if known.session.state.pipeline:
        registry.ask(PIPELINE, "show_stages")(course, known)


def _brief(course: Course, step: NextStep) -> NextStep:
    from .planning import brief

    step.spawns = tuple(brief(course, spawn) for spawn in step.spawns)
    return step


def _ensure_pin(course: Course, session: Session) -> None:
    """Measure a session that was started in a terminal against the files at its first step."""
    if session.active and not pins.is_pinned(course.store.database, course.name):
        from ..gates.session import pinning
        from .beginning import read_delegation_level

        pin = pinning.pin(session.working_dir, course.store, course.environ, session.goal)
        level = read_delegation_level(course.store, course.environ, session)
        with course.change() as change:
            # Pinning takes time, and the user may have cancelled meanwhile.
            session = sessions.get(change.database, course.name)
            session.state.delegation = level
            pins.save(change, pin)
            sessions.save(change, session, "session.pinned", {"tree": pin.tree})


def _overview(course: Course, _step: NextStep) -> None:
    from ..core.session.exploration import Explorer
    from . import overview

    session = sessions.get(course.store.database, course.name)
    pin = pins.get(course.store.database, course.name)
    made = overview.make(
        session.working_dir,
        course.environ,
        pin.gates if pin else (),
        reads=course.load_settings(session)["explore.reads"],
    )
    with course.change() as change:
        sessions.expect_explorers(change, ["overview"])
        sessions.take_report(
            change,
            Explorer(
                id="overview",
                hint="the project as a whole",
                summary=made.summary,
                report=made.text,
                findings={"key_files": made.key_files, "patterns": made.stack},
            ),
        )
        _set_stage(change, exploration.ANALYZING)


def _hints(course: Course, _step: NextStep) -> None:
    """Record the expected explorers before any of them starts."""
    session = sessions.get(course.store.database, course.name)
    listed = sessions.list_explorers(course.store.database, course.name)
    stack = [text for explorer in listed for text in explorer.findings.get("patterns", [])]
    settings = course.load_settings(session)
    from ..core.course import search_hints

    areas = search_hints.list_areas(session.goal, stack, settings["explore.areas"])
    wanted = {f"exp-{number}": area for number, area in enumerate(areas, 1)}
    with course.change() as change:
        sessions.expect_explorers(change, ["overview", *wanted], hints=wanted)
        _set_stage(change, exploration.TARGETED)


def _explored(course: Course, _step: NextStep) -> None:
    with course.change() as change:
        _set_stage(change, exploration.COMPLETE)


def _set_stage(change: Change, stage: str) -> None:
    session = sessions.get(change.database, change.session)
    session.exploration_stage = stage
    sessions.save(change, session, "stage.reached", {"stage": stage})


def _move(target: str) -> Callable[[Course, NextStep], None]:
    def move(course: Course, step: NextStep) -> None:
        with course.change() as change:
            session = sessions.get(change.database, change.session)
            _to_phase(session, target, change.now)
            if target == phases.VERIFICATION:
                from ..store import receipts

                # Only a later verdict counts, even one of the same second.
                after = receipts.count_verdicts(change.database, change.session)
                known = session.state.verification
                session.state.verification = {
                    "began": format_iso(change.now),
                    "after": after,
                    **{name: known[name] for name in ("before", "sent") if known.get(name)},
                }
            if target == phases.COMPLETE:
                tasks.resolve_verify(change, "checks and verifier: PASS")
            sessions.save(change, session, "phase.reached", {"phase": target, "why": step.text})

    return move


def _to_phase(session: Session, target: str, now: float) -> None:
    facts = phases.PhaseFacts(
        approved=session.plan.get("approved_at") is not None,
        auto=bool(session.options["auto_mode"]),
        passed=target == phases.COMPLETE,
        iteration=session.iteration,
        limit=int(str(session.options["max_iterations"])),
    )
    session.phase = phases.move(session.phase, target, facts)
    if target in phases.TERMINAL:
        session.ended_at = now
    if target == phases.COMPLETE:
        session.verdict = verdict_values.PASS
    if target == phases.FAILED:
        session.verdict = verdict_values.FAIL


def _retry(course: Course, _step: NextStep) -> None:
    """Requeue failed tasks that have tries left; their attempt counts stay."""
    with course.change() as change:
        for task in tasks.list_all(change.database, change.session, status=FAILED):
            if task.may_retry:
                tasks.update(change, task.id, status=PENDING, retry_count=task.retry_count + 1)


def _iterate(course: Course, step: NextStep) -> None:
    session = sessions.get(course.store.database, course.name)
    if session.state.modes:
        from . import single_task

        over = single_task.count_round(course, step.text)
        if over:
            step.text = over
            _move(phases.FAILED)(course, step)
            return
    with course.change() as change:
        session = sessions.get(change.database, change.session)
        from . import iteration

        iteration.begin(change, session)
        sessions.save(change, session, "iteration.began", {"iteration": session.iteration, "why": step.text})


def _coordinate(course: Course, _step: NextStep) -> None:
    from . import file_ownership

    file_ownership.coordinate(course)


def _settle_conflicts(course: Course, step: NextStep) -> None:
    from . import file_ownership

    file_ownership.settle_conflicts(course, step.text)


def _end_unverified(course: Course, step: NextStep) -> None:
    with course.change() as change:
        session = sessions.get(change.database, change.session)
        session.verdict, session.ended_at = verdict_values.UNVERIFIED, change.now
        sessions.save(change, session, "session.ended", {"why": step.text})


def _stage_failed(course: Course, step: NextStep) -> None:
    registry.ask(PIPELINE, "handle_failure")(course, step)


def _stages_done(course: Course, step: NextStep) -> None:
    if not registry.ask(PIPELINE, "close")(course, step):
        _move(phases.VERIFICATION)(course, step)


def _archive(course: Course, step: NextStep) -> None:
    """Archive a requirement. It is PASS only if it was verified on the current files."""
    proved = registry.ask_lead("close")(course.store, course.name)
    if proved and course.read_facts().verdict == verdict_values.PASS:
        _move(phases.COMPLETE)(course, step)
    else:
        _end_unverified(course, step)


_OWN: dict[str, Callable[[Course, NextStep], None]] = {
    steps.OVERVIEW: _overview,
    steps.HINTS: _hints,
    steps.EXPLORED: _explored,
    steps.STAND: _move(phases.PLANNING_COMPLETE),
    steps.EXECUTE: _move(phases.EXECUTION),
    steps.RETRY: _retry,
    steps.COORDINATE: _coordinate,
    steps.SETTLING: _settle_conflicts,
    steps.ITERATE: _iterate,
    steps.SETTLE: _move(phases.VERIFICATION),
    steps.COMPLETE: _move(phases.COMPLETE),
    steps.FAILING: _move(phases.FAILED),
    steps.UNVERIFIED: _end_unverified,
    steps.STAGE_FAILED: _stage_failed,
    steps.STAGES_DONE: _stages_done,
    steps.ARCHIVE: _archive,
}
