"""Loops, what ends them, stories and the log of rounds, against the earlier program's."""

import json
import os

from ultrawork.core import check
from ultrawork.core.errors import UltraworkError, UsageError
from ultrawork.core.modes import loops, progress_log, tables
from ultrawork.core.session.session import LIGHT, Session
from ultrawork.core.stop import last_message
from ultrawork.core.stop.rules import LET_GO, StopFacts, decide_after_checks
from ultrawork.core.verdict.verdict import FAIL
from ultrawork.flow import modes
from ultrawork.hooks.main import reply
from ultrawork.hooks.todo_list import list_open
from ultrawork.store import sessions
from ultrawork.store.omc import states
from ultrawork.store.omc.folder import Omc
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cases import Case, Place

ULTRAWORK = "ultrawork"
# What both tell of a mode that is on; the rest is each one's own.
_TOLD = ("active", "session_id", "project_path")
_FAILURES = "recordFailure"


def persistence(case: "Case", place: "Place") -> "tuple[Any, Any]":
    place.write(case.input.get("files", {}))
    args = place.filled(case.input["args"])
    expect = place.expected(case.expect)
    if case.fn.startswith(_FAILURES):
        return _same_failures([one["failure"] for one in expect["result"]]), expect["result"]
    ours: tuple[Any, Any] = _PERSISTENCE[case.fn](place, args, expect)
    return ours


def _activate(place: "Place", args: "list[Any]", expect: "Any") -> "tuple[Any, Any]":
    name = check.require_session_id(args[1] or "")
    store = Store(Home(f"{place.root}/state"), actor="test", clock=lambda: place.now)
    session = Session(id=name, goal=args[0], working_dir=place.dir, started_at=place.now, kind=LIGHT)
    with store.change(name) as change:
        sessions.create(change, session)
    modes.begin(store, place.dir, name, ULTRAWORK, now=place.now)
    (path,) = expect["files_changed"]
    return _shared(place.read(path)), _shared(expect["files_changed"][path])


def _shared(state: "Any") -> "dict[str, Any]":
    return {key: state.get(key) for key in _TOLD} if isinstance(state, dict) else {}


def _read(place: "Place", args: "list[Any]", expect: "Any") -> "tuple[Any, Any]":
    session = args[1] if len(args) > 1 and args[1] else ""
    return states.read(Omc(place.dir), ULTRAWORK, session), expect["result"]


def _insists(place: "Place", args: "list[Any]", expect: "Any") -> "tuple[Any, Any]":
    on = bool(args[0]) and states.is_active(Omc(place.dir), ULTRAWORK, args[0], place.now)
    return on, expect["result"]


def _deactivate(place: "Place", args: "list[Any]", expect: "Any") -> "tuple[Any, Any]":
    gone = [name for name, left in expect["files_changed"].items() if left == "<deleted>"]
    states.clear(Omc(place.dir), ULTRAWORK, args[1])
    there = [name for name in gone if os.path.exists(f"{place.dir}/{name}")]
    return there, []


def _stop(place: "Place", args: "list[Any]", expect: "Any") -> "tuple[Any, Any]":
    """A real stop of that session, with the same files there."""
    given = {"session_id": args[0] or "", "cwd": place.dir, "last_assistant_message": "Done."}
    environ = {"HOME": place.root, "ULTRAWORK_HOME": f"{place.root}/state", "PATH": os.defpath}
    out, _ = reply("Stop", json.dumps(given).encode(), environ)
    return '"block"' in out, expect["result"]["shouldBlock"]


_PERSISTENCE: "dict[str, Any]" = {
    "activateUltrawork": _activate,
    "readUltraworkState": _read,
    "shouldReinforceUltrawork": _insists,
    "deactivateUltrawork": _deactivate,
    "checkPersistentModes": _stop,
}


def _same_failures(failures: "list[str]") -> "list[dict[str, Any]]":
    """Each as a stop of ultraqa at which other files are red."""
    told, progressed = [], tables.begin("ultraqa", 0.0)
    for number, failure in enumerate(failures):
        seen = loops.LoopRound(f"tree {number}", failure=loops.normalise_failure(failure))
        facts = StopFacts(verdict=FAIL)
        loops.set_counts(facts, progressed)
        loops.apply_round(facts, progressed, seen)
        ends = decide_after_checks(facts).action == LET_GO
        if not ends:
            loops.begin_round(progressed, seen, 0.0)
        cycle = progressed.counts["cycle"]
        told.append({"failure": failure, "shouldExit": ends, "cycle": cycle})
    return told


def stop_and_todo(case: "Case", place: "Place") -> "tuple[Any, Any]":
    return _STOPS[case.fn](place.filled(case.input["args"])), place.expected(case.expect)["result"]


def _is_abort(args: "list[Any]") -> bool:
    given = args[0] if args and isinstance(args[0], dict) else {}
    asked = given.get("user_requested", given.get("userRequested")) is True
    return bool(last_message.explain_person_stop(_reason(given), asked))


def _is_full(args: "list[Any]") -> bool:
    given = args[0] if args and isinstance(args[0], dict) else {}
    return bool(last_message.explain_full_context(_reason(given)))


def _reason(given: "dict[str, Any]") -> str:
    return str(given.get("stop_reason", given.get("stopReason")) or "")


def _is_session(args: "list[Any]") -> bool:
    try:
        return bool(args) and bool(check.require_session_id(args[0]))
    except UltraworkError:
        return False


def _is_open(args: "list[Any]") -> bool:
    task = args[0]
    return bool(list_open([{"item": {**task, "name": task["subject"]}}]))


_STOPS: "dict[str, Any]" = {
    "isUserAbort": _is_abort,
    "isContextLimitStop": _is_full,
    "isValidSessionId": _is_session,
    "isTaskIncomplete": _is_open,
}


def rounds(case: "Case", place: "Place") -> "tuple[Any, Any]":
    place.write(case.input.get("files", {}))
    args = place.filled(case.input["args"])
    expect = place.expected(case.expect)
    changed = expect.get("files_changed")
    ours = _ROUNDS[case.fn](place, args)
    if changed:
        return {name: place.read(name) for name in changed}, changed
    return ours, expect["result"]


def _omc(place: "Place") -> Omc:
    return Omc(place.dir)


def _path(place: "Place", _args: "list[Any]") -> str | None:
    found = states.find_prd(_omc(place))
    return f"{place.dir}/{found}" if found else None


def _prd(place: "Place", _args: "list[Any]") -> "Any":
    """In the file's own keys. What is malformed is no PRD for one, a sentence about it for the other."""
    try:
        found = states.read_prd(_omc(place))
    except UsageError:
        return None
    if found is None:
        return None
    written = place.read(found.path)
    return {**written, "userStories": [_story(one) for one in found.stories]}


def _story(story: "progress_log.Story | None") -> "Any":
    if story is None:
        return None
    notes = {"notes": story.notes} if story.notes else {}
    return {
        "id": story.id, "title": story.title, "description": story.description,
        "acceptanceCriteria": list(story.criteria), "priority": story.priority, "passes": story.passes,
        **notes,
    }  # fmt: skip


def _status(_place: "Place", args: "list[Any]") -> "dict[str, Any]":
    found = progress_log.parse_prd(args[0], "prd.json")
    waiting = {story.id for story in found.pending}
    return {
        "total": len(found.stories),
        "completed": len(found.stories) - len(found.pending),
        "pending": len(found.pending),
        "allComplete": progress_log.find_open(found) is None,
        "nextStory": _story(found.next),
        "incompleteIds": [story.id for story in found.stories if story.id in waiting],
    }


def _one(place: "Place", args: "list[Any]") -> "Any":
    found = states.read_prd(_omc(place))
    stories = found.stories if found is not None else []
    return _story(next((story for story in stories if story.id == args[1]), None))


def _next(place: "Place", _args: "list[Any]") -> "Any":
    found = states.read_prd(_omc(place))
    return None if found is None else _story(found.next)


def _log(log: "progress_log.ProgressLog | None") -> "Any":
    if log is None:
        return None
    entries = [
        {
            "timestamp": one.at, "storyId": one.story, "implementation": one.what,
            "filesChanged": one.files, "learnings": one.learnings,
        }
        for one in log.entries
    ]  # fmt: skip
    return {"patterns": log.patterns, "entries": entries, "startedAt": log.started}


def _kept(place: "Place") -> progress_log.ProgressLog:
    return states.read_log(_omc(place)) or progress_log.parse("")


def _append(place: "Place", args: "list[Any]") -> bool:
    given = args[1]
    entry = progress_log.LogEntry(given["storyId"], given["implementation"], given["filesChanged"], given["learnings"])
    states.append_entry(_omc(place), entry, place.now)
    return True


def _add_pattern(place: "Place", args: "list[Any]") -> bool:
    entry = progress_log.LogEntry("US-0", [], [], [])
    states.append_entry(_omc(place), entry, place.now, [args[1]])
    return True


_ROUNDS: "dict[str, Any]" = {
    "findPrdPath": _path,
    "readPrd": _prd,
    "getPrdStatus": _status,
    "getStory": _one,
    "getNextStory": _next,
    "readProgressRaw": lambda place, _: states.read_log_text(_omc(place)),
    "readProgress": lambda place, _: _log(states.read_log(_omc(place))),
    "parseProgress": lambda _, args: _log(progress_log.parse(args[0])),
    "appendProgress": _append,
    "addPattern": _add_pattern,
    "getPatterns": lambda place, _: _kept(place).patterns,
    "getRecentLearnings": lambda place, args: _kept(place).learnings(*args[1:]),
}
