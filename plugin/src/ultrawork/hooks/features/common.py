"""Shared code of several features that loads nothing."""

import os

from ...store.atomic import read_text
from ..event import Event


def fit(text: str, room: int, name: str) -> str:
    data = text.encode("utf-8", "replace")
    if len(data) <= room:
        return text
    more = f"\n… ({len(data) - room} more bytes: {name})"
    return data[:room].decode("utf-8", "ignore") + more


def make_relative(event: Event, path: str) -> str:
    """Return a file's path in the worktree; empty if it is outside."""
    real = os.path.realpath(path)
    return real[len(event.place) + 1 :] if real.startswith(f"{event.place}/") else ""


def mask_secrets(event: Event, text: str) -> str:
    """Return the text without secrets: stored text is shown again, where others may read it."""
    from ...core import redact

    return redact.redact(text, event.environ) if redact.may_hold_secret(text, event.environ) else text


def read_project_file(top: str, name: str) -> str:
    """Return a file of the project; a link in its place, or a folder that leads elsewhere, has none."""
    path = f"{top}/{name}"
    if os.path.islink(path) or not os.path.realpath(path).startswith(f"{top}/"):
        return ""
    return read_text(path, 100_000) or ""


def note_enforced(event: Event, kind: str, **facts: str) -> None:
    """Log what was enforced; it applies even if it cannot be logged."""
    from ...core.errors import UltraworkError
    from ...store import log

    try:
        given = {"session": event.session, **facts}
        log.write_audit(event.home, kind, given, event.environ, event.clock())
    except (OSError, UltraworkError):
        pass


def is_guide_read_by_client(event: Event) -> bool:
    """
    Whether the client reads AGENTS.md itself.
    """
    own = read_project_file(event.place, event.adapter.guide) if event.adapter.guide else ""
    return event.adapter.reads_guide(event.environ, own)
