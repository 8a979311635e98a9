"""What Claude Code's transcript reports of each answer: the model, its tokens, and in some versions its cost."""

import os
from collections.abc import Iterator
from typing import Any

from ...core.run.prices import USAGE, MessageUsage, clip_name, count_tokens, parse_moment, read_cost
from ..records import list_records

# Answers that the client itself made up, such as errors.
_MADE_UP = "<synthetic>"


def list_usage(path: str, since: float) -> Iterator[MessageUsage]:
    """Yield each answer of a conversation and its agents since a time, once: it fills several lines, and the newest
    has its final counts."""
    yield from _read(path, since, "")
    folder = f"{path.removesuffix('.jsonl')}/subagents"
    try:
        names = sorted(os.listdir(folder))
    except (OSError, ValueError):
        return
    for name in names:
        if name.endswith(".jsonl"):
            yield from _read(f"{folder}/{name}", since, name.removesuffix(".jsonl"))


def _read(path: str, since: float, agent: str) -> Iterator[MessageUsage]:
    seen = set()
    for record in list_records(path, b'"usage"'):
        at = parse_moment(record.get("timestamp"))
        if record.get("type") != "assistant" or at is None:
            continue
        if at < since:
            return
        message_usage = _read_answer(record, at, agent)
        if message_usage is not None and message_usage.message not in seen:
            seen.add(message_usage.message)
            yield message_usage


def _read_answer(record: dict[str, Any], at: float, agent: str) -> MessageUsage | None:
    message = record.get("message")
    usage = message.get("usage") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(usage, dict) or not message.get("id"):
        return None
    model = clip_name(message.get("model"))
    if model == _MADE_UP:
        return None
    counts = tuple(count_tokens(usage.get(key)) for key in USAGE)
    return MessageUsage(clip_name(message["id"]), at, model, counts, agent, read_cost(record.get("costUSD")))
