"""What features decide by words: thought, plans, rules, failures, tags."""

from ultrawork.core import hook_types, tool_failures
from ultrawork.core.course import judges, roles
from ultrawork.core.plan import checklist, decompose, graph
from ultrawork.core.project import directives, file_rules
from ultrawork.core.prompt import thinking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cases import Case, Place


def think(case: "Case", place: "Place") -> "tuple[Any, Any]":
    answers: dict[str, Any] = {
        "removeCodeBlocks": thinking.strip_code,
        "detectThinkKeyword": thinking.wants_thinking,
        "detectUltrathinkKeyword": thinking.wants_ultrathink,
        "extractPromptText": lambda parts: hook_types.join_text(parts, ""),
    }
    return answers[case.fn](place.filled(case.input["arg"])), case.expect


def misc(case: "Case", place: "Place") -> "tuple[Any, Any]":
    args = place.filled(case.input["args"])
    found: tuple[Any, Any] = _MISC[case.fn](args, place.expected(case.expect)["result"])
    return found


def _wisdom(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    ours = [{"category": name, "content": said} for name, said in directives.find_wisdom(args[0])]
    return ours, expect


def _progress(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    found = checklist.parse_boxes(args[0])
    # Whoever begins hears of a plan as long as a box is open.
    over = bool(found.done) and not found.open
    ours = {"total": found.total, "completed": len(found.done), "isComplete": over}
    return ours, expect


def _edit_error(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    """Whether an edit could not be made as asked; a file that was never read is another matter."""
    kinds = ("edit-not-found", "edit-many", "edit-same")
    return tool_failures.find_advice(args[0])[0] in kinds, expect


def _applies(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    head, path, top = args
    globs = head.get("globs", [])
    whole = {**head, "globs": [globs] if isinstance(globs, str) else globs}
    found = file_rules.explain_match(whole, path.removeprefix(f"{top}/"))
    return found, expect.get("reason", "")


def _head(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    head, body = file_rules.parse(args[0])
    return {"metadata": head, "body": body}, expect


_MISC: "dict[str, Any]" = {
    "extractWisdomFromCompletion": _wisdom,
    "getPlanProgress": _progress,
    "detectEditErrorInOutput": _edit_error,
    "shouldApplyRule": _applies,
    "parseRuleFrontmatter": _head,
}


def decomposition(case: "Case", place: "Place") -> "tuple[Any, Any]":
    args, expect = place.filled(case.input["args"]), place.expected(case.expect)["result"]
    found: tuple[Any, Any] = _DECOMPOSITION[case.fn](args, expect)
    return found


def _decomposed(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    """What kind of work it is, which areas it has, and whether several can work at it."""
    if isinstance(expect, list):
        return decompose.split_steps(args[0]) or [args[0]], expect
    parts = decompose.decompose(args[0])
    ours = (decompose.classify_goal(args[0]), set(decompose.find_areas(args[0])) or {"main"}, len(parts) > 1)
    return ours, (expect["type"], set(expect["areas"]), expect["isParallelizable"])


def _groups(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    needs = {one["id"]: one["blockedBy"] for one in args[0]}
    graph.check(needs)
    return graph.list_waves(needs), expect


_DECOMPOSITION: "dict[str, Any]" = {"decomposeTask": _decomposed, "generateParallelGroups": _groups}


def tier(case: "Case", place: "Place") -> "tuple[Any, Any]":
    args = place.filled(case.input["args"])
    return _TIERS[case.fn](*args), _judged(case)


def _judged(case: "Case") -> "Any":
    """Of the agent that verifies only the model is compared: here it is always the verifier."""
    result = case.expect["result"]
    return result["model"] if case.fn == "getVerificationAgent" else result


def _tier(given: "dict[str, Any]") -> str:
    change = judges.ChangeSize(
        given["filesChanged"],
        given["linesChanged"],
        architecture=given["hasArchitecturalChanges"],
        security=given["hasSecurityImplications"],
        coverage=given["testCoverage"],
    )
    return judges.choose_tier(change)


def _metadata(paths: list[str], lines: int, coverage: str = judges.PARTIAL) -> "dict[str, Any]":
    made = judges.measure_change(paths, lines, coverage)
    return {
        "filesChanged": made.files,
        "linesChanged": made.lines,
        "hasArchitecturalChanges": made.architecture,
        "hasSecurityImplications": made.security,
        "testCoverage": made.coverage,
    }


_TIERS: "dict[str, Any]" = {
    "selectVerificationTier": _tier,
    "getVerificationAgent": lambda name: roles.DEFAULT_MODELS[judges.COMPLEXITY[name]],
    "detectArchitecturalChanges": lambda paths: any(map(judges.is_architectural, paths)),
    "detectSecurityImplications": lambda paths: any(map(judges.is_sensitive, paths)),
    "buildChangeMetadata": _metadata,
}
