"""Plans are not rewritten while they are worked off; ticking a box is work."""

from ...core import phases
from ...core.kinds import FULL
from ...store import markers
from ...store.omc import states
from ...store.omc.place import HASTE, Omc
from ..answer import Answer
from ..handlers.tool import target
from .light import audited, relative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..event import Event


def edit(event: "Event") -> Answer | None:
    path = relative(event, target(event))
    if not path.startswith(".omc/plans/") or not _executing(event):
        return None
    if event.text("tool_name") == "Edit" and ticks_only(event.mapping("tool_input")):
        return None
    audited(event, "plan-kept", path=path)
    return Answer(
        deny=f"ultrawork: {path} is being worked off; tick its boxes, or end the execution to change it"
    )


def _executing(event: "Event") -> bool:
    content = markers.get(event.home, markers.ACTIVE, event.session) if event.session else None
    if content is not None and content.get("kind") == FULL:
        return content.get("phase") == phases.EXECUTION
    omc, now = Omc(event.place, HASTE), event.clock()
    return bool(event.session) and any(
        states.is_active(omc, mode, event.session, now) for mode in states.FILED
    )


def ticks_only(given: "dict[str, Any]") -> bool:
    before, after = given.get("old_string"), given.get("new_string")
    if not isinstance(before, str) or not isinstance(after, str):
        return False
    return _unticked(before) == _unticked(after)


def _unticked(text: str) -> str:
    return text.replace("[x]", "[ ]").replace("[X]", "[ ]")
