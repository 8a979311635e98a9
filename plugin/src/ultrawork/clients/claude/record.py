"""What Claude Code records about a session: its `/goal`, what the model scheduled, what was typed, what is queued."""

from ..records import join_blocks, list_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_SCHEDULERS = ("ScheduleWakeup", "CronCreate")


def is_goal_on(path: str) -> bool:
    """Return whether a goal is on: the client records each evaluation and its end."""
    for record in list_records(path, b'"goal_status"'):
        attachment = record.get("attachment")
        if isinstance(attachment, dict) and attachment.get("type") == "goal_status":
            return attachment.get("met") is False
    return False


def list_scheduled(path: str) -> "Iterator[str]":
    """Prompts that the model set up for later: they come back without any mark."""
    for tool in _SCHEDULERS:
        for record in list_records(path, f'"{tool}"'.encode()):
            message = record.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            for block in content if isinstance(content, list) else []:
                yield from _prompt(block)


def _prompt(block: object) -> "Iterator[str]":
    if isinstance(block, dict) and block.get("name") in _SCHEDULERS:
        given = block.get("input")
        prompt = given.get("prompt") if isinstance(given, dict) else None
        if isinstance(prompt, str):
            yield prompt.strip()


def list_queued(path: str) -> list[str]:
    """Return what the user typed while the model worked and the client has not passed on, oldest first."""
    prompts: list[str] = []
    changes = list(list_records(path, b'"queue-operation"'))
    for record in reversed(changes):
        if record.get("operation") == "enqueue":
            prompts.append(str(record.get("content") or "").strip())
        elif record.get("operation") == "popAll":
            prompts.clear()
        else:
            del prompts[:1]
    return prompts


def list_requests(path: str) -> "Iterator[str]":
    """Return what was typed in this conversation, newest first."""
    return filter(None, map(_read_prompt, list_records(path, b'"user"')))


def _read_prompt(record: "dict[str, Any]") -> str:
    """A prompt is a message of the user, as is what tools gave."""
    message = record.get("message")
    machine_made = record.get("isMeta") or record.get("isSidechain")
    if record.get("type") != "user" or machine_made or not isinstance(message, dict):
        return ""
    return join_blocks(message.get("content"))
