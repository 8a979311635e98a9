"""Which commands are permitted, against the earlier program's list."""

from ultrawork.core.permission import command_table

from .hooks import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cases import Case, Place


def case_of(case: "Case", place: "Place") -> "tuple[Any, Any]":
    expect = case.expect
    wanted = expect["result"] if isinstance(expect, dict) else expect
    if case.fn in ("processPermissionRequest", "handlePermissionRequest"):
        return _request(case, place), _behaviour(wanted)
    given = case.input["args"][0] if "args" in case.input else case.input["command"]
    if case.fn == "isActiveModeRunning":
        raise NotImplementedError("whether a mode runs is no reason to permit anything")
    return bool(command_table.classify(place.filled(given))), wanted


def _request(case: "Case", place: "Place") -> str:
    """The repository is the project's own, and the person has allowed nothing."""
    import subprocess

    raw = place.filled(case.input["args"][0])
    raw["cwd"] = place.dir
    subprocess.run(["git", "init", "-q", place.dir], check=True, capture_output=True)
    return _behaviour(Event("permission-request", raw, case, place).told())


def _behaviour(told: "dict[str, Any]") -> str:
    decision = told.get("hookSpecificOutput", {}).get("decision", {})
    return str(decision.get("behavior", ""))
