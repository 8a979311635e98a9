"""The client's status line from a few facts: one pure function, for the quick path that reads a file and for the full one."""

from .times import format_duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MINIMAL, FOCUSED, FULL = "minimal", "focused", "full"
PRESETS = (MINIMAL, FOCUSED, FULL)


def render_status_line(facts: "Mapping[str, Any]", preset: str, now: float) -> str:
    """Return the status line; empty if nothing is on and nothing needs the user."""
    parts = [part for name in _PARTS[preset] if (part := _DRAWN[name](facts, now))]
    return " · ".join(parts)


def _draw_state(facts: "Mapping[str, Any]", now: float) -> str:
    if not facts["active"]:
        return f"ulw {facts['ended']}" if facts["ended"] else ""
    if facts["check"]:
        return f"ulw checking {describe_check(facts['check'], now)}"
    return "ulw on"


def _draw_failing(facts: "Mapping[str, Any]", _now: float) -> str:
    return str(facts["failing"]) if facts["active"] and not facts["check"] else ""


def _draw_counted(facts: "Mapping[str, Any]", _now: float) -> str:
    return str(facts["counted"]) if facts["active"] and not facts["check"] else ""


def _draw_tasks(facts: "Mapping[str, Any]", _now: float) -> str:
    return str(facts["tasks"]) if facts["active"] else ""


def _draw_needs(facts: "Mapping[str, Any]", _now: float) -> str:
    """Return how many things need the user, in any project."""
    number = facts["blocking"]
    return f"{number} need{'s' if number == 1 else ''} you" if number else ""


def _draw_cost(facts: "Mapping[str, Any]", _now: float) -> str:
    """Return the cost; `$0.12+` is partial, because some agents did not report theirs."""
    return str(facts["cost"])


def _draw_mode(facts: "Mapping[str, Any]", _now: float) -> str:
    return str(facts["mode"]) if facts["active"] else ""


_DRAWN = {
    "state": _draw_state,
    "mode": _draw_mode,
    "failing": _draw_failing,
    "counted": _draw_counted,
    "tasks": _draw_tasks,
    "needs": _draw_needs,
    "cost": _draw_cost,
}
_PARTS = {
    MINIMAL: ("state", "needs"),
    FOCUSED: ("state", "failing", "counted", "tasks", "needs"),
    FULL: ("state", "mode", "failing", "counted", "tasks", "needs", "cost"),
}


def describe_check(running: "Mapping[str, Any]", now: float) -> str:
    """Return `test 40 s of ~2 min`, or with a count `test 120 of 300 tests, about 1 min left`."""
    since = max(0.0, now - float(running.get("began") or now))
    usual, done, of = running.get("usual"), running.get("done"), running.get("tests")
    name = f"{running.get('gate')}"
    if done and of:
        return f"{name} {min(int(done), int(of))} of {of} tests{_name_rest(usual, since)}"
    expected = f" of ~{format_duration(float(usual))}" if usual else ""
    return f"{name} {format_duration(since)}{expected}"


def _name_rest(usual: float | None, since: float) -> str:
    """Return the time left from its history; none for a run that takes longer than ever."""
    if not usual:
        return ""
    left = float(usual) - since
    return f", about {format_duration(left)} left" if left > 0 else ", longer than usual"
