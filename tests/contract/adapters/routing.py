"""Choosing a model, a category or a provider, against the earlier program's choice."""

from ultrawork.core.routing import routes
from ultrawork.core.routing import routes as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cases import Case, Place

# Their names of signals, and ours. Turns and remaining tasks decide nothing, here or there.
_LEXICAL = {
    "wordCount": "words", "filePathCount": "paths", "codeBlockCount": "code", "hasArchitectureKeywords": "architecture",
    "hasDebuggingKeywords": "debugging", "hasSimpleKeywords": "simple", "hasRiskKeywords": "risk",
    "questionDepth": "question", "hasImplicitRequirements": "vague",
}  # fmt: skip
_STRUCTURAL = {
    "estimatedSubtasks": "subtasks", "crossFileDependencies": "cross_file", "hasTestRequirements": "tests",
    "domainSpecificity": "domain", "requiresExternalKnowledge": "external", "reversibility": "undo", "impactScope": "scope",
}  # fmt: skip
_CONTEXT = {"previousFailures": "failures", "planComplexity": "plan", "agentChainDepth": "depth"}
_GROUPS = {"lexical": _LEXICAL, "structural": _STRUCTURAL, "context": _CONTEXT}
_EXPLICIT = {"explicit-model-specified": rules.EXPLICIT}


def route_case(case: "Case", place: "Place") -> "tuple[Any, Any]":
    if case.fn == "route_task":
        return _routed(case)
    args = place.filled(case.input["args"])
    expect = place.expected(case.expect)
    found: tuple[Any, Any] = _FUNCTIONS[case.fn](args, expect)
    return found


def _routed(case: "Case") -> "tuple[Any, Any]":
    """The tier and the rule; a score that the words alone give, and a confidence in 0..1."""
    found = rules.choose_route(str(case.input["prompt"]), agent=str(case.input.get("agent_type", "")))
    expect = case.expect
    ours = {"tier": found.tier, "rule": found.rule, "score": found.score, "confidence": found.confidence}  # fmt: skip
    return {key: value for key, value in ours.items() if key in expect}, {
        key: value for key, value in expect.items() if key in ours
    }


def _ours(signals: "dict[str, Any]") -> "dict[str, Any]":
    """Signals in their form as ours."""
    found = rules.find_signals("")
    for group, names in _GROUPS.items():
        for theirs, ours in names.items():
            if theirs in signals.get(group, {}):
                found[ours] = signals[group][theirs]
    return found


def _theirs(found: "dict[str, Any]", group: str) -> "dict[str, Any]":
    return {theirs: found[ours] for theirs, ours in _GROUPS[group].items()}


def _signals(text: str, context: "dict[str, Any] | None" = None) -> "dict[str, Any]":
    given = context or {}
    return rules.find_signals(
        text,
        failures=int(given.get("previousFailures", 0)),
        depth=int(given.get("agentChainDepth", 0)),
        plan=int(given.get("planTasks", 0)),
    )


def _kept(expect: "dict[str, Any]", group: str) -> "dict[str, Any]":
    return {key: value for key, value in expect.items() if key in _GROUPS[group]}


def _lexical(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    return _theirs(_signals(args[0]), "lexical"), _kept(expect["result"], "lexical")


def _structural(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    return _theirs(_signals(args[0]), "structural"), _kept(expect["result"], "structural")


def _context(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    return _theirs(_signals("", args[0]), "context"), _kept(expect["result"], "context")


def _all(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    found = _signals(args[0], args[1] if len(args) > 1 else None)
    ours = {group: _theirs(found, group) for group in _GROUPS}
    return ours, {group: _kept(expect["result"][group], group) for group in _GROUPS}


def _evaluated(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    context, found = args[0], _ours(args[1])
    theirs = expect["result"]
    wanted = (_EXPLICIT.get(theirs["ruleName"], theirs["ruleName"]), theirs["tier"])
    if context.get("explicitModel"):
        given = rules.choose_route(context["taskPrompt"], model=context["explicitModel"])
        return (given.rule, "EXPLICIT"), wanted
    name, tier, _ = rules.find_rule(context.get("agentType", ""), found)
    return (name, tier), wanted


def _matching(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    rows = rules.list_rules(args[0].get("agentType", ""), _ours(args[1]))
    return [row[0] for row in rows], expect["rule_names"]


def _task(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    """Tier and kind of model; which version of a model that is, is the client's business."""
    context, theirs = args[0], expect["result"]
    found = rules.choose_route(
        str(context["taskPrompt"]),
        agent=context.get("agentType", ""),
        model=context.get("explicitModel", ""),
        failures=int(context.get("previousFailures", 0)),
        depth=int(context.get("agentChainDepth", 0)),
        plan=int(context.get("planTasks", 0)),
    )
    return (found.tier, found.model), (theirs["tier"], theirs["modelType"])


def _agent_task(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    found = rules.choose_route(args[1], agent=args[0])
    return (found.tier, found.model), (expect["result"]["tier"], expect["result"]["model"])


def _analysed(args: "Any", expect: "Any") -> "tuple[Any, Any]":
    found = rules.choose_route(args[0], agent=args[1] if len(args) > 1 else "")
    names = {**_LEXICAL, **_STRUCTURAL}
    theirs = expect["result"]
    ours = {name: found.signals[names[name]] for name in theirs["signals"]}
    return (found.tier, ours), (theirs["tier"], theirs["signals"])


def _agent_tier(agent: str) -> str:
    """The tier of the model that an agent gets without a word about it."""
    from ultrawork.content import models
    from ultrawork.core.routing.agent_calls import find_model

    model = find_model(agent, models.load())
    return next((tier for tier, name in rules.MODELS.items() if name == model), rules.MEDIUM)


def _plain(answer: "Any") -> "Any":
    return lambda args, expect: (answer(*args), expect["result"])


def category_case(case: "Case", place: "Place") -> "tuple[Any, Any]":
    args = place.filled(case.input["args"])
    return _CATEGORIES[case.fn](*args), place.expected(case.expect)["result"]


def _category(given: "dict[str, Any]") -> "dict[str, Any]":
    """Where nobody names a tier, it is the one that the words deserve."""
    words = str(given["taskPrompt"])
    tier = given.get("explicitTier") or rules.choose_route(words).tier
    return _theirs_of(routes.choose_category(words, tier, given.get("explicitCategory", "")))


def _theirs_of(found: "routes.Category") -> "dict[str, Any]":
    return {
        "category": found.name,
        "tier": found.tier,
        "temperature": found.temperature,
        "thinkingBudget": found.effort,
        "thinkingTokens": routes.EFFORTS[found.effort],
    }


def _detected(words: str) -> str | None:
    found = routes.detect_category(words)
    return found.name if found else None


_CATEGORIES: "dict[str, Any]" = {
    "detectCategoryFromPrompt": _detected,
    "getCategoryForTask": _category,
    "resolveCategory": lambda name: _theirs_of(routes.parse_category(name)),
    "isValidCategory": lambda name: name in routes.CATEGORIES,
    "getAllCategories": lambda: list(routes.CATEGORIES),
    "getCategoryTier": lambda name: routes.parse_category(name).tier,
    "getCategoryTemperature": lambda name: routes.parse_category(name).temperature,
    "getCategoryThinkingBudget": lambda name: routes.parse_category(name).effort,
    "getCategoryThinkingBudgetTokens": lambda name: routes.EFFORTS[routes.parse_category(name).effort],
}
_FUNCTIONS: "dict[str, Any]" = {
    "extractLexicalSignals": _lexical,
    "extractStructuralSignals": _structural,
    "extractContextSignals": _context,
    "extractAllSignals": _all,
    "calculateComplexityScore": _plain(lambda found: rules.score(_ours(found))),
    "calculateComplexityTier": _plain(lambda found: rules.find_tier(rules.score(_ours(found)))),
    "calculateConfidence": _plain(rules.compute_confidence),
    "scoreToTier": _plain(rules.find_tier),
    "evaluateRules": _evaluated,
    "getMatchingRules": _matching,
    "routeTask": _task,
    "escalateModel": _plain(rules.raise_tier),
    "canEscalate": _plain(lambda tier: rules.raise_tier(tier) != tier),
    "quickTierForAgent": _plain(_agent_tier),
    "getModelForTask": _agent_task,
    "analyzeTaskComplexity": _analysed,
}
