"""A stop with something left open, in a session that no `ulw` watches: sent back once, then let go."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN = 3


def reason(
    items: "Sequence[str]",
    boxes: "Sequence[str]",
    *,
    busy: bool,
    asked: bool,
    again: bool,
    plan_mode: bool,
) -> str:
    """Why the agent should go on; empty if it may stop. `again`: this stop follows a refusal."""
    if busy or asked or again or plan_mode or not (items or boxes):
        return ""
    parts = []
    if items:
        parts.append(f"{len(items)} items of your own list are open: {_few(items)}")
    if boxes:
        parts.append(f"{len(boxes)} boxes of the active plan are open: {_few(boxes)}")
    return f"{'; '.join(parts)}. Finish them, take them off the list, or say why they stay open."


def _few(names: "Sequence[str]") -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(name[:60] for name in names[:_SHOWN]) + more
