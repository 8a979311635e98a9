"""The rules of a script, and the record of the requests."""

import json
import re
import threading
import time

from .rules import Rule, ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

    from .request import Request

DEFAULT_REPLY = {"text": "ok"}
SECRET_HEADERS = frozenset(("authorization", "x-api-key", "x-goog-api-key", "cookie", "proxy-authorization"))
LOGGED_KEYS = ("text", "tool", "tools", "error", "stop_reason")
_PLACEHOLDER = re.compile(
    r"\{\{(turn|model|agent_id|session|(?:last|first|any|system|tool_result|prompt):.*?)\}\}", re.DOTALL
)


class Engine:
    def __init__(self, script: object, log: str | None = None, *, bodies: bool = False) -> None:
        rules, default = _parts_of(script)
        self.rules = [Rule(raw, index) for index, raw in enumerate(rules)]
        self.default = default
        self.requests: list[dict[str, Any]] = []
        self._bodies = bodies
        self._lock = threading.Lock()
        self._log: TextIO | None = open(log, "a", encoding="utf-8") if log else None  # noqa: SIM115 - lives as long as the engine

    def decide(self, request: "Request") -> "dict[str, Any]":
        """Return the reply to a request; it is recorded before it is given."""
        with self._lock:
            name, chosen = self._choose(request)
            reply: dict[str, Any] = fill(chosen, request)
            fields = {"rule": name, **request.summary(), **self._body(request)}
            fields["reply"] = {key: reply[key] for key in LOGGED_KEYS if key in reply}
            self._record(fields)
        return reply

    def note(self, **fields: object) -> None:
        with self._lock:
            self._record(fields)

    def stats(self) -> "dict[str, Any]":
        with self._lock:
            return {
                "requests": len(self.requests),
                "rules": {rule.name: rule.total for rule in self.rules},
                "unmatched": sum(record.get("rule") == "default" for record in self.requests),
            }

    def close(self) -> None:
        if self._log:
            self._log.close()
            self._log = None

    def _choose(self, request: "Request") -> "tuple[str, dict[str, Any]]":
        for rule in self.rules:
            chosen = rule.take(request)
            if chosen is not None:
                return rule.name, chosen
        return "default", self.default

    def _body(self, request: "Request") -> "dict[str, Any]":
        if not self._bodies:
            return {}
        masked = {name: "***" if name in SECRET_HEADERS else value for name, value in request.headers.items()}
        return {"headers": masked, "body": request.body}

    def _record(self, fields: "dict[str, Any]") -> None:
        record = {"n": len(self.requests) + 1, "t": round(time.time(), 3), **fields}
        self.requests.append(record)
        if self._log:
            self._log.write(json.dumps(record) + "\n")
            self._log.flush()


def _parts_of(script: object) -> "tuple[list[Any], dict[str, Any]]":
    if isinstance(script, list):
        return script, DEFAULT_REPLY
    if isinstance(script, dict):
        return script.get("rules") or [], script.get("default") or DEFAULT_REPLY
    raise ScriptError("a script is a list of rules, or {'rules': [...], 'default': {...}}")


def fill(value: "Any", request: "Request") -> "Any":
    """A reply with every `{{...}}` in its strings replaced."""
    if isinstance(value, dict):
        return {key: fill(inner, request) for key, inner in value.items()}
    if isinstance(value, list):
        return [fill(inner, request) for inner in value]
    if isinstance(value, str) and "{{" in value:
        return _PLACEHOLDER.sub(lambda found: _filled(found.group(1), request), value)
    return value


def _filled(word: str, request: "Request") -> str:
    """Return group 1, or the whole, of the *last* match of `last:REGEX`; else the field itself."""
    field, _, pattern = word.partition(":")
    text = str(getattr(request, field))
    if not pattern:
        return text
    hits = list(re.finditer(pattern, text, re.DOTALL))
    return str(hits[-1].group(1 if hits[-1].re.groups else 0)) if hits else ""
