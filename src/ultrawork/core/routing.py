"""Which tier of model a piece of work deserves: the first rule that fits, raised by earlier failures."""

from . import complexity
from .complexity import HIGH, LOW, MEDIUM, TIERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Signals = Mapping[str, Any]
    Rule = tuple[str, str, Callable[[str, Signals], bool], str]

EXPLICIT = "explicit-model"
CATEGORY = "explicit-category"
MODELS = {LOW: "haiku", MEDIUM: "sonnet", HIGH: "opus"}
COMPLEXITY = {LOW: "simple", MEDIUM: "standard", HIGH: "complex"}
# From this many failures on, the strongest; one alone only leaves the weakest behind.
STRONG_AFTER = 2


class Route:
    """A choice and what speaks for it; `rule` names the row that decided."""

    __slots__ = ("confidence", "model", "reasons", "rule", "score", "signals", "tier")

    def __init__(
        self, tier: str, model: str, rule: str, reasons: list[str], found: "Signals"
    ) -> None:
        self.tier = tier
        self.model = model
        self.rule = rule
        self.reasons = reasons
        self.score = complexity.score(found)
        self.signals = found
        self.confidence = 1.0 if rule == EXPLICIT else complexity.confidence(self.score, tier)

    @property
    def complexity(self) -> str:
        return COMPLEXITY[self.tier]

    def document(self) -> "dict[str, Any]":
        names = ("tier", "model", "rule", "reasons", "score", "confidence", "signals")
        return {name: getattr(self, name) for name in names}


def _agent(name: str, fits: "Callable[[Signals], bool]") -> "Callable[[str, Signals], bool]":
    return lambda agent, found: agent == name and fits(found)


def _any(fits: "Callable[[Signals], bool]") -> "Callable[[str, Signals], bool]":
    return lambda _agent, found: fits(found)


def _is_simple(found: "Signals") -> bool:
    return bool(found["simple"]) and not (
        found["architecture"] or found["debugging"] or found["risk"]
    )


def _is_weighty(found: "Signals") -> bool:
    return bool(found["architecture"] or found["risk"] or found["scope"] == "system-wide")


# Strongest first: the first row that fits decides. (rule, tier, when, why)
RULES: "tuple[Rule, ...]" = (
    ("architect-complex-debugging", HIGH,
     _agent("architect", lambda s: s["debugging"] or s["architecture"] or s["risk"]),
     "an architect's question about causes, structure or risk"),
    ("architect-simple-lookup", LOW, _agent("architect", _is_simple), "an architect only looks something up"),
    ("planner-strategic-planning", HIGH,
     _agent("planner", lambda s: s["architecture"] or s["scope"] == "system-wide" or s["subtasks"] > 10),
     "a plan across the system"),
    ("planner-simple-breakdown", LOW, _agent("planner", lambda s: s["subtasks"] <= 3 and not s["risk"]), "a small breakdown"),
    ("critic-adversarial-review", HIGH, _agent("critic", _is_weighty), "a plan with much at stake is challenged"),
    ("critic-checklist-review", LOW, _agent("critic", lambda s: s["words"] < 50), "a checklist is gone through"),
    ("analyst-risk-analysis", HIGH, _agent("analyst", _is_weighty), "consequences across the system"),
    ("analyst-simple-impact", LOW, _agent("analyst", lambda s: s["scope"] == "local"), "a local change is weighed"),
    ("architecture-system-wide", HIGH,
     _any(lambda s: s["architecture"] and s["scope"] == "system-wide"), "structure of the whole system"),
    ("security-domain", HIGH, _any(lambda s: s["domain"] == "security"), "security is at stake"),
    ("difficult-reversibility-risk", HIGH,
     _any(lambda s: s["undo"] == "difficult" and s["risk"]), "risky and hard to take back"),
    ("deep-debugging", HIGH, _any(lambda s: s["question"] == "why" and s["debugging"]), "the cause of a failure is sought"),
    ("system-wide-debugging", HIGH,
     _any(lambda s: s["debugging"] and s["scope"] == "system-wide"), "a cause is sought in the whole system"),
    ("complex-multi-step", HIGH, _any(lambda s: s["subtasks"] > 5 and s["cross_file"]), "many steps in many files"),
    ("simple-search-query", LOW,
     _any(lambda s: _is_simple(s) and s["scope"] == "local" and s["words"] < 50), "something is looked up"),
    ("short-local-change", LOW,
     _any(lambda s: s["words"] < 50 and s["scope"] == "local" and s["undo"] == "easy" and not s["risk"]
          and not s["debugging"]),
     "short, local and easily taken back"),
    ("moderate-complexity", MEDIUM, _any(lambda s: 2 <= s["subtasks"] <= 5), "a few steps"),
    ("module-level-work", MEDIUM, _any(lambda s: s["scope"] == "module"), "a module is changed"),
    ("default-medium", MEDIUM, _any(lambda _: True), "nothing speaks for more or less"),
)  # fmt: skip


def route(
    text: str,
    *,
    agent: str = "",
    model: str = "",
    failures: int = 0,
    depth: int = 0,
    plan: int = 0,
    models: "Mapping[str, str]" = MODELS,
    category: str = "",
) -> Route:
    """`model` is somebody's explicit choice and always stands; so does the tier of a `category`, but for failures."""
    found = complexity.signals(text, failures=failures, depth=depth, plan=plan)
    points = complexity.score(found)
    if model:
        tier = next((one for one, name in models.items() if name == model), MEDIUM)
        return Route(tier, model, EXPLICIT, ["the model was given"], found)
    rule, tier, why = _of_category(category) if category else decided(agent, found)
    raised = after_failures(tier, failures)
    reasons = [why]
    if raised != tier:
        reasons.append(f"raised from {tier} after {failures} failed attempts")
    by_score = complexity.tier_of(points)
    if by_score != raised:
        reasons.append(f"the score alone ({points}) would say {by_score}")
    return Route(raised, models[raised], rule, reasons, found)


def _of_category(name: str) -> tuple[str, str, str]:
    from .categories import named

    return CATEGORY, named(name).tier, f"it was said to be {name} work"


def decided(agent: str, found: "Signals") -> tuple[str, str, str]:
    """The name, tier and reason of the first rule that fits."""
    name, tier, _, why = matching(agent, found)[0]
    return name, tier, why


def matching(agent: str, found: "Signals") -> "list[Rule]":
    bare = agent.rpartition(":")[2]
    return [row for row in RULES if row[2](bare, found)]


def after_failures(tier: str, failures: int) -> str:
    if failures >= STRONG_AFTER:
        return HIGH
    return raised(tier) if failures and tier == LOW else tier


def raised(tier: str) -> str:
    """The next stronger tier; the strongest stays."""
    return TIERS[min(TIERS.index(tier) + 1, len(TIERS) - 1)]
