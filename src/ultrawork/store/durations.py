"""How long a gate takes in a checkout, from its own receipts."""

from .fast import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .database import Database

_RECENT = 3
_CUT_OFF = "did not end in"


def runs(database: "Database", place: str, command: str) -> list[tuple[float, float]]:
    """(when, how long) of the newest runs, whatever files they were on."""
    return [
        (row[0], row[1])
        for row in database.rows(
            "SELECT started_at, seconds FROM receipts WHERE place=? AND command=?"
            " ORDER BY started_at DESC LIMIT ?",
            place, command, _RECENT,
        )
    ]  # fmt: skip


def cut_off(database: "Database", place: str, command: str) -> bool:
    """Whether the newest run did not end by itself."""
    text = database.value(
        "SELECT document FROM receipts WHERE place=? AND command=? ORDER BY started_at DESC LIMIT 1",
        place, command,
    )  # fmt: skip
    return text is not None and _CUT_OFF in str(loads(text).get("reason", ""))
