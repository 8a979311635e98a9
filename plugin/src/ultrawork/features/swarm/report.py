"""A swarm as people see it: how far it is, who works on what, what failed and why."""

import os
from typing import Any

from ...core.errors import UltraworkError
from ...core.times import format_duration
from ...core.wording import cut, join_lines
from ...store.omc.folder import Omc
from .store import database as swarm_database
from .store.board import STOPPED, Board
from .values import tasks as rules
from .values.wording import format_tally

_WIDTH = 100
_SHOWN = 12


def read_summary(place: str, now: float) -> dict[str, Any] | None:
    """Return what `ultrawork status` shows; None if there is no swarm. Trouble is shown, not raised."""
    omc = Omc(place)
    if not os.path.exists(swarm_database.locate(omc)):
        return None
    try:
        board = Board(omc, patience=1.0)
        try:
            return _summary(board, now)
        finally:
            board.close()
    except UltraworkError as error:
        return {"trouble": str(error)}


def _summary(board: Board, now: float) -> dict[str, Any]:
    leader = board.get("leader")
    swarm_worker = board.worker(leader) if leader else None
    return {
        "goal": board.get("goal"),
        "state": board.get("state"),
        "leader": leader,
        "led": swarm_worker is not None and not swarm_worker.is_gone,
        "began_at": float(board.get("began_at") or now),
        "tasks": board.counts(),
        "most_tries": rules.MOST_TRIES,
    }


def _led(status: dict[str, Any]) -> str:
    if status["state"] == STOPPED:
        return "; stopped"
    if not status["leader"]:
        return ""
    return f"; led by {status['leader'][:8]}" + ("" if status["led"] else ", which has ended")


def read(board: Board, now: float) -> dict[str, Any]:
    """Return everything, for `ultrawork swarm status`."""
    tasks = [swarm_task.document() for swarm_task in board.tasks()]
    return {**_summary(board, now), "list": tasks, "workers": board.workers(), "now": now}


def render(status: dict[str, Any], *, everything: bool = False) -> str:
    counts, now = status["tasks"], status["now"]
    lines = [
        cut(f"swarm    {join_lines(status['goal']) or 'no goal'}", _WIDTH),
        f"since    {format_duration(now - status['began_at'])}{_led(status)}",
        f"tasks    {_bar(counts)} {format_tally(counts)}{_open(counts, status['state'] == STOPPED)}",
        *_workers(status["workers"], now),
    ]
    chosen = [task for task in status["list"] if everything or task["status"] in _TOLD]
    chosen.sort(key=lambda task: _ORDER[task["status"]])
    rows = [_row(task, now) for task in chosen[: None if everything else _SHOWN]]
    more = len(chosen) - len(rows)
    rest = [f"         and {more} more: ultrawork swarm status --all"] if more else []
    return "\n".join([*lines, *([""] if rows else []), *rows, *rest])


_ORDER = {rules.CLAIMED: 0, rules.FAILED: 1, rules.OPEN: 2, rules.DONE: 3}
_TOLD = (rules.CLAIMED, rules.FAILED)
_WORDS = {rules.CLAIMED: "running", rules.FAILED: "failed", rules.OPEN: "open", rules.DONE: "done"}


def _bar(counts: dict[str, int]) -> str:
    width = 20
    full = counts["done"] * width // max(1, counts["total"])
    return f"[{'#' * full}{'.' * (width - full)}]"


def _open(counts: dict[str, int], stopped: bool) -> str:
    if not counts["open"]:
        return ""
    stuck = f", {counts['stuck']} wait for a failed task" if counts["stuck"] else ""
    when = " after ultrawork swarm start" if stopped else ""
    return f", {counts['open']} open ({counts['ready']} ready{when}{stuck})"


def _workers(workers: list[dict[str, Any]], now: float) -> list[str]:
    here = [worker for worker in workers if worker["left_at"] is None and (worker["holds"] or worker["done"])]
    return [
        f"{'workers' if not place else '':<8} {cut(_name(worker['owner']), 24):<24} {worker['done']:>4} done, "
        f"{'working' if worker['holds'] else 'idle'}, seen {format_duration(max(0.0, now - worker['seen_at']))} ago"
        for place, worker in enumerate(here)
    ]


def _name(owner: str) -> str:
    """Return a short name: session ids are long, and their first letters distinguish them."""
    session, slash, agent = owner.partition("/")
    short = session[:8] if len(session) == 36 else session
    return f"{short}{slash}{agent[:10]}"


def _row(task: dict[str, Any], now: float) -> str:
    head = f"{_WORDS[task['status']]:<8} {task['id']:<6} {join_lines(task['subject'])}"
    if task["status"] == rules.CLAIMED:
        return cut(f"{cut(head, 60):<60}  {_name(task['owner'])}, {_time(task, now)}", _WIDTH)
    if task["status"] == rules.DONE:
        return cut(f"{cut(head, 60):<60}  {task['proof'] or 'no check of its own'}", _WIDTH)
    why = f"  {join_lines(task['reason'])}" if task["reason"] else ""
    return cut(f"{cut(head, 60)}{why}", _WIDTH)


def _time(task: dict[str, Any], now: float) -> str:
    since = format_duration(max(0.0, now - (task["claimed_at"] or now)))
    return f"{since}, try {task['tries'] + 1}" if task["tries"] else since


def render_task(task: dict[str, Any], now: float) -> str:
    """Return one task, for `ultrawork swarm status ID`."""
    fields = {
        "task": f"{task['id']}  {join_lines(task['subject'])}",
        "state": _state(task, now),
        "failed": _failures(task),
        "check": task["check"] or "none",
        "needs": ", ".join(task["needs"]),
        "files": ", ".join(task["files"]),
        "priority": str(task["priority"] or ""),
    }
    lines = [f"{name:<8} {value}" for name, value in fields.items() if value]
    return "\n".join([*lines, *(["", task["description"]] if task["description"] else [])])


def _state(task: dict[str, Any], now: float) -> str:
    if task["status"] == rules.CLAIMED:
        duration = format_duration(max(0.0, (task["expires_at"] or now) - now))
        since = format_duration(max(0.0, now - (task["claimed_at"] or now)))
        return f"in progress: {task['owner']} for {since}, lease {task['token']} expires in {duration}"
    if task["status"] == rules.DONE:
        ago = format_duration(max(0.0, now - (task["done_at"] or now)))
        proof = f", {task['proof']}" if task["proof"] else ""
        return f"done by {task['owner']} {ago} ago{proof}"
    return str(_WORDS[task["status"]])


def _failures(task: dict[str, Any]) -> str:
    if not task["tries"]:
        return ""
    why = f", the last time: {join_lines(task['reason'])}" if task["reason"] else ""
    return f"{task['tries']} of {rules.MOST_TRIES} tries{why}"
