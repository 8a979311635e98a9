"""What a client accepts as a hook's answer, and what our hooks must never say."""

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_TOP = {
    "continue": bool, "stopReason": str, "systemMessage": str, "decision": str, "reason": str,
    "hookSpecificOutput": dict,
}  # fmt: skip
_SPECIFIC = {
    "hookEventName": str, "additionalContext": str, "permissionDecision": str,
    "permissionDecisionReason": str, "updatedInput": dict, "sessionTitle": str, "decision": dict,
}  # fmt: skip
# Events whose answer may carry text for the model.
_HEARD = (
    "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "PreToolUse", "PostToolUse", "PostToolUseFailure",
    "PostToolBatch", "Stop", "SubagentStop", "SubagentStart", "PermissionRequest", "Setup", "Notification",
    "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool",
)  # fmt: skip

# What is printed at these joins the client's own instructions.
_PLAIN = ("PreCompact",)


def wrong(event: str, out: str) -> str:
    """Return what is wrong with an answer; empty if the client accepts it and nothing was allowed."""
    if not out or (event in _PLAIN and out[0] not in "[{"):
        return ""
    try:
        answer = json.loads(out)
    except ValueError as error:
        return f"no JSON: {error}"
    if not isinstance(answer, dict) or not answer:
        return "not an object with something in it"
    return _unknown(answer, _TOP) or _decision(answer) or _in_detail(event, answer)


def _unknown(found: "dict[str, Any]", known: "Mapping[str, type]") -> str:
    for key, value in found.items():
        if key not in known:
            return f"{key} is no key that the client knows"
        if not isinstance(value, known[key]):
            return f"{key} is a {type(value).__name__}"
    return ""


def _decision(answer: "dict[str, Any]") -> str:
    if answer.get("decision", "block") != "block":
        return f"decision is {answer['decision']}"
    if "decision" in answer and not answer.get("reason"):
        return "blocks without a reason"
    return "ends the turn without a word" if answer.get("continue") is False and not answer.get("stopReason") else ""


def _in_detail(event: str, answer: "dict[str, Any]") -> str:
    specific = answer.get("hookSpecificOutput")
    if specific is None:
        return ""
    if event not in _HEARD:
        return f"{event} has no answer of its own"
    permission = (specific.get("decision") or {}).get("behavior")
    if specific.get("permissionDecision", "deny") != "deny" or permission not in (None, "deny"):
        return f"allows: {specific}"
    return _unknown(specific, _SPECIFIC)
