"""Gemini CLI, headless: a prompt on its input, events as lines of JSON.

The program confines a worker's file tools to its folder; its shell is free. A reader gets neither a shell nor a
writing tool. It accepts no schema and no limit of turns or money."""

from collections.abc import Mapping
from typing import Any

from ...core.wording import join_lines
from ..headless.attempt import AgentCommand, Attempt
from ..headless.base import LIMIT, Backend, OutputReading, encode_prompt, make_agent_environment
from ..headless.login import Login

_MODELS = {"haiku": "flash-lite", "sonnet": "flash", "opus": "pro"}
_TELLING = ("command", "file_path", "dir_path", "pattern", "query", "prompt")
_RETRIES = "failed with status 429. Retrying"


class Gemini(Backend):
    name = "gemini"
    title = "Gemini CLI"
    program = "gemini"
    tells_cost = False
    how_to_get = "npm install -g @google/gemini-cli, then gemini once to log in"
    login = Login(
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ("", ".gemini"),
        ("oauth_creds.json",),
        (("google_accounts.json", "active"),),
        ("GOOGLE_GENAI_USE_VERTEXAI",),
    )

    def command(self, attempt: Attempt, environ: Mapping[str, str]) -> AgentCommand:
        words = ["-o", "stream-json", "--skip-trust"]
        words += ["--approval-mode", "default" if attempt.read_only else "yolo"]
        words += ["-m", _MODELS.get(attempt.model, attempt.model)] if attempt.model else []
        words += ["--resume", attempt.resume] if attempt.resume else []
        given = encode_prompt(attempt.prompt, attempt.schema)
        return AgentCommand([self.find_path(environ), *words], make_agent_environment(environ), given)

    def take(self, event: dict[str, Any], reading: OutputReading) -> None:
        _EVENTS[event["type"]](event, reading)

    def overhear(self, errors: str, reading: OutputReading) -> None:
        """Detect a rate limit: it retries ten times, for minutes, and reports it nowhere else."""
        waits = [line for line in errors.splitlines() if "Retrying" in line]
        if waits and _RETRIES in waits[-1]:
            reading.fail(LIMIT, "the provider limits requests")


def _init(event: dict[str, Any], reading: OutputReading) -> None:
    reading.name_session(event["session_id"])


def _message(event: dict[str, Any], reading: OutputReading) -> None:
    if event["role"] == "assistant":
        reading.say_more(event["content"])


def _tool(event: dict[str, Any], reading: OutputReading) -> None:
    parameters = event["parameters"]
    reading.call(str(event.get("tool_id")), event["tool_name"], parameters)
    argument = next((parameters[key] for key in _TELLING if key in parameters), "")
    reading.show(f"{event['tool_name']}: {join_lines(str(argument))}")


def _tool_result(event: dict[str, Any], reading: OutputReading) -> None:
    reading.get_result(event["tool_id"], [event.get("status"), event.get("output")])


def _error(event: dict[str, Any], reading: OutputReading) -> None:
    """Show a warning, such as a detected loop; fatal errors come with the result."""
    reading.show(str(event["message"]))


def _result(event: dict[str, Any], reading: OutputReading) -> None:
    reading.finished = True
    reading.tokens += int(event["stats"]["total_tokens"])
    if event["status"] == "error":
        reading.fail_as(str(event["error"]["message"]))


_EVENTS = {
    "init": _init,
    "message": _message,
    "tool_use": _tool,
    "tool_result": _tool_result,
    "error": _error,
    "result": _result,
}
