"""Our answers in Codex's form. It discards a whole answer for one unknown key."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..client import HookEvent

_PROMPT = "UserPromptSubmit"
_STOPS = ("Stop", "SubagentStop")
_ANSWERED = (
    "ultrawork has already answered this message in the terminal. Do not reply to it; continue the work."
    " The answer was:\n{}"
)


def fit_answer(output: "dict[str, Any]", event: "HookEvent") -> "dict[str, Any]":
    output = spell_skills(output)
    if event.name == _PROMPT and _ends_turn(output):
        _keep_turn(output, event)
    specific = output.get("hookSpecificOutput")
    if not isinstance(specific, dict):
        return output
    specific.pop("sessionTitle", None)
    if event.name in _STOPS:
        del output["hookSpecificOutput"]
        _refuse(output, specific.get("additionalContext"))
    elif len(specific) == 1:
        del output["hookSpecificOutput"]
    return output


def spell_skills(value: "Any") -> "Any":
    """Advice that can be typed: a skill is called with another sign there."""
    if isinstance(value, str):
        return value.replace("/ultrawork:", "$ultrawork:")
    if isinstance(value, dict):
        return {key: spell_skills(part) for key, part in value.items()}
    return value


def _ends_turn(output: "dict[str, Any]") -> bool:
    return output.get("continue") is False or output.get("decision") == "block"


def _keep_turn(output: "dict[str, Any]", event: "HookEvent") -> None:
    """Keep the turn: what is typed while the agent works joins its turn, and a refused prompt would end it."""
    from .record import has_prompt

    if not has_prompt(event.text("transcript_path"), event.text("turn_id")):
        return
    reason = str(output.pop("stopReason", "") or output.pop("reason", ""))
    for key in ("continue", "decision"):
        output.pop(key, None)
    shown = (output.get("systemMessage"), reason)
    output["systemMessage"] = "\n".join(text for text in shown if text)
    output["hookSpecificOutput"] = {"hookEventName": _PROMPT, "additionalContext": _ANSWERED.format(reason)}


def _refuse(output: "dict[str, Any]", feedback: str | None) -> None:
    """A stop can only be refused or allowed: Codex has no milder form."""
    if feedback and "continue" not in output:
        reasons = (output.get("reason"), feedback)
        output.update(decision="block", reason="\n".join(reason for reason in reasons if reason))
