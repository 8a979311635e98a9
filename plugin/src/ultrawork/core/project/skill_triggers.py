"""Which learned skills a prompt triggers: words, `*` patterns, `/expressions/`, and near misses."""

import re
from collections.abc import Iterable, Sequence

from ..value import Value

EXACT, PATTERN, FUZZY = "exact", "pattern", "fuzzy"
SCORES = {EXACT: 100, "expression": 90, "glob": 85}
NEAR = 60
PART = 80
THRESHOLD = 30
LONGEST_PROMPT = 4_000
LONGEST_EXPRESSION = 200


class SkillMatch(Value):
    id: str
    confidence: int
    triggers: list[str]
    kind: str


def match(
    prompt: str, skills: Iterable[tuple[str, Sequence[str]]], *, threshold: int = THRESHOLD, most: int = 10
) -> list[SkillMatch]:
    """Return matches, best first; equal ones keep their order."""
    text = prompt[:LONGEST_PROMPT].lower()
    matches = [_matched(text, name, triggers) for name, triggers in skills]
    good = [skill_match for skill_match in matches if skill_match is not None and skill_match.confidence >= threshold]
    return sorted(good, key=lambda skill_match: -skill_match.confidence)[:most]


def _matched(text: str, name: str, triggers: Sequence[str]) -> SkillMatch | None:
    scores = {trigger: _score(text, trigger.strip()) for trigger in triggers if trigger.strip()}
    hits = {trigger: score for trigger, score in scores.items() if score[0]}
    if not hits:
        return None
    points = [score for score, _ in hits.values()]
    confidence = round(0.7 * max(points) + 0.3 * sum(points) / len(points))
    kind = max(hits.values())[1]
    return SkillMatch(name, confidence, list(hits), kind)


def _score(text: str, trigger: str) -> tuple[int, str]:
    if trigger.startswith("/") and trigger.rfind("/") > 0:
        return (SCORES["expression"], PATTERN) if _expression(trigger, text) else (0, "")
    if "*" in trigger:
        pattern = ".*".join(re.escape(part) for part in trigger.lower().split("*"))
        return (SCORES["glob"], PATTERN) if re.search(pattern, text) else (0, "")
    if re.search(rf"(?<!\w){re.escape(trigger.lower())}(?:s|es)?(?!\w)", text):
        return SCORES[EXACT], EXACT
    near = compute_nearness(text, trigger)
    return (near, FUZZY) if near >= NEAR else (0, "")


def _expression(trigger: str, text: str) -> bool:
    """Refuse a pattern that could take forever: hooks have to answer."""
    body = trigger[1 : trigger.rfind("/")]
    nested = re.search(r"[+*}]\)[+*{?]", body)
    if len(body) > LONGEST_EXPRESSION or nested:
        return False
    try:
        return re.search(body, text, re.IGNORECASE) is not None
    except re.error:
        return False


def compute_nearness(text: str, word: str) -> int:
    """Return how close the nearest word of a text is, 0 to 100."""
    wanted = word.lower()
    return max((_near(part, wanted) for part in text.lower().split()), default=0)


def _near(word: str, other: str) -> int:
    if word == other:
        return 100
    if len(word) > 3 and len(other) > 3 and (word in other or other in word):
        return PART
    longest = max(len(word), len(other))
    if longest > 40 or abs(len(word) - len(other)) * 100 > longest * (100 - NEAR):
        return 0
    return round(100 * (1 - _distance(word, other) / longest))


def _distance(word: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for place, letter in enumerate(word, 1):
        before, row[0] = row[0], place
        for at, each in enumerate(other, 1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (letter != each))
    return row[-1]


def list_called(prompt: str, skills: Iterable[tuple[str, Sequence[str]]], most: int) -> list[str]:
    """Return skills worth telling a model unasked: no near misses."""
    return [
        skill_match.id for skill_match in match(prompt, skills, threshold=70, most=most) if skill_match.kind != FUZZY
    ]
