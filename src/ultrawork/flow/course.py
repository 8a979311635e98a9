"""A session taking its course: read what is stored, do the program's own steps, say what is next."""

from ..core import outcomes, phases, stages, statuses, steps
from ..core.errors import Trouble
from ..core.times import iso
from ..store import agents, contexts, pins, sessions, tasks
from ..store import settings as stored
from .abandon import lapse
from .standing import Standing, verdicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..core.machines import Progress
    from ..core.session import Session
    from ..core.steps import Step
    from ..store.change import Change
    from ..store.settings import Settings
    from ..store.state import Store

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

    def known(self) -> steps.Known:
        database = self.store.database
        session = sessions.get(database, self.name)
        settings = self.settings(session)
        working = agents.at_work(database, self.name, now=self.store.now())
        standing = Standing(self, session)
        mode = _mode(session)
        return steps.Known(
            session,
            tasks.listed(database, self.name),
            contexts.listed(database, self.name),
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
        place = session.working_dir
        return stored.load(
            self.environ, self.store.home, lambda name: stored.read_file(f"{place}/{name}")
        )

    def advance(self) -> "Step":
        """Does the program's own steps until somebody else has to act."""
        lapse(self.store, self.name)
        session = sessions.get(self.store.database, self.name)
        self._ensure_pin(session)
        self._watch(session)
        for _ in range(_MOST):
            known = self.known()
            if known.mode is not None and self._kept_pace(known):
                continue
            step = steps.next_step(known)
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
            from . import watching

            watching.keep(self.store, self.name, watching.look(self.store, session, mode))

    def _end_round(self, session: "Session", step: "Step") -> None:
        """Only of a mode that works in rounds on one task, and only where no client tells of them."""
        if session.state.get("modes") and "run" in session.state:
            from . import tracked_stories

            tracked_stories.end_round(self, step)

    def _kept_pace(self, known: steps.Known) -> bool:
        from . import pacing

        return pacing.follow(self, known)

    def _show_stages(self, known: steps.Known) -> None:
        if known.session.state.get("pipeline"):
            from . import pipeline

            pipeline.show(self, known)

    def _briefed(self, step: "Step") -> "Step":
        from .briefing import briefed

        step.spawns = tuple(briefed(self, spawn) for spawn in step.spawns)
        return step

    def _ensure_pin(self, session: "Session") -> None:
        """A session that was begun in a terminal is measured against the files at its first step."""
        if session.active and not pins.there(self.store.database, self.name):
            from ..gates import pinning
            from .begin import level

            pin = pinning.pin(session.working_dir, self.store, self.environ)
            session.state["delegation"] = level(self.store, self.environ, session)
            with self.change() as change:
                pins.save(change, pin)
                sessions.save(change, session, "session.pinned", {"tree": pin.tree})

    def change(self) -> "Change":
        return self.store.change(self.name)


def _mode(session: "Session") -> "Progress | None":
    """The planned mode that lies over a session, if one does."""
    if not session.state.get("modes"):
        return None
    from ..core.modes import STAGED
    from .modes import of

    on = of(session)
    return next((on[name] for name in STAGED if name in on), None)


def _plan_errors(session: "Session") -> list[str]:
    errors = session.state.get("plan_errors")
    return [str(one) for one in errors] if isinstance(errors, list) else []


def _overview(course: Course, _step: "Step") -> None:
    from ..core.context import Explorer
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
        contexts.expect(change, ["overview"])
        contexts.add(
            change,
            Explorer(
                id="overview",
                hint="the project as a whole",
                summary=made.summary,
                report=made.text,
                findings={"key_files": made.key_files, "patterns": made.stack},
            ),
        )
        _set_stage(change, stages.ANALYZING)


def _hints(course: Course, _step: "Step") -> None:
    """Expected explorers are written down before any of them is started."""
    session = sessions.get(course.store.database, course.name)
    found = contexts.listed(course.store.database, course.name)
    stack = [text for one in found for text in one.findings.get("patterns", [])]
    settings = course.settings(session)
    from ..core import hints

    areas = hints.areas(session.goal, stack, settings["explore.areas"])
    wanted = {f"exp-{number}": area for number, area in enumerate(areas, 1)}
    with course.change() as change:
        contexts.expect(change, ["overview", *wanted], hints=wanted)
        _set_stage(change, stages.TARGETED)


def _explored(course: Course, _step: "Step") -> None:
    with course.change() as change:
        _set_stage(change, stages.COMPLETE)


def _set_stage(change: "Change", stage: str) -> None:
    session = sessions.get(change.database, change.session)
    session.exploration_stage = stage
    sessions.save(change, session, "stage.reached", {"stage": stage})


def _move(target: str) -> "Callable[[Course, Step], None]":
    def move(course: Course, step: "Step") -> None:
        with course.change() as change:
            session = sessions.get(change.database, change.session)
            _to_phase(session, target, change.now)
            if target == phases.VERIFICATION:
                # Only a verdict that comes after this counts, even one of the same second.
                after = verdicts(change.database, change.session)
                session.state["verification"] = {"began": iso(change.now), "after": after}
            if target == phases.COMPLETE:
                tasks.resolve_verify(change, "gates and verifier: PASS")
            sessions.save(change, session, "phase.reached", {"phase": target, "why": step.text})

    return move


def _to_phase(session: "Session", target: str, now: float) -> None:
    facts = phases.Facts(
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
        session.verdict = outcomes.PASS
    if target == phases.FAILED:
        session.verdict = outcomes.FAIL


def _retry(course: Course, _step: "Step") -> None:
    """Failed tasks with tries left go back into the queue; the count of attempts stays."""
    with course.change() as change:
        for task in tasks.listed(change.database, change.session, status=statuses.FAILED):
            if task.may_retry:
                tasks.update(
                    change, task.id, status=statuses.PENDING, retry_count=task.retry_count + 1
                )


def _iterate(course: Course, step: "Step") -> None:
    session = sessions.get(course.store.database, course.name)
    if session.state.get("modes"):
        from . import single

        over = single.another_round(course, step.text)
        if over:
            step.text = over
            _move(phases.FAILED)(course, step)
            return
    with course.change() as change:
        session = sessions.get(change.database, change.session)
        from . import rounds

        rounds.begin(change, session)
        sessions.save(
            change, session, "iteration.began", {"iteration": session.iteration, "why": step.text}
        )


def _coordinate(course: Course, _step: "Step") -> None:
    from . import ownership

    ownership.coordinate(course)


def _settle_conflicts(course: Course, step: "Step") -> None:
    from . import ownership

    ownership.settle(course, step.text)


def _end_unverified(course: Course, step: "Step") -> None:
    with course.change() as change:
        session = sessions.get(change.database, change.session)
        session.verdict, session.ended_at = outcomes.UNVERIFIED, change.now
        sessions.save(change, session, "session.ended", {"why": step.text})


def _stage_failed(course: Course, step: "Step") -> None:
    from . import pipeline

    pipeline.after_failure(course, step)


def _stages_done(course: Course, step: "Step") -> None:
    """What only read has answered; what was to write and changed nothing is proved by no check."""
    from . import pipeline

    if not pipeline.untouched(course):
        _move(phases.VERIFICATION)(course, step)
    elif pipeline.only_reads(course):
        pipeline.answered(course, step)
    else:
        pipeline.unproved(course)


_OWN: "dict[str, Callable[[Course, Step], None]]" = {
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
