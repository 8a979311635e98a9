"""Text that was pasted: eight words in a row that two texts share."""

import re

LENGTH = 8
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")  # noqa: RUF001 (both apostrophes are written)


def words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def shared(one: str, other: str) -> str:
    """The first eight words in a row that both have; empty if there are none."""
    known = set(_runs(one))
    return next((" ".join(run) for run in _runs(other) if run in known), "")


def _runs(text: str) -> list[tuple[str, ...]]:
    found = words(text)
    return [tuple(found[at : at + LENGTH]) for at in range(len(found) - LENGTH + 1)]
