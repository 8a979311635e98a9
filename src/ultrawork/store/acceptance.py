"""Writing down that the person takes the open findings as they are."""

from ..core import acceptance, phases
from ..core import verdict as verdicts
from ..core.errors import NotFound
from ..core.session import LIGHT
from . import receipts, sessions, tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .state import Store


def accept(store: "Store", name: str, reason: str) -> "dict[str, Any]":
    with store.change(name, durable=True) as change:
        last = receipts.last_verdict(change.database, name)
        if last is None:
            raise NotFound("nothing to accept yet: no check has run; run ultrawork verify first")
        document = acceptance.accept(last, reason)
        receipts.add_verdict(change, document)
        session = sessions.get(change.database, name)
        session.verdict = document["verdict"]
        ending = phases.EXECUTION if session.kind == LIGHT else phases.VERIFICATION
        if document["verdict"] == verdicts.PASS and session.phase == ending:
            session.phase = phases.COMPLETE
            tasks.resolve_verify(change, f"accepted by you: {reason}")
        session.ended_at = session.ended_at or change.now
        sessions.save(change, session, "findings.accepted", {"reason": reason})
    return document
