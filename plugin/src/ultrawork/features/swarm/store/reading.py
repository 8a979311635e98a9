"""The current tasks of a swarm: every query of the list, and its SQL."""

from typing import Any

from ....core.errors import Conflict, NotFound
from ....core.value import list_fields
from ....store.codec import Columns
from ....store.omc.folder import Omc
from ..values import tasks as rules
from ..values.tasks import CLAIMED, SwarmTask
from .database import PATIENCE, SwarmDatabase
from .worker import SwarmWorker

_LISTED = ("needs", "files")  # in tables of their own
_COLUMNS = Columns((field for field in list_fields(SwarmTask) if field not in _LISTED), named={"check": "command"})
ALL = _COLUMNS.names
# The first open task, by priority and then by fewest tries, without open needs and with free files.
READY = """
  SELECT t.number FROM tasks AS t WHERE t.status = 'open'
  AND NOT EXISTS (
    SELECT 1 FROM needs JOIN tasks AS n ON n.id = needs.needed
    WHERE needs.task = t.id AND n.status <> 'done')
  AND NOT EXISTS (
    SELECT 1 FROM files AS own, tasks AS held JOIN files AS other ON other.task = held.id
    WHERE own.task = t.id AND held.status = 'claimed' AND (
      own.path = other.path
      OR substr(own.path, 1, length(other.path) + 1) = other.path || '/'
      OR substr(other.path, 1, length(own.path) + 1) = own.path || '/'))
"""
CLAIM = f"""
UPDATE tasks SET status = 'claimed', owner = ?, token = token + 1, claimed_at = ?, expires_at = ?
WHERE number = ({READY} ORDER BY t.priority DESC, t.tries, t.number LIMIT 1)
RETURNING {ALL}
"""  # noqa: S608
_STUCK = """
WITH RECURSIVE stuck (id) AS (
  SELECT id FROM tasks WHERE status = 'failed'
  UNION SELECT needs.task FROM needs JOIN stuck ON needs.needed = stuck.id)
SELECT count(*) FROM stuck JOIN tasks USING (id) WHERE status = 'open'
"""


class SwarmReading:
    """`create` makes a missing list; else it is an error."""

    def __init__(self, omc: Omc, *, create: bool = False, patience: float = PATIENCE) -> None:
        self.database = SwarmDatabase(omc, create=create, patience=patience)

    def close(self) -> None:
        self.database.close()

    def get(self, key: str) -> str:
        return str(self.database.value("SELECT value FROM swarm WHERE key = ?", key) or "")

    def held(self, name: str, token: int) -> SwarmTask:
        """Return the task, if this lease of it still holds."""
        task = self.task(name)
        if task.status == CLAIMED and task.token == token:
            return task
        if token > task.token:
            newest = f"the newest is {task.token}" if task.token else "no one has claimed it yet"
            raise Conflict(f"there was no lease {token} of task {name}: {newest}; claim one first")
        state = f"is {task.status}" if task.status != CLAIMED else f"was claimed again (lease {task.token})"
        raise Conflict(f"lease {token} of task {name} has expired: it {state}; claim another")

    def held_by(self, owner: str) -> list[SwarmTask]:
        rows = self.database.rows(
            f"SELECT {ALL} FROM tasks WHERE status = 'claimed' AND owner = ? ORDER BY number",  # noqa: S608
            owner,
        )
        return [self._task(row) for row in rows]

    def task(self, name: str) -> SwarmTask:
        row = self.database.row(f"SELECT {ALL} FROM tasks WHERE id = ?", name)  # noqa: S608
        if row is None:
            raise NotFound(f"the swarm has no task {name}; see ultrawork swarm status")
        return self._task(row)

    def tasks(self) -> list[SwarmTask]:
        rows = self.database.rows(f"SELECT {ALL} FROM tasks ORDER BY number")  # noqa: S608
        tasks = {task.id: task for task in map(make_task, rows)}
        for name, needed in self.database.rows("SELECT task, needed FROM needs ORDER BY task, needed"):
            tasks[name].needs.append(needed)
        for name, path in self.database.rows("SELECT task, path FROM files ORDER BY task, path"):
            tasks[name].files.append(path)
        return list(tasks.values())

    def counts(self) -> dict[str, int]:
        """Return how many are in each status, and of the open ones how many are ready or can never be."""
        counts = dict.fromkeys(rules.STATUSES, 0)
        counts.update(self.database.rows("SELECT status, count(*) FROM tasks GROUP BY status"))
        counts["total"] = sum(counts.values())
        counts["ready"] = self.database.value(f"SELECT count(*) FROM ({READY})")  # noqa: S608
        counts["stuck"] = self.database.value(_STUCK)
        return counts

    def workers(self) -> list[dict[str, Any]]:
        names = ("owner", "session", "agent", "host", "pid", "seen_at", "left_at", "holds", "done")
        rows = self.database.rows(
            "SELECT owner, session, agent, host, pid, seen_at, left_at,"
            " (SELECT count(*) FROM tasks WHERE tasks.owner = workers.owner AND status = 'claimed'),"
            " (SELECT count(*) FROM tasks WHERE tasks.owner = workers.owner AND status = 'done')"
            " FROM workers ORDER BY seen_at"
        )
        return [dict(zip(names, row, strict=True)) for row in rows]

    def worker(self, session: str) -> SwarmWorker | None:
        """Return a session that was seen here and has not left, with its process then."""
        row = self.database.row(
            "SELECT owner, session, agent, host, pid, began FROM workers WHERE owner = ? AND left_at IS NULL", session
        )
        if row is None:
            return None
        return SwarmWorker(row[0], session=row[1], agent=row[2], host=row[3], pid=row[4], began=row[5])

    def is_here(self, session: str) -> bool:
        """Return whether a session, or an agent of it, has joined and not left."""
        sql = "SELECT 1 FROM workers WHERE session = ? AND left_at IS NULL LIMIT 1"
        return bool(self.database.value(sql, session))

    def seen_at(self, owner: str) -> float | None:
        """Return when a worker was last seen; reading waits for no one."""
        seen_at = self.database.value("SELECT seen_at FROM workers WHERE owner = ? AND left_at IS NULL", owner)
        return None if seen_at is None else float(seen_at)

    def noted(self, task: SwarmTask, event: str) -> bool:
        """Return whether this was recorded for the task under its current lease."""
        sql = "SELECT 1 FROM history WHERE task = ? AND token = ? AND what = ?"
        return bool(self.database.value(sql, task.id, task.token, event))

    def history(self) -> list[dict[str, Any]]:
        names = ("at", "task", "what", "owner", "token", "note")
        rows = self.database.rows(f"SELECT {', '.join(names)} FROM history ORDER BY number")  # noqa: S608
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _task(self, row: tuple[Any, ...]) -> SwarmTask:
        task = make_task(row)
        task.needs = [cells[0] for cells in self.database.rows("SELECT needed FROM needs WHERE task = ?", task.id)]
        task.files = [cells[0] for cells in self.database.rows("SELECT path FROM files WHERE task = ?", task.id)]
        return task


def make_task(row: tuple[Any, ...]) -> SwarmTask:
    return _COLUMNS.read(SwarmTask, row)
