"""The files that lead a team: each worker's messages, heartbeat, and orders to end.

`.omc/state/team-bridge/TEAM/WORKER/` holds `inbox.jsonl`, `outbox.jsonl`, `heartbeat.json` and the orders `drain` and
`shutdown`; `.omc/logs/team-TEAM.jsonl` is what all workers did, in order. Anyone may write an inbox with one line per
message, `{"type": "message", "content": "…"}`; only whole lines are read, each once."""

import os
from typing import Any

from ....core.check import require_task_id
from ....core.errors import NotFound, Trouble
from ....core.times import format_iso
from ....store import atomic
from ....store.codec import dumps, loads
from ....store.omc.folder import Omc

DRAIN, SHUTDOWN = "drain", "shutdown"
ORDERS = (SHUTDOWN, DRAIN)
OUTBOX_LINES = 500
LARGEST_INBOX = 10_000_000
_SLACK = 100


def locate_team(omc: Omc, team: str) -> str:
    return f"{omc.root}/state/team-bridge/{require_task_id(team)}"


def list_workers(omc: Omc, team: str) -> list[str]:
    """Return every worker that this team ever had, by name."""
    try:
        names = sorted(os.listdir(locate_team(omc, team)))
    except FileNotFoundError:
        raise NotFound(f"there is no team {team} here; start one: ultrawork worker --team {team}") from None
    return [name for name in names if not name.startswith(".")]


class TeamMail:
    """One worker's files; `now` is passed in for everything that is written."""

    def __init__(self, omc: Omc, team: str, worker: str) -> None:
        self._omc = omc
        self.worker = require_task_id(worker)
        self.folder = f"{locate_team(omc, team)}/{self.worker}"
        self._audit = f"{omc.root}/logs/team-{team}.jsonl"

    def open(self) -> None:
        """Open for a starting worker: orders from its previous life do not apply."""
        self._omc.prepare(self.folder)
        self._omc.prepare(os.path.dirname(self._audit))
        for order in ORDERS:
            self._omc.remove(f"{self.folder}/{order}")

    def say(self, kind: str, now: float, **more: object) -> None:
        """Write a line for the leader, and the same for the common log."""
        line = self.log(kind, now, **more)
        self._omc.append(f"{self.folder}/outbox.jsonl", line)
        self._shorten()

    def log(self, kind: str, now: float, **more: object) -> str:
        line = {"type": kind, "worker": self.worker, "timestamp": format_iso(now), **more}
        self._omc.append(self._audit, dumps(line) + "\n")
        return dumps(line) + "\n"

    def _shorten(self) -> None:
        """Shorten an unread outbox; the common log keeps everything."""
        path = f"{self.folder}/outbox.jsonl"
        lines = (self._omc.read(path) or "").splitlines(keepends=True)
        if len(lines) > OUTBOX_LINES + _SLACK:
            atomic.write(path, "".join(lines[-OUTBOX_LINES:]), mode=0o644)

    def beat(self, now: float, status: str, **more: object) -> None:
        line = {"worker": self.worker, "status": status, "pid": os.getpid(), "at": format_iso(now)}
        atomic.write(f"{self.folder}/heartbeat.json", dumps({**line, **more}), mode=0o644, sync=False)

    def read_beat(self) -> dict[str, Any]:
        text = self._omc.read(f"{self.folder}/heartbeat.json")
        beat = loads(text) if text else {}
        return beat if isinstance(beat, dict) else {}

    def order(self, order: str) -> None:
        """Give an order to a worker that runs, or will read it when it does."""
        self._omc.change(f"{self.folder}/{order}", lambda _: "")

    def find_order(self) -> str:
        return next((order for order in ORDERS if os.path.exists(f"{self.folder}/{order}")), "")

    def send(self, text: str, now: float, sender: str) -> None:
        line = {"type": "message", "content": text, "from": sender, "timestamp": format_iso(now)}
        self._omc.append(f"{self.folder}/inbox.jsonl", dumps(line) + "\n")

    def receive(self) -> list[str]:
        """Return new messages; an incomplete line comes next time."""
        path, mark = f"{self.folder}/inbox.jsonl", f"{self.folder}/cursor"
        try:
            size = os.stat(path).st_size
        except FileNotFoundError:
            return []
        start = int(self._omc.read(mark) or 0)
        start = start if start <= size else 0
        if size - start > LARGEST_INBOX:
            raise Trouble(f"the inbox of {self.worker} has more than 10 MB unread; empty {path}")
        with open(path, "rb") as file:
            file.seek(start)
            whole = file.read().rpartition(b"\n")[0]
        if whole:
            atomic.write(mark, str(start + len(whole) + 1), mode=0o644)
        contents = [_content(line) for line in whole.decode("utf-8", "replace").splitlines()]
        return [text for text in contents if text]


def _content(line: str) -> str:
    try:
        document = loads(line)
    except ValueError:
        return ""
    text = document.get("content") if isinstance(document, dict) else ""
    return text if isinstance(text, str) else ""
