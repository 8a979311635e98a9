"""Receipts, verdicts and consent in the database. A receipt is written once and never changed; earlier ones show how
long a check takes in a checkout."""

from ..core.errors import NotFound
from ..core.verdict_values import FAIL, PASS, UNVERIFIED
from .codec import Columns, digest, dumps, loads
from .database import is_linked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .database import Change, Database

RECENT = 3
_CUT_OFF = "did not finish in"
_BELOW = {PASS: (FAIL, UNVERIFIED), UNVERIFIED: (FAIL,)}
_ENDS = ("phase.reached", "session.ended", "session.failed", "session.released", "session.let-go", "question.answered")


def add(change: "Change", document: "dict[str, Any]", *, place: str, command: str, report: "Any") -> "dict[str, Any]":
    """Store a receipt under the session's next number; the event chain holds its hash."""
    database, session = change.database, change.session
    number: int = database.value("SELECT coalesce(max(number), 0) + 1 FROM receipts WHERE session=?", session)
    whole = {**document, "id": number, "session": session}
    whole["output"] = {**document["output"], "log": f"evidence/{number}.log"}
    whole["previous"] = database.value("SELECT head FROM sessions WHERE id=?", session)
    text, report_text = dumps(whole), dumps(report)
    run = document["run"]
    database.rows(
        "INSERT INTO receipts (session, number, place, gate, command, target, tree, result, minted_by,"
        " started_at, seconds, document, report) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
        session, number, place, document["gate"]["name"], command, run["on"],
        document["tree"]["before"], document["result"], run["by"], change.now, run["seconds"], text,
        report_text,
    )  # fmt: skip
    change.record("receipt.minted", _minted(number, text, report_text))
    change.touch(f"evidence:{number}")
    return whole


def get(database: "Database", session: str, number: int) -> "dict[str, Any]":
    row = database.row("SELECT document FROM receipts WHERE session=? AND number=?", session, number)
    if row is None:
        raise NotFound(f"session {session} has no receipt {number}; list them: ultrawork evidence list")
    return loads(row[0])  # type: ignore[no-any-return]


def list_all(database: "Database", session: str) -> "list[dict[str, Any]]":
    rows = database.rows("SELECT document FROM receipts WHERE session=? ORDER BY number", session)
    return [loads(text) for (text,) in rows]


SHORTEST_USE = 300.0


class StoredReceipt:
    """A stored receipt with what else is known about its run."""

    __slots__ = ("document", "minted_at", "report")

    def __init__(self, document: "dict[str, Any]", report: "Any", minted_at: float) -> None:
        self.document = document
        self.report = report
        self.minted_at = minted_at

    def is_recent(self, now: float) -> bool:
        """Return whether it still counts: for five minutes, or for twice as long as its run took."""
        longest = max(SHORTEST_USE, 2 * float(self.document["run"]["seconds"]))
        return 0 <= now - self.minted_at <= longest


_STORED = Columns(StoredReceipt.__slots__, json=("document", "report"), named={"minted_at": "started_at"})
_SELECT = f"SELECT {_STORED.names} FROM receipts WHERE "  # noqa: S608


def find(database: "Database", session: str, number: int) -> StoredReceipt | None:
    row = database.row(f"{_SELECT}session=? AND number=?", session, number)
    return None if row is None else _STORED.read(StoredReceipt, row)


def list_failed_runs(database: "Database", session: str) -> list[int]:
    """Return the numbers of failed runs on the session's own files, oldest first."""
    rows = database.rows(
        "SELECT number FROM receipts WHERE session=? AND target='new' AND result='red' ORDER BY number", session
    )
    return [number for (number,) in rows]


def list_last_results(database: "Database", session: str) -> "dict[str, tuple[str, float, int]]":
    """Check → result, time and number of its last run on the files as they were then."""
    rows = database.rows(
        "SELECT gate, result, started_at, number FROM receipts WHERE session=? AND target='new' ORDER BY number",
        session,
    )
    return {gate: (result, at, number) for gate, result, at, number in rows}


def list_results(database: "Database", session: str, *, command: str, tree: str) -> list[tuple[int, str]]:
    """Number and result of every run of a command on exactly these files, oldest first."""
    rows = database.rows(
        "SELECT number, result FROM receipts WHERE session=? AND command=? AND tree=? AND target='new' ORDER BY number",
        session, command, tree,
    )  # fmt: skip
    return [(number, result) for number, result in rows]


def find_latest(
    database: "Database", *, place: str, command: str, tree: str, target: str, session: str | None = None
) -> StoredReceipt | None:
    """Return the newest receipt of a command on exactly these files, of one session or of any here."""
    row = database.row(
        f"{_SELECT}command=? AND tree=? AND target=? AND place=? AND session=coalesce(?, session)"
        " ORDER BY started_at DESC LIMIT 1",
        command, tree, target, place, session,
    )  # fmt: skip
    return None if row is None else _STORED.read(StoredReceipt, row)


def list_fault_results(database: "Database", place: str, command: str) -> list[str]:
    """Return results of the last trial of a command: its runs since the one without a fault, whose tree has no `+`."""
    rows = database.rows(
        "SELECT tree, result FROM receipts WHERE place=? AND command=? AND target='fault'"
        " ORDER BY started_at DESC, number DESC LIMIT 20",
        place, command,
    )  # fmt: skip
    results: list[str] = []
    for tree, result in rows:
        if "+" not in tree:
            break
        results.append(result)
    return results


def find_last_run(database: "Database", place: str, command: str) -> "tuple[str, str] | None":
    """Return the newest run of a command in this checkout, as session#number, and its result; None if it never ran."""
    row = database.row(
        "SELECT session, number, result FROM receipts WHERE place=? AND target='new'"
        " AND json_extract(document, '$.gate.command')=? ORDER BY started_at DESC LIMIT 1",
        place, command,
    )  # fmt: skip
    return None if row is None else (f"{row[0]}#{row[1]}", row[2])


def list_mended(database: "Database", session: str) -> "list[tuple[str, str, int, int]]":
    """(command, kind of gate, red, green): the last red run of each command that was green after it."""
    from ..core.verdict.gate_run import GREEN, RED

    rows = database.rows(
        "SELECT json_extract(document, '$.gate.command'), json_extract(document, '$.gate.kind'), result, number"
        " FROM receipts WHERE session=? AND target='new' ORDER BY number",
        session,
    )
    red: dict[str, int] = {}
    trials: dict[str, tuple[str, str, int, int]] = {}
    for command, kind, result, number in rows:
        if result == RED:
            red[command] = number
        elif result == GREEN and command in red:
            trials[command] = (command, kind, red.pop(command), number)
    return list(trials.values())


def is_genuine(database: "Database", session: str, number: int) -> bool:
    """Return whether the receipt is still what the chain of events holds the hash of, and the chain holds."""
    row = database.row("SELECT document, report FROM receipts WHERE session=? AND number=?", session, number)
    if row is None:
        return False
    event = database.row(
        "SELECT id, actor, at, kind, data, previous, hash FROM events"
        " WHERE session=? AND kind='receipt.minted' AND data=?",
        session, dumps(_minted(number, *row)),
    )  # fmt: skip
    return event is not None and is_linked(database, session, event)


def _minted(number: int, document: str, report: str) -> "dict[str, Any]":
    return {"receipt": number, "sha256": digest(f"{document}\n{report}")}


def add_verdict(change: "Change", document: "dict[str, Any]") -> int:
    """Adds to it the request that the session continues, if it inherited files from one: the caller shows it too."""
    database, session = change.database, change.session
    chained = database.value("SELECT continues FROM chains WHERE session=? ORDER BY id DESC LIMIT 1", session)
    continues = loads(chained) if chained else {}
    if continues:
        names = ("session", "verdict", "open", "paths")
        document["continues"] = {name: continues[name] for name in names}
    number: int = database.value("SELECT coalesce(max(number), 0) + 1 FROM verdicts WHERE session=?", session)
    database.rows(
        "INSERT INTO verdicts (session, number, verdict, tree, decided_at, document) VALUES (?,?,?,?,?,?)",
        session, number, document["verdict"], document["tree"], change.now, dumps(document),
    )  # fmt: skip
    change.record("verdict.decided", {"verdict": document["verdict"], "tree": document["tree"]})
    change.touch("verdict")
    return number


def is_after_end(database: "Database", session: str) -> bool:
    """Return whether the last verdict was decided after the session had ended."""
    row = database.row(
        "SELECT decided_at > ended_at FROM verdicts JOIN sessions ON sessions.id=session"
        " WHERE session=? ORDER BY number DESC LIMIT 1",
        session,
    )
    return row is not None and bool(row[0])


def count_verdicts(database: "Database", session: str) -> int:
    count: int = database.value("SELECT count(*) FROM verdicts WHERE session=?", session)
    return count


def find_strength(database: "Database", session: str) -> str | None:
    """Return the strength of a session's last verdict; None if it is not PASS, or unknown."""
    verdict = find_last_verdict(database, session)
    return verdict.get("strength") if verdict else None


def find_last_verdict(database: "Database", session: str) -> "dict[str, Any] | None":
    """Return the last verdict; a session that ended with less lowers it, nothing raises it."""
    row = database.row(
        "SELECT document, decided_at <= ended_at, sessions.verdict FROM verdicts"
        " JOIN sessions ON sessions.id=session WHERE session=? ORDER BY number DESC LIMIT 1",
        session,
    )
    if row is None:
        return None
    document: dict[str, Any] = loads(row[0])
    if not row[1] or row[2] not in _BELOW.get(str(document["verdict"]), ()):
        return document
    text = f"the session ended: {explain_end(database, session)}"
    return {**document, "verdict": row[2], "not_checked": [*document["not_checked"], text]}


def list_verdicts(database: "Database", tree: str) -> "list[dict[str, Any]]":
    """The last verdict of each session where it is about exactly these files, the newest first."""
    rows = database.rows(
        "SELECT session FROM verdicts WHERE tree=? GROUP BY session ORDER BY max(decided_at) DESC", tree
    )
    last_verdicts = (find_last_verdict(database, session) for (session,) in rows)
    return [verdict for verdict in last_verdicts if verdict is not None and verdict["tree"] == tree]


def find_last_pass(database: "Database", place: str) -> str | None:
    """Return the tree of the last PASS in a checkout."""
    tree: str | None = database.value(
        "SELECT tree FROM verdicts JOIN sessions ON sessions.id=session WHERE working_dir=?"
        " AND verdicts.verdict=? AND coalesce(json_extract(document, '$.mode'), '')<>'quick'"
        " ORDER BY decided_at DESC, number DESC LIMIT 1",
        place, PASS,
    )  # fmt: skip
    return tree


def explain_end(database: "Database", session: str) -> str:
    """Return why a session ended, as recorded then."""
    row = database.row(
        "SELECT coalesce(json_extract(data, '$.why'), json_extract(data, '$.how')) FROM events"
        " WHERE session=? AND kind IN (?,?,?,?,?,?) ORDER BY id DESC LIMIT 1",
        session, *_ENDS,
    )  # fmt: skip
    if row is not None and row[0]:
        return str(row[0])
    because = database.value("SELECT because FROM decisions WHERE session=? ORDER BY number DESC LIMIT 1", session)
    return str(because or "the agent was allowed to stop")


def allow(database: "Database", place: str, commands: list[str], *, at: float, how: str) -> None:
    database.execute_many(
        "INSERT OR REPLACE INTO consents (place, command, at, how) VALUES (?,?,?,?)",
        [(place, command, at, how) for command in commands],
    )


def is_allowed(database: "Database", place: str, command: str, since: float = 0.0) -> bool:
    return bool(database.row("SELECT 1 FROM consents WHERE place=? AND command=? AND at>=?", place, command, since))


def forget_allowed(database: "Database", place: str) -> None:
    database.rows("DELETE FROM consents WHERE place=?", place)


def list_durations(database: "Database", place: str, command: str) -> list[tuple[float, float]]:
    """Return (when, how long) of the newest runs, on any files. Where a shell found no program, nothing took time."""
    return [
        (row[0], row[1])
        for row in database.rows(
            "SELECT started_at, iif(json_extract(document, '$.run.exit') IN (126, 127), 0.0, seconds)"
            " FROM receipts WHERE place=? AND command=? ORDER BY started_at DESC LIMIT ?",
            place, command, RECENT,
        )
    ]  # fmt: skip


def find_longest_seconds(database: "Database", place: str, command: str) -> float | None:
    """Return the longest of the last three runs of a command in this checkout; None if it never ran."""
    runs = list_durations(database, place, command)
    return max((seconds for _, seconds in runs), default=None)


def find_last_count(database: "Database", place: str, command: str) -> int | None:
    """How many tests the newest run of a command in this checkout counted; None if it named none."""
    number = database.value(
        "SELECT json_extract(document, '$.tests.ran') FROM receipts WHERE place=? AND command=?"
        " AND target='new' ORDER BY started_at DESC LIMIT 1",
        place, command,
    )  # fmt: skip
    return int(number) if number else None


def was_cut_off(database: "Database", place: str, command: str) -> bool:
    """Return whether the newest run did not end by itself."""
    text = database.value(
        "SELECT document FROM receipts WHERE place=? AND command=? ORDER BY started_at DESC LIMIT 1", place, command
    )
    return text is not None and _CUT_OFF in str(loads(text).get("reason", ""))
