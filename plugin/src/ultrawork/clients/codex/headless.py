"""Codex, headless: `codex exec` with events as lines of JSON.

Its sandbox confines a worker to its folder and temporary ones, and a reader to reading. It reports no cost and accepts
no limit of turns or money; the attempt's deadline bounds it."""

import os
from collections.abc import Mapping
from typing import Any

from ...core.wording import join_lines
from ..headless.attempt import AgentCommand, Attempt
from ..headless.base import Backend, OutputReading, encode_prompt, make_agent_environment
from ..headless.login import Login

# Tiers of other programs are not its models; it offers effort levels instead.
_EFFORT = {"haiku": "low", "sonnet": "medium", "opus": "high"}
_COUNTED = ("input_tokens", "output_tokens")
_TELLING = ("command", "query", "tool")
_GIVEN = ("arguments", "changes", "command", "query", "server", "tool")
_CAME = ("aggregated_output", "error", "exit_code", "result", "status")


class Codex(Backend):
    name = "codex"
    title = "Codex"
    program = "codex"
    tells_cost = False
    how_to_get = "npm install -g @openai/codex, then codex login"
    login = Login(
        ("OPENAI_API_KEY", "CODEX_API_KEY"),
        ("CODEX_HOME", ".codex"),
        ("auth.json",),
        (("auth.json", "tokens.account_id"), ("auth.json", "OPENAI_API_KEY")),
    )

    def find_quota_reset(self, environ: Mapping[str, str], now: float) -> float:
        from .usage import find_quota_reset

        return find_quota_reset(environ, now)

    def command(self, attempt: Attempt, environ: Mapping[str, str]) -> AgentCommand:
        words = ["exec", "resume", attempt.resume] if attempt.resume else ["exec"]
        words += ["--json", "--skip-git-repo-check", "-c", "features.multi_agent=false"]
        words += ["-c", f'sandbox_mode="{"read-only" if attempt.read_only else "workspace-write"}"']
        words += ["-c", 'approval_policy="never"', *_model(attempt.model), *_effort(attempt.effort)]
        words += [*_schema(attempt), "-"]
        argv = [self.find_path(environ), *words]
        return AgentCommand(argv, make_agent_environment(environ), encode_prompt(attempt.prompt))

    def take(self, event: dict[str, Any], reading: OutputReading) -> None:
        _EVENTS[event["type"]](event, reading)


def _model(name: str) -> list[str]:
    if name in _EFFORT:
        return ["-c", f'model_reasoning_effort="{_EFFORT[name]}"']
    return ["-m", name] if name else []


def _effort(word: str) -> list[str]:
    return ["-c", f'model_reasoning_effort="{word}"'] if word else []


def _schema(attempt: Attempt) -> list[str]:
    if attempt.schema is None:
        return []
    from ...store.atomic import write
    from ...store.codec import dumps_pretty

    path = os.path.join(attempt.folder, "schema.json")
    write(path, dumps_pretty(make_strict(attempt.schema)), sync=False)
    return ["--output-schema", path]


def make_strict(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema as its provider accepts it: typed, every key required, no others; optional ones may be null."""
    made = {key: _stricter(value) for key, value in schema.items()}
    if all(isinstance(value, str) for value in schema.get("enum", [0])):
        made["type"] = "string"
    if "properties" in schema:
        needed = schema.get("required", [])
        made["properties"] = {
            name: make_strict(each) if name in needed else {"anyOf": [make_strict(each), {"type": "null"}]}
            for name, each in schema["properties"].items()
        }
        made |= {"required": list(schema["properties"]), "additionalProperties": False}
    return made


def _stricter(value: Any) -> Any:
    if isinstance(value, dict):
        return make_strict(value)
    return [_stricter(each) for each in value] if isinstance(value, list) else value


def _thread(event: dict[str, Any], reading: OutputReading) -> None:
    reading.name_session(event["thread_id"])


def _item(event: dict[str, Any], reading: OutputReading) -> None:
    """Read an item. Items of type `error` are warnings: a failed turn reports itself."""
    item = event["item"]
    if item["type"] == "agent_message":
        reading.say(item["text"])
        return
    over = event["type"] == "item.completed"
    if item["type"] != "error":
        reading.call(str(item.get("id")), item["type"], {key: item[key] for key in _GIVEN if key in item})
    if over:
        reading.get_result(str(item.get("id")), [item.get(key) for key in _CAME])
    if item["type"] == "file_change":
        reading.show("edit: " + ", ".join(change["path"] for change in item["changes"]))
    elif item["type"] != "error":
        argument = next((item[key] for key in _TELLING if key in item), "")
        reading.show(f"{item['type'].removesuffix('_execution')}: {join_lines(str(argument))}")


def _completed(event: dict[str, Any], reading: OutputReading) -> None:
    reading.finished = True
    reading.tokens += sum(int(event["usage"][key]) for key in _COUNTED)  # of money it does not speak


def _failed(event: dict[str, Any], reading: OutputReading) -> None:
    reading.fail_as(str(event["error"]["message"]))


_EVENTS = {
    "thread.started": _thread,
    "item.started": _item,
    "item.completed": _item,
    "turn.completed": _completed,
    "turn.failed": _failed,
}
