"""The wire formats by path: `read`, `whole`, `events`, `error` and `counted` of each."""

import re

from . import anthropic, chat, gemini, responses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

WIRES: "dict[str, ModuleType]" = {"anthropic": anthropic, "responses": responses, "chat": chat, "gemini": gemini}
_PATHS = (
    ("anthropic", re.compile(r"/messages(/count_tokens)?$")),
    ("chat", re.compile(r"/chat/completions$")),
    ("responses", re.compile(r"/responses$")),
    ("gemini", re.compile(r":((stream)?[gG]enerateContent|countTokens)$")),
)
_ERROR_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def protocol_of(path: str) -> str:
    """The name of the wire format spoken at a path, or an empty string."""
    bare = path.partition("?")[0]
    return next((name for name, pattern in _PATHS if pattern.search(bare)), "")


def counts_tokens(path: str) -> bool:
    return path.partition("?")[0].endswith(("/count_tokens", ":countTokens"))


def error_body(protocol: str, error: "dict[str, Any]") -> "dict[str, Any]":
    status = int(error.get("status", 500))
    kind = error.get("type") or _ERROR_KINDS.get(status, "api_error")
    message = error.get("message") or f"scripted {kind}"
    body: dict[str, Any] = WIRES[protocol].error(status, kind, message)
    return body
