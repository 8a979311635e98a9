"""
The hook files of the clients, made from the table of events: `make generate` writes them.

Claude Code starts handlers in exec form: no shell between the client and the launcher, blanks in paths do no harm.
Codex ignores `args` and reports no session: one quoted shell line starts the plugin's own program, or, once that was
removed, a copy that a session runs on.
"""

import json
from typing import Any

from ultrawork.clients.install import LAUNCHER
from ultrawork.core.time_budget import TIMEOUTS
from ultrawork.hooks.table import AGENT_TOOLS, HANDLERS, WAKE
from ultrawork.store import atomic

from .floor import PLUGIN

# The launcher's event for an agent call while nothing is on; the launcher sees that it reaches us once.
AGENT_CALL = "AgentCall"
# At these events Claude Code keeps the job `Wake` in the background, and at those beside it the handlers as well.
WAKING = ("Stop", "StopFailure")
_BESIDE = ("StopFailure",)
_STATUS = {"Stop": "ultrawork checks the work", "SubagentStop": "ultrawork checks a task"}
# The session's copy, else the plugin's own. If neither exists, nothing blocks: a shell that cannot open its script may
# exit with 2, which clients treat as a refusal. No `${`: clients expand those.
_CLAUDE_START = (
    'h=$ULTRAWORK_HOME; [ "$h" ] || h=$HOME/.claude/ultrawork'
    '; f=; IFS= read -r f 2>/dev/null <"$h/program/$CLAUDE_CODE_SESSION_ID"; f=$f/bin/ultrawork-hook'
    '; [ -r "$f" ] || f=$0; [ ! -r "$f" ] || exec /bin/sh "$f" "$@"'
)
# Claude Code prints the command of this event after each compaction, so it is short and does without that copy.
_SHOWN = "PreCompact"
_CLAUDE_SHORT = '[ ! -r "$0" ] || exec /bin/sh "$0" "$@"'
# Codex knows fewer events; naming others is harmless but misleading. Its permission questions are left to it: we cannot
# read its rules, and its checks run in its sandbox without asking.
CODEX_EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStart", "SubagentStop",
    "PreCompact", "SessionEnd",
)  # fmt: skip
# Codex keeps a copy of what it installs, so a clone may change; an update or a removal takes that copy away.
_CODEX_FIND = (
    f'f="{LAUNCHER}"; [ -r "$f" ] || {{ h=$ULTRAWORK_HOME; [ -n "$h" ] || h=$HOME/.claude/ultrawork'
    '; for p in "$h"/program/*; do IFS= read -r f <"$p"; done 2>/dev/null; f=$f/bin/ultrawork-hook; }'
)
# What is in nobody's way: no launcher, no error.
_CODEX_START = '[ ! -r "$f" ] || exec /bin/sh "$f"'


def _make_claude() -> dict[str, Any]:
    return {
        "description": "ultrawork: work until the project's own checks pass, or report that they do not",
        "hooks": {
            event: [{"hooks": _list_handlers(event)}, *_list_more(event)]
            for event in dict.fromkeys((*HANDLERS, *WAKING))
        },
    }


def _list_more(event: str) -> list[dict[str, Any]]:
    """Calls of agents reach us also while nothing is on."""
    if event != "PreToolUse":
        return []
    return [{"matcher": "|".join(AGENT_TOOLS), "hooks": [_start(AGENT_CALL)]}]


def _list_handlers(event: str) -> list[dict[str, Any]]:
    beside = {"asyncRewake": True} if event in _BESIDE else {}
    own = [{**_start(event), **beside}] if event in HANDLERS else []
    return own + ([{**_start(WAKE), "asyncRewake": True}] if event in WAKING else [])


def _start(event: str) -> dict[str, Any]:
    args = ["-c", _CLAUDE_SHORT if event == _SHOWN else _CLAUDE_START, LAUNCHER, event]
    return {"type": "command", "command": "/bin/sh", "args": args, **_list_extras(event)}


def _make_codex() -> dict[str, Any]:
    return {"hooks": {event: [{"hooks": [_start_codex(event)]}] for event in CODEX_EVENTS}}


def _start_codex(event: str) -> dict[str, Any]:
    return {"type": "command", "command": f"{_CODEX_FIND}; {_CODEX_START} {event}", **_list_extras(event)}


def _list_extras(event: str) -> dict[str, Any]:
    timeout = {"timeout": TIMEOUTS[event]} if event in TIMEOUTS else {}
    return {**timeout, **({"statusMessage": _STATUS[event]} if event in _STATUS else {})}


# What each client reads, by path in the plugin.
FILES = {"hooks/hooks.json": _make_claude(), "hooks/codex.json": _make_codex()}


def main() -> None:
    for path, made in FILES.items():
        atomic.write(f"{PLUGIN}/{path}", render(made), mode=0o644)


def render(made: dict[str, Any]) -> str:
    """One event a line: an install has a limit."""
    hooks = ",\n".join(f"  {_dump(event)}: {_dump(rows)}" for event, rows in made["hooks"].items())
    others = "".join(f"{_dump(key)}: {_dump(value)},\n " for key, value in made.items() if key != "hooks")
    return f'{{{others}"hooks": {{\n{hooks}\n}}}}\n'


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
