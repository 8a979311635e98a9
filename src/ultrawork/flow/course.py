"""A session taking its course: read what is stored, do the program's own steps, say what is next."""

from ..core import verdict_values
from ..core.course import steps
from ..core.errors import Trouble
from ..core.plan import statuses
from ..core.session import exploration, phases
from ..core.times import format_iso
from ..store import agents, explorers, pins, sessions, tasks
from ..store import settings as stored
from .task_claims import release_lapsed
from .verification_state import VerificationState, count_verdicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..core.course.steps import NextStep
    from ..core.modes.machines import ModeProgress
    from ..core.session.session import Session
    from ..store.change import Change
    from ..store.settings import Settings
    from ..store.store import Store

_MOST = 30
_ENDS_ROUND = (steps.ITERATE, steps.COMPLETE, steps.FAILING, steps.UNVERIFIED)


class Course:
    """`attended`: a person can be asked. `barrier`: a wave ends before the next begins."""

    __slots__ = ("attended", "barrier", "environ", "language", "name", "store")

    def __init__(
        self,
        store: "Store",
        environ: "Mapping[str, str]",
        name: str,
        *,
        attended: bool = True,
        barrier: bool = False,
        language: str = "en",
    ) -> None:
        self.store = store
        self.environ = environ
        self.name = name
        self.attended = attended
        self.barrier = barrier
        self.language = language

    def known(self) -> steps.SessionFacts:
        database = self.store.database
        session = sessions.get(database, self.name)
        settings = self.settings(session)
        working = agents.list_at_work(database, self.name, now=self.store.now())
        standing = VerificationState(self, session)
        mode = _mode(session)
        return steps.SessionFacts(
            session,
            tasks.list_all(database, self.name),
            explorers.list_all(database, self.name),
            running=[agent.subject for agent in working],
            verdict=standing.verdict(),
            rulings=standing.rulings(),
            findings=standing.findings(),
            receipts=standing.receipts(),
            plan_errors=_plan_errors(session),
            attended=self.attended,
            barrier=self.barrier or bool(session.options.get("barrier")),
            language=self.language,
            questions=settings["plan.questions"],
            models={key: settings[f"models.{key}"] for key in ("simple", "standard", "complex")},
            mode=mode,
            changed=standing.changed(mode),
        )

    def settings(self, session: "Session") -> "Settings":
        return stored.load_at(self.environ, self.store.home, session.working_dir)

    def advance(self) -> "NextStep":
        """Does the program's own steps until somebody else has to act."""
        release_lapsed(self.store, self.name)
        session = sessions.get(self.store.database, self.name)
        self._ensure_pin(session)
        self._watch(session)
        for _ in range(_MOST):
            known = self.known()
            if known.mode is not None and self._kept_pace(known):
                continue
            step = steps.choose_next(known)
            if step.kind != steps.OWN:
                self._show_stages(known)
                return self._briefed(step)
            if step.own in _ENDS_ROUND:
                self._end_round(known.session, step)
            _OWN[step.own](self, step)
        raise Trouble(f"session {self.name} goes in circles; ultrawork session check may tell why")

    def _watch(self, session: "Session") -> None:
        """Workers that are silent for too long are looked after wherever the course is looked at."""
        mode = _mode(session)
        if mode is not None and session.phase == phases.EXECUTION:
            from . import watchdog

            watchdog.queue_messages(
                self.store, self.name, watchdog.check_workers(self.store, session, mode)
            )

    def _end_round(self, session: "Session", step: "NextStep") -> None:
        """Only of a mode that works in rounds on one task, and only where no client tells of them."""
        if session.state.get("modes") and "run" in session.state:
            from . import stories

            stories.end_round(self, step)

    def _kept_pace(self, known: steps.SessionFacts) -> bool:
        from . import planned_mode

        return planned_mode.sync(self, known)

    def _show_stages(self, known: steps.SessionFacts) -> None:
        if known.session.state.get("pipeline"):
            from . import pipeline

            pipeline.show(self, known)

    def _briefed(self, step: "NextStep") -> "NextStep":
        from .briefing import brief

        step.spawns = tuple(brief(self, spawn) for spawn in step.spawns)
        return step

    def _ensure_pin(self, session: "Session") -> None:
        """A session that was begun in a terminal is measured against the files at its first step."""
        if session.active and not pins.is_pinned(self.store.database, self.name):
            from ..gates.session import pinning
            from .beginning import read_delegation_level

            pin = pinning.pin(session.working_dir, self.store, self.environ)
            session.state["delegation"] = read_delegation_level(self.store, self.environ, session)
            with self.change() as change:
                pins.save(change, pin)
                sessions.save(change, session, "session.pinned", {"tree": pin.tree})

    def change(self) -> "Change":
        return self.store.change(self.name)


def _mode(session: "Session") -> "ModeProgress | None":
    """The planned mode that lies over a session, if one does."""
    if not session.state.get("modes"):
        return None
    from ..core.modes.modes import STAGED
    from .modes import read_active

    on = read_active(session)
    return next((on[name] for name in STAGED if name in on), None)


def _plan_errors(session: "Session") -> list[str]:
    errors = session.state.get("plan_errors")
    return [str(one) for one in errors] if isinstance(errors, list) else []


def _overview(course: Course, _step: "NextStep") -> None:
    from ..core.session.exploration import Explorer
    from . import overview

    session = sessions.get(course.store.database, course.name)
    pin = pins.get(course.store.database, course.name)
    made = overview.make(
        session.working_dir,
        course.environ,
        pin.gates if pin else (),
        reads=course.settings(session)["explore.reads"],
    )
    with course.change() as change:
        explorers.expect(change, ["overview"])
        explorers.add(
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


def _hints(course: Course, _step: "NextStep") -> None:
    """Expected explorers are written down before any of them is started."""
    session = sessions.get(course.store.database, course.name)
    found = explorers.list_all(course.store.database, course.name)
    stack = [text for one in found for text in one.findings.get("patterns", [])]
    settings = course.settings(session)
    from ..core.course import search_hints

    areas = search_hints.list_areas(session.goal, stack, settings["explore.areas"])
    wanted = {f"exp-{number}": area for number, area in enumerate(areas, 1)}
    with course.change() as change:
        explorers.expect(change, ["overview", *wanted], hints=wanted)
        _set_stage(change, exploration.TARGETED)


def _explored(course: Course, _step: "NextStep") -> None:
    with course.change() as change:
        _set_stage(change, exploration.COMPLETE)


def _set_stage(change: "Change", stage: str) -> None:
    session = sessions.get(change.database, change.session)
    session.exploration_stage = stage
    sessions.save(change, session, "stage.reached", {"stage": stage})


def _move(target: str) -> "Callable[[Course, NextStep], None]":
    def move(course: Course, step: "NextStep") -> None:
        with course.change() as change:
            session = sessions.get(change.database, change.session)
            _to_phase(session, target, change.now)
            if target == phases.VERIFICATION:
                # Only a verdict that comes after this counts, even one of the same second.
                after = count_verdicts(change.database, change.session)
                session.state["verification"] = {"began": format_iso(change.now), "after": after}
            if target == phases.COMPLETE:
                tasks.resolve_verify(change, "gates and verifier: PASS")
            sessions.save(change, session, "phase.reached", {"phase": target, "why": step.text})

    return move


def _to_phase(session: "Session", target: str, now: float) -> None:
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


def _retry(course: Course, _step: "NextStep") -> None:
    """Failed tasks with tries left go back into the queue; the count of attempts stays."""
    with course.change() as change:
        for task in tasks.list_all(change.database, change.session, status=statuses.FAILED):
            if task.may_retry:
                tasks.update(
                    change, task.id, status=statuses.PENDING, retry_count=task.retry_count + 1
                )


def _iterate(course: Course, step: "NextStep") -> None:
    session = sessions.get(course.store.database, course.name)
    if session.state.get("modes"):
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
        sessions.save(
            change, session, "iteration.began", {"iteration": session.iteration, "why": step.text}
        )


def _coordinate(course: Course, _step: "NextStep") -> None:
    from . import file_ownership

    file_ownership.coordinate(course)


def _settle_conflicts(course: Course, step: "NextStep") -> None:
    from . import file_ownership

    file_ownership.settle_conflicts(course, step.text)


def _end_unverified(course: Course, step: "NextStep") -> None:
    with course.change() as change:
        session = sessions.get(change.database, change.session)
        session.verdict, session.ended_at = verdict_values.UNVERIFIED, change.now
        sessions.save(change, session, "session.ended", {"why": step.text})


def _stage_failed(course: Course, step: "NextStep") -> None:
    from . import pipeline

    pipeline.handle_failure(course, step)


def _stages_done(course: Course, step: "NextStep") -> None:
    """What only read has answered; what was to write and changed nothing is proved by no check."""
    from . import pipeline

    if not pipeline.is_untouched(course):
        _move(phases.VERIFICATION)(course, step)
    elif pipeline.is_read_only(course):
        pipeline.end_answered(course, step)
    else:
        pipeline.end_unproved(course)


_OWN: "dict[str, Callable[[Course, NextStep], None]]" = {
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
}
