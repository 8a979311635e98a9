"""Learned skills: their files, and when a prompt calls for one."""

from ultrawork.core.project import skill_triggers
from ultrawork.store.omc import skills

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cases import Case, Place


def case_of(case: "Case", place: "Place") -> "tuple[Any, Any]":
    args = place.filled(case.input["args"])
    found: tuple[Any, Any] = _FUNCTIONS[case.fn](args, place.expected(case.expect)["result"])
    return found


def _parsed(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    """The words of an error are each program's own; how many there are is not."""
    found = skills.parse(args[0])
    ours = (found.meta, found.content, not found.errors, len(found.errors))
    return ours, (expect["metadata"], expect["content"], expect["valid"], len(expect["errors"]))


def _matched(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    given = [(one["id"], one["triggers"]) for one in args[1]]
    options = args[2] if len(args) > 2 and isinstance(args[2], dict) else {}
    found = skill_triggers.match(
        args[0], given, threshold=options.get("threshold", skill_triggers.THRESHOLD), most=options.get("maxResults", 10)
    )
    ours = [(one.id, one.confidence, one.triggers, one.kind) for one in found]
    names = ("skillId", "confidence", "matchedTriggers", "matchType")
    return ours, [tuple(one[name] for name in names) for one in expect]


def _fuzzy(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    return skill_triggers.compute_nearness(args[0], args[1]), expect


_FUNCTIONS: "dict[str, Any]" = {"parseSkillFile": _parsed, "matchSkills": _matched, "fuzzyMatch": _fuzzy}
