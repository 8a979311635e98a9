"""The real opencode, headless."""

import json

from .client import Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

QUIET = ("OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD")


class Opencode(Client):
    """A separate seat at the client: program, HOME, project folder, and its model."""

    def variables(self) -> "Mapping[str, str]":
        return dict.fromkeys(QUIET, "1")

    def furnish(self) -> None:
        self.keep(".config/opencode/opencode.json", json.dumps(_settings(self.model.url)))


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
