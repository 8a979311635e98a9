"""The client's setup and maintenance runs: update the state folder, and run the doctor."""

from ..store import log
from ..store.paths import find_root
from ..system import process
from .event import Answer, Event

_PATIENCE = 40.0
_ROOM = 1_500


def set_up(event: Event) -> Answer | None:
    """Open the store, which applies its migrations; show the doctor's output to the user."""
    version = event.store.database.row("PRAGMA user_version")
    ran = process.run_program(
        [f"{find_root()}/bin/ultrawork", "doctor"], cwd=event.place, env=dict(event.environ), deadline=_PATIENCE
    )
    facts = {"trigger": event.text("trigger"), "store": str(version), "exit": str(ran.exit)}
    log.write_audit(event.home, "setup", facts, event.environ, event.clock())
    return Answer(message=f"ultrawork doctor\n{ran.output.strip()[:_ROOM]}")
