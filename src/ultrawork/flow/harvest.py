"""What agents bring home: an explorer's report, a verifier's verdict."""

from ..core import verdict as verdicts
from ..core.context import Explorer
from ..core.errors import UltraworkError
from ..store import contexts, sessions
from .planning import block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..store.state import Store

_NO_REASON = "the verifier gave no structured verdict with findings; look at the work as a whole"


def explored(store: "Store", session: str, explorer: str, report: str) -> None:
    """An explorer's last message is its report; the first line sums it up."""
    summary = next((line.strip("# ").strip() for line in report.splitlines() if line.strip()), "")
    known = {one.id: one for one in contexts.listed(store.database, session)}
    hint = known[explorer].hint if explorer in known else ""
    with store.change(session) as change:
        contexts.add(change, Explorer(id=explorer, hint=hint, summary=summary[:200], report=report))


def verified(store: "Store", session: str, message: str) -> bool:
    """A structured verdict that can only lower ours; missing or malformed is not PASS."""
    said = _said(message)
    given = said.get("findings")
    findings = given if isinstance(given, list) else [given] if given else []
    clean = said.get("verdict") == verdicts.PASS and not findings
    with store.change(session) as change:
        found = sessions.get(change.database, session)
        state = found.state.get("verification")
        found.state["verification"] = {
            **(state if isinstance(state, dict) else {}),
            "verifier": verdicts.PASS if clean else verdicts.FAIL,
            "findings": findings or ([] if clean else [_NO_REASON]),
        }
        sessions.save(
            change, found, "verifier.ended", {"verdict": said.get("verdict"), "clean": clean}
        )
    return clean


def _said(message: str) -> "dict[str, Any]":
    try:
        return block(message)
    except UltraworkError:
        return {}
