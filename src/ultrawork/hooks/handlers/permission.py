"""The one place that permits anything: commands of the small table, each written down before it is answered."""

import os

from ...core import permission
from ...store import audit
from .. import permissions, trusting
from ..answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event


def decide(event: "Event") -> Answer | None:
    """Yes, or no opinion: then the client asks the person, or refuses where nobody is there."""
    command = permission.command_of(event.text("tool_name"), event.mapping("tool_input"))
    kind = permission.kind(command)
    if not kind or not _allowed(event, kind, command) or permissions.refused(event, command):
        return None
    facts = {"session": event.session, "place": event.place, "command": command, "as": kind}
    try:
        audit.write(event.home, "permitted", facts, event.environ, event.clock())
    except OSError:
        return None
    return Answer(permit=True)


def _allowed(event: "Event", kind: str, command: str) -> bool:
    if kind == permission.CHECK:
        return event.text("permission_mode") != "plan" and _consented(event, command)
    words = permission.simple(command)
    is_fine = words[:1] != ["git"] or trusting.may_ask(event, words[1])
    return is_fine and _stays_inside(event, words)


def _stays_inside(event: "Event", words: "list[str]") -> bool:
    """Words that are files here: where they really lead is what is looked at."""
    found = [os.path.join(event.cwd, word) for word in words]
    real = [os.path.realpath(path) for path in found if os.path.lexists(path)]
    return all(path == event.place or path.startswith(event.place + "/") for path in real)


def _consented(event: "Event", command: str) -> bool:
    """A check executes what the agent wrote: only the person's own word for this command counts."""
    from ...store import receipts

    return os.path.exists(event.home.database) and receipts.allowed(
        event.store.database, event.place, command
    )
