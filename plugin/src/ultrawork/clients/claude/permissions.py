"""Claude Code's settings: which commands it lets pass without a question, and whether it runs them in a sandbox."""

import os

from ...core.stop import gate_limits
from ...store import markers
from ..records import read_section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..client import HookEvent

# Under managed settings, we do not work out what an organization allows.
_MANAGED = ("/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json")
_SIZE = 4_000_000


def list_ruled(event: "HookEvent", commands: "Sequence[str]") -> list[str]:
    """Return the commands that a client rule covers now. Called when the session starts: a rule that the agent writes
    later is not the user's."""
    if any(os.path.exists(path) for path in _MANAGED):
        return []
    allow = list(_rules(event, "allow"))
    refuse = list_refusing(event)
    return [command for command in commands if gate_limits.is_allowed_by_rules(command, allow=allow, refuse=refuse)]


def is_refused(event: "HookEvent", command: str) -> bool:
    """Return whether the user wants to be asked about this command, or denied it."""
    managed = any(os.path.exists(path) for path in _MANAGED)
    return managed or gate_limits.is_refused_by_rules(command, list_refusing(event))


def list_refusing(event: "HookEvent") -> list[str]:
    """The rules of the client that ask or deny."""
    return [*_rules(event, "ask"), *_rules(event, "deny")]


def is_sandboxed(event: "HookEvent") -> bool:
    """Return whether any settings enable the sandbox."""
    return any(read_section(setting, "sandbox").get("enabled") is True for setting in _settings(event))


def _rules(event: "HookEvent", kind: str) -> "Iterator[str]":
    for settings in _settings(event):
        rules = read_section(settings, "permissions").get(kind)
        yield from (rule for rule in rules if isinstance(rule, str)) if isinstance(rules, list) else ()


def _settings(event: "HookEvent") -> "list[dict[str, Any]]":
    settings: list[dict[str, Any]] = event.once(("client settings",), lambda: list(_read_settings(event)))
    return settings


def _read_settings(event: "HookEvent") -> "Iterator[dict[str, Any]]":
    environ = event.environ
    own = environ.get("CLAUDE_CONFIG_DIR") or f"{environ.get('HOME', '')}/.claude"
    project = environ.get("CLAUDE_PROJECT_DIR") or event.place
    for path in (
        *_MANAGED,
        f"{own}/settings.json",
        f"{project}/.claude/settings.json",
        f"{project}/.claude/settings.local.json",
    ):
        settings = markers.read(path, _SIZE)
        if settings is not None:
            yield settings
