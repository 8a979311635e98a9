"""The page of the everyday requests that a prompt is most like.

Requests are compared by the words and pairs of words that they share; rare ones count more. The nearest examples of
`words/requests.toml` vote."""

from collections import Counter
from math import log, sqrt

VOTERS = 15
MAJORITY = 0.5  # of the votes; a wrong page is worse than none
ALIKE = 0.2  # of 1; the nearest example of a prompt that is like none of them shares less
FEWEST = 3  # words of a prompt that is compared
NONE = "none"
SEPARATOR = "|"
_ENDINGS = ("ing", "ed", "es", "ly", "s", "e")
_SHORTEST = 3  # letters of a word without its ending


def find_like(prompt: str) -> str:
    """Return the page of the examples that the prompt is most like; empty if it is like none, or needs no page."""
    asked_words = split_request(prompt)
    if len(asked_words) < FEWEST:
        return ""
    known = _list_examples()
    seen = Counter(part for _, parts in known for part in parts)
    whole = log(len(known))
    asked = {part: (whole - log(seen[part])) ** 2 for part in _pair(asked_words) if part in seen}
    near = []
    for page, parts in known:
        shared = asked.keys() & parts
        if shared:
            size = sum([(whole - log(seen[part])) ** 2 for part in parts])
            near.append((sum([asked[part] for part in shared]) / sqrt(size), page))
    near = sorted(near, reverse=True)[:VOTERS]
    if not near or near[0][0] < ALIKE * sqrt(sum(asked.values())):
        return ""
    votes: dict[str, float] = {}
    for alike, page in near:
        votes[page] = votes.get(page, 0.0) + alike**3
    best = max(votes, key=votes.__getitem__)
    is_clear = votes[best] >= MAJORITY * sum(votes.values())
    return best if is_clear and best != NONE else ""


def _list_examples() -> list[tuple[str, set[str]]]:
    from .request_words import EXAMPLES

    return [
        (page, _pair(text.split()))
        for page, texts in EXAMPLES.items()
        for text in texts.split(SEPARATOR)
    ]


def split_request(text: str) -> list[str]:
    """Return words without their endings; digits and question marks stand for themselves."""
    kept = (
        c if c.isalpha() or c == "'" else _SPELLED.get(c, "9" if c.isdigit() else " ")
        for c in text.lower()
    )
    return [_shorten(word) for word in "".join(kept).split()]


_SPELLED = {"?": " ? "}


def _pair(words: list[str]) -> set[str]:
    """Return words and pairs of neighbors, the beginning and the end included."""
    return {*words, *map(" ".join, zip(["^", *words], [*words, "$"], strict=True))}


def _shorten(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word[: -len(ending)]
    return "9" if word.isdigit() else word
