"""
Inputs that no client should send: made by the hundred thousand, from a seed, at little cost.

Half of them look like a real event with something wrong in it, so that they reach deep places; the rest
are other JSON, damaged JSON, or bytes.
"""

import json
from random import Random

from ultrawork.hooks.event import KINDS, SPELLINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

TEXTS = (
    "", " ", "x", "x" * 5000, "\0", "a\0b", "\n", "é\U0001f4a5", "\ud800", "\u202e", "../../etc/passwd", "/", "/dev/zero",
    "/proc/self/mem", "~/x", "{root}", "{root}/app.txt", "{home}", "{home}/ultrawork.db", "{home}/active/x", "a/b", "-", "--",
    "${X}", "$(id)", "`id`", "'; DROP TABLE sessions; --", "%s%n", "nan", "1e999", "-1", "0", "null", "true", "[]", "{}",
    "<task-notification>x</task-notification>", "<system-reminder>", "```ulw```", "`ulw`", "the word ulw in a text",
    "bulwark", "ulw-plan", "$ultrawork:ulw", "/ultrawork:ulw x", "TASK_ID: a", "BLOCKED: no", "all tests pass", "?",
    "startup", "resume", "compact", "clear", "fork", "plan", "bypassPermissions", "default", "auto", "maintenance", "init",
    "allow", '{"permissionDecision": "allow"}', "Done.", "ulw off", "ulw why", "ulw help", "ultrawork status", "ulw accept",
    "ultrathink", "<remember>x</remember>", "<remember priority>", "don't delegate", "TodoWrite: x", "rate limit reset at 5pm",
    "command not found", "ENOENT", "usage limit reached|1799999999", "ultrawork:worker", "ultrawork:planner", "haiku",
)  # fmt: skip
TOOLS = (
    "Bash", "Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Agent", "Task", "TodoWrite", "TaskCreate", "TaskUpdate",
    "AskUserQuestion", "ScheduleWakeup", "CronCreate", "mcp__x__write_file", "mcp__", "", "bash", "Workflow", "Glob",
)  # fmt: skip
# Nothing here may be permitted unasked: each hides a second command, a write, or a dangerous flag.
COMMANDS = (
    "ls; rm -rf /", "cat a > b", "git branch -D x", "git show --output=x", "ls $(id)", "cat <<E\nE\nid", "prettier --write .",
    "rm -rf ~", "curl x | sh", "ls &", "ls\nid", "find . -delete", "git -c core.pager=id log", "env id", "sudo ls",
    "git push", "touch {home}/off/x", "echo x >> {root}/app.txt", "\0", "ls 'unclosed", "a" * 20_000,
)  # fmt: skip
WORDS = (
    "tool_input", "file_path", "command", "prompt", "subagent_type", "todos", "status", "content", "run_in_background",
    "task", "id", "type", "model", "description", "questions", "answers", "agentId", "isAsync", "path", "uri", "url",
)  # fmt: skip
# What an event is about, beside tools.
FIELDS = {
    "SessionStart": ("source",),
    "UserPromptSubmit": ("prompt",),
    "UserPromptExpansion": ("command_name", "command_args"),
    "PostToolUseFailure": ("error",),
    "Stop": ("last_assistant_message",),
    "SubagentStop": ("agent_id", "agent_type", "last_assistant_message"),
    "SubagentStart": ("agent_id", "agent_type"),
    "StopFailure": ("error", "last_assistant_message"),
    "SessionEnd": ("reason",),
    "PreCompact": ("trigger",),
}
RARE = 2000
_DEEP = (100, 1000, 5000)


class Fuzz:
    """`event` gives the bytes of one input; one in `often` is about the session `known`."""

    def __init__(self, seed: int, *, root: str, home: str, known: str, often: int = RARE) -> None:
        self._random = Random(seed)
        self._texts = [text.replace("{root}", root).replace("{home}", home) for text in TEXTS]
        self._commands = [one.replace("{root}", root).replace("{home}", home) for one in COMMANDS]
        self._keys = (*KINDS, *SPELLINGS, *WORDS)
        self._root, self._known, self._often = root, known, often
        self._ways: tuple[Callable[[str], bytes], ...] = (
            *(self._likely,) * 12, *(self._anything,) * 3, *(self._damaged,) * 4, self._bytes,
        )  # fmt: skip

    def event(self, name: str) -> bytes:
        return self._random.choice(self._ways)(name)

    def _likely(self, name: str) -> bytes:
        """A real event, but for a few of its values."""
        pick = self._random
        known = not pick.randrange(self._often)
        given: dict[str, Any] = {
            "session_id": self._known if known else f"s{pick.randrange(1000)}",
            "cwd": self._root,
            "hook_event_name": name,
            "tool_name": pick.choice(TOOLS),
            "tool_input": self._tool_input(),
        }
        for key in FIELDS.get(name, ()):
            given[key] = pick.choice(self._texts)
        for _ in range(pick.randrange(6)):
            given[pick.choice(self._keys)] = self._value(3)
        if pick.random() < 0.1:
            given.pop(pick.choice(tuple(given)))
        return _encoded(given)

    def _tool_input(self) -> "dict[str, Any]":
        pick = self._random
        return {
            "command": pick.choice(self._commands),
            pick.choice(WORDS): self._value(2),
            "file_path": pick.choice(self._texts),
        }

    def _value(self, depth: int) -> "Any":
        pick = self._random
        kind = pick.randrange(10 if depth else 7)
        if kind < 4:
            return pick.choice(self._texts)
        if kind < 7:
            return pick.choice((None, True, False, 0, -1, 1.5, 10**30, -(10**400), 1e308))
        if kind == 7:
            return [self._value(depth - 1) for _ in range(pick.randrange(4))]
        return {pick.choice(self._keys): self._value(depth - 1) for _ in range(pick.randrange(4))}

    def _anything(self, name: str) -> bytes:
        """JSON that is no event, or one that is nested beyond reason."""
        pick = self._random
        if pick.randrange(20):
            return _encoded(self._value(4))
        depth = pick.choice(_DEEP)
        opened, closed = pick.choice((("[", "]"), ('{"a":', "}"), ('{"tool_input":', "}")))
        inside = opened * depth + "1" + closed * depth
        return f'{{"hook_event_name": "{name}", "tool_input": {inside}}}'.encode()

    def _damaged(self, name: str) -> bytes:
        pick = self._random
        data = bytearray(self._likely(name))
        for _ in range(pick.randrange(1, 4)):
            place = pick.randrange(len(data) + 1)
            change = pick.randrange(3)
            if change == 0:
                del data[place:]
            elif change == 1:
                data[place:place] = pick.randbytes(3)
            else:
                del data[place : place + pick.randrange(20)]
        return bytes(data)

    def _bytes(self, _name: str) -> bytes:
        return self._random.randbytes(self._random.randrange(64))


def _encoded(value: object) -> bytes:
    return json.dumps(value).encode()
