"""
The client's own settings: which commands it lets pass without a question, and whether it runs them in a sandbox.

Which commands a hook may run in this session, from everything that counts as the person's word.
"""

import os

from ..core.stop import gate_limits
from ..store import markers, receipts
from . import transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from ..core.session.session import Session
    from .event import Event

# Where an organisation rules, what it allows is not for us to work out.
_MANAGED = (
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
)
_SIZE = 4_000_000


def list_ruled(event: "Event", commands: "Sequence[str]") -> list[str]:
    """
    The commands that a rule of the client covers at this moment. It is asked when the session is
    switched on: a rule that the agent writes later is not the person's.
    """
    if event.is_codex or any(os.path.exists(path) for path in _MANAGED):
        return []
    allow = list(_rules(event, "allow"))
    refuse = [*_rules(event, "ask"), *_rules(event, "deny")]
    return [
        command
        for command in commands
        if gate_limits.is_allowed_by_rules(command, allow=allow, refuse=refuse)
    ]


def is_refused(event: "Event", command: str) -> bool:
    """Whether somebody wants to be asked about this command, or has said no to it."""
    rules = [*_rules(event, "ask"), *_rules(event, "deny")]
    managed = any(os.path.exists(path) for path in _MANAGED)
    return managed or not gate_limits.is_allowed_by_rules(command, allow=("Bash",), refuse=rules)


def is_sandboxed(event: "Event") -> bool:
    """
    Claude Code where any settings say so. Codex calls its mode open as soon as it asks nothing, sandbox or not:
    only its record tells.
    """
    if event.is_codex:
        return not transcript.is_unconfined(event.text("transcript_path"))
    return any(_section(one, "sandbox").get("enabled") is True for one in _settings(event))


def _rules(event: "Event", kind: str) -> "Iterator[str]":
    for settings in _settings(event):
        found = _section(settings, "permissions").get(kind)
        yield from (one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def _settings(event: "Event") -> "Iterator[dict[str, Any]]":
    environ = event.environ
    own = environ.get("CLAUDE_CONFIG_DIR") or f"{environ.get('HOME', '')}/.claude"
    project = environ.get("CLAUDE_PROJECT_DIR") or event.place
    for path in (
        *_MANAGED,
        f"{own}/settings.json",
        f"{project}/.claude/settings.json",
        f"{project}/.claude/settings.local.json",
    ):
        found = markers.read(path, _SIZE)
        if found is not None:
            yield found


def _section(settings: "dict[str, Any]", name: str) -> "dict[str, Any]":
    value = settings.get(name)
    return value if isinstance(value, dict) else {}


def make_asker(
    event: "Event", session: "Session", entries: "Sequence[dict[str, Any]]"
) -> "Callable[[str], bool]":
    """
    The mode lets everything pass, or the person allowed this command, or a rule of the client did when
    the session began, or it ran in this session: a call that was denied leaves no entry.
    """
    from ..core.verdict import goals

    if goals.forbids_running(session.goal):
        return lambda _command: False
    mode, sandboxed = event.text("permission_mode"), is_sandboxed(event)
    ruled = session.state.ulw.get("ruled")
    known = {*(ruled if isinstance(ruled, list) else ()), *list_run_commands(entries)}

    def may_run(command: str) -> bool:
        allowed = receipts.is_allowed(event.store.database, session.working_dir, command)
        return gate_limits.may_run_command(
            mode, command, allowed=allowed, known=known, sandboxed=sandboxed
        )

    return may_run


def list_run_commands(entries: "Sequence[dict[str, Any]]") -> list[str]:
    """Commands that the client let run."""
    return [
        str(entry["what"])
        for entry in entries
        if entry.get("tool") == "Bash" and entry.get("what") and not entry.get("cut")
    ]
