"""A planned mode keeps pace with its session: phase, counts, facts and files follow what is stored."""

from ..core import machines, staging
from ..core.errors import Conflict
from ..core.machines import Progress
from ..store import sessions
from . import modes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.steps import Known
    from .course import Course


def follow(course: "Course", known: "Known") -> bool:
    """Whether something moved; then the next step is decided anew, with the new counts."""
    progress = known.mode
    assert progress is not None
    current = Progress.read(progress.document())
    moved(current, known, course.store.now())
    if _comparable(current) == _comparable(progress):
        return False
    with course.change() as change:
        session = sessions.get(change.database, course.name)
        modes.save(change, session, current)
    _show(known, current)
    return True


def moved(progress: Progress, known: "Known", now: float) -> None:
    """As far as tables and guards allow; the session's own rules decide what may end how."""
    facts = {key: value for key, value in progress.facts.items() if key != "proved"}
    progress.facts = {**facts, **staging.facts(progress, known)}
    staging.review(progress, known, now)
    machine = machines.of(progress.mode)
    target = staging.phase(progress, known)
    try:
        for step in staging.route(machine, progress.phase, target):
            machines.move(progress, step, now)
    except Conflict:
        pass
    staging.tally(progress, known)
    staging.review(progress, known, now)


def _comparable(progress: Progress) -> tuple[object, ...]:
    return progress.phase, progress.counts, progress.facts


def _show(known: "Known", progress: Progress) -> None:
    from . import drafting

    drafting.show(known.session.working_dir, known, progress)
