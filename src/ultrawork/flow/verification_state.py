"""How the verification of a session stands: the gates' verdict, the judges' rulings, and what they are about."""

from ..core.session import phases
from ..store import pins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.modes.machines import ModeProgress
    from ..core.session.session import Session
    from ..store.database import Database
    from .course import Course


class VerificationState:
    """Of a session that is not verified right now, nothing is known."""

    __slots__ = ("_course", "_last", "_session", "_state")

    def __init__(self, course: "Course", session: "Session") -> None:
        self._course = course
        self._session = session
        verifies = session.phase == phases.VERIFICATION
        state = session.state.get("verification")
        self._state: dict[str, Any] = state if verifies and isinstance(state, dict) else {}
        self._last: dict[str, Any] | None = None
        if verifies:
            from ..store import receipts

            self._last = receipts.find_last_verdict(course.store.database, course.name)

    def verdict(self) -> str:
        """The gates' verdict of this verification, on the files as they are; empty if there is none."""
        course, last = self._course, self._last
        if last is None:
            return ""
        if count_verdicts(course.store.database, course.name) <= int(self._state.get("after", 0)):
            return ""
        from ..core.verdict.verdict import read_value
        from ..gates.session import pinning

        current = pinning.take_tree(self._session.place, course.store, course.environ)
        return read_value(last) if last["tree"] == current else ""

    def rulings(self) -> dict[str, str]:
        return {part: one["ruling"] for part, one in self._judged().items()}

    def findings(self) -> dict[str, list[str]]:
        found = self._judged()
        if not found:
            return {}
        from ..core.course import judges

        return {part: judges.list_texts(one["findings"]) for part, one in found.items()}

    def _judged(self) -> "dict[str, Any]":
        """What judges said of the files that the gates judged last; of others it no longer counts."""
        tree = self._last["tree"] if self._last else ""
        judged = self._state.get("judged", {})
        return {part: one for part, one in judged.items() if one["tree"] == tree}

    def receipts(self) -> list[str]:
        gates = self._last["gates"] if self._last else {}
        return [f"{name}: {gate['result']} (#{gate['receipt']})" for name, gate in gates.items()]

    def changed(self, mode: "ModeProgress | None") -> list[str]:
        """Only a team's judges are chosen by what was changed."""
        if mode is None or self._last is None:
            return []
        from ..core.modes.modes import TEAM
        from ..gates.trees import tree as trees

        course = self._course
        pin = pins.get(course.store.database, course.name)
        if mode.mode != TEAM or pin is None:
            return []
        place, cache = self._session.place, course.store.home.cache
        now = trees.take_snapshot(place, cache, course.environ)
        before = trees.get_recorded(pin.tree, place, cache, course.environ)
        return [change.path for change in trees.diff(before, now)]


def count_verdicts(database: "Database", session: str) -> int:
    count: int = database.value("SELECT count(*) FROM verdicts WHERE session=?", session)
    return count
