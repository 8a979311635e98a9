"""What a client's hook file is made from: our events, and their time limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LAUNCHER = "${CLAUDE_PLUGIN_ROOT}/bin/ultrawork-hook"


@dataclass(frozen=True, slots=True)
class HookTable:
    """`events` are handled; at `waking` ones the client keeps the job `wake` in the background, and handlers of those
    `beside` as well. `agent_call` is the launcher's event for a call of the `agent_tools`."""

    events: tuple[str, ...]
    waking: tuple[str, ...]
    beside: tuple[str, ...]
    wake: str
    agent_tools: tuple[str, ...]
    agent_call: str
    timeouts: Mapping[str, int]
    status: Mapping[str, str]

    def list_extras(self, event: str) -> dict[str, Any]:
        extras: dict[str, Any] = {}
        if event in self.timeouts:
            extras["timeout"] = self.timeouts[event]
        if event in self.status:
            extras["statusMessage"] = self.status[event]
        return extras
