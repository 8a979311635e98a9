"""Measure hooks on this machine: real events through the real launcher, in their own state folder."""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from ...clients.find import NAMES, get_client
from ...hooks.table import HANDLERS, JOBS, list_rows
from ...store.codec import dumps
from ...store.paths import find_root
from ...system.program import ask_program
from ..command import render_table

_SESSION = "doctor"
_TIMES = 3
_PATIENCE = 20.0
_TOOL = {"tool_name": "Read", "tool_input": {"file_path": "/dev/null"}, "tool_use_id": "t"}
# These events have no effect. Others would, so they are shown without a number.
SAMPLES: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "what does this project do?"},
    "UserPromptExpansion": {"command_name": "other:skill", "command_args": ""},
    "PreToolUse": _TOOL,
    "PostToolUse": {**_TOOL, "tool_response": {"type": "text"}, "duration_ms": 1},
    "PostToolUseFailure": {**_TOOL, "error": "not found"},
    "PermissionRequest": {"tool_name": "Bash", "tool_input": {"command": "rm -r x"}},
    "Stop": {"last_assistant_message": "x", "background_tasks": [{"type": "subagent"}]},
    "SubagentStop": {"agent_id": "a", "agent_type": "other", "last_assistant_message": "x"},
    "SubagentStart": {"agent_id": "a", "agent_type": "other"},
    "PreCompact": {"trigger": "manual"},
    "StopFailure": {"error": "server_error"},
    "SessionEnd": {"reason": "other"},
}


@dataclass(slots=True, frozen=True)
class HookCost:
    """Milliseconds of one event, nothing on and a session on; None where it was not measured."""

    event: str
    off: float | None
    on: float | None


def find_launcher() -> str | None:
    """Return the launcher; None in an installed package, because only the plugin has hooks."""
    root = find_root()
    path = f"{root}/bin/ultrawork-hook"
    return path if os.path.exists(path) and os.path.isdir(f"{root}/hooks") else None


def measure(cache: str, environ: Mapping[str, str], events: Iterable[str] = (*HANDLERS, *JOBS)) -> list[HookCost]:
    """Measure the events; `cache` is the state folder's own, with the bytecode that real events use."""
    program = find_launcher()
    if program is None:
        return []
    with TemporaryDirectory(prefix="ultrawork-doctor-") as root:
        measurement = _Measurement(program, root, cache, environ)
        off = {event: measurement.fastest(event) for event in events}
        measurement.run("UserPromptSubmit", {"prompt": "ulw measure the hooks"})
        costs = [HookCost(event, off[event], measurement.fastest(event)) for event in events]
    # A session that is on runs on its own copy of the program; what was compiled for this one is of no more use.
    rmtree(f"{cache}/bytecode{root}", ignore_errors=True)
    return costs


class _Measurement:
    def __init__(self, program: str, root: str, cache: str, environ: Mapping[str, str]) -> None:
        self._argv = ["/bin/sh", program]
        self._place = f"{root}/project"
        home = f"{root}/state"
        os.makedirs(self._place)
        os.makedirs(f"{home}/cache")
        if os.path.isdir(f"{cache}/bytecode"):
            os.symlink(f"{cache}/bytecode", f"{home}/cache/bytecode")
        with open(f"{home}/cache/python", "w", encoding="utf-8") as file:
            file.write(f"{sys.executable}\n")
        self._environ = {
            "PATH": environ.get("PATH", os.defpath),
            "HOME": root,
            "ULTRAWORK_HOME": home,
            **get_client(NAMES[0]).make_hook_variables(_SESSION, self._place),
        }

    def fastest(self, event: str) -> float | None:
        """Return the fastest of a few runs: other load only adds time."""
        if event not in SAMPLES:
            return None
        self.run(event, SAMPLES[event])
        return min(self.run(event, SAMPLES[event]) for _ in range(_TIMES))

    def run(self, event: str, data: dict[str, Any]) -> float:
        common = {"session_id": _SESSION, "cwd": self._place, "hook_event_name": event}
        given = dumps({**common, **data}).encode()
        began = perf_counter()
        ask_program([*self._argv, event], env=self._environ, given=given, patience=_PATIENCE)
        return (perf_counter() - began) * 1000


def make_document(hook_costs: list[HookCost]) -> list[dict[str, Any]]:
    return [
        {
            "event": cost.event,
            "off_ms": None if cost.off is None else round(cost.off, 1),
            "on_ms": None if cost.on is None else round(cost.on, 1),
            "behaviours": [
                {"order": order, "name": row.name, "what": row.what}
                for order, row in enumerate(list_rows(cost.event), 1)
            ],
        }
        for cost in hook_costs
    ]


def render(events: list[dict[str, Any]]) -> str:
    rows = [
        [*_first(event, place), row["name"], row["what"]]
        for event in events
        for place, row in enumerate(event["behaviours"])
    ]
    return render_table(["event", "off ms", "on ms", "behaviour", "what it does"], rows)


def _first(event: dict[str, Any], place: int) -> list[str]:
    """An event is named once, at its first behaviour."""
    if place:
        return ["", "", ""]
    return [event["event"], _number(event["off_ms"]), _number(event["on_ms"])]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
