"""An attempt on another machine, as known here: its last report, and the files that outlive us."""

import asyncio
import os
import time
from collections.abc import Callable
from typing import Any

from ..clients.headless.attempt import ENDED, LOST, RUNNING, Attempt, AttemptReport
from ..core.errors import Trouble
from ..engine.agents.executor import CRASHED
from ..store import atomic
from ..store.codec import dumps, loads
from .job import AttemptJob, JobResult
from .journal import ORDER
from .refusal import RemotePatience
from .transfer import RESULT


class CarriedAttempt:
    """An attempt in progress: its last report, and whom to notify at its end. `fresh`: no machine has it yet; `given`:
    Temporal has it. `spoiled`: its machine sent something unusable, described by `detail`. `stranded` is why it was
    recalled before a machine had it."""

    def __init__(self, attempt: Attempt, wake: Callable[[], None], *, fresh: bool) -> None:
        self.attempt = attempt
        self.fresh = fresh
        self.given = False
        self.wake = wake
        self.seen: dict[str, Any] = {}
        self.seen_at = 0.0
        self.cancelled = asyncio.Event()
        self.lost = False
        self.patience: RemotePatience | None = None
        self.spoiled = asyncio.Event()
        self.stranded = ""
        self.detail = ""


def describe_attempt(attempt: Attempt, carried: CarriedAttempt | None) -> AttemptReport:
    known = read_json(f"{attempt.folder}/{RESULT}")
    if known is not None:
        return AttemptReport(ENDED, **known, output_bytes=_count_output(attempt.folder))
    if carried is None or carried.lost:
        detail = carried.detail if carried else ""
        machine = carried.seen.get("machine", "") if carried else ""
        return AttemptReport(LOST, why=CRASHED, detail=detail, machine=machine)
    seen, since = carried.seen, time.time() - carried.seen_at
    return AttemptReport(
        RUNNING,
        started_at=carried.seen_at - seen["age"] if "age" in seen else 0.0,
        cpu_seconds=seen.get("cpu", 0.0),
        quiet_seconds=seen["quiet"] + since if "quiet" in seen else 0.0,
        output_bytes=seen.get("bytes", 0),
        machine=seen.get("machine", ""),
        account=seen.get("account", ""),
        tokens=seen.get("tokens", 0),
        cost_usd=seen.get("usd"),
        estimated=seen.get("estimated", False),
        last=seen.get("last", ""),
        calls=seen.get("calls", ()),
    )


def has_file(attempt: Attempt, name: str) -> bool:
    return os.path.exists(f"{attempt.folder}/{name}")


def read_order(attempt: Attempt) -> AttemptJob:
    json = read_json(f"{attempt.folder}/{ORDER}")
    if json is None:
        raise Trouble(f"{attempt.folder}/{ORDER} no longer exists")
    return AttemptJob.of(json)


def write_result(attempt: Attempt, result: JobResult) -> None:
    """Write the result by our own clock: those of other machines may be wrong."""
    now = time.time()
    document = {
        "code": result.code,
        "why": result.why,
        "started_at": now - result.seconds,
        "ended_at": now,
        "cpu_seconds": result.cpu_seconds,
        "machine": result.machine,
        "account": result.account,
        "detail": result.detail,
    }
    # What a power cut loses is requested again: Temporal and the remote have it.
    atomic.write(f"{attempt.folder}/{RESULT}", dumps(document), sync=False)


def read_json(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            return dict(loads(file.read()))
    except (FileNotFoundError, ValueError):  # the latter of what a power cut has left
        return None


def _count_output(folder: str) -> int:
    paths = (f"{folder}/out.jsonl", f"{folder}/err.log")
    return sum(os.path.getsize(path) for path in paths if os.path.exists(path))
