"""opencode, headless: `opencode run`, a prompt on its input, events as lines of JSON.

Its own permissions, set by a variable, confine file tools to the folder and keep a reader from shell and edits. It
accepts no schema and no limit of turns or money, and reports a step when it is done. It takes a step's cost from its
own table, and says 0 for an unlisted model: such a cost is unknown, and no budget can be enforced."""

from collections.abc import Mapping
from typing import Any

from ..headless import base
from ..headless.attempt import AgentCommand, Attempt
from ..headless.base import Backend, OutputReading, encode_prompt, make_agent_environment

_STATUS = {401: base.AUTH, 403: base.AUTH, 429: base.LIMIT, 529: base.LIMIT}
_NEVER = {"task": "deny", "question": "deny", "external_directory": "deny"}
_WORKER = {"edit": "allow", "bash": "allow", "webfetch": "allow", **_NEVER}
_READER = {"edit": "deny", "bash": "deny", **_NEVER}


class Opencode(Backend):
    name = "opencode"
    title = "opencode"
    program = "opencode"
    how_to_get = "npm install -g opencode-ai, then opencode auth login"
    tells_cost = False

    def command(self, attempt: Attempt, environ: Mapping[str, str]) -> AgentCommand:
        from ...store.codec import dumps

        words = ["run", "--format", "json"]
        # Models are named provider/model here; tiers of other programs mean nothing to it.
        words += ["-m", attempt.model] if "/" in attempt.model else []
        words += ["-s", attempt.resume] if attempt.resume else []
        rules = dumps(_READER if attempt.read_only else _WORKER)
        around = make_agent_environment(environ, OPENCODE_PERMISSION=rules, OPENCODE_DISABLE_AUTOUPDATE="1")
        given = encode_prompt(attempt.prompt, attempt.schema)
        return AgentCommand([self.find_path(environ), *words], around, given)

    def take(self, event: dict[str, Any], reading: OutputReading) -> None:
        reading.name_session(event.get("sessionID"))
        _EVENTS[event["type"]](event, reading)


def _text(event: dict[str, Any], reading: OutputReading) -> None:
    reading.say(event["part"]["text"])


def _tool(event: dict[str, Any], reading: OutputReading) -> None:
    part = event["part"]
    identity, state = str(part.get("callID")), part["state"]
    reading.call(identity, part["tool"], state.get("input") or {})
    if "output" in state or "error" in state:
        reading.get_result(identity, [state.get("output"), state.get("error")])
    reading.show(f"{part['tool']}: {state.get('title') or state['status']}")


def _step(event: dict[str, Any], reading: OutputReading) -> None:
    part = event["part"]
    reading.finished = part["reason"] != "tool-calls"
    reading.spend(str(part.get("id")), int(part["tokens"]["total"]), float(part["cost"]) or None)
    if part["reason"] == "content-filter":
        reading.fail(base.REFUSED, "the provider's content filter stopped it")


def _error(event: dict[str, Any], reading: OutputReading) -> None:
    data = event["error"].get("data") or {}
    message = str(data.get("message") or event["error"].get("name") or "it gave no reason")
    reading.fail_as(message)
    reading.trouble = _STATUS.get(data.get("statusCode") or 0, reading.trouble)
    reading.retry_after = float((data.get("responseHeaders") or {}).get("retry-after") or 0)


_EVENTS = {"text": _text, "tool_use": _tool, "step_finish": _step, "error": _error}
