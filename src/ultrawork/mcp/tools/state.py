"""State files of the modes."""

from time import time

from ...core import modes
from ..arguments import anything, choice, flag, text, whole
from ..tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.omc.place import Omc
    from ..call import Call

MODE = choice("", modes.ALL)
OWNER = {
    "session_id": text("default: this session"),
    "workingDirectory": text("folder in the worktree"),
}
NAMED = {
    "active": flag(""),
    "iteration": whole("", 0),
    "max_iterations": whole("", 0),
    "current_phase": text(""),
    "task_description": text(""),
    "plan_path": text(""),
    "started_at": text(""),
    "completed_at": text(""),
    "error": text(""),
}
OTHER_NAMES = {"sessionId": "session_id"}
PREVIEW = 500


def _owner(call: "Call") -> "tuple[Omc, str]":
    return call.room.omc(call["workingDirectory"]), call["session_id"] or call.session


def _whose(session: str) -> str:
    return f"session {session}" if session else "all sessions"


def read(call: "Call") -> str:
    from ...store.fast import pretty
    from ...store.omc import states

    omc, session = _owner(call)
    state, path = states.read(omc, call["mode"], session), states.path(omc, call["mode"], session)
    if state is None:
        return f"no state of {call['mode']} for {_whose(session)} ({path})"
    return f"{call['mode']} of {_whose(session)} ({path})\n{pretty(state)}".rstrip()


def write(call: "Call") -> str:
    from ...store.fast import pretty
    from ...store.omc import states

    omc, session = _owner(call)
    named = {key: call[key] for key in NAMED if call[key] is not None}
    given = {**(call["state"] or {}), **named}
    state = states.write(omc, call["mode"], given, session=session, now=time())
    shared = "" if session else "; no session_id was given, so every session sees it"
    return f"merged into the state of {call['mode']} for {_whose(session)}{shared}\n{pretty(state)}".rstrip()


def clear(call: "Call") -> str:
    from ...store.omc import states

    omc, session = _owner(call)
    there = states.clear(omc, call["mode"], session)
    return f"{'cleared' if there else 'there was no'} state of {call['mode']} for {_whose(session)}"


def list_active(call: "Call") -> str:
    from ...store.omc import states

    omc, session = call.room.omc(call["workingDirectory"]), call["session_id"]
    found = {mode: states.active(omc, mode, time()) for mode in states.FILED}
    if session:
        found = {mode: [session] for mode, owners in found.items() if session in owners}
    lines = [f"{mode}: {', '.join(owners)}" for mode, owners in found.items() if owners]
    return "\n".join(lines) or "no mode is active"


def get_status(call: "Call") -> str:
    from ...store.omc import states

    omc, session = _owner(call)
    chosen = (call["mode"],) if call["mode"] else states.FILED
    return "\n".join(_status(omc, mode, session) for mode in chosen)


def _status(omc: "Omc", mode: str, session: str) -> str:
    from ...store.fast import dumps
    from ...store.omc import states

    state = states.read(omc, mode, session)
    owners = ", ".join(states.active(omc, mode, time())) or "nowhere"
    preview = f"; {dumps(state)[:PREVIEW]}" if state is not None else ""
    return f"{mode}: active in {owners}; {states.path(omc, mode, session)}{preview}"


_ALL = (
    Tool(
        "state_read",
        "The state of an execution mode.",
        read,
        {"mode": MODE, **OWNER},
        required=("mode",),
        reads=True,
        other_names=OTHER_NAMES,
    ),
    Tool(
        "state_write",
        "Update the state of a mode: what is given is merged, the rest stays. Named arguments win"
        " over those in `state`.",
        write,
        {"mode": MODE, **NAMED, "state": anything("more keys"), **OWNER},
        required=("mode",),
        other_names={**OTHER_NAMES, "data": "state"},
    ),
    Tool(
        "state_clear",
        "Remove the state of a mode.",
        clear,
        {"mode": MODE, **OWNER},
        required=("mode",),
        other_names=OTHER_NAMES,
    ),
    Tool(
        "state_list_active",
        "Modes that are active, and in which sessions.",
        list_active,
        {"session_id": text("only this one"), "workingDirectory": OWNER["workingDirectory"]},
        reads=True,
        other_names=OTHER_NAMES,
    ),
    Tool(
        "state_get_status",
        "Status of one mode or of all: where active, which file, a preview.",
        get_status,
        {"mode": MODE, **OWNER},
        reads=True,
        other_names=OTHER_NAMES,
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
