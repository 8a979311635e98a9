"""Calls of agents, edits by whoever conducts them, and what runs beside a session."""

from ultrawork.content import models
from ultrawork.core.course.roles import LEVELS, strip_prefix
from ultrawork.core.routing import agent_calls
from ultrawork.core.run import subagents as rules
from ultrawork.gates.testcode.files import is_source_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cases import Case, Place


def injection(case: "Case", place: "Place") -> "tuple[Any, Any]":
    """Which model a call gets. Which tools an agent has stands in the head of its own file."""
    known, given, expect = models.load(), case.input, case.expect
    if case.fn == "inject_model":
        return agent_calls.find_model(given["subagent_type"], known), expect["model"]
    if case.fn == "pre_tool_use":
        tool, call = given["tool_name"], given["tool_input"]
        return _with_model(tool, call, known) or call, expect["modified_input"]
    args = place.filled(given["args"])
    found: tuple[Any, Any] = _INJECTION[case.fn](known, args, expect.get("result"))
    return found


def _with_model(tool: str, call: "dict[str, Any]", known: "Any") -> "dict[str, Any] | None":
    """The call as theirs gives it back: ours also finds the name that the client knows."""
    changed = agent_calls.complete_call(tool, call, known, choose=True)
    if changed is None or changed.get("model") == call.get("model"):
        return None
    return {**changed, "subagent_type": call["subagent_type"]}


def _enforced(known: "Any", args: "Any", expect: "Any") -> "tuple[Any, Any]":
    from ultrawork.core.errors import UsageError

    call = args[0]
    if not agent_calls.find_model(call["subagent_type"], known) and not call.get("model"):
        # Theirs throws here; the hook leaves a call of an agent that nobody knows as it is.
        raise UsageError("no model is known for this agent")
    changed = _with_model("Agent", call, known)
    ours = {"input": changed or call, "injected": changed is not None}
    return ours, {"input": expect["modifiedInput"], "injected": expect["injected"]} if expect else None


def _processed(known: "Any", args: "Any", expect: "Any") -> "tuple[Any, Any]":
    tool, call = args[0], args[1]
    return _with_model(tool, call, known) or call, expect["modifiedInput"]


def _is_call(_known: "Any", args: "Any", expect: "Any") -> "tuple[Any, Any]":
    return agent_calls.is_agent_call(args[0], args[1] if len(args) > 1 else None), expect


def _model(known: "Any", args: "Any", expect: "Any") -> "tuple[Any, Any]":
    from ultrawork.core.errors import NotFound

    found = agent_calls.find_model(args[0], known)
    if not found:
        raise NotFound("no model is known for this agent")
    return found, expect


_INJECTION: "dict[str, Any]" = {
    "enforceModel": _enforced,
    "processPreToolUse": _processed,
    "isAgentCall": _is_call,
    "getModelForAgent": _model,
}


def enforcement(case: "Case", place: "Place") -> "tuple[Any, Any]":
    args = place.filled(case.input["args"])
    if case.fn != "processOrchestratorPreTool":
        return _PATHS[case.fn](*args), case.expect["result"]
    call = args[0]
    given = call.get("toolInput") or {}
    path = next((given[key] for key in ("filePath", "file_path", "path", "file") if key in given), "")  # fmt: skip
    found = agent_calls.decide_edit(_level(case), call["toolName"], path)
    expect = case.expect
    ours = (not found.refused, bool(found.text), _family(found.who))
    return ours, (expect["continue"], expect["has_message"], _family(expect["suggests"] or ""))


def _level(case: "Case") -> str:
    """`local off, global strict`: the nearer one counts."""
    said = str(case.input.get("configured_level", "warn")).replace("no local, ", "")
    words = said.replace(",", " ").split()
    return next((word for word in words if word in LEVELS), "warn")


def _family(who: str) -> str:
    """`executor-low (simple) or executor (complex)` is work for an executor."""
    return who.split(" ", maxsplit=1)[0].removesuffix("-low")


_PATHS: "dict[str, Any]" = {
    "isAllowedPath": agent_calls.may_edit,
    "isSourceFile": is_source_path,
    "isWriteEditTool": lambda tool: tool.lower() in agent_calls.WRITERS,
}


def tracking(case: "Case", place: "Place") -> "tuple[Any, Any]":
    place.write(case.input.get("files", {}))
    args = place.filled(case.input["args"])
    expect = place.expected(case.expect)["result"]
    state = place.read(".omc/state/subagent-tracking.json") or {}
    agents = [{**one, "files": one.get("file_ownership", [])} for one in state.get("agents", [])]
    found: tuple[Any, Any] = _TRACKING[case.fn](args, agents, expect, place)
    return found


def _stale(args: "Any", _agents: "Any", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    return rules.list_stale(args[0]["agents"], place.now), expect


def _conflicts(_args: "Any", agents: "Any", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    found = rules.find_conflicts(agents)
    ours = [{"file": path, "agents": [strip_prefix(one) for one in names]} for path, names in found.items()]
    return ours, expect


def _stats(_args: "Any", agents: "Any", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    states = [one.get("status") for one in agents]
    ours = {name: states.count(name) for name in (rules.COMPLETED, rules.FAILED)}
    return {**ours, "running": len(rules.list_running(agents)), "total": len(agents)}, expect


def _cycles(args: "Any", _agents: "Any", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    count, pattern = rules.find_cycles(args[0])
    return {"cycles": count, "pattern": pattern}, expect


def _interventions(_args: "Any", agents: "Any", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    """What is worth a word about an agent: it is stale, it costs much, it shares a file."""
    ours = [("timeout", one["agent_id"]) for one in rules.list_stale(agents, place.now)]
    for one in agents:
        spent = {**one, "session_id": "s", "cost_usd": one.get("token_usage", {}).get("cost_usd", 0)}
        if rules.sum_cost([spent], "s") > rules.COST_LIMIT:
            ours.append(("excessive_cost", one["agent_id"]))
    conflicting = set(rules.find_conflicts(agents))
    ours += [("file_conflict", one["agent_id"]) for one in agents if conflicting & set(one["files"])]
    return ours, [(one["type"], one["agent_id"]) for one in expect]


_TRACKING: "dict[str, Any]" = {
    "getStaleAgents": _stale,
    "detectFileConflicts": _conflicts,
    "getTrackingStats": _stats,
    "detectCycles": _cycles,
    "suggestInterventions": _interventions,
}
