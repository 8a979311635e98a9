"""What a person wants otherwise in a planned session, heard in their own prompt and nowhere else."""

from ...core import delegation
from ...store import sessions
from .. import schedule
from ..answer import Answer
from .pushing import attach, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event


def heard(event: "Event") -> Answer | None:
    """Machine-made prompts begin with a tag; one that the model scheduled is its own word."""
    prompt = event.text("prompt")
    if prompt.lstrip().startswith("<") or not delegation.wants_direct(prompt):
        return None
    if schedule.by_model(event):
        return None
    name = name_of(event)
    with event.store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state["delegation"] = delegation.OFF
        sessions.save(change, session, "delegation.lifted", {"prompt": prompt[:200]})
    attach(event, session)
    return Answer(message="ultrawork: edits without a worker are allowed, as you asked.")
