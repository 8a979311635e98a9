"""The clients' hook files, made from the table of events: `python -m ultrawork.hooks.manifest` writes them."""

from .table import HANDLERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LAUNCHER = "${CLAUDE_PLUGIN_ROOT}/bin/ultrawork-hook"
_TIMEOUTS = {"Stop": 300, "SubagentStop": 300, "UserPromptSubmit": 60, "UserPromptExpansion": 60}
_STATUS = {"Stop": "ultrawork checks the work", "SubagentStop": "ultrawork checks a task"}
# Codex knows fewer events; naming others does no harm there, but says less than it seems to.
_CODEX = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStop")


def claude() -> "dict[str, Any]":
    """Exec form: no shell between the client and the launcher, blanks in paths do no harm."""
    return {
        "description": "ultrawork: work until the project's own checks are green, or say that they are not",
        "hooks": {event: [{"hooks": [_exec(event)]}] for event in HANDLERS},
    }


def _exec(event: str) -> "dict[str, Any]":
    return {"type": "command", "command": "/bin/sh", "args": [_LAUNCHER, event], **_extras(event)}


def codex() -> "dict[str, Any]":
    """Codex ignores `args`: one quoted shell line does the same."""
    return {
        "hooks": {
            event: [
                {
                    "hooks": [
                        {"type": "command", "command": f'"{_LAUNCHER}" {event}', **_extras(event)}
                    ]
                }
            ]
            for event in HANDLERS
            if event in _CODEX
        }
    }


def _extras(event: str) -> "dict[str, Any]":
    extras: dict[str, Any] = {}
    if event in _TIMEOUTS:
        extras["timeout"] = _TIMEOUTS[event]
    if event in _STATUS:
        extras["statusMessage"] = _STATUS[event]
    return extras


def main() -> None:
    import os

    from ..store import atomic
    from ..store.fast import pretty

    root = os.path.dirname(os.path.abspath(__file__)).rsplit("/", 3)[0]
    atomic.write(f"{root}/hooks/hooks.json", pretty(claude()), mode=0o644)
    atomic.write(f"{root}/hooks/codex.json", pretty(codex()), mode=0o644)


if __name__ == "__main__":
    main()
