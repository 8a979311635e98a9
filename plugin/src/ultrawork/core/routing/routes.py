"""What kind of work a request is, and how much thought it deserves: a score of how hard it looks, by signals in its
words, its form and its history, and the model tier of the first matching rule, raised by earlier failures."""

from collections.abc import Callable, Mapping
from typing import Any

from ..value import Value

Signals = Mapping[str, Any]

LOW, MEDIUM, HIGH = "LOW", "MEDIUM", "HIGH"
TIERS = (LOW, MEDIUM, HIGH)
FROM_MEDIUM, FROM_HIGH = 4, 8
MOST_FOR_FAILURES = 4

# Whole words: `designer` is not about design, `gadget` does not ask to get something.
_WORDS = {
    "architecture": (
        "architecture|architect|architectural|refactor|refactors|refactoring|redesign|restructure|reorganize"
        "|reorganise|decouple|modularize|modularise|monolith|microservices?|design|abstraction"
    ),
    "debugging": (
        "debug|debugging|diagnose|root cause|investigate|stack trace|analy[sz]e|figure out|understand why"
        "|not working|why is|race condition|memory leak|deadlock"
    ),
    "simple": "find|search|locate|list|show|where is|what is|what are|get|fetch|display|print|look up|count",
    "risk": (
        "critical|production|urgent|urgently|security|breaking|dangerous|irreversible|data loss|sensitive"
        "|compliance|outage|downtime"
    ),
    "vague": (
        "make it better|improve|clean ?up|enhance|optimi[sz]e|polish|modernize|modernise|refactor|fix everything"
    ),
    "cross_file": (
        "multiple files|several files|across|all (?:the )?(?:\\w+ )?files|many files|throughout|every file|codebase"
    ),
    "tests": "tests?|testing|spec|specs|coverage|make sure|verify|ensure",
    "external": (
        "documentation|docs for|best practices?|official|library|sdk|third[- ]party|rfc|standard for|api reference"
    ),
    "system_wide": (
        "entire|whole|all modules|system[- ]wide|global|globally|everywhere|throughout|across (?:the|all)"
        "|all (?:services|domains|packages)"
    ),
    "module": "modules?|packages?|services?|features?|components?|layers?|subsystem",
    "difficult": "production|migrate|migration|deploy|deployment|drop table|delete all|irreversible|rollback|publish|release",
    "moderate": "refactor|refactoring|restructure|reorganize|reorganise|schema|upgrade",
}
_DOMAINS = {
    "security": "security|vulnerabilit(?:y|ies)|exploit|injection|xss|csrf|owasp|authentication|authorization|authorisation|encryption|credentials?",
    "infrastructure": "docker|kubernetes|k8s|terraform|ci/cd|pipeline|deployment|helm|aws|gcp|azure|nginx|devops",
    "data": "dataset|etl|analytics|machine learning|dataframe|statistics|ml model",
    "frontend": "react|vue|svelte|angular|css|html|ui|frontend|front-end|component|responsive",
    "backend": "api|endpoint|database|server|sql|rest|graphql|backend|back-end|query|middleware",
}
_QUESTIONS = ("why", "how", "what", "where")
# The weight of each signal.
_FLAGS = {
    "architecture": 3, "debugging": 2, "simple": -2, "risk": 2, "vague": 1,
    "cross_file": 2, "tests": 1, "external": 1,
}  # fmt: skip
_VALUES = {
    "question": {"why": 2, "how": 1},
    "domain": {"security": 2, "infrastructure": 1},
    "undo": {"difficult": 2, "moderate": 1},
    "scope": {"system-wide": 3, "module": 1},
}


def find_signals(text: str, *, failures: int = 0, depth: int = 0, plan: int = 0) -> dict[str, Any]:
    """Return all signals that a score or a rule uses."""
    import re

    lower = text.lower()
    signals: dict[str, Any] = {name: _says(re, words, lower) for name, words in _WORDS.items()}
    signals |= {
        "words": len(text.split()),
        "paths": len(re.findall(r"(?<![\w/.-])(?:[\w.-]+/)+[\w.-]+\.\w+\b", text)),
        "code": text.count("```") // 2,
        "question": next((question for question in _QUESTIONS if _says(re, question, lower)), "none"),
        "subtasks": _subtasks(re, text),
        "domain": next((name for name, words in _DOMAINS.items() if _says(re, words, lower)), "generic"),
        "failures": failures,
        "depth": depth,
        "plan": plan,
    }
    signals["cross_file"] = signals["cross_file"] or signals["paths"] >= 2
    signals["undo"] = "difficult" if signals.pop("difficult") else _either(signals, "moderate", "easy")
    signals["scope"] = "system-wide" if signals.pop("system_wide") else _either(signals, "module", "local")
    return signals


def _says(re: Any, words: str, text: str) -> bool:
    return re.search(rf"\b(?:{words})\b", text) is not None


def _either(signals: dict[str, Any], name: str, other: str) -> str:
    return name if signals.pop(name, False) else other


def _subtasks(re: Any, text: str) -> int:
    """Return one, plus one per list item, plus one per second `and`."""
    items = len(re.findall(r"(?m)^[ \t]*(?:[-*]|\d+[.)])[ \t]+\S", text))
    return 1 + items + len(re.findall(r"\band\b", text, re.I)) // 2


def score(signals: Signals) -> int:
    total = sum(worth for name, worth in _FLAGS.items() if signals[name])
    total += sum(worths.get(signals[name], 0) for name, worths in _VALUES.items())
    total += 2 * (signals["words"] > 200) + (signals["words"] > 500)
    total += (signals["paths"] >= 2) + (signals["code"] > 0)
    total += 3 * (signals["subtasks"] > 3) + (2 <= signals["subtasks"] <= 3)
    total += min(MOST_FOR_FAILURES, 2 * signals["failures"])
    return int(total + 2 * (signals["depth"] >= 3) + (signals["plan"] >= 5))


def find_tier(points: int) -> str:
    return HIGH if points >= FROM_HIGH else MEDIUM if points >= FROM_MEDIUM else LOW


def compute_confidence(points: int, tier: str) -> float:
    """Return how far the score is inside the chosen tier, 0 to 1."""
    inside = {
        LOW: FROM_MEDIUM - points,
        MEDIUM: min(points - FROM_MEDIUM, FROM_HIGH - points),
        HIGH: points - FROM_HIGH,
    }[tier]
    return round(min(1.0, max(0.0, 0.5 + 0.4 * min(inside, 4) / 4)), 2)


Rule = tuple[str, str, Callable[[str, Signals], bool], str]

UNKNOWN_LOW, UNKNOWN_HIGH = "unspecified-low", "unspecified-high"
# Thinking tokens per effort.
EFFORTS = {"low": 1_000, "medium": 5_000, "high": 10_000, "max": 32_000}
# A single word says little: `find` occurs in every second request.
ENOUGH_WORDS = 2


class Category(Value):
    """`temperature` is for callers that ask a model without a client; clients do not take one."""

    name: str
    tier: str
    temperature: float
    effort: str
    words: str

    def document(self) -> dict[str, object]:
        return {
            "name": self.name,
            "tier": self.tier,
            "effort": self.effort,
            "thinking_tokens": EFFORTS[self.effort],
            "temperature": self.temperature,
        }


CATEGORIES = {
    category.name: category
    for category in (
        Category(
            "visual-engineering", HIGH, 0.7, "high",
            r"ui|ux|user interface|interface|front-?end|components?|css|styles?|styling|layouts?|responsive|visual|design"
            r"|themes?|dark mode|buttons?|forms?|dashboards?|animations?|colou?rs?|typography|pages?|screens?",
        ),
        Category(
            "ultrabrain", HIGH, 0.3, "max",
            r"architecture|architectural|refactor|refactoring|redesign|debug|debugging|root cause|race conditions?|deadlocks?"
            r"|memory leaks?|concurrency|performance|scalability|optimi[sz]e|algorithms?|investigate|analy[sz]e|complex|diagnose",
        ),
        Category(
            "artistry", MEDIUM, 0.9, "medium",
            r"creative|brainstorm|brainstorming|innovative|ideas?|imagine|imaginative|novel|invent|original|unconventional"
            r"|alternatives|concepts?",
        ),
        Category(
            "quick", LOW, 0.1, "low",
            r"find|search|locate|list|show|where is|what is|get|fetch|look up|print|display|count|typo|rename",
        ),
        Category(
            "writing", MEDIUM, 0.5, "medium",
            r"write|draft|document|documentation|docs|readme|comments?|guide|tutorial|explain|describe|article|changelog"
            r"|release notes|blog",
        ),
        Category(UNKNOWN_LOW, LOW, 0.3, "low", ""),
        Category(UNKNOWN_HIGH, HIGH, 0.5, "high", ""),
    )
}  # fmt: skip


def parse_category(name: str) -> Category:
    from ..check import require_choice

    return CATEGORIES[require_choice(name, CATEGORIES, "category")]


def detect_category(text: str) -> Category | None:
    """The category of which most words occur, two at least; of two that are equal the one named first."""
    import re

    lower = text.lower()
    counts = {
        name: len(set(re.findall(rf"\b(?:{category.words})\b", lower)))
        for name, category in CATEGORIES.items()
        if category.words
    }
    name = max(counts, key=lambda each: counts[each])
    return CATEGORIES[name] if counts[name] >= ENOUGH_WORDS else None


def choose_category(text: str, tier: str, name: str = "") -> Category:
    """Return the requested category, else one by the words, else one by the tier of the work."""
    if name:
        return parse_category(name)
    return detect_category(text) or CATEGORIES[UNKNOWN_LOW if tier == LOW else UNKNOWN_HIGH]


EXPLICIT = "explicit-model"
CATEGORY = "explicit-category"
MODELS = {LOW: "haiku", MEDIUM: "sonnet", HIGH: "opus"}
COMPLEXITY = {LOW: "simple", MEDIUM: "standard", HIGH: "complex"}
# From this many failures on, the strongest; a single one only excludes the weakest.
STRONG_AFTER = 2


class Route:
    """A choice and its reasons; `rule` names the row that decided."""

    def __init__(self, tier: str, model: str, rule: str, reasons: list[str], signals: Signals) -> None:
        self.tier = tier
        self.model = model
        self.rule = rule
        self.reasons = reasons
        self.score = score(signals)
        self.signals = signals
        self.confidence = 1.0 if rule == EXPLICIT else compute_confidence(self.score, tier)

    @property
    def complexity(self) -> str:
        return COMPLEXITY[self.tier]

    def document(self) -> dict[str, Any]:
        names = ("tier", "model", "rule", "reasons", "score", "confidence", "signals")
        return {name: getattr(self, name) for name in names}


def _agent(name: str, fits: Callable[[Signals], bool]) -> Callable[[str, Signals], bool]:
    return lambda agent, signals: agent == name and fits(signals)


def _any(fits: Callable[[Signals], bool]) -> Callable[[str, Signals], bool]:
    return lambda _agent, signals: fits(signals)


def _is_simple(signals: Signals) -> bool:
    return bool(signals["simple"]) and not (signals["architecture"] or signals["debugging"] or signals["risk"])


def _is_weighty(signals: Signals) -> bool:
    return bool(signals["architecture"] or signals["risk"] or signals["scope"] == "system-wide")


# Strongest first: the first matching row decides. (rule, tier, when, why)
RULES: tuple[Rule, ...] = (
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


def choose_route(
    text: str,
    *,
    agent: str = "",
    model: str = "",
    failures: int = 0,
    depth: int = 0,
    plan: int = 0,
    models: Mapping[str, str] = MODELS,
    category: str = "",
) -> Route:
    """Choose a model. An explicit `model` always wins; so does the tier of a `category`, except after failures."""
    signals = find_signals(text, failures=failures, depth=depth, plan=plan)
    points = score(signals)
    if model:
        tier = next((level for level, name in models.items() if name == model), MEDIUM)
        return Route(tier, model, EXPLICIT, ["the model was given"], signals)
    rule, tier, why = _of_category(category) if category else find_rule(agent, signals)
    raised = raise_after_failures(tier, failures)
    reasons = [why]
    if raised != tier:
        reasons.append(f"raised from {tier} after {failures} failed attempts")
    by_score = find_tier(points)
    if by_score != raised:
        reasons.append(f"the score alone ({points}) would say {by_score}")
    return Route(raised, models[raised], rule, reasons, signals)


def _of_category(name: str) -> tuple[str, str, str]:

    return CATEGORY, parse_category(name).tier, f"it was said to be {name} work"


def find_rule(agent: str, signals: Signals) -> tuple[str, str, str]:
    """Return the name, tier and reason of the first rule that fits."""
    name, tier, _, why = list_rules(agent, signals)[0]
    return name, tier, why


def list_rules(agent: str, signals: Signals) -> list[Rule]:
    bare = agent.rpartition(":")[2]
    return [row for row in RULES if row[2](bare, signals)]


def raise_after_failures(tier: str, failures: int) -> str:
    if failures >= STRONG_AFTER:
        return HIGH
    return raise_tier(tier) if failures and tier == LOW else tier


def raise_tier(tier: str) -> str:
    """Return the next stronger tier; the strongest stays."""
    return TIERS[min(TIERS.index(tier) + 1, len(TIERS) - 1)]
