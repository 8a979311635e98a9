"""The real opencode, headless."""

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .scripted_model import ScriptedModel

VERSION = "1.18.18"  # the newest with a binary for every machine on which these tests run
QUIET = (
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
)


class Opencode:
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
        path = os.environ.get("PATH", os.defpath)
        quiet = dict.fromkeys(QUIET, "1")
        self.env = {"HOME": home, "PATH": path, "LANG": "C.UTF-8", **quiet, **(env or {})}
        folder = os.path.join(home, ".config", "opencode")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "opencode.json"), "w", encoding="utf-8") as file:
            json.dump(_settings(model.url), file)


def _settings(url: str) -> dict[str, object]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "x"},
        "models": {"mock": {"name": "mock", "tool_call": True}},
    }
    return {
        "model": "loop/mock",
        "small_model": "loop/mock",
        "autoupdate": False,
        "share": "disabled",
        "provider": {"loop": provider},
    }
