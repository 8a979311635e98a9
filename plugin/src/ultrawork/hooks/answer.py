"""What a handler answers, and how the answers of one event become the one JSON that the client reads."""

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Answer(Value):
    """An answer. `context` goes to the model, `message` to the user. `block` refuses (a stop, a prompt), `feedback`
    does so without looking like an error, `deny` refuses a tool call, `end` ends the turn with a message, `plain` is
    printed as is, `wake` wakes an idle agent with this text, `input` replaces a tool's input, `permit` grants a
    permission request, `terminal` is a control sequence that the client writes to its terminal: a bell, a
    notification."""

    context: str = ""
    message: str = ""
    block: str = ""
    feedback: str = ""
    deny: str = ""
    end: str = ""
    plain: str = ""
    title: str = ""
    wake: str = ""
    terminal: str = ""
    permit: bool = False
    input: "dict[str, Any] | None" = None


_SHOWN = ("context", "message", "block", "feedback", "deny", "end", "plain", "title", "wake")


def merge(event: str, answers: "Sequence[Answer]") -> "dict[str, Any] | str | None":
    """Return one answer for the client; None if there is nothing to say. External text is stripped of control
    characters."""
    for answer in answers:
        for name in _SHOWN:
            text = getattr(answer, name)
            if text and not text.isprintable():
                from ..core.wording import strip_controls

                setattr(answer, name, strip_controls(text))
    plain = "\n".join(answer.plain for answer in answers if answer.plain)
    if plain:
        return plain
    output: dict[str, Any] = {}
    _put(output, "systemMessage", "\n".join(a.message for a in answers if a.message))
    _put(output, "terminalSequence", next((a.terminal for a in answers if a.terminal), ""))
    end = next((answer.end for answer in answers if answer.end), "")
    block = "\n".join(answer.block for answer in answers if answer.block)
    if end:
        output.update({"continue": False, "stopReason": end})
    elif block:
        output.update({"decision": "block", "reason": block})
    specific = _specific(event, answers)
    if specific:
        output["hookSpecificOutput"] = {"hookEventName": event, **specific}
    return output or None


def _specific(event: str, answers: "Sequence[Answer]") -> "dict[str, Any]":
    specific: dict[str, Any] = {}
    texts = [text for answer in answers for text in (answer.context, answer.feedback) if text]
    _put(specific, "additionalContext", "\n\n".join(texts))
    if event == "UserPromptSubmit":
        _put(specific, "sessionTitle", next((a.title for a in answers if a.title), ""))
    if event == "PermissionRequest" and any(answer.permit for answer in answers):
        specific["decision"] = {"behavior": "allow"}
    if event == "PreToolUse":
        deny = next((answer.deny for answer in answers if answer.deny), "")
        if deny:
            specific.update({"permissionDecision": "deny", "permissionDecisionReason": deny})
        changed = next((answer.input for answer in answers if answer.input is not None), None)
        if changed is not None and not deny:
            specific["updatedInput"] = changed
    return specific


def _put(target: "dict[str, Any]", key: str, value: str) -> None:
    if value:
        target[key] = value
