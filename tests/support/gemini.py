"""The real Gemini CLI, headless."""

import json

from . import process
from .client import LIMIT, Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .process import Finished

MODEL = "gemini-2.5-flash"  # without a name the client first asks a router model, for minutes
SETTINGS = {"security": {"auth": {"selectedType": "gemini-api-key"}}}


class Gemini(Client):
    """A separate seat at the client: program, HOME, project folder, and its model."""

    def variables(self) -> "Mapping[str, str]":
        return {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": self.model.url}

    def furnish(self) -> None:
        self.keep(".gemini/settings.json", json.dumps(SETTINGS))

    def run(self, prompt: str, *, flags: "Sequence[str]" = (), timeout: float = LIMIT) -> "GeminiRun":
        options = ["-m", MODEL, "--skip-trust", "-o", "json", *flags]
        argv = [self.program, "-p", prompt, *options]
        return GeminiRun(process.run(argv, env=self.env, cwd=self.project, timeout=timeout))


class GeminiRun:
    def __init__(self, done: "Finished") -> None:
        start = done.out.find("{")
        self.answer: dict[str, Any] = json.loads(done.out[start:]) if start >= 0 else {}
        self.exit = done.exit
        self.err = done.err
        self.seconds = done.seconds

    @property
    def result(self) -> str:
        return str(self.answer.get("response") or "")
