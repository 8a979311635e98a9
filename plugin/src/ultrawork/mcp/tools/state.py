"""State files of the modes."""

from time import time

from ...core.modes import modes
from ...store.omc.folder import Omc
from ..call import ToolCall
from ..tool import Tool, take_choice, take_flag, take_object, take_text, take_whole

MODE = take_choice("", modes.ALL)
OWNER = {"session_id": take_text("default: this session"), "workingDirectory": take_text("folder in the worktree")}
NAMED = {
    "active": take_flag(""),
    "iteration": take_whole("", 0),
    "max_iterations": take_whole("", 0),
    "current_phase": take_text(""),
    "task_description": take_text(""),
    "plan_path": take_text(""),
    "started_at": take_text(""),
    "completed_at": take_text(""),
    "error": take_text(""),
}
OTHER_NAMES = {"sessionId": "session_id"}
PREVIEW = 500


def _owner(call: ToolCall) -> tuple[Omc, str]:
    return call.environment.omc(call["workingDirectory"]), call["session_id"] or call.session


def _whose(session: str) -> str:
    return f"session {session}" if session else "all sessions"


def read(call: ToolCall) -> str:
    from ...store.codec import dumps_pretty
    from ...store.omc import states

    omc, session = _owner(call)
    state, path = states.read(omc, call["mode"], session), states.locate(omc, call["mode"], session)
    if state is None:
        return f"no state of {call['mode']} for {_whose(session)} ({path})"
    return f"{call['mode']} of {_whose(session)} ({path})\n{dumps_pretty(state)}".rstrip()


def write(call: ToolCall) -> str:
    from ...store.codec import dumps_pretty
    from ...store.omc import states

    omc, session = _owner(call)
    named = {key: call[key] for key in NAMED if call[key] is not None}
    given = {**(call["state"] or {}), **named}
    state = states.write(omc, call["mode"], given, session=session, now=time())
    shared = "" if session else "; without a session_id every session sees it"
    return f"merged into the state of {call['mode']} for {_whose(session)}{shared}\n{dumps_pretty(state)}".rstrip()


def clear(call: ToolCall) -> str:
    from ...store.omc import states

    omc, session = _owner(call)
    there = states.clear(omc, call["mode"], session)
    return f"{'cleared' if there else 'found no'} state of {call['mode']} for {_whose(session)}"


def list_active(call: ToolCall) -> str:
    from ...store.omc import states

    omc, session = call.environment.omc(call["workingDirectory"]), call["session_id"]
    active = {mode: states.list_active(omc, mode, time()) for mode in states.FILED}
    if session:
        active = {mode: [session] for mode, owners in active.items() if session in owners}
    lines = [f"{mode}: {', '.join(owners)}" for mode, owners in active.items() if owners]
    return "\n".join(lines) or "no mode is active"


def get_status(call: ToolCall) -> str:
    from ...store.omc import states

    omc, session = _owner(call)
    chosen = (call["mode"],) if call["mode"] else states.FILED
    return "\n".join(_status(omc, mode, session) for mode in chosen)


def _status(omc: Omc, mode: str, session: str) -> str:
    from ...store.codec import dumps
    from ...store.omc import states

    state = states.read(omc, mode, session)
    owners = ", ".join(states.list_active(omc, mode, time())) or "nowhere"
    preview = f"; {dumps(state)[:PREVIEW]}" if state is not None else ""
    return f"{mode}: active in {owners}; {states.locate(omc, mode, session)}{preview}"


_ALL = (
    Tool(
        "state_read",
        "Read the state of an execution mode.",
        read,
        {"mode": MODE, **OWNER},
        required=("mode",),
        reads=True,
        other_names=OTHER_NAMES,
    ),
    Tool(
        "state_write",
        "Merge values into a mode's state; other keys are kept. Named arguments override those in `state`.",
        write,
        {"mode": MODE, **NAMED, "state": take_object("more keys"), **OWNER},
        required=("mode",),
        other_names={**OTHER_NAMES, "data": "state"},
    ),
    Tool(
        "state_clear",
        "Delete the state of a mode.",
        clear,
        {"mode": MODE, **OWNER},
        required=("mode",),
        other_names=OTHER_NAMES,
    ),
    Tool(
        "state_list_active",
        "List active modes and their sessions.",
        list_active,
        {"session_id": take_text("only this mode"), "workingDirectory": OWNER["workingDirectory"]},
        reads=True,
        other_names=OTHER_NAMES,
    ),
    Tool(
        "state_get_status",
        "Show one mode or all: sessions, file, and a preview of the state.",
        get_status,
        {"mode": MODE, **OWNER},
        reads=True,
        other_names=OTHER_NAMES,
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
