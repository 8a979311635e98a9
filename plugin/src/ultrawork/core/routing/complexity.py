"""Score how hard a request looks: signals in its words, its form and its history."""

from collections.abc import Mapping
from typing import Any

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
