"""Check a requirement against its record: its state is a row that a shell could write, its moves, reviews and answers
are chained events.

What is in the row but in no event is dropped: the agent is asked again, and so is the user."""

from ....core.modes.machine import ModeProgress
from ....store.database import Database
from ..store import ledger
from ..values import manifest as manifests
from ..values import states
from .papers import CLEAR_ENOUGH, read_manifest


def drop_unrecorded(database: "Database", session: str, progress: "ModeProgress") -> list[str]:
    """Drop what no event recorded, and name it."""
    checks = (_drop_state, _drop_clarity, _drop_reviews, _drop_answer, _drop_sizes)
    return [name for check in checks if (name := check(database, session, progress))]


def _drop_state(database: "Database", session: str, progress: "ModeProgress") -> str:
    recorded = ledger.find_recorded_state(database, session)
    if not recorded or progress.phase == recorded:
        return ""
    progress.phase = recorded
    return "state"


def _drop_clarity(database: "Database", session: str, progress: "ModeProgress") -> str:
    given = progress.facts.get("clarity")
    question, (yes, _) = CLEAR_ENOUGH
    if not given or ledger.is_recorded(database, session, "axiom.screened", verdict="PASS", clarity=given):
        return ""
    if given == states.CLARITY and ledger.is_recorded(
        database, session, "axiom.answered", question=question, answer=yes
    ):
        return ""
    del progress.facts["clarity"]
    return "clarity"


def _drop_reviews(database: "Database", session: str, progress: "ModeProgress") -> str:
    given = progress.facts.get("reviews") or {}
    genuine = {
        part: review
        for part, review in given.items()
        if ledger.is_recorded(database, session, "axiom.reviewed", part=part, by=review.get("by"))
    }
    if genuine == given:
        return ""
    progress.facts.update(reviews=genuine)
    return "reviews"


def _drop_answer(database: "Database", session: str, progress: "ModeProgress") -> str:
    confirmed = progress.facts.get("confirmed")
    if not confirmed or ledger.is_recorded(database, session, "axiom.confirmed", prd=confirmed):
        return ""
    del progress.facts["confirmed"]
    return "the user's yes"


def _drop_sizes(database: "Database", session: str, progress: "ModeProgress") -> str:
    """Read task sizes from the manifest, not from claims about them."""
    if progress.phase != states.CONFIRMING or not progress.facts.get("tasks_total"):
        return ""
    manifest = read_manifest(database, session)
    sizes = {
        "tasks_total": len(manifest.tasks),
        "oversized": manifests.list_oversized(manifest),
        "unwritten": manifests.list_unwritten(manifest),
    }
    if all(progress.facts.get(name) == value for name, value in sizes.items()):
        return ""
    progress.facts.update(sizes)
    return "manifest"
