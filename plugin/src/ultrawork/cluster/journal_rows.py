"""A session's rows as files of the journal, and back: what is written here can be read by another coordinator."""

from collections.abc import Callable, Mapping

from ..store.codec import dumps, loads
from ..store.database import Database


def list_tables(database: Database) -> dict[str, list[str]]:
    """Return tables with rows of a session, with their columns; numbers that a database assigns are left out."""
    tables = {}
    names = database.rows("SELECT name FROM sqlite_master WHERE type='table' ORDER BY rowid")
    for (table,) in names:
        columns = database.rows("SELECT name, type, pk FROM pragma_table_info(?)", table)
        known = [str(name) for name, _, _ in columns]
        if "session" in known or table == "sessions":
            counted = {name for name, kind, pk in columns if pk and kind == "INTEGER" and name == "id"}
            tables[str(table)] = [name for name in known if name not in counted]
    return tables


def dump_rows(database: Database, session: str) -> dict[str, str]:
    """Return a file per table, a line per row: unchanged rows stay the same in git."""
    files = {}
    for table, columns in list_tables(database).items():
        key = "id" if table == "sessions" else "session"
        listed = ", ".join(f'"{column}"' for column in columns)
        order = "id" if table in _COUNTED else ", ".join(f'"{column}"' for column in columns[:3])
        rows = database.rows(f"SELECT {listed} FROM {table} WHERE {key}=? ORDER BY {order}", session)  # noqa: S608 (names of our own schema)
        files[f"{table}.jsonl"] = "".join(f"{dumps(dict(zip(columns, row, strict=True)))}\n" for row in rows)
    return files


_COUNTED = ("events", "controls", "evidence")


def load_rows(database: Database, files: Mapping[str, str], change: Callable[[str], str]) -> None:
    """Load rows into a database without the session, parents first; `change` replaces their paths by ours."""
    for table, columns in list_tables(database).items():
        text = files.get(f"{table}.jsonl", "")
        content = text if table == "events" else change(text)  # events are a chain: not a letter may differ
        rows = [loads(line) for line in content.splitlines()]
        # Columns that an older ultrawork did not know get their default.
        known = [column for column in columns if rows and column in rows[0]]
        if not known:
            continue
        listed = ", ".join(f'"{column}"' for column in known)
        marks = ", ".join("?" for _ in known)
        database.execute_many(
            f"INSERT INTO {table} ({listed}) VALUES ({marks})",  # noqa: S608 (names of our own schema)
            [[row.get(column) for column in known] for row in rows],
        )
