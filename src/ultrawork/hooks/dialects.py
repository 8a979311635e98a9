"""An answer as the client that asked reads it: Claude Code's form, bent to what others take."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .event import Event

_STOPS = ("Stop", "SubagentStop")
# What Codex calls its tools for agents, with and without their namespace.
_SPAWNS = ("spawn_agent", "multi_agent_v1spawn_agent")
_WAITS = ("wait_agent", "multi_agent_v1wait_agent")


def translate_call(data: "dict[str, Any]") -> "dict[str, Any]":
    """A call for an agent in Claude Code's words; the end of a wait is the end of an agent's call."""
    if data["tool_name"] not in (*_SPAWNS, *_WAITS):
        return data
    from ..core.course import step_text

    given = data.get("tool_input")
    message = given.get("message") if isinstance(given, dict) else None
    prompt = message if isinstance(message, str) and data["tool_name"] in _SPAWNS else ""
    asked = {"prompt": prompt, "subagent_type": step_text.parse_fields(prompt).get("AGENT", "")}
    answer = {"agentId": _agent(data.get("tool_response"))} if prompt else {}
    return {**data, "tool_name": "Agent", "tool_input": asked, "tool_response": answer}


def _agent(response: object) -> str:
    from ..store.codec import loads

    try:
        found = loads(response) if isinstance(response, str) else None
    except ValueError:
        return ""
    name = found.get("agent_id") if isinstance(found, dict) else None
    return name if isinstance(name, str) else ""


def fit_answer(output: "dict[str, Any]", event: "Event") -> "dict[str, Any]":
    specific = output.get("hookSpecificOutput")
    if not isinstance(specific, dict):
        return output
    if event.is_codex:
        return _for_codex(output, specific, event.name)
    # Gemini reads its own event names.
    specific["hookEventName"] = event.data["hook_event_name"]
    return output


def _for_codex(output: "dict[str, Any]", specific: "dict[str, Any]", name: str) -> "dict[str, Any]":
    """It throws an answer away, whole, for one key that it does not know."""
    specific.pop("sessionTitle", None)
    if name in _STOPS:
        del output["hookSpecificOutput"]
        _refuse(output, specific.get("additionalContext"))
    elif len(specific) == 1:
        del output["hookSpecificOutput"]
    return output


def _refuse(output: "dict[str, Any]", feedback: str | None) -> None:
    """A stop is refused or it is not: there is no milder form."""
    if feedback and "continue" not in output:
        reasons = (output.get("reason"), feedback)
        output.update(decision="block", reason="\n".join(one for one in reasons if one))
