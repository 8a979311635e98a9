"""What agents bring home: an explorer's report, a verifier's verdict."""

from ..core import judges
from ..core import verdict as verdicts
from ..core.context import Explorer
from ..core.errors import UltraworkError
from ..store import contexts, receipts, sessions
from .planning import block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..store.state import Store


def explored(store: "Store", session: str, explorer: str, report: str) -> None:
    """An explorer's last message is its report; the first line sums it up."""
    summary = next((line.strip("# ").strip() for line in report.splitlines() if line.strip()), "")
    known = {one.id: one for one in contexts.listed(store.database, session)}
    hint = known[explorer].hint if explorer in known else ""
    with store.change(session) as change:
        contexts.add(change, Explorer(id=explorer, hint=hint, summary=summary[:200], report=report))


def verified(store: "Store", session: str, message: str, part: str = judges.VERIFY) -> bool:
    """
    A structured verdict that can only lower ours; missing or malformed is not PASS. It is about the files
    that the gates judged last, and about no others.
    """
    said = _said(message)
    ruling, findings = judges.ruling(said, strict=part == judges.VERIFY)
    clean = ruling == judges.APPROVED
    with store.change(session) as change:
        last = receipts.last_verdict(change.database, session)
        found = sessions.get(change.database, session)
        one = {"ruling": ruling, "tree": last["tree"] if last else "", "findings": findings}
        found.state["verification"] = _with(found.state.get("verification"), part, one)
        told = {"part": part, "verdict": said.get("verdict"), "clean": clean}
        sessions.save(change, found, "verifier.ended", told)
    return clean


def _with(state: object, part: str, one: "dict[str, Any]") -> "dict[str, Any]":
    known = state if isinstance(state, dict) else {}
    judged = {**known.get("judged", {}), part: one}
    against = [name for name in judged if judged[name]["ruling"] != judges.APPROVED]
    more = {"verifier": verdicts.FAIL if part in against else verdicts.PASS}
    return {
        **known,
        **(more if part == judges.VERIFY else {}),
        "judged": judged,
        "findings": [
            text for name in against for text in judges.texts(judged[name]["findings"], name)
        ],
    }


def _said(message: str) -> "dict[str, Any]":
    try:
        return block(message)
    except UltraworkError:
        return {}
