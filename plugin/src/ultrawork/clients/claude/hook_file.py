"""Claude Code's hook file. Exec form: no shell between the client and the launcher, blanks in paths do no harm."""

from typing import Any

from ..hook_file import LAUNCHER, HookTable

# The session's copy, else the plugin's own. If neither exists, nothing blocks: a shell that cannot open its script may
# exit with 2, which clients treat as a refusal. No `${`: clients expand those.
_START = (
    'h=$ULTRAWORK_HOME; [ -n "$h" ] || h=$HOME/.claude/ultrawork; f='
    '; [ -r "$h/program/$CLAUDE_CODE_SESSION_ID" ] && IFS= read -r f <"$h/program/$CLAUDE_CODE_SESSION_ID"'
    '; f=$f/bin/ultrawork-hook; [ -r "$f" ] || f=$0; [ -r "$f" ] || exit 0; exec /bin/sh "$f" "$@"'
)


def make_hook_file(table: HookTable) -> dict[str, Any]:
    events = dict.fromkeys([*table.events, *table.waking])
    return {
        "description": "ultrawork: work until the project's own checks pass, or report that they do not",
        "hooks": {event: [{"hooks": _handlers(table, event)}, *_more(table, event)] for event in events},
    }


def _more(table: HookTable, event: str) -> list[dict[str, Any]]:
    """Calls of agents reach us also while nothing is on; the launcher sees that they do so once."""
    if event != "PreToolUse":
        return []
    return [{"matcher": "|".join(table.agent_tools), "hooks": [_exec(table, table.agent_call)]}]


def _handlers(table: HookTable, event: str) -> list[dict[str, Any]]:
    beside = {"asyncRewake": True} if event in table.beside else {}
    own = [{**_exec(table, event), **beside}] if event in table.events else []
    return own + ([{**_exec(table, table.wake), "asyncRewake": True}] if event in table.waking else [])


def _exec(table: HookTable, event: str) -> dict[str, Any]:
    args = ["-c", _START, LAUNCHER, event]
    return {"type": "command", "command": "/bin/sh", "args": args, **table.list_extras(event)}
