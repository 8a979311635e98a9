"""A team's way through its stages, against the earlier program's."""

from ultrawork.core.errors import Conflict
from ultrawork.core.modes import state_file, tables

from .autopilot import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultrawork.core.modes.tables import ModeProgress

    from .cases import Case, Place

TEAM = "team"


def case_of(case: "Case", place: "Place") -> "tuple[Any, Any]":
    given, expect = _numbered(place.filled(case.input)), place.expected(case.expect)
    compared: tuple[Any, Any] = _TEAM[case.fn](given, expect, place)
    return compared


def _numbered(value: "Any") -> "Any":
    """`{"$number": "NaN"}`: what JSON cannot say."""
    if isinstance(value, dict):
        if list(value) == ["$number"]:
            return float(value["$number"].replace("Infinity", "inf"))
        return {key: _numbered(one) for key, one in value.items()}
    return value


def _transition(given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    """Whether the gates are green is not told in a case; without them nothing completes here, so they are."""
    loop = given["fix_loop"]
    facts = {**given["artifacts"], **given["execution"], **given["cancel"], "proved": True}
    progress = tables.begin(TEAM, place.now, facts=facts, limits={"fix": loop["max_attempts"]})
    progress.phase, progress.active = given["from"], given["active"]
    progress.counts["fix"] = loop["attempt"]
    moved = _tried(progress, given["to"], place.now)
    ours = {
        "ok": moved,
        "phase": progress.phase,
        "active": progress.active,
        "fix_attempt": progress.counts["fix"],
        "came_to": progress.history[-1][0] if moved else progress.phase,
    }
    came_to = expect["history"][-1] if expect["ok"] else expect["phase"]
    theirs = {key: expect[key] for key in ("ok", "phase", "active", "fix_attempt")}
    return ours, {**theirs, "came_to": came_to}


def _tried(progress: "ModeProgress", target: str, now: float) -> bool:
    """A fix more than there are is the end of it, as the course of a team has it."""
    try:
        tables.move(progress, target, now)
    except Conflict:
        if target == tables.TEAM_FIX and tables.count_left(progress)["fix"] == 0:
            tables.move(progress, tables.FAILED, now)
        return False
    return True


def _allowed(given: "dict[str, Any]", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    """Cancelling is left out: it is no step there, but an act of its own."""
    legal = tables.find(TEAM).moves[given["from"]]
    return [one for one in legal if one != tables.CANCELLED], expect["next"]


def _team_begun(given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    begun = tables.begin(TEAM, place.now)
    return same(
        state_file.render(begun, session=given["session_id"], place=place.dir), expect["state"]
    )


_TEAM: "dict[str, Any]" = {
    "transition": _transition,
    "allowed_next": _allowed,
    "init": _team_begun,
    "is_non_negative_finite_integer": lambda given, expect, _: (
        tables.is_count(given.get("value")),
        expect,
    ),
}
