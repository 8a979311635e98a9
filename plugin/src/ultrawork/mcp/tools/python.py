"""The Python session, and a note if an earlier one is gone."""

import os

from ...codeintel.repl import CodeOutcome, PythonSession
from ...core import check
from ...core.errors import UsageError
from ...store import markers
from ...store.codec import digest
from ..call import ToolCall
from ..tool import Tool, take_choice, take_text, take_whole

ACTIONS = ("execute", "interrupt", "reset", "get_state")


LOST = "session {} is empty: its process ended and its variables were lost\n"


def run_action(call: ToolCall) -> str:
    name = check.require_session_id(call["researchSessionID"])
    if call["action"] == "reset":
        call.environment.pythons.reset(name)
        markers.remove(call.environment.home, markers.PYTHONS, _mark(call, name))
        return f"session {name} is new"
    folder = call.environment.inside(call["projectDir"])
    session = call.environment.pythons.get(name, folder)
    if call["action"] == "interrupt":
        return session.interrupt()
    note = LOST.format(name) if _is_lost(call, name, session) else ""
    return note + (_state(session) if call["action"] == "get_state" else _execute(call, session))


def _mark(call: ToolCall, name: str) -> str:
    """Return a session's mark: it belongs to a conversation; a client without one has it for as long as it keeps us."""
    return digest(f"{call.session or call.environment.began}/{name}")


def _is_lost(call: ToolCall, name: str, session: PythonSession) -> bool:
    """Whether this conversation used it before, in a toolbox or an interpreter that is gone. Asked once of each."""
    home, mark = call.environment.home, _mark(call, name)
    before = markers.get(home, markers.PYTHONS, mark)
    if before == {"toolbox": os.getpid()}:
        return session.forget_dead()
    markers.put(home, markers.PYTHONS, mark, {"toolbox": os.getpid()})
    return before is not None


def _execute(call: ToolCall, session: PythonSession) -> str:
    if not call["code"]:
        raise UsageError("execute needs code; pass it as `code`")
    outcome = session.execute(
        call["code"],
        seconds=call["executionTimeout"] / 1000,
        queue=call["queueTimeout"] / 1000,
        label=check.quote(call["executionLabel"]),
        should_stop=call.should_stop,
    )
    return _shown(outcome, call["executionTimeout"])


def _shown(outcome: CodeOutcome, limit: int) -> str:
    parts = [outcome.out.rstrip("\n"), outcome.value or "", (outcome.error or "").rstrip("\n")]
    if outcome.timed_out:
        parts.append(f"stopped after {limit / 1000:g} s; the state is {'lost' if outcome.lost else 'kept'}")
    if outcome.crowded:
        parts.append(f"stopped its processes: together they used more than {outcome.most} MB")
    parts.append(f"({outcome.seconds:.2f} s, {outcome.memory} MB)")
    return "\n".join(part for part in parts if part)


def _state(session: PythonSession) -> str:
    state = session.state()
    if "busy" in state:
        return str(state["busy"])
    head = f"Python {state['python']} ({state['interpreter']}), {state['memory']} MB,"
    lines = [f"{name}: {kind}" for name, kind in state["variables"].items()]
    return "\n".join([f"{head} {state['count']} runs, {len(lines)} variables", *lines])


TOOLS = {
    "python_repl": Tool(
        "python_repl",
        "Run Python in a session that keeps its variables, in the project's environment. Shows the value of the last expression.",
        run_action,
        {
            "action": take_choice("", ACTIONS),
            "researchSessionID": take_text("name of the session"),
            "code": take_text("code to execute", most=1_000_000),
            "executionLabel": take_text("", default="code"),
            "executionTimeout": take_whole("ms", 1, 3_600_000, 300_000),
            "queueTimeout": take_whole("milliseconds to wait while it is busy", 0, 600_000, 30_000),
            "projectDir": take_text("folder in the worktree", default="."),
        },
        required=("action", "researchSessionID"),
        queue="python",
    )
}
