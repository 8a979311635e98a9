"""Edits of plans in `.omc/plans`. Runs at every edit, most of which are not plans, so it loads next to nothing."""

from ...store import markers
from ..event import Answer
from ..tool import find_target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..event import Event

_FOLDER = ".omc/plans/"


def _names_a_plan(event: "Event") -> bool:
    return f"/{_FOLDER}" in f"/{event.mapping('tool_input').get('file_path') or ''}"


def activate_plan(event: "Event") -> None:
    """Make a plan with open boxes the active one, unless another plan is being executed."""
    if not _names_a_plan(event):
        return
    from .common import make_relative

    path = make_relative(event, find_target(event))
    if not path.startswith(_FOLDER) or not path.endswith(".md"):
        return
    from ...core.plan.checklist import parse_boxes
    from ...store.omc import boulder
    from ...store.omc.folder import HASTE, Omc

    omc = Omc(event.place, HASTE)
    before = boulder.read_plan(omc)
    if before and before[0] != path and before[1].done and before[1].open:
        return
    if parse_boxes(omc.read(f"{omc.top}/{path}") or "").open:
        boulder.begin(omc, path, event.session, event.clock())


def guard_plan(event: "Event") -> Answer | None:
    """Deny rewriting a plan while it is executed; ticking its boxes is allowed."""
    if not _names_a_plan(event):
        return None
    from .common import make_relative, note_enforced

    path = make_relative(event, find_target(event))
    if not path.startswith(_FOLDER) or not _executing(event):
        return None
    if event.text("tool_name") == "Edit" and is_ticking(event.mapping("tool_input")):
        return None
    note_enforced(event, "plan-kept", path=path)
    return Answer(
        deny=f"ultrawork: {path} is being executed. Tick its boxes, or stop the execution before you change it"
    )


def _executing(event: "Event") -> bool:
    from ...core.session import session
    from ...core.session_kinds import FULL

    content = markers.get(event.home, markers.ACTIVE, event.session) if event.session else None
    if content is not None and content.get("kind") == FULL:
        return content.get("phase") == session.EXECUTION
    from ...store.omc import states
    from ...store.omc.folder import HASTE, Omc

    omc, now = Omc(event.place, HASTE), event.clock()
    return bool(event.session) and any(states.is_active(omc, mode, event.session, now) for mode in states.FILED)


def is_ticking(given: "dict[str, Any]") -> bool:
    before, after = given.get("old_string"), given.get("new_string")
    if not isinstance(before, str) or not isinstance(after, str):
        return False
    return _unticked(before) == _unticked(after)


def _unticked(text: str) -> str:
    return text.replace("[x]", "[ ]").replace("[X]", "[ ]")
