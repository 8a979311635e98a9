"""
ralph's stories without a client: workers see the files that git knows, so that is where the stories have to be.

They are read where the results come together. What is open of them after a green verdict is the task of the
next round, and every round has its entry in the log of the checkout.
"""

import os

from ..core import machines, modes, steps
from ..core.errors import UltraworkError, UsageError
from ..core.prd import Prd
from ..core.stop import Open
from ..core.wording import one_line
from ..gates import tree as trees
from ..store import log, pins, sessions
from ..store import modes as kept
from ..store.omc import prd as prds
from ..store.omc.place import Omc
from . import stories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.machines import Progress
    from ..core.session import Session
    from ..core.steps import Step
    from ..store.state import Store
    from .course import Course

ROUND = (
    "round"  # of a session's state: what the last worker said, and the files when the round began
)
_COUNTER = "iteration"
_CAME_TO = {
    steps.ITERATE: "sent back", steps.COMPLETE: "PASS", steps.FAILING: "FAIL", steps.UNVERIFIED: "UNVERIFIED",
}  # fmt: skip


def read(store: "Store", environ: "Mapping[str, str]", place: str) -> Prd | None:
    """What is malformed, and what no worker would see, raises one sentence."""
    omc = Omc(place)
    found = prds.read(omc)
    if found is None:
        return None
    tree = trees.snapshot(omc.top, store.home.cache, environ)
    if trees.read(tree, found.path) is None:
        raise UsageError(
            f"{found.path} is ignored by git, so workers do not see it; git add -f {found.path}"
        )
    return found


def heard(store: "Store", name: str, said: str) -> None:
    """A worker's last message, until its round is over."""
    if modes.RALPH not in kept.on(sessions.get(store.database, name)):
        return
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state[ROUND] = {**_round(session), "said": said}
        sessions.save(change, session, "worker.heard", {})


def _round(session: "Session") -> dict[str, str]:
    known = session.state.get(ROUND)
    return known if isinstance(known, dict) else {}


def end_round(course: "Course", step: "Step") -> None:
    """With open stories there is nothing to complete yet: `step` becomes another round for the next one."""
    session = sessions.get(course.store.database, course.name)
    progress = kept.on(session).get(modes.RALPH)
    if progress is None:
        return
    before = dict(progress.facts)
    left = _left(course, session, progress) if step.own == steps.COMPLETE else None
    if left is not None:
        step.own, step.text = steps.ITERATE, left.what
    over = step.own == steps.ITERATE and not machines.left(progress)[_COUNTER]
    _note(course, session, before, f"{'FAIL' if over else _CAME_TO[step.own]}: {step.text}")
    with course.change() as change:
        current = sessions.get(change.database, course.name)
        kept.put(current, progress)
        current.state[ROUND] = {"tree": _tree(course, session)}
        if left is not None:
            current.state["verification"] = {"findings": _asked(left)}
        sessions.save(change, current, "round.ended", {"why": step.text})


def _left(course: "Course", session: "Session", progress: "Progress") -> Open | None:
    try:
        found = stories.read(Omc(session.place), progress.facts)
    except UltraworkError as error:
        return Open(str(error), step=str(error))
    if found is None:
        return None
    pin = pins.get(course.store.database, course.name)

    def changed() -> list[str]:
        return _changed(course, session, pin.tree if pin else "")

    left = stories.left(found, progress.facts, green=True, changed=changed)
    progress.facts.update(stories.learned(found))
    return left


def _asked(left: Open) -> list[str]:
    """What is to be done, then the criteria of the story."""
    return [left.step, *(one.strip(" -") for one in left.details[1:])]


def _note(
    course: "Course", session: "Session", facts: "Mapping[str, object]", came_to: str
) -> None:
    """What cannot be written holds nothing up."""
    pin = pins.get(course.store.database, course.name)
    known = _round(session)
    try:
        stories.note(
            Omc(session.working_dir),
            facts,
            said=known.get("said", ""),
            came_to=one_line(came_to),
            files=_changed(course, session, known.get("tree") or (pin.tree if pin else "")),
            now=course.store.now(),
        )
    except (UltraworkError, OSError) as error:
        log.write(course.store.home, "engine", f"ralph: {error}")


def _changed(course: "Course", session: "Session", since: str) -> list[str]:
    cache, place = course.store.home.cache, session.place
    if not since or not os.path.isdir(place):
        return []
    now = trees.snapshot(place, cache, course.environ)
    before = trees.at(since, place, cache, course.environ)
    return [one.path for one in trees.diff(before, now)]


def _tree(course: "Course", session: "Session") -> str:
    place = session.place
    if not os.path.isdir(place):
        return ""
    return trees.snapshot(place, course.store.home.cache, course.environ).id
