"""Memory entries in the database, found by words (FTS5, ranked) or by the files that they rest on.

If SQLite lacks FTS5, the same words are searched one by one, without a rank."""

from collections.abc import Iterable, Sequence
from typing import Any

from ....core.check import quote
from ....core.errors import NotFound
from ....core.value import list_fields
from ....store.codec import Columns
from ....store.database import Change, Database
from ..values import memory
from ..values.memory import MemoryEntry
from ..values.telling import list_search_words
from .ledger import VIEW

_COLUMNS = Columns(list_fields(MemoryEntry), json=("anchors", "supports"))
_NAMES = ", ".join(f"e.{name}" for name in _COLUMNS.names.split(", "))
_SELECT = f"SELECT {_NAMES} FROM axiom_entries e WHERE e.ledger=?"  # noqa: S608
# The best rows by words alone, then their data: ranking thousands is quick, joining them is not.
_FOUND = (
    f"SELECT {_NAMES} FROM (SELECT rowid AS number, bm25(axiom_search, 4.0, 1.0, 2.0, 0.0) AS fit"  # noqa: S608
    " FROM axiom_search WHERE axiom_search MATCH ? AND rowid>=? ORDER BY fit LIMIT ?) s"
    " JOIN axiom_entries e ON e.number=s.number WHERE e.ledger=?"
)
_BELIEVED = f" AND e.status='{memory.ACTIVE}' AND e.confidence>={memory.LEAST}"
_SHOWN = 20
# Rows read per wanted row, and how many with all words are enough.
_LOOKED, _ENOUGH = 5, 3
# Long words are more specific than short ones.
_MOST_WORDS = 8
# A whole sentence is never found.
_FEW_WORDS = 4


def _entry(row: Sequence[Any]) -> MemoryEntry:
    memory_entry = _COLUMNS.read(MemoryEntry, row)
    memory_entry.anchors = [memory.read_anchor(anchor) for anchor in memory_entry.anchors]
    return memory_entry


def has_search(database: Database) -> bool:
    """Return whether this SQLite knows how to search texts."""
    return database.row("SELECT 1 FROM pragma_module_list WHERE name='fts5'") is not None


def _make_search(database: Database) -> bool:
    if not has_search(database):
        return False
    database.rows(
        "CREATE VIRTUAL TABLE IF NOT EXISTS axiom_search"
        " USING fts5(title, text, files, book, tokenize='porter unicode61')"
    )
    return True


def _is_searchable(database: Database) -> bool:
    return database.row("SELECT 1 FROM sqlite_master WHERE name='axiom_search'") is not None


def save(change: Change, entry: MemoryEntry, kind: str, why: str = "") -> None:
    """Save an entry, new or changed, with the event that explains it."""
    database, ledger = change.database, change.session
    memory.shape_entry(entry)
    number = database.value("SELECT number FROM axiom_entries WHERE ledger=? AND id=?", ledger, entry.id)
    values = _COLUMNS.write(entry, anchors=[anchor.document() for anchor in entry.anchors])
    if number is None:
        database.rows(
            f"INSERT INTO axiom_entries (ledger, {_COLUMNS.names}) VALUES (?,{_COLUMNS.marks})",  # noqa: S608
            ledger, *values,
        )  # fmt: skip
        number = database.value("SELECT last_insert_rowid()")
    else:
        database.rows(
            f"UPDATE axiom_entries SET {_COLUMNS.assignments} WHERE number=?",  # noqa: S608
            *values, number,
        )  # fmt: skip
    _index(change, entry, number)
    change.record(kind, {"entry": entry.id, "confidence": entry.confidence, "why": why})
    change.touch(VIEW)


def _index(change: Change, entry: MemoryEntry, number: int) -> None:
    database, ledger = change.database, change.session
    database.rows("DELETE FROM axiom_files WHERE ledger=? AND entry=?", ledger, entry.id)
    database.execute_many(
        "INSERT OR IGNORE INTO axiom_files (ledger, path, entry) VALUES (?,?,?)",
        [(ledger, path, entry.id) for path in entry.files],
    )
    if _make_search(database):
        database.rows("DELETE FROM axiom_search WHERE rowid=?", number)
        database.rows(
            "INSERT INTO axiom_search (rowid, title, text, files, book) VALUES (?,?,?,?,?)",
            number, entry.title, f"{entry.text} {entry.category}", _list_stems(entry), _name_book(ledger),
        )  # fmt: skip


def _list_stems(entry: MemoryEntry) -> str:
    """Return the names of its files alone: folders and extensions would match every entry."""
    return " ".join(path.rpartition("/")[2].partition(".")[0] for path in entry.files)


def get(database: Database, ledger: str, name: str) -> MemoryEntry:
    row = database.row(f"{_SELECT} AND e.id=?", ledger, name)
    if row is None:
        raise NotFound(f"no entry {quote(name)}; list them: ultrawork axiom knowledge")
    return _entry(row)


def find_by_title(database: Database, ledger: str, kind: str, title: str) -> MemoryEntry | None:
    """Return the same claim, ignoring case and blanks."""
    row = database.row(
        f"{_SELECT} AND e.kind=? AND lower(e.title)=lower(?) LIMIT 1", ledger, kind, " ".join(title.split())
    )
    return None if row is None else _entry(row)


def list_all(database: Database, ledger: str, kinds: Sequence[str] = (), most: int = 100_000) -> list[MemoryEntry]:
    """Return entries of these kinds, or all, in order of creation."""
    where = f" AND e.kind IN ({','.join('?' * len(kinds))})" if kinds else ""
    rows = database.rows(f"{_SELECT}{where} ORDER BY e.number LIMIT ?", ledger, *kinds, most)
    return [_entry(row) for row in rows]


def list_ids(database: Database, ledger: str) -> list[str]:
    return [name for (name,) in database.rows("SELECT id FROM axiom_entries WHERE ledger=?", ledger)]


def count_by_kind(database: Database, ledger: str) -> dict[str, int]:
    return dict(database.rows("SELECT kind, count(*) FROM axiom_entries WHERE ledger=? GROUP BY kind", ledger))


def search(
    database: Database,
    ledger: str,
    query: str,
    *,
    kinds: Sequence[str] = (),
    believed: bool = False,
    most: int = _SHOWN,
    newest: int = 0,
) -> list[MemoryEntry]:
    """Return entries that match the words, best first; all words count, one is enough. If more than `newest` match,
    only that many are ranked: common words say little, and the caller is in a hurry."""
    words = sorted(list_search_words(query), key=len, reverse=True)[:_MOST_WORDS]
    if not words:
        return []
    where = f" AND e.kind IN ({','.join('?' * len(kinds))})" if kinds else ""
    where += f" AND e.status='{memory.ACTIVE}' AND e.confidence>={memory.LEAST}" if believed else ""
    if not _is_searchable(database):
        return _search_plainly(database, ledger, words, where, kinds, most)
    memory_entries: list[MemoryEntry] = []
    for joint in (" AND ", " OR ") if len(words) <= _FEW_WORDS else (" OR ",):
        match = f"book:{_name_book(ledger)} AND ({joint.join(map(_quote, words))})"
        first = _find_first_ranked(database, match, newest) if newest else 0
        rows = database.rows(
            f"{_FOUND}{where} ORDER BY s.fit LIMIT ?", match, first, _LOOKED * most, ledger, *kinds, most
        )
        memory_entries = [_entry(row) for row in rows]
        if len(memory_entries) >= _ENOUGH or len(words) == 1:
            break
    return memory_entries


def _find_first_ranked(database: Database, match: str, newest: int) -> int:
    """Return the row from which enough rows match; the first one if there are fewer."""
    row = database.row(
        "SELECT rowid FROM axiom_search WHERE axiom_search MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?",
        match,
        newest - 1,
    )
    return 0 if row is None else int(row[0])


def _quote(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _name_book(ledger: str) -> str:
    """Return a ledger as one word of the index, which several checkouts share."""
    return ledger.replace("-", "")


def _search_plainly(  # noqa: PLR0917 (what a query is made of)
    database: Database, ledger: str, words: Sequence[str], where: str, kinds: Sequence[str], most: int
) -> list[MemoryEntry]:
    parts = " OR ".join(["instr(lower(e.title || ' ' || e.text), ?)"] * len(words))
    sql = f"{_SELECT}{where} AND ({parts}) ORDER BY e.confidence DESC, e.number DESC LIMIT ?"
    return [_entry(row) for row in database.rows(sql, ledger, *kinds, *words, most)]


def list_by_files(database: Database, ledger: str, paths: Iterable[str], most: int = _SHOWN) -> list[MemoryEntry]:
    """Return believed entries that rest on one of these files."""
    known = list(dict.fromkeys(paths))[:100]
    if not known:
        return []
    marks = ",".join("?" * len(known))
    there = f"SELECT entry FROM axiom_files WHERE ledger=? AND path IN ({marks})"  # noqa: S608
    rows = database.rows(
        f"{_SELECT}{_BELIEVED} AND e.id IN ({there}) ORDER BY e.confidence DESC, e.number DESC LIMIT ?",
        ledger, ledger, *known, most,
    )  # fmt: skip
    return [_entry(row) for row in rows]


def note_checked(change: Change, names: Iterable[str]) -> None:
    """Record when an anchor was last checked; that does not change what is known."""
    change.database.execute_many(
        "UPDATE axiom_entries SET checked_at=? WHERE ledger=? AND id=?",
        [(change.now, change.session, name) for name in names],
    )
