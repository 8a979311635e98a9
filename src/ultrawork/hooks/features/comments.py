"""Comments that tell of an edit instead of the code."""

from ..answer import Answer
from ..handlers.tool import target
from .light import relative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

_MARKS = ("#", "//", "/*", "--", "<!--")


def comments(event: "Event") -> Answer | None:
    """Comments that tell of the edit: named once a file."""
    given = event.mapping("tool_input")
    path = relative(event, target(event))
    after = given.get("new_string") or given.get("content")
    before = given.get("old_string")
    if not path or not isinstance(after, str) or not any(mark in after for mark in _MARKS):
        return None
    from ...core import remarks
    from ...store.omc import told
    from ...store.omc.place import HASTE, Omc

    found = remarks.about_the_edit(path, before if isinstance(before, str) else "", after)
    if not found or not told.first(Omc(event.place, HASTE), event.session, f"comments {path}"):
        return None
    lines = "; ".join(line[:80] for line in found)
    return Answer(
        context=f"ultrawork: comments in {path} tell of the edit, which history does: {lines}."
        " Say what the code cannot say, or leave them out."
    )
