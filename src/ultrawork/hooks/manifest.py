"""The clients' hook files, made from the table of events: `python -m ultrawork.hooks.manifest` writes them."""

from .table import AGENT_CALL, AGENT_TOOLS, BESIDE, HANDLERS, STATUS, TIMEOUTS, WAKE, WAKING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LAUNCHER = "${CLAUDE_PLUGIN_ROOT}/bin/ultrawork-hook"
# The copy that the session runs on, else the plugin's own. Where neither is there, nothing is in the way: a shell
# that cannot open its script may exit with 2, by which clients mean a refusal. No `${`: clients fill those in.
_START = (
    'h=$ULTRAWORK_HOME; [ -n "$h" ] || h=$HOME/.claude/ultrawork; f='
    '; [ -r "$h/program/$CLAUDE_CODE_SESSION_ID" ] && IFS= read -r f <"$h/program/$CLAUDE_CODE_SESSION_ID"'
    '; f=$f/bin/ultrawork-hook; [ -r "$f" ] || f=$0; [ -r "$f" ] || exit 0; exec /bin/sh "$f" "$@"'
)
# Codex knows fewer events; naming others does no harm there, but says less than it seems to. Its questions for
# permission are left to it: its rules are not ours to read, and its checks run in its sandbox without asking.
CODEX_EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStart", "SubagentStop",
    "PreCompact", "SessionEnd",
)  # fmt: skip


def make_claude() -> "dict[str, Any]":
    """Exec form: no shell between the client and the launcher, blanks in paths do no harm."""
    events = dict.fromkeys([*HANDLERS, *WAKING])
    return {
        "description": "ultrawork: work until the project's own checks are green, or say that they are not",
        "hooks": {event: [{"hooks": _handlers(event)}, *_more(event)] for event in events},
    }


def _more(event: str) -> "list[dict[str, Any]]":
    """Calls of agents reach us also while nothing is on; the launcher sees that they do so once."""
    if event != "PreToolUse":
        return []
    return [{"matcher": "|".join(AGENT_TOOLS), "hooks": [_exec(AGENT_CALL)]}]


def _handlers(event: str) -> "list[dict[str, Any]]":
    own = {**_exec(event), "asyncRewake": True} if event in BESIDE else _exec(event)
    found = [own] if event in HANDLERS else []
    return found + ([{**_exec(WAKE), "asyncRewake": True}] if event in WAKING else [])


def _exec(event: str) -> "dict[str, Any]":
    args = ["-c", _START, _LAUNCHER, event]
    return {"type": "command", "command": "/bin/sh", "args": args, **_extras(event)}


def make_codex() -> "dict[str, Any]":
    """Codex ignores `args` and tells no session: one quoted shell line starts the plugin's own, if it is there."""
    return {
        "hooks": {
            event: [
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": f'[ ! -r "{_LAUNCHER}" ] || exec /bin/sh "{_LAUNCHER}" {event}',
                            **_extras(event),
                        }
                    ]
                }
            ]
            for event in CODEX_EVENTS
        }
    }


def _extras(event: str) -> "dict[str, Any]":
    extras: dict[str, Any] = {}
    if event in TIMEOUTS:
        extras["timeout"] = TIMEOUTS[event]
    if event in STATUS:
        extras["statusMessage"] = STATUS[event]
    return extras


def main() -> None:
    import os

    from ..store import atomic
    from ..store.codec import dumps_pretty

    root = os.path.dirname(os.path.abspath(__file__)).rsplit("/", 3)[0]
    atomic.write(f"{root}/hooks/hooks.json", dumps_pretty(make_claude()), mode=0o644)
    atomic.write(f"{root}/hooks/codex.json", dumps_pretty(make_codex()), mode=0o644)


if __name__ == "__main__":
    main()
