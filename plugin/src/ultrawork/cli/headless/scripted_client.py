"""
A client for dry runs of `ultrawork eval`: its model is a script, its hooks are ours.

It sends the events of one `ulw` session in order: the prompt, each time the tool call in which the script works, the
stop. A refused stop starts the next attempt of the script, which is told the refusal.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

from ...clients.find import OWN_FORM, get_client
from ...clients.headless.attempt import AgentOutcome, Attempt
from ...hooks.main import reply
from ...store.codec import dumps, loads

_MOST_STOPS = 10


class ScriptedClient:
    """One session in the attempt's place; `start` runs the script once."""

    def __init__(self, attempt: Attempt, environ: Mapping[str, str], start: Callable[[Attempt], AgentOutcome]) -> None:
        self.attempt = attempt
        self.environ = environ
        self.start = start
        self.session = str(uuid4())

    def play(self) -> AgentOutcome:
        self._send("UserPromptSubmit", prompt=self.attempt.prompt)
        whole, attempt = AgentOutcome(), self.attempt
        for epoch in range(1, _MOST_STOPS + 1):
            command = {"command": f"script {epoch}"}
            self._send("PreToolUse", tool_name="Bash", tool_input=command)
            outcome = self.start(replace(attempt, epoch=epoch))
            self._send("PostToolUse", tool_name="Bash", tool_input=command)
            _add_up(whole, outcome)
            answer = self._send("Stop", last_assistant_message=outcome.text, background_tasks=[], session_crons=[])
            refusal = _find_refusal(answer)
            if not refusal or outcome.trouble:
                break
            attempt = replace(attempt, prompt=f"{self.attempt.prompt}\n\n{refusal}")
        return whole

    def _send(self, name: str, **data: object) -> dict[str, Any]:
        given = {
            "session_id": self.session,
            "cwd": self.attempt.place,
            "hook_event_name": name,
            "permission_mode": "bypassPermissions",
            "prompt_id": "prompt-1",
            **data,
        }
        environ = {**self.environ, **get_client(OWN_FORM).make_hook_variables(self.session, self.attempt.place)}
        out, _ = reply(name, dumps(given).encode(), environ)
        return dict(loads(out)) if out.startswith("{") else {}


def _find_refusal(answer: Mapping[str, Any]) -> str:
    specific = answer.get("hookSpecificOutput") or {}
    return str(answer.get("reason") or specific.get("additionalContext") or "")


def _add_up(whole: AgentOutcome, outcome: AgentOutcome) -> None:
    """The newest words and the sum of what was spent."""
    whole.text, whole.trouble, whole.detail = outcome.text, outcome.trouble, outcome.detail
    whole.finished = outcome.finished
    whole.tokens += outcome.tokens
    if outcome.cost_usd is not None:
        whole.cost_usd = (whole.cost_usd or 0.0) + outcome.cost_usd
