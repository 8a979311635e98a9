"""Recorded behaviour of an earlier program, as it was written down: files of cases with placeholders."""

import json
import os
import re
from time import gmtime, strftime, time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# The letters before a case's number tell what it is about, whatever its file is called.
AREAS = {
    "ap": "autopilot", "ax": "axiom", "tp": "team_pipeline", "tw": "team_workers",
    "pl": "persistence_loops", "rp": "ralph_prd_progress", "sd": "stop_and_todo",
    "dc": "delegation_categories", "dm": "delegation_model_injection", "dr": "delegation_provider_routing",
    "hb": "hook_bridge", "hn": "hook_normalisation", "kv": "keyword_variants", "kw": "keyword_detection",
    "ls": "learned_skills", "mf": "misc_features",
    "mr": "model_routing", "mv": "mode_and_path_validation", "np": "notepad", "oe": "orchestrator_enforcement",
    "pj": "project_memory", "pm": "permission_handler", "rg": "mode_registry", "sa": "subagent_tracking",
    "xc": "external_cli", "em": "external_model_policy",
    "td": "task_decomposition", "tm": "think_mode", "vt": "verification_tier",
}  # fmt: skip
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_TIME = re.compile(r"<(NOW_MS|NOW_MINUTE|NOW|TODAY)(?:([+-])(\d+)([smhd]))?>")
_PLACE = re.compile(r"<(DIR|TMPDIR|TMP|HOME|REPO|WORKDIR)>")


class Anything:
    """A long text of the earlier program that was not written down."""

    def __eq__(self, _: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "…"


class Case:
    __slots__ = ("area", "doubtful", "expect", "fn", "id", "input", "note")

    def __init__(self, raw: "Mapping[str, Any]", stem: str) -> None:
        self.id = str(raw.get("id", "?"))
        self.area = AREAS.get(self.id.partition("-")[0], stem)
        self.input: dict[str, Any] = raw["input"] if isinstance(raw.get("input"), dict) else {}
        self.fn = str(self.input.get("fn") or self.input.get("op") or "")
        self.expect: Any = raw.get("expect")
        self.doubtful = raw.get("doubtful") is True
        self.note = str(raw.get("note", ""))


def load(path: str) -> list[Case]:
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    listed = found if isinstance(found, list) else found.get("cases", [])
    stem = os.path.basename(path).removesuffix(".json")
    return [Case(raw, stem) for raw in listed if isinstance(raw, dict)]


class Place:
    """A folder of its own for one case, and the moment at which it is run."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self.dir = f"{self.root}/project"
        self.now = float(int(time()))
        os.makedirs(self.dir)
        names = {"DIR": "project", "TMPDIR": "project", "TMP": "tmp", "HOME": "home", "REPO": "repo"}
        self._places = {name: f"{self.root}/{folder}" for name, folder in names.items()}
        self._places["WORKDIR"] = self.dir

    def filled(self, value: "Any") -> "Any":
        """The same with its placeholders filled in; what was never given is left out."""
        if isinstance(value, dict):
            if value.get("$long_text"):
                return _lengthened(value)
            return {self._text(key): self.filled(one) for key, one in value.items() if one != "<undefined>"}  # fmt: skip
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if not isinstance(value, str):
            return value
        whole = _TIME.fullmatch(value)
        if whole and whole[1] == "NOW_MS":
            return round(self._at(whole) * 1000)
        return None if value == "<undefined>" else self._text(value)

    def expected(self, value: "Any") -> "Any":
        """As `filled`; a long text that was not written down equals every text."""
        if isinstance(value, dict):
            if value.get("$long_text") or list(value) == ["$len"]:
                return Anything()
            return {self._text(key): self.expected(one) for key, one in value.items() if one != "<undefined>"}  # fmt: skip
        if isinstance(value, list):
            return [self.expected(one) for one in value]
        return self.filled(value)

    def write(self, files: "Mapping[str, Any]") -> None:
        for name, content in self.filled(files).items():
            path = f"{self.dir}/{name}"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content if isinstance(content, str) else json.dumps(content))

    def read(self, name: str) -> "Any":
        """A file of the case as it is now: JSON where its name says so; None if there is none."""
        path = f"{self.dir}/{name}"
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            text = file.read()
        return json.loads(text) if name.endswith(".json") else text

    def _text(self, text: str) -> str:
        text = _PLACE.sub(lambda found: self._places[found[1]], text)
        return _TIME.sub(self._time, text)

    def _time(self, found: "re.Match[str]") -> str:
        at = self._at(found)
        forms = {
            "NOW": f"%Y-%m-%dT%H:%M:%S.{int(at * 1000) % 1000:03}Z",
            "NOW_MINUTE": "%Y-%m-%d %H:%M",
            "TODAY": "%Y-%m-%d",
        }
        return str(round(at * 1000)) if found[1] == "NOW_MS" else strftime(forms[found[1]], gmtime(at))

    def _at(self, found: "re.Match[str]") -> float:
        if not found[2]:
            return self.now
        return self.now + int(found[2] + found[3]) * _UNITS[found[4]]


def _lengthened(value: "Mapping[str, Any]") -> str:
    """Only its beginning is known; what follows is more of the same."""
    start, length = str(value.get("starts_with", "x")) or "x", int(value.get("length", 0))
    return (start * (length // len(start) + 1))[:length]
