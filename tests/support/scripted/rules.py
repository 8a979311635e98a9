"""A rule of a script: which requests it is for, and what it answers."""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .request import Request

TEXT_KEYS = ("system", "last", "prompt", "tool_result", "first", "any", "model", "session", "agent_id", "path")
OTHER_KEYS = ("agent", "turn", "nth", "tools", "no_tools", "header", "protocol")
MATCH_KEYS = {*TEXT_KEYS, *OTHER_KEYS, "tool_error", "stream"}
RULE_KEYS = {"name", "match", "reply", "replies", "after", "times", "scope"}
CONTENT_KEYS = {"text", "tool", "tools", "content", "thinking", "stop_reason", "usage", "error"}
TIMING_KEYS = {"delay", "chunk_delay", "drop_after", "wait_file"}
REPLY_KEYS = {*CONTENT_KEYS, *TIMING_KEYS, "headers", "model"}
STOP, REPEAT, CYCLE = "stop", "repeat", "cycle"
CONVERSATION, GLOBAL = "conversation", "global"


class ScriptError(ValueError):
    """The script has a mistake in it."""


class Rule:
    def __init__(self, raw: object, index: int) -> None:
        given = _checked_object(raw, index)
        self.name = str(given.get("name") or f"rule{index}")
        self.match: dict[str, Any] = given.get("match") or {}
        self.replies = self._checked_replies(given)
        self.after = self._one_of(
            given.get("after", STOP if "replies" in given else REPEAT), "after", STOP, REPEAT, CYCLE
        )
        self.scope = self._one_of(given.get("scope", CONVERSATION), "scope", CONVERSATION, GLOBAL)
        self.times: int | None = given.get("times")
        self.patterns = self._compiled()
        self.seen: dict[str, int] = {}
        self.used: dict[str, int] = {}
        self.total = 0

    def take(self, request: "Request") -> "dict[str, Any] | None":
        """Return the reply to this request, if the rule applies. The caller holds the engine's lock."""
        if not self._holds(request):
            return None
        key = request.conversation if self.scope == CONVERSATION else ""
        self.seen[key] = self.seen.get(key, 0) + 1
        if "nth" in self.match and not _number_fits(self.match["nth"], self.seen[key]):
            return None
        index = self._place(self.used.get(key, 0))
        if index is None:
            return None
        self.used[key] = self.used.get(key, 0) + 1
        self.total += 1
        return self.replies[index]

    def _place(self, used: int) -> int | None:
        """Return which reply comes next, or None if the rule is used up."""
        if self.times is not None and self.total >= self.times:
            return None
        if used < len(self.replies):
            return used
        after = {STOP: None, REPEAT: len(self.replies) - 1, CYCLE: used % len(self.replies)}
        return after[self.after]

    def _holds(self, request: "Request") -> bool:
        fits = (check(self.match[key], request) for key, check in _CHECKS.items() if key in self.match)
        return all(fits) and all(pattern.search(_subject(request, key)) for key, pattern in self.patterns.items())

    def _checked_replies(self, given: "dict[str, Any]") -> "list[dict[str, Any]]":
        unknown = set(self.match) - MATCH_KEYS
        if unknown:
            raise ScriptError(f"rule {self.name}: unknown match {sorted(unknown)}; known: {sorted(MATCH_KEYS)}")
        if ("reply" in given) == ("replies" in given):
            raise ScriptError(f"rule {self.name}: give exactly one of 'reply' and 'replies'")
        replies: list[dict[str, Any]] = given.get("replies") or [given.get("reply")]
        if any(not isinstance(reply, dict) or set(reply) - REPLY_KEYS for reply in replies):
            raise ScriptError(f"rule {self.name}: a reply has only keys of {sorted(REPLY_KEYS)}")
        return replies

    def _one_of(self, value: str, key: str, *known: str) -> str:
        if value not in known:
            raise ScriptError(f"rule {self.name}: '{key}' is one of {', '.join(known)}")
        return value

    def _compiled(self) -> "dict[str, re.Pattern[str]]":
        texts = {key: self.match[key] for key in TEXT_KEYS if key in self.match}
        headers = self.match.get("header") or {}
        texts |= {f"header:{name.lower()}": text for name, text in headers.items()}
        try:
            return {key: re.compile(text, re.DOTALL) for key, text in texts.items()}
        except (re.error, TypeError) as problem:
            raise ScriptError(f"rule {self.name}: not a pattern: {problem}") from problem


def _checked_object(raw: object, index: int) -> "dict[str, Any]":
    if not isinstance(raw, dict):
        raise ScriptError(f"rule {index} is not an object")
    unknown = set(raw) - RULE_KEYS
    if unknown:
        raise ScriptError(f"rule {index}: unknown {sorted(unknown)}; known: {sorted(RULE_KEYS)}")
    return raw


def _subject(request: "Request", key: str) -> str:
    kind, _, header = key.partition(":")
    return request.headers.get(header, "") if header else str(getattr(request, kind))


def _number_fits(want: object, value: int) -> bool:
    if isinstance(want, dict):
        return bool(want.get("min", 1) <= value <= want.get("max", value))
    if isinstance(want, list):
        return value in want
    if isinstance(want, int) and not isinstance(want, bool):
        return value == want
    raise ScriptError("turn and nth take a number, a list of numbers, or {'min':, 'max':}")


def _agent_fits(want: "str | list[str]", request: "Request") -> bool:
    return want == "any" or request.agent in ([want] if isinstance(want, str) else want)


_CHECKS: "dict[str, Callable[[Any, Request], bool]]" = {
    "agent": _agent_fits,
    "protocol": lambda want, request: want == request.protocol,
    "stream": lambda want, request: bool(want) == request.stream,
    "turn": lambda want, request: _number_fits(want, request.turn),
    "tool_error": lambda want, request: bool(want) == request.tool_error,
    "no_tools": lambda want, request: not (want and request.tools),
    "tools": lambda want, request: all(name in request.tools for name in want or ()),
}
