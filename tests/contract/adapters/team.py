"""A team's way through its stages, its list and its workers' rights, against the earlier program's."""

import os

from ultrawork.clients.headless import table as backends
from ultrawork.clients.headless.attempt import Attempt
from ultrawork.core.check import require_task_id
from ultrawork.core.errors import Conflict, UltraworkError, UsageError
from ultrawork.core.modes import state_file, tables
from ultrawork.features.swarm.store.board import Board
from ultrawork.features.swarm.store.worker import SwarmWorker
from ultrawork.features.swarm.values.tasks import parse_swarm_task
from ultrawork.features.swarm.values.team import WorkerRights
from ultrawork.store.omc.folder import Omc

from .autopilot import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultrawork.core.modes.tables import ModeProgress

    from .cases import Case, Place

TEAM = "team"


def case_of(case: "Case", place: "Place") -> "tuple[Any, Any]":
    given, expect = _numbered(place.filled(case.input)), place.expected(case.expect)
    compared: tuple[Any, Any] = _TEAM[case.fn](given, expect, place)
    return compared


def _numbered(value: "Any") -> "Any":
    """`{"$number": "NaN"}`: what JSON cannot say."""
    if isinstance(value, dict):
        if list(value) == ["$number"]:
            return float(value["$number"].replace("Infinity", "inf"))
        return {key: _numbered(one) for key, one in value.items()}
    return value


def _transition(given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    """Whether the gates are green is not told in a case; without them nothing completes here, so they are."""
    loop = given["fix_loop"]
    facts = {**given["artifacts"], **given["execution"], **given["cancel"], "proved": True}
    progress = tables.begin(TEAM, place.now, facts=facts, limits={"fix": loop["max_attempts"]})
    progress.phase, progress.active = given["from"], given["active"]
    progress.counts["fix"] = loop["attempt"]
    moved = _tried(progress, given["to"], place.now)
    ours = {
        "ok": moved,
        "phase": progress.phase,
        "active": progress.active,
        "fix_attempt": progress.counts["fix"],
        "came_to": progress.history[-1][0] if moved else progress.phase,
    }
    came_to = expect["history"][-1] if expect["ok"] else expect["phase"]
    theirs = {key: expect[key] for key in ("ok", "phase", "active", "fix_attempt")}
    return ours, {**theirs, "came_to": came_to}


def _tried(progress: "ModeProgress", target: str, now: float) -> bool:
    """A fix more than there are is the end of it, as the course of a team has it."""
    try:
        tables.move(progress, target, now)
    except Conflict:
        if target == tables.TEAM_FIX and tables.count_left(progress)["fix"] == 0:
            tables.move(progress, tables.FAILED, now)
        return False
    return True


def _allowed(given: "dict[str, Any]", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    """Cancelling is not used: it is no step there, but an act of its own."""
    legal = tables.find(TEAM).moves[given["from"]]
    return [one for one in legal if one != tables.CANCELLED], expect["next"]


def _team_begun(given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    begun = tables.begin(TEAM, place.now)
    return same(state_file.render(begun, session=given["session_id"], place=place.dir), expect["state"])


_TEAM: "dict[str, Any]" = {
    "transition": _transition,
    "allowed_next": _allowed,
    "init": _team_begun,
    "is_non_negative_finite_integer": lambda given, expect, _: (tables.is_count(given.get("value")), expect),
}


def worker_case(case: "Case", place: "Place") -> "tuple[Any, Any]":
    """What a team's workers share and may do."""
    given = _numbered(place.filled(case.input))
    compared: tuple[Any, Any] = _WORKERS[case.fn](given, place.expected(case.expect)["result"], place)
    return compared


def _board(place: "Place", tasks: "list[dict[str, Any]]") -> Board:
    """With what is done, or at work, as it would have come to that."""
    board = Board(Omc(place.dir), create=True)
    found = [{"id": one["id"], "subject": "x", "needs": one.get("blockedBy", [])} for one in tasks]
    board.add([parse_swarm_task(one) for one in found], place.now)
    for one in tasks:
        if one.get("status", "pending") != "pending":
            held = board.claim(SwarmWorker("other"), place.now)
            if held is not None and one["status"] == "completed":
                board.done(held.id, held.token, place.now)
    return board


def _next(given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    theirs = expect and {key: expect[key] for key in ("id", "claimedBy")}
    try:
        board = _board(place, given["tasks"])
    except UsageError:
        return "refused", theirs
    task = board.claim(SwarmWorker(given["args"][0], pid=os.getpid()), place.now)
    board.close()
    return task and {"id": task.id, "claimedBy": task.owner}, theirs


def _failures(_given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    board = _board(place, [{"id": "1"}])
    found: list[list[Any]] = []
    for _ in expect:
        held = board.claim(SwarmWorker("w1"), place.now)
        if held is not None:
            board.fail(held.id, held.token, "x", place.now)
        task = board.task("1")
        found.append([task.tries, task.status == "failed"])
    board.close()
    return found, expect


def _task_id(given: "dict[str, Any]", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    try:
        require_task_id(given["args"][0])
    except UltraworkError:
        return {"throws": True}, expect
    return {"ok": True}, expect


def _lock_twice(_given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    board = _board(place, [{"id": "1"}])
    found = [board.claim(SwarmWorker(name), place.now) is not None for name in ("w1", "w2")]
    board.close()
    return found, expect


def _lock_old(_given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    board = _board(place, [{"id": "1"}])
    board.claim(SwarmWorker("w1", pid=os.getpid()), place.now - 31)
    found = board.claim(SwarmWorker("w2"), place.now)
    board.close()
    return found is not None, expect


def _rights(given: "dict[str, Any]") -> WorkerRights:
    return WorkerRights(tuple(given.get("allowedPaths", ())), tuple(given.get("deniedPaths", ())))


def _default(given: "dict[str, Any]", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    rights = _rights({})
    return [[*rights.allowed], [*rights.denied]], [expect["allowedPaths"], expect["deniedPaths"]]


def _effective(given: "dict[str, Any]", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    """In any order: one that denies is enough."""
    rights = _rights(given["args"][0])
    theirs = [expect["allowedPaths"], sorted(expect["deniedPaths"])]
    return [[*rights.allowed], sorted(rights.all_denied)], theirs


def _path(given: "dict[str, Any]", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    rights, path, _ = given["args"]
    return _rights(rights).find_violation(path) == "", expect


def _violations(given: "dict[str, Any]", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    paths, rights, _ = given["args"]
    found = [path for path in paths if _rights(rights).find_violation(path)]
    return found, [one["path"] for one in expect]


def _printed(given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    attempt = Attempt("s", "1", "worker", 1, backend="codex", place=place.dir, folder=place.dir, prompt="")
    with open(f"{place.dir}/out.jsonl", "w", encoding="utf-8") as file:
        file.write(given["args"][0] + "\n")
    return backends.get("codex").read(attempt).text, expect


_WORKERS: "dict[str, Any]" = {
    "find_next_task": _next,
    "write_task_failure x6: [retryCount, exhausted]": _failures,
    "read_task id check": _task_id,
    "acquire_task_lock twice": _lock_twice,
    "lock 31 s old, pid alive": _lock_old,
    "getDefaultPermissions": _default,
    "getEffectivePermissions": _effective,
    "isPathAllowed": _path,
    "findPermissionViolations": _violations,
    "parseCodexOutput": _printed,
}
