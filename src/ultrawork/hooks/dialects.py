"""An answer as the client that asked reads it: Claude Code's form, bent to what others take."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .event import Event

_STOPS = ("Stop", "SubagentStop")


def fitted(output: "dict[str, Any]", event: "Event") -> "dict[str, Any]":
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
