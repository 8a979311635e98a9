"""What kind of work a request is, and how much thought that kind deserves."""

from .complexity import HIGH, LOW, MEDIUM

UNKNOWN_LOW, UNKNOWN_HIGH = "unspecified-low", "unspecified-high"
# Tokens of thinking that an effort stands for.
EFFORTS = {"low": 1_000, "medium": 5_000, "high": 10_000, "max": 32_000}
# One word alone says little: `find` occurs in every second request.
ENOUGH = 2


class Category:
    """`temperature` is for whoever asks a model without a client; clients do not take one."""

    __slots__ = ("effort", "name", "temperature", "tier", "words")

    def __init__(self, name: str, tier: str, temperature: float, effort: str, words: str) -> None:
        self.name = name
        self.tier = tier
        self.temperature = temperature
        self.effort = effort
        self.words = words

    def document(self) -> dict[str, object]:
        return {
            "name": self.name,
            "tier": self.tier,
            "effort": self.effort,
            "thinking_tokens": EFFORTS[self.effort],
            "temperature": self.temperature,
        }


ALL = {
    one.name: one
    for one in (
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


def named(name: str) -> Category:
    from .check import choice

    return ALL[choice(name, ALL, "category")]


def detected(text: str) -> Category | None:
    """The category of which most words occur, two at least; of two that are equal the one named first."""
    import re

    lower = text.lower()
    counts = {
        name: len(set(re.findall(rf"\b(?:{one.words})\b", lower)))
        for name, one in ALL.items()
        if one.words
    }
    name = max(counts, key=lambda each: counts[each])
    return ALL[name] if counts[name] >= ENOUGH else None


def chosen(text: str, tier: str, name: str = "") -> Category:
    """As somebody asked for it, else by the words; where they say nothing, by the tier of the work."""
    if name:
        return named(name)
    return detected(text) or ALL[UNKNOWN_LOW if tier == LOW else UNKNOWN_HIGH]
