"""
Claude Code, headless: `claude -p` with events as lines of JSON.

A worker's file tools are held to its folder by the client itself (`acceptEdits`); its shell is free,
what it does outside is found by the engine. A reader has no file tools and a shell that the client
confines to what only looks.
"""

from ...core.wording import one_line
from ..attempt import Command
from . import ending
from .base import Backend, environment, spoken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..attempt import Attempt
    from .base import Reading

TURNS = {"explorer": 60, "planner": 80, "worker": 250, "verifier": 80}
_RETRIES = "CLAUDE_CODE_MAX_RETRIES"
# Ten, the client's own number, holds a worker for minutes when a key is wrong.
_FEW = "3"
# Agents of an agent would escape limits and budget; nobody is there to be asked or to be woken for.
_NEVER = (
    "Agent", "Task", "Workflow", "AskUserQuestion", "EnterPlanMode", "EnterWorktree", "ExitWorktree",
    "CronCreate", "ScheduleWakeup", "SendMessage",
)  # fmt: skip
_CHANGING = ("Edit", "MultiEdit", "NotebookEdit", "Write")
_STATUS = {401: ending.AUTH, 403: ending.AUTH, 429: ending.LIMIT, 529: ending.LIMIT}
_SUBTYPES = {"error_max_turns": ending.TURNS, "error_max_budget_usd": ending.BUDGET}
_COUNTED = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
_TELLING = ("command", "file_path", "pattern", "url", "query", "description")


class Claude(Backend):
    name = "claude"
    title = "Claude Code"
    program = "claude"
    how_to_get = "npm install -g @anthropic-ai/claude-code, then claude once to log in"

    def command(self, attempt: "Attempt", environ: "Mapping[str, str]") -> Command:
        words = ["-p", "--output-format", "stream-json", "--verbose"]
        words += ["--max-turns", str(TURNS.get(attempt.role, TURNS["worker"]))]
        words += ["--model", attempt.model] if attempt.model else []
        words += ["--resume", attempt.resume] if attempt.resume else []
        words += ["--max-budget-usd", f"{attempt.budget_usd:g}"] if attempt.budget_usd else []
        words += [*_permissions(attempt), *_schema(attempt)]
        retries = {_RETRIES: environ.get(_RETRIES, _FEW)}
        around = environment(environ, **retries)
        return Command([self.path(environ), *words], around, spoken(attempt.prompt))

    def take(self, event: "dict[str, Any]", reading: "Reading") -> None:
        reading.session = str(event.get("session_id") or reading.session)
        _EVENTS[event["type"]](event, reading)


def _permissions(attempt: "Attempt") -> list[str]:
    if attempt.read_only:
        return ["--permission-mode", "default", "--disallowedTools", ",".join(_NEVER + _CHANGING)]
    allowed = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"]
    return [*allowed, "--disallowedTools", ",".join(_NEVER)]


def _schema(attempt: "Attempt") -> list[str]:
    if attempt.schema is None:
        return []
    from ...store.fast import dumps

    return ["--json-schema", dumps(attempt.schema)]


def _system(event: "dict[str, Any]", reading: "Reading") -> None:
    """The client waits and tries again: whoever looks now should know what for and how long."""
    if event["subtype"] == "api_retry":
        trouble = _STATUS.get(event.get("error_status") or 0, "")
        seconds = float(event["retry_delay_ms"]) / 1000
        reading.show(f"waits {seconds:.0f} s: {event.get('error') or event.get('error_status')}")
        if trouble == ending.LIMIT:
            reading.wait(seconds)


def _limits(event: "dict[str, Any]", reading: "Reading") -> None:
    told = event["rate_limit_info"]
    if told["status"] == "rejected":
        reading.retry_at = float(told["resetsAt"])


def _assistant(event: "dict[str, Any]", reading: "Reading") -> None:
    if event.get("error"):
        return
    reading.go_on()
    for block in event["message"]["content"]:
        if block["type"] == "tool_use":
            reading.show(_call(block["name"], block["input"]))
        elif block["type"] == "text" and not event.get("parent_tool_use_id"):
            reading.say(block["text"])


def _call(name: str, given: "dict[str, Any]") -> str:
    told = next((given[key] for key in _TELLING if key in given), "")
    return f"{name}: {one_line(str(told))}" if told else name


def _result(event: "dict[str, Any]", reading: "Reading") -> None:
    reading.finished = True
    answer = event.get("structured_output")
    reading.answer = answer if isinstance(answer, dict) else None
    if event["is_error"]:
        _failed(event, reading)
    else:
        reading.say(str(event.get("result") or ""))
    _count(event, reading)


def _count(event: "dict[str, Any]", reading: "Reading") -> None:
    """Newer clients count a resumed session from its first run on; what is ours stands beside it."""
    ours = event.get("model_usage_since_last_result")
    if ours is None:
        reading.tokens = _tokens(event["modelUsage"])
        reading.cost_usd = float(event["total_cost_usd"])
    else:
        reading.tokens += _tokens(ours)
        reading.cost_usd = (reading.cost_usd or 0.0) + sum(
            used["costUSD"] for used in ours.values()
        )


def _tokens(models: "dict[str, Any]") -> int:
    return sum(int(used.get(key) or 0) for used in models.values() for key in _COUNTED)


def _failed(event: "dict[str, Any]", reading: "Reading") -> None:
    message = str(event.get("result") or "; ".join(event.get("errors") or []) or event["subtype"])
    trouble = (
        _SUBTYPES.get(event["subtype"])
        or _STATUS.get(event.get("api_error_status") or 0)
        or (ending.REFUSED if event.get("stop_reason") == "refusal" else ending.kind(message))
    )
    reading.fail(trouble, message)


_EVENTS = {
    "system": _system,
    "rate_limit_event": _limits,
    "assistant": _assistant,
    "result": _result,
}
