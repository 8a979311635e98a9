"""The real Gemini CLI, headless."""

import json
import os

from . import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .process import Finished
    from .scripted_model import ScriptedModel

LIMIT = 120.0
MODEL = "gemini-2.5-flash"  # without a name the client first asks a router model, for minutes
SETTINGS = {"security": {"auth": {"selectedType": "gemini-api-key"}}}


class Gemini:
    """A seat of its own at the client: program, HOME, project folder, and the model it talks to."""

    def __init__(
        self,
        program: str,
        *,
        home: str,
        project: str,
        model: "ScriptedModel",
        env: "Mapping[str, str] | None" = None,
    ) -> None:
        self.program = program
        self.home = home
        self.project = project
        self.model = model
        self.env = {
            "HOME": home,
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "GEMINI_API_KEY": "x",
            "GOOGLE_GEMINI_BASE_URL": model.url,
            **(env or {}),
        }
        os.makedirs(os.path.join(home, ".gemini"), exist_ok=True)
        settings = os.path.join(home, ".gemini", "settings.json")
        if not os.path.exists(settings):
            with open(settings, "w", encoding="utf-8") as file:
                json.dump(SETTINGS, file)

    def run(
        self, prompt: str, *, flags: "Sequence[str]" = (), timeout: float = LIMIT
    ) -> "GeminiRun":
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
