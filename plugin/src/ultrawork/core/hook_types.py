"""Validate every event before a handler sees it: the fifteen hook types, which are sensitive, their required fields,
and how the spellings of several clients become ours."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Kinds = Mapping[str, tuple[type, ...]]

PERMISSION = "permission-request"
_PLACE = ("session_id", "cwd")
# Hook type: the client's event, whether it is sensitive, its required fields.
TYPES: dict[str, tuple[str, bool, tuple[str, ...]]] = {
    "keyword-detector": ("UserPromptSubmit", False, ()),
    "stop-continuation": ("Stop", False, ()),
    "ralph": ("Stop", False, ()),
    "persistent-mode": ("Stop", False, ()),
    "session-start": ("SessionStart", False, ()),
    "session-end": ("SessionEnd", True, _PLACE),
    "pre-tool-use": ("PreToolUse", False, ()),
    "post-tool-use": ("PostToolUse", False, ()),
    "autopilot": ("UserPromptSubmit", False, ()),
    "subagent-start": ("SubagentStart", False, _PLACE),
    "subagent-stop": ("SubagentStop", False, _PLACE),
    "pre-compact": ("PreCompact", False, _PLACE),
    "setup-init": ("Setup", True, _PLACE),
    "setup-maintenance": ("Setup", True, _PLACE),
    PERMISSION: ("PermissionRequest", True, (*_PLACE, "tool_name")),
}
_TYPE_OF = {event: name for name, (event, _, _) in reversed(TYPES.items())}
_TYPE_OF["PostToolUseFailure"] = "post-tool-use"


@dataclass(slots=True)
class HookInput:
    """`missing` are keys without which the event is not handled; `warnings` say what was put aside."""

    data: dict[str, Any]
    missing: list[str]
    warnings: list[str]


def find_type(event: str, data: Mapping[str, Any]) -> str:
    """Return the hook type of a client's event; empty for events that document 004 has no type for."""
    if event == "Setup" and data.get("trigger") == "maintenance":
        return "setup-maintenance"
    return _TYPE_OF.get(event, "")


def find_event(name: str) -> str:
    """Return the client's event for a hook type; any other name is its own."""
    return TYPES[name][0] if name in TYPES else name


def is_sensitive_type(hook_type: str) -> bool:
    return TYPES[hook_type][1] if hook_type in TYPES else False


def list_required(hook_type: str) -> tuple[str, ...]:
    return TYPES[hook_type][2] if hook_type in TYPES else ()


def check_input(raw: object, hook_type: str, *, kinds: Kinds, spellings: Mapping[str, str]) -> HookInput:
    """Return the checked input. Our own names take precedence over another client's spelling. A value of the wrong
    type is dropped. Of a sensitive type only known fields are kept, and the others are dropped silently."""
    given = raw if isinstance(raw, dict) else {}
    warnings: list[str] = []
    data: dict[str, Any] = {}
    for name, value in _ours_first(given, spellings):
        if value is None or name in data:
            continue
        kind = kinds.get(name)
        if kind is not None and kind and type(value) not in kind:
            warnings.append(f"{name} is {_name_type(value)}, not {_wanted(kind)}; it was ignored")
        elif kind is not None or not is_sensitive_type(hook_type):
            data[name] = value
    missing = [key for key in list_required(hook_type) if not data.get(key)]
    return HookInput(data, missing, warnings)


def _ours_first(given: Mapping[str, Any], spellings: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    for name, value in given.items():
        if name not in spellings:
            yield name, value
    for other, ours in spellings.items():
        if other in given:
            yield ours, given[other]


def has_succeeded(data: Mapping[str, Any]) -> bool:
    """Return whether the agent succeeded; silence counts as success."""
    return data.get("success") is not False


def find_prompt_text(data: Mapping[str, Any]) -> str:
    """Return what the user said: the prompt, else the message's content, else its text parts."""
    prompt, message = data.get("prompt"), data.get("message")
    if isinstance(prompt, str) and prompt:
        return prompt
    content = message.get("content") if isinstance(message, dict) else message
    return content if isinstance(content, str) and content else join_text(data.get("parts"))


def join_text(parts: object, joint: str = " ") -> str:
    blocks = parts if isinstance(parts, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return joint.join(text for text in texts if isinstance(text, str))


_NAMES = {
    "str": "text", "dict": "an object", "list": "a list", "bool": "true or false", "int": "a number", "float": "a number",
}  # fmt: skip


def _name_type(value: object) -> str:
    return _NAMES.get(type(value).__name__, type(value).__name__)


def _wanted(kind: tuple[type, ...]) -> str:
    return " or ".join(dict.fromkeys(_NAMES.get(alternative.__name__, alternative.__name__) for alternative in kind))
