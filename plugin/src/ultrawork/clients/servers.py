"""What clients tell a tool server: who they are, and whose call it is."""

from collections.abc import Mapping
from typing import Any

# Clients that show the model only names, and a tool once it is wanted.
_DEFERRING = ("claude-code",)
# What Codex sends with each call.
_TURN = "x-codex-turn-metadata"


def is_told_all(hello: Mapping[str, Any]) -> bool:
    """Return whether the client with this hello gets every tool, or the short list."""
    info = hello.get("clientInfo")
    return isinstance(info, dict) and info.get("name") in _DEFERRING


def read_call_origin(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return the session of a call, and whether its agent works in a sandbox."""
    given = meta.get(_TURN)
    turn = given if isinstance(given, dict) else {}
    session = turn.get("session_id") or meta.get("sessionId")
    free = turn.get("sandbox_mode") in (None, "danger-full-access")
    return {"session": session if isinstance(session, str) else "", "confined": not free}
