"""Tool calls: protect our own state before them, and record afterwards what they really did."""

import os

from ..store import markers, trace
from ..store.codec import digest, dumps
from ..store.paths import PLUGIN_DATA, PLUGIN_ROOT
from .event import Answer
from .table import PATCH, WRITERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .event import Event

_VERBS = ("write", "edit", "create", "delete", "move", "remove", "patch", "replace")
_PATHS = ("file_path", "notebook_path", "path", "source", "destination", "filePath", "uri")
_SCHEDULERS = ("ScheduleWakeup", "CronCreate")
_TEXT = 500
# The folder that we run from: of the plugin, or of a checkout.
_PROGRAM = os.path.realpath(__file__).rsplit("/", 4)[0]
# The feature that tracks agents; with it a session has a trace without `ulw` too.
_TRACED, _LISTED = "tracker", "todo"
_ITEMS = ("TodoWrite", "TaskCreate", "TaskUpdate")
_SEEN = 20_000


def guard(event: "Event") -> Answer | None:
    """Deny edits of our state. Check definitions may be edited: they are compared, not locked."""
    tool = event.text("tool_name")
    if tool not in WRITERS and not _writes_through_a_server(tool):
        return None
    bent = next((path for path in _targets(event) if _is_ours(event, path)), "")
    if not bent:
        return None
    _note_tampering(event, bent)
    return Answer(
        deny="ultrawork: do not edit files in the ultrawork state folder. Use ultrawork session, task or context"
    )


def _note_tampering(event: "Event", path: str) -> None:
    """Record a denied edit; the verdict reports it."""
    if not markers.is_armed_anywhere(event.home, event.environ, event.session):
        return
    from ..store import anchors

    name = markers.find_planned_session(event.home, event.session) or event.session
    with event.store.change(name) as change:
        anchors.record_tampering(change, path.rpartition("/")[2])


def _writes_through_a_server(tool: str) -> bool:
    return tool.startswith("mcp__") and any(verb in tool.lower() for verb in _VERBS)


def find_target(event: "Event") -> str:
    """The file that a call is about, as a whole path; empty if it names none."""
    targets = _targets(event)
    return targets[0] if targets else ""


def list_targets(event: "Event") -> list[str]:
    """Return all the files of a patch, the one of any other call."""
    targets = _targets(event)
    return targets if event.text("tool_name") == PATCH else targets[:1]


def _targets(event: "Event") -> list[str]:
    """Return the paths that a call names, in every possible meaning."""
    given = event.mapping("tool_input")
    named = [given[key] for key in _PATHS if isinstance(given.get(key), str) and given[key]]
    files = given.get("files")
    named += [file for file in files if file not in named] if isinstance(files, list) else []
    home = event.environ.get("HOME", "")
    meant = [home + path[1:] for path in named if path.startswith("~/") and home]
    return [os.path.join(event.cwd, path) for path in [*named, *meant] if "\0" not in path]


def _is_ours(event: "Event", path: str) -> bool:
    """Return whether a path is ours, by the folders themselves, so that links and spellings do not matter."""
    ours = [_identity(event.home.root)]
    data = event.environ.get(PLUGIN_DATA, "")
    ours += [_identity(f"{data}/{markers.ACTIVE}")] if data else []
    # The plugin too if a copy of it runs: the agent's own `ultrawork verify` comes from there.
    for program in {_PROGRAM, event.environ.get(PLUGIN_ROOT, "") or _PROGRAM}:
        if not f"{program}/".startswith(f"{event.place}/"):  # otherwise the session works on ultrawork itself
            ours.append(_identity(program))
    folder = os.path.realpath(path)
    while True:
        identity = _identity(folder)
        if identity is not None and identity in ours:
            return True
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def is_traced(event: "Event") -> bool:
    """Return whether what this session does is written down."""
    armed = markers.is_armed_anywhere(event.home, event.environ, event.session)
    return armed or _TRACED in event.features


def observe(event: "Event") -> Answer | None:
    """Add a line to the trace, also if only agents are tracked; warn if an armed session repeats itself."""
    if not markers.is_armed_anywhere(event.home, event.environ, event.session):
        listed = _LISTED in event.features and event.text("tool_name") in _ITEMS
        if _TRACED in event.features and not listed:
            trace.append(event.home, event.session, describe_call(event))
        return None
    from ..core.tool_failures import FEWEST

    entry = describe_call(event)
    before = trace.read_newest(event.home, event.session, size=_SEEN)
    trace.append(event.home, event.session, entry)
    if markers.is_switched_off(event.home, event.session):
        return _switched_off(event, entry)
    if entry["tool"] in WRITERS and markers.is_set(event.home, markers.BASELINE, event.session):
        _run_on_baseline(event)
    if before.count(entry["call"].encode()) + 1 < FEWEST:
        return None
    return _circle([*trace.parse_entries(before), entry], event)


def _switched_off(event: "Event", entry: "dict[str, Any]") -> Answer | None:
    """Record that it was turned off during this call, so that `why` can name the call."""
    from ..store import ending

    ending.follow_switch(event.store, event.session, f"{entry['tool']} {entry['what']}".strip())
    return None


def _run_on_baseline(event: "Event") -> None:
    """Start the user's checks on the baseline, now that the first file of the checkout has changed."""
    if any(f"{path}/".startswith(f"{event.place}/") for path in list_targets(event)):
        from .stop import baseline

        markers.remove(event.home, markers.BASELINE, event.session)
        baseline.begin(event)


def note_patch(event: "Event") -> None:
    """Record a patch before it is applied. It may still be refused, but the file is not someone else's."""
    if event.mapping("tool_input").get("silent") and is_traced(event):
        trace.append(event.home, event.session, describe_call(event))


def note_begun(event: "Event") -> None:
    """Record the start of a command: an interrupted one reports nothing more, but what it wrote is the agent's."""
    given = event.mapping("tool_input")
    call = digest("Bash" + dumps(given))[:16]
    trace.append(event.home, event.session, {"at": round(event.clock(), 3), "begun": call})


def note_items(event: "Event") -> None:
    """Record the agent's own list, if no armed session does."""
    if not markers.is_armed_anywhere(event.home, event.environ, event.session):
        trace.append(event.home, event.session, describe_call(event))


def describe_call(event: "Event") -> "dict[str, Any]":
    tool, given = event.text("tool_name"), event.mapping("tool_input")
    entry: dict[str, Any] = {
        "at": round(event.clock(), 3),
        "tool": tool,
        "call": digest(tool + dumps(given))[:16],
        "what": _what(tool, given, event),
        "ok": event.name == "PostToolUse",
        "ms": event.data.get("duration_ms"),
    }
    if event.text("agent_id"):
        entry["agent"] = event.text("agent_id")
    if event.name == "PostToolUseFailure":
        entry["error"] = _redacted(event.text("error"), event)
    if tool in _SCHEDULERS and isinstance(given.get("prompt"), str):
        entry["scheduled"] = given["prompt"].strip()
    if tool == "TodoWrite":
        entry["open"] = _open_items(given)
    if tool in ("TaskCreate", "TaskUpdate"):
        entry["item"] = _item(tool, given, event)
    if tool == PATCH:
        entry["files"] = [_redacted(path, event) for path in list_targets(event)]
    if given.get("run_in_background") is True:
        entry["background"] = True
    return entry


def _item(tool: str, given: "dict[str, Any]", event: "Event") -> dict[str, str]:
    """Return one entry of the agent's own list; the answer holds the number of a new one."""
    name = str(given.get("subject") or "")[:80]
    if tool == "TaskUpdate":
        return {"id": str(given.get("taskId", "")), "status": str(given.get("status") or ""), "name": name}
    made = event.mapping("tool_response").get("task")
    number = str(made.get("id", "")) if isinstance(made, dict) else ""
    return {"id": number, "status": "pending", "name": name}


def _what(tool: str, given: "dict[str, Any]", event: "Event") -> str:
    if tool == "Bash":
        return _redacted(str(given.get("command", "")), event)
    for key in ("file_path", "notebook_path", "path", "pattern", "subagent_type", "url"):
        if isinstance(given.get(key), str):
            return _redacted(given[key], event)
    return ""


def _redacted(text: str, event: "Event") -> str:
    """Cut the text, after redacting: a secret across the cut would not be recognized. Secrets are rare and their
    patterns slow, so plain text is tested first."""
    from ..core import redact

    head = text[:_SEEN]
    if redact.may_hold_secret(head, event.environ):
        head = redact.redact(head, event.environ)
    return head[:_TEXT]


def _open_items(given: "dict[str, Any]") -> list[str]:
    from .todo_list import OPEN

    todos = given.get("todos")
    items = [todo for todo in todos if isinstance(todo, dict)] if isinstance(todos, list) else []
    return [str(item.get("content", ""))[:80] for item in items if item.get("status") in OPEN][:20]


def _circle(entries: "list[dict[str, Any]]", event: "Event") -> Answer | None:
    """Warn once per cycle: the warning itself is in the trace."""
    from ..core.tool_failures import find_round

    own = [entry for entry in entries if entry.get("agent", "") == event.text("agent_id")]
    calls_made = [str(entry["call"]) for entry in own if entry.get("call")]
    length = find_round(calls_made)
    warned_calls: list[str] = next((entry["warned"] for entry in reversed(own) if entry.get("warned")), [])
    if not length or set(calls_made[-length:]) <= set(warned_calls):
        return None
    trace.append(
        event.home,
        event.session,
        {"at": round(event.clock(), 3), "warned": calls_made[-length:], "agent": event.text("agent_id")},
    )
    calls = [f"{entry.get('tool')} {entry.get('what', '')}"[:60].strip() for entry in own[-length:]]
    times = "five times in a row" if length == 1 else "four times over"
    from ..core.wording import name_things

    return Answer(
        context=f"ultrawork: the same {name_things(length, 'call')} ran {times} with the same input:"
        f" {'; '.join(calls)}. Try another approach, or end with BLOCKED: why."
    )
