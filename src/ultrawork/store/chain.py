"""Whether what the database tells of a session is still what was written."""

from .change import FIRST, link_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .database import Database


def broken_links(database: "Database", session: str) -> list[str]:
    """One sentence for each place where a session's chain of events does not hold."""
    found: list[str] = []
    last, count = FIRST, 0
    born = database.value("SELECT born FROM sessions WHERE id=?", session)
    rows = database.rows(
        "SELECT id, actor, at, kind, data, previous, hash FROM events WHERE session=? ORDER BY id",
        session,
    )
    for event, actor, at, kind, data, previous, recorded in rows:
        if previous != last:
            found.append(f"event {event} ({kind}) does not follow the one before it")
        elif link_hash(previous, (born, actor, repr(at), kind, data)) != recorded:
            found.append(f"event {event} ({kind}) was changed after it was written")
        last, count = recorded, count + 1
    head, revision = database.rows("SELECT head, revision FROM sessions WHERE id=?", session)[0]
    if not found and (head != last or revision != count):
        found.append(f"the record holds {count} events, {revision} were written")
    return found


def damage(database: "Database") -> list[str]:
    """What SQLite itself finds wrong with the file."""
    found = [text for (text,) in database.rows("PRAGMA integrity_check(5)") if text != "ok"]
    orphans = database.rows("PRAGMA foreign_key_check")
    return found + [f"table {row[0]} has a row that belongs to nothing" for row in orphans[:5]]
