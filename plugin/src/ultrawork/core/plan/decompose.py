"""Split a goal without a model: its areas, a task for each, who owns which files, in which order."""

import re
from collections.abc import Mapping

from ..value import Value

BUG, REFACTOR, FULL, FEATURE, DOCS, TESTS, SPEED, OTHER = (
    "bug-fix", "refactoring", "fullstack-app", "feature", "documentation", "testing", "optimization", "other",
)  # fmt: skip
_KINDS = (
    (FULL, r"full[- ]?stack|(?=.*\bfront[- ]?end\b)(?=.*\bback[- ]?end\b)"),
    (REFACTOR, r"refactor\w*|restructure|reorgani[sz]e|clean ?up"),
    (BUG, r"fix|bug|broken|crash\w*|fail(?:s|ing|ed)?|regression"),
    (DOCS, r"document\w*|docs|readme|guide"),
    (TESTS, r"tests?|coverage|spec"),
    (SPEED, r"optimi[sz]e|performance|faster|speed"),
    (FEATURE, r"add|implement|create|build|support|feature"),
)
_AREAS = {
    "frontend": r"front[- ]?end|ui|react|vue|svelte|component|page|css|browser",
    "backend": r"back[- ]?end|server|api|endpoint|express|fastapi|django|service",
    "database": r"database|db|schema|migration|postgres\w*|mysql|sqlite|mongo\w*|sql",
    "auth": r"auth\w*|login|sign[- ]?in|session|password|token",
    "infra": r"docker|kubernetes|ci|deploy\w*|pipeline|terraform",
    "testing": r"tests?|coverage|e2e",
    "docs": r"docs|documentation|readme",
}
# An area waits for those on its right, if both exist.
_NEEDS = {
    "frontend": ("backend",), "backend": ("database",), "auth": ("database",), "infra": ("backend", "frontend"),
    "testing": ("frontend", "backend", "database", "auth"), "docs": ("frontend", "backend"),
}  # fmt: skip
_PATTERNS = {
    "frontend": ["src/components/**", "src/pages/**", "src/styles/**", "web/**"],
    "backend": ["src/api/**", "src/routes/**", "src/controllers/**", "server/**"],
    "database": ["src/db/**", "migrations/**", "src/models/**"],
    "auth": ["src/auth/**"],
    "infra": [".github/**", "docker/**", "Dockerfile"],
    "testing": ["tests/**", "test/**", "**/*.test.*"],
    "docs": ["docs/**", "README.md"],
}
_ALONE = (BUG, DOCS, SPEED, TESTS)


class DraftTask(Value):
    """One task. `owns`: globs or files that no other task writes meanwhile. `area`: empty for a step of a list."""

    id: str
    subject: str
    owns: list[str]
    blocked_by: list[str]
    area: str = ""


def classify_goal(goal: str) -> str:
    return next((name for name, words in _KINDS if re.search(rf"\b(?:{words})\b", goal, re.IGNORECASE)), OTHER)


def find_areas(goal: str) -> list[str]:
    return [name for name, words in _AREAS.items() if re.search(rf"\b(?:{words})\b", goal, re.IGNORECASE)]


def split_steps(goal: str) -> list[str]:
    """Return the steps of a goal that is already a list: numbered, dashed, or consecutive sentences."""
    items = re.findall(r"(?m)^[ \t]*(?:[-*]|\d+[.)])[ \t]+(\S.*?)[ \t]*$", goal)
    if len(items) > 1:
        return items
    parts = [part.strip(" .;") for part in re.split(r"(?<=[.;])\s+", goal.strip())]
    return [part for part in parts if len(part.split()) > 1]


def decompose(goal: str) -> list[DraftTask]:
    """Return tasks: a list in its order, else one per area, or a single one if that is enough."""
    listed = split_steps(goal)
    if len(listed) > 1:
        return [
            DraftTask(f"t{number}", step, [], [f"t{number - 1}"] if number > 1 else [])
            for number, step in enumerate(listed, 1)
        ]
    areas = find_areas(goal)
    if classify_goal(goal) in _ALONE or len(areas) < 2:
        return [DraftTask("t1", goal.strip(), [], [])]
    names = {area: f"t{number}" for number, area in enumerate(_ordered(areas), 1)}
    return [
        DraftTask(name, f"{area}: {goal.strip()}", _PATTERNS[area], [names[need] for need in _needs(area, names)], area)
        for area, name in names.items()
    ]


def _needs(area: str, there: Mapping[str, str]) -> list[str]:
    return [need for need in _NEEDS.get(area, ()) if need in there]


def _ordered(areas: list[str]) -> list[str]:
    """Return areas with dependencies first."""
    left, done = list(areas), []
    while left:
        ready = [area for area in left if not set(_NEEDS.get(area, ())) & set(left)]
        done += ready or left
        left = [area for area in left if area not in done]
    return done
