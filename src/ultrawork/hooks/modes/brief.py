"""What a model that forgot is told of the modes over its session."""

from ...core.errors import UltraworkError
from ...core.wording import cut, one_line
from ...store import modes as kept
from ...store.omc import prd, progress
from ...store.omc.place import Omc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.machines import Progress
    from ...core.session import Session
    from ..event import Event

_KEPT = 3


def lines(event: "Event", session: "Session") -> list[str]:
    found: list[str] = []
    for mode, one in kept.on(session).items():
        found += _TOLD[mode](event, one) if mode in _TOLD else []
    return found


def _ralph(event: "Event", ralph: "Progress") -> list[str]:
    told = [f"ralph: round {ralph.counts['iteration']} of {ralph.limits['iteration']}."]
    try:
        omc = Omc(event.place)
        stories, log = prd.read(omc), progress.read(omc)
    except UltraworkError as error:
        return [*told, str(error)]
    if stories is not None:
        upcoming = f" Next: {stories.next.name}" if stories.next is not None else ""
        told.append(f"Stories ({stories.path}): {stories.counted} pass.{upcoming}")
    patterns = log.patterns[-_KEPT:] if log is not None else []
    return told + [f"Known here: {cut(one_line(one), 90)}" for one in patterns]


def _ultraqa(_event: "Event", qa: "Progress") -> list[str]:
    names = ", ".join(str(one) for one in qa.facts.get("gates") or ())
    return [f"ultraqa: cycle {qa.counts['cycle']} of {qa.limits['cycle']}, until green: {names}."]


_TOLD = {"ralph": _ralph, "ultraqa": _ultraqa}
