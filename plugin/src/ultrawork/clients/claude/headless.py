"""Claude Code, headless: `claude -p` with events as lines of JSON.

The client confines a worker's file tools to its folder (`acceptEdits`); its shell is free, and the engine finds what
it does outside. A reader has no file tools and a shell confined to reading."""

from collections.abc import Mapping
from typing import Any

from ...core.run.prices import USAGE, find_price
from ...core.wording import join_lines
from ...store.codec import dumps
from ..headless import base
from ..headless.attempt import AgentCommand, Attempt
from ..headless.base import Backend, OutputReading, encode_prompt, make_agent_environment
from ..headless.login import Login

TURNS = {"explorer": 60, "planner": 80, "worker": 250, "verifier": 80}
_RETRIES = "CLAUDE_CODE_MAX_RETRIES"
# Ten, the client's own number, delays a worker for minutes if a key is wrong.
_FEW = "3"
# Nested agents would escape limits and budget; no user can be asked or woken.
_NEVER = (
    "Agent", "Task", "Workflow", "AskUserQuestion", "EnterPlanMode", "EnterWorktree", "ExitWorktree",
    "CronCreate", "ScheduleWakeup", "SendMessage",
)  # fmt: skip
_CHANGING = ("Edit", "MultiEdit", "NotebookEdit", "Write")
CHARACTERS = 4  # about as many make a token
_STATUS = {401: base.AUTH, 403: base.AUTH, 429: base.LIMIT, 529: base.LIMIT}
_SUBTYPES = {"error_max_turns": base.TURNS, "error_max_budget_usd": base.BUDGET}
_COUNTED = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
_TELLING = ("command", "file_path", "pattern", "url", "query", "description")


class Claude(Backend):
    name = "claude"
    title = "Claude Code"
    program = "claude"
    how_to_get = "npm install -g @anthropic-ai/claude-code, then claude once to log in"
    login = Login(
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        ("CLAUDE_CONFIG_DIR", ".claude"),
        (".credentials.json",),
        ((".claude.json", "oauthAccount.accountUuid"),),
        ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"),
        ("settings.json", "apiKeyHelper"),
        keychain=True,
    )

    def command(self, attempt: Attempt, environ: Mapping[str, str]) -> AgentCommand:
        words = ["-p", "--output-format", "stream-json", "--verbose"]
        words += ["--max-turns", str(TURNS.get(attempt.role, TURNS["worker"]))]
        words += ["--model", attempt.model] if attempt.model else []
        words += ["--resume", attempt.resume] if attempt.resume else []
        words += ["--max-budget-usd", f"{attempt.budget_usd:g}"] if attempt.budget_usd else []
        words += [*_permissions(attempt), *_schema(attempt)]
        retries = {_RETRIES: environ.get(_RETRIES, _FEW)}
        around = make_agent_environment(environ, **retries)
        return AgentCommand([self.find_path(environ), *words], around, encode_prompt(attempt.prompt))

    def take(self, event: dict[str, Any], reading: OutputReading) -> None:
        reading.prices = self.prices
        reading.name_session(event.get("session_id"))
        _EVENTS[event["type"]](event, reading)


def _permissions(attempt: Attempt) -> list[str]:
    if attempt.read_only:
        return ["--permission-mode", "default", "--disallowedTools", ",".join(_NEVER + _CHANGING)]
    allowed = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"]
    return [*allowed, "--disallowedTools", ",".join(_NEVER)]


def _schema(attempt: Attempt) -> list[str]:
    if attempt.schema is None:
        return []
    return ["--json-schema", dumps(attempt.schema)]


def _system(event: dict[str, Any], reading: OutputReading) -> None:
    """Show why and how long the client waits before it retries."""
    if event["subtype"] == "api_retry":
        trouble = _STATUS.get(event.get("error_status") or 0, "")
        seconds = float(event["retry_delay_ms"]) / 1000
        reading.show(f"waiting {seconds:.0f} s: {event.get('error') or event.get('error_status')}")
        if trouble == base.LIMIT:
            reading.wait(seconds)


def _limits(event: dict[str, Any], reading: OutputReading) -> None:
    rate_limit_info = event["rate_limit_info"]
    if rate_limit_info["status"] == "rejected":
        reading.retry_at = float(rate_limit_info["resetsAt"])


def _assistant(event: dict[str, Any], reading: OutputReading) -> None:
    if event.get("error"):
        return
    reading.go_on()
    _meter(event["message"], reading)
    for block in event["message"]["content"]:
        if block["type"] == "tool_use":
            reading.call(block["id"], block["name"], block["input"])
            reading.show(_call(block["name"], block["input"]))
        elif block["type"] == "text" and not event.get("parent_tool_use_id"):
            reading.say(block["text"])


def _meter(message: dict[str, Any], reading: OutputReading) -> None:
    """Count tokens during an answer, before its own count is final: at least as many as its text so far."""
    usage = message.get("usage")
    if not isinstance(usage, dict) or "id" not in message:
        return
    estimate = len(dumps(message["content"])) // CHARACTERS
    usage = {**usage, "output_tokens": max(int(usage.get("output_tokens") or 0), estimate)}
    tokens = sum(int(usage.get(key) or 0) for key in USAGE)
    cost = find_price(reading.prices, str(message.get("model") or ""), usage)
    reading.spend(message["id"], tokens, cost)


def _user(event: dict[str, Any], reading: OutputReading) -> None:
    for block in event["message"]["content"]:
        if block["type"] == "tool_result":
            reading.get_result(block["tool_use_id"], block.get("content"))


def _call(name: str, given: dict[str, Any]) -> str:
    argument = next((given[key] for key in _TELLING if key in given), "")
    return f"{name}: {join_lines(str(argument))}" if argument else name


def _result(event: dict[str, Any], reading: OutputReading) -> None:
    reading.finished = True
    answer = event.get("structured_output")
    reading.answer = answer if isinstance(answer, dict) else None
    if event["is_error"]:
        _failed(event, reading)
    else:
        reading.say(str(event.get("result") or ""))
    _count(event, reading)


def _count(event: dict[str, Any], reading: OutputReading) -> None:
    """Count usage. Newer clients count a resumed session from its first run; ours is listed separately."""
    reading.count_anew()
    ours = event.get("model_usage_since_last_result")
    for model, used in (event["modelUsage"] if ours is None else ours).items():
        counts = tuple(int(used.get(key) or 0) for key in _COUNTED)
        reading.bills[model] = (counts, float(used.get("costUSD") or 0.0))
    if ours is None:
        reading.tokens = _tokens(event["modelUsage"])
        reading.cost_usd = float(event["total_cost_usd"])
    else:
        reading.tokens += _tokens(ours)
        reading.cost_usd = (reading.cost_usd or 0.0) + sum(used["costUSD"] for used in ours.values())


def _tokens(models: dict[str, Any]) -> int:
    return sum(int(used.get(key) or 0) for used in models.values() for key in _COUNTED)


def _failed(event: dict[str, Any], reading: OutputReading) -> None:
    message = str(event.get("result") or "; ".join(event.get("errors") or []) or event["subtype"])
    trouble = (
        _SUBTYPES.get(event["subtype"])
        or _STATUS.get(event.get("api_error_status") or 0)
        or (base.REFUSED if event.get("stop_reason") == "refusal" else base.classify_error(message))
    )
    reading.fail(trouble, message)


_EVENTS = {"system": _system, "rate_limit_event": _limits, "assistant": _assistant, "user": _user, "result": _result}
