"""The tasks of a swarm in the worktree: added, claimed, returned, done. Every step is one transaction.

A lease is `token`, the number of times the task was claimed: an older number is too late, and is rejected. The next
claim takes back leases that expired or whose owner is gone."""

import os
from collections.abc import Sequence

from ....core.errors import Conflict
from ....core.modes.modes import MARKERS, SWARM
from ....core.session.session import Session
from ....store.omc.folder import HASTE, Omc
from ..values import tasks as rules
from ..values.tasks import DONE, FAILED, OPEN, SwarmTask
from .database import Transaction
from .reading import ALL, CLAIM, SwarmReading, make_task
from .worker import SwarmWorker

ON, STOPPED = "on", "stopped"
GONE, RAN_OUT = "its worker ended", "its lease expired"


class Board(SwarmReading):
    """The task list that all workers of a swarm share."""

    def put(self, **values: str) -> None:
        with Transaction(self.database):
            self.database.execute_many(
                "INSERT INTO swarm VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                list(values.items()),
            )

    def add(self, tasks: Sequence[SwarmTask], now: float) -> list[SwarmTask]:
        """Add all tasks or none. Tasks without an id get the next free number."""
        with Transaction(self.database):
            known = {row[0] for row in self.database.rows("SELECT id FROM tasks")}
            _name(tasks, known)
            for task in tasks:
                if task.id in known:
                    raise Conflict(f"task {task.id} already exists; choose another id")
            rules.check_order(tasks, known)
            for task in tasks:
                self._insert(task, now)
            needs = [(task.id, need) for task in tasks for need in task.needs]
            self.database.execute_many("INSERT INTO needs VALUES (?, ?)", needs)
        return list(tasks)

    def _insert(self, swarm_task: SwarmTask, now: float) -> None:
        row = self.database.row(
            "INSERT INTO tasks (id, subject, description, command, priority) VALUES (?, ?, ?, ?, ?)"
            " RETURNING number",
            swarm_task.id, swarm_task.subject, swarm_task.description, swarm_task.check, swarm_task.priority,
        )  # fmt: skip
        swarm_task.number = row[0] if row else 0
        paths = [(swarm_task.id, path) for path in swarm_task.files]
        self.database.execute_many("INSERT INTO files VALUES (?, ?)", paths)
        self._note(now, swarm_task, "added")

    def claim(self, worker: SwarmWorker, now: float, *, lease: float = rules.LEASE) -> SwarmTask | None:
        """Return the next task for this worker, or None. No one else can have it until the lease ends."""
        self._touch()
        with Transaction(self.database):
            self._take_back(now)
            self._seen(worker, now)
            if self.get("state") == STOPPED:
                return None
            row = self.database.row(CLAIM, worker.owner, now, now + lease)
            if row is None:
                return None
            task = self._task(row)
            self._note(now, task, "claimed")
            return task

    def _touch(self) -> None:
        """Refresh the marker file: a swarm that is used counts as on."""
        try:
            os.utime(f"{os.path.dirname(self.database.path)}/{MARKERS[SWARM]}")
        except OSError:
            pass  # it is off, or was begun without one

    def reclaim(self, now: float) -> list[str]:
        """Take back what no one works on; return the ids."""
        with Transaction(self.database):
            return self._take_back(now)

    def _take_back(self, now: float) -> list[str]:
        rows = self.database.rows(f"SELECT {ALL} FROM tasks WHERE status = 'claimed'")  # noqa: S608
        if not rows:
            return []
        gone = self._gone()
        back = []
        for row in rows:
            task = make_task(row)
            why = GONE if task.owner in gone else RAN_OUT if (task.expires_at or 0.0) < now else ""
            if why:
                self._failed(task, why, now, what="reclaimed")
                back.append(task.id)
        return back

    def _gone(self) -> set[str]:
        """Return owners of leases whose process has ended, or who left."""
        rows = self.database.rows(
            "SELECT DISTINCT workers.owner, session, agent, host, pid, began, left_at FROM workers"
            " JOIN tasks ON tasks.owner = workers.owner AND tasks.status = 'claimed'"
        )
        return {
            row[0]
            for row in rows
            if row[6] is not None
            or SwarmWorker(row[0], session=row[1], agent=row[2], host=row[3], pid=row[4], began=row[5]).is_gone
        }

    def beat(self, owner: str, now: float, *, lease: float = rules.LEASE) -> int:
        """Extend everything that this owner holds; return how many tasks that are."""
        self._touch()
        with Transaction(self.database):
            self.database.rows("UPDATE workers SET seen_at = ? WHERE owner = ?", now, owner)
            rows = self.database.rows(
                "UPDATE tasks SET expires_at = max(expires_at, ?) WHERE status = 'claimed' AND owner = ? RETURNING 1",
                now + lease,
                owner,
            )
        return len(rows)

    def hold(self, task: SwarmTask, now: float, *, lease: float) -> None:
        """Extend this lease alone, as long as a check may run: no one works on the owner's others meanwhile."""
        self._touch()
        with Transaction(self.database):
            self.database.rows("UPDATE workers SET seen_at = ? WHERE owner = ?", now, task.owner)
            self.database.rows(
                "UPDATE tasks SET expires_at = max(expires_at, ?)"
                " WHERE number = ? AND status = 'claimed' AND token = ?",
                now + lease, task.number, task.token,
            )  # fmt: skip

    def done(self, name: str, token: int, now: float, *, proof: str = "") -> SwarmTask:
        """Mark a task done, only with the current lease. `proof` is the result of the program's own check."""
        with Transaction(self.database):
            task = self.held(name, token)
            self.database.rows(
                "UPDATE tasks SET status = 'done', done_at = ?, proof = ?, reason = '' WHERE number = ?",
                now, proof, task.number,
            )  # fmt: skip
            task.status, task.done_at, task.proof, task.reason = DONE, now, proof, ""
            self._note(now, task, "done", proof)
            return task

    def fail(self, name: str, token: int, reason: str, now: float) -> SwarmTask:
        """Return the task to the list with the reason. After the last try it stays failed."""
        with Transaction(self.database):
            return self._failed(self.held(name, token), reason, now)

    def _failed(self, task: SwarmTask, reason: str, now: float, what: str = "failed") -> SwarmTask:
        task.tries += 1
        self._free(task, rules.choose_status(task.tries), reason)
        self._note(now, task, what, reason)
        if task.status == FAILED and what != "failed":
            self._note(now, task, "failed", reason)
        return task

    def give_back(self, session: str, now: float, *, agent: str = "", leaves: bool = True) -> list[str]:
        """Return what a session, or one agent of it, held; that is not a failure. Return the ids."""
        which = "session = ? AND agent = ?" if agent else "session = ?"
        values = (session, agent) if agent else (session,)
        with Transaction(self.database):
            owners = [row[0] for row in self.database.rows(f"SELECT owner FROM workers WHERE {which}", *values)]  # noqa: S608
            held = [task for owner in owners for task in self.held_by(owner)]
            for task in held:
                self._free(task, OPEN, task.reason)
                self._note(now, task, "given back")
            if leaves:
                self.database.rows(f"UPDATE workers SET left_at = ? WHERE {which}", now, *values)  # noqa: S608
        return [task.id for task in held]

    def lost(self, session: str, now: float) -> list[str]:
        """Fail what agents of a session held when they ended silently; return the ids."""
        with Transaction(self.database):
            rows = self.database.rows("SELECT owner FROM workers WHERE session = ? AND agent <> ''", session)
            held = [task for row in rows for task in self.held_by(row[0])]
            for task in held:
                self._failed(task, GONE, now, what="reclaimed")
        return [task.id for task in held]

    def note(self, task: SwarmTask, event: str, now: float) -> None:
        with Transaction(self.database):
            self._note(now, task, event)

    def _free(self, task: SwarmTask, status: str, reason: str) -> None:
        self.database.rows(
            "UPDATE tasks SET status = ?, tries = ?, reason = ?, expires_at = NULL WHERE number = ?",
            status, task.tries, reason, task.number,
        )  # fmt: skip
        task.status, task.reason, task.expires_at = status, reason, None

    def join(self, worker: SwarmWorker, now: float) -> None:
        with Transaction(self.database):
            self._seen(worker, now)

    def _seen(self, worker: SwarmWorker, now: float) -> None:
        self.database.rows(
            "INSERT INTO workers VALUES (?, ?, ?, ?, ?, ?, ?, NULL) ON CONFLICT (owner) DO UPDATE SET"
            " host = excluded.host, pid = excluded.pid, began = excluded.began,"
            " seen_at = excluded.seen_at, left_at = NULL",
            worker.owner, worker.session, worker.agent, worker.host, worker.pid, worker.began, now,
        )  # fmt: skip

    def clear(self) -> int:
        """Delete every task and return how many there were."""
        with Transaction(self.database):
            count = self.database.value("SELECT count(*) FROM tasks")
            for table in ("needs", "files", "history", "tasks", "workers", "swarm"):
                self.database.rows(f"DELETE FROM {table}")  # noqa: S608
        return int(count)

    def _note(self, now: float, task: SwarmTask, event: str, note: str = "") -> None:
        self.database.rows(
            "INSERT INTO history (at, task, what, owner, token, note) VALUES (?, ?, ?, ?, ?, ?)",
            now, task.id, event, task.owner, task.token, note,
        )  # fmt: skip


def _name(tasks: Sequence[SwarmTask], known: set[str]) -> None:
    taken = known | {task.id for task in tasks}
    number = len(known)
    for task in tasks:
        while not task.id:
            number += 1
            task.id = "" if str(number) in taken else str(number)
        taken.add(task.id)


def leave(omc: Omc, session: Session) -> None:
    """Return what an ended session had claimed to the others."""
    board = Board(omc, patience=HASTE)
    try:
        if board.is_here(session.id):
            board.give_back(session.id, session.updated_at)
    finally:
        board.close()
