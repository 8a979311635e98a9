"""Advice about single tool calls, in armed sessions too: so it loads next to nothing."""

import os

from ..event import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event


def advise_after_failure(event: "Event") -> Answer | None:
    """Advise how to continue after a well-known failure, each advice once."""
    from ...core.tool_failures import find_advice

    kind, helps = find_advice(event.text("error"))
    if not kind or event.data.get("is_interrupt") is True:
        return None
    return Answer(context=f"ultrawork: {helps}.") if _is_new(event, kind) else None


def _is_new(event: "Event", kind: str) -> bool:
    """Return whether it is new. An armed session writes nothing into a project that did not ask for it; its trace is
    enough."""
    tool = event.text("tool_name")
    if not os.path.exists(f"{event.place}/.omc"):
        return _failures(event, tool, kind) <= 1
    from ...store.omc import failures
    from ...store.omc.folder import HASTE, Omc

    return bool(failures.take_new(Omc(event.place, HASTE), event.session, f"advice {tool} {kind}"))


def _failures(event: "Event", tool: str, kind: str) -> int:
    """Return how often the trace of this session holds that failure, including this one."""
    from ...core.tool_failures import find_advice
    from ...store import trace

    entries = trace.read_tail(event.home, event.session)
    errors = [str(entry.get("error") or "") for entry in entries if entry.get("tool") == tool]
    return sum(find_advice(error)[0] == kind for error in errors)


def warn_of_kill(event: "Event") -> Answer | None:
    """Warn in time; the user's permission still decides."""
    command = str(event.mapping("tool_input").get("command") or "")
    if "pkill" not in command:
        return None
    from ...core.routing.agent_calls import may_kill_session

    if not may_kill_session(command):
        return None
    return Answer(context="ultrawork: pkill -f would also kill this session. Use kill with a process id")
