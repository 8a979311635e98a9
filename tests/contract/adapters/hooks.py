"""The bridge and the events behind it, against the earlier program's."""

import json
import os
import subprocess
from time import time

from support import template
from support.floor import PLUGIN
from ultrawork.core import hook_types
from ultrawork.hooks.event import KINDS, SPELLINGS, is_plain
from ultrawork.hooks.main import reply
from ultrawork.store.omc import agent_tracking, features
from ultrawork.store.omc.folder import Omc
from ultrawork.store.paths import Home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cases import Case, Place

# Their internal names, and ours.
_THEIRS = {
    "session_id": "sessionId", "tool_name": "toolName", "tool_input": "toolInput", "tool_response": "toolOutput",
    "cwd": "directory", "hook_event_name": "hookEventName",
}  # fmt: skip
_SWITCHES = {"DISABLE_OMC": "ULTRAWORK_DISABLE", "OMC_SKIP_HOOKS": "ULTRAWORK_SKIP_HOOKS"}


def normalisation(case: "Case", place: "Place") -> "tuple[Any, Any]":
    given, expect = case.input, case.expect
    if case.fn == "required_keys":
        ours = [_THEIRS[key] for key in hook_types.list_required(str(given["hook_type"]))]
        return ours, expect["keys"]
    raw = place.filled(given["raw"])
    if case.fn == "is_already_camel_case":
        # The quick way in: theirs is open to their internal names, ours to ours.
        ours_named = {_OURS.get(key, key): value for key, value in raw.items()}
        known = any(key in ours_named for key in ("session_id", "tool_name", "cwd"))
        foreign = any("_" in key for key in raw)
        return known and not foreign and is_plain("PreToolUse", ours_named), expect
    found = hook_types.check_input(raw, str(given.get("hook_type")), kinds=_KINDS, spellings=SPELLINGS)
    data = {_THEIRS.get(key, key): value for key, value in found.data.items()}
    return data, place.expected(expect["normalised"])


_KINDS = {**KINDS, "message": (str, dict)}
_OURS = {theirs: ours for ours, theirs in _THEIRS.items()}


def bridge_case(case: "Case", place: "Place") -> "tuple[Any, Any]":
    """An event goes in under the name of its hook type; what the client is told comes out."""
    kind, raw, expect = str(case.input["hook_type"]), place.filled(case.input["raw"]), case.expect
    event = Event(kind, raw, case, place)
    told = event.told()
    ours: dict[str, Any] = {"continue": _goes_on(told)}
    theirs = {"continue": expect["continue"]}
    if "hook_event_name" in expect:
        ours["event"], theirs["event"] = hook_types.find_event(kind), expect["hook_event_name"]
    for key in ("has_message", "has_reason"):
        if key in expect:
            ours[key], theirs[key] = bool(_words(told)), expect[key]
    if "modified_input" in expect:
        changed = told.get("hookSpecificOutput", {}).get("updatedInput")
        ours["input"] = event.tool_input if changed is None else changed
        theirs["input"] = place.expected(expect["modified_input"])
    return ours, theirs


class Event:
    """One event of a session in a project whose features are on, sent through the hooks."""

    def __init__(self, kind: str, raw: "Any", case: "Case | None", place: "Place") -> None:
        self.kind = kind
        self.raw = raw
        given = raw if isinstance(raw, dict) else {}
        self.tool_input = given.get("toolInput", given.get("tool_input"))
        self.session = str(given.get("sessionId", given.get("session_id", "test-session")))
        self.folder = str(given.get("directory", given.get("cwd", place.dir)))
        self.environ = {
            "HOME": place.root,
            "PATH": os.environ.get("PATH", os.defpath),
            "ULTRAWORK_HOME": f"{place.root}/state",
            "CLAUDE_CODE_SESSION_ID": self.session,
            "CLAUDE_PROJECT_DIR": self.folder,
        }
        given_more = case.input if case is not None else {}
        template.prepare_cache(self.environ["ULTRAWORK_HOME"])
        for name, value in given_more.get("env", {}).items():
            self.environ[_SWITCHES.get(name, name)] = value
        if self.folder.startswith(place.root) and "nonexistent" not in self.folder:
            os.makedirs(self.folder, exist_ok=True)
            self._prepare(given_more.get("running_background"), kind)

    def _prepare(self, running: object, kind: str) -> None:
        """All features are on, and so many agents run in the background."""
        omc = Omc(self.folder)
        features.switch_on(Home(self.environ["ULTRAWORK_HOME"]), omc, ())
        for number in range(running if isinstance(running, int) else 0):
            agent_tracking.mark_started(omc, f"agent-{number}", "executor", self.session, time())
        if kind == "pre-tool-use":
            # What every client tells with every event, and the case leaves out.
            here = {"directory": self.folder, "sessionId": self.session}
            self.raw = {**here, **self.raw}

    def told(self) -> "dict[str, Any]":
        """The answer as the client reads it; behind the switch that stops everything, the launcher's."""
        data = json.dumps(self.raw).encode()
        if self.environ.get("ULTRAWORK_DISABLE"):
            out = subprocess.run(
                ["/bin/sh", f"{PLUGIN}/bin/ultrawork-hook", self.kind],
                input=data, env=self.environ, capture_output=True, timeout=60, check=True,
            ).stdout.decode()  # fmt: skip
        else:
            out = reply(self.kind, data, self.environ)[0]
        told: dict[str, Any] = json.loads(out) if out.startswith("{") else {}
        return told


def _goes_on(told: "dict[str, Any]") -> bool:
    specific = told.get("hookSpecificOutput", {})
    refused = specific.get("permissionDecision") == "deny"
    denied = specific.get("decision", {}).get("behavior") == "deny"
    return told.get("continue") is not False and "decision" not in told and not (refused or denied)


def _words(told: "dict[str, Any]") -> str:
    specific = told.get("hookSpecificOutput", {})
    keys = ("additionalContext", "permissionDecisionReason")
    return "".join([str(told.get("systemMessage", "")), *(str(specific.get(key, "")) for key in keys)])  # fmt: skip
