"""
How a test can be put away: always, or on a condition.

One test as its source defines it.
"""

from collections.abc import Iterable, Sequence

ALWAYS = "always"
SOMETIMES = "sometimes"
NEVER = ""


def get_strongest(*marks: str) -> str:
    for mark in (ALWAYS, SOMETIMES):
        if mark in marks:
            return mark
    return NEVER


class TestCase:
    """
    `parts` are its suites and its own name; `body` what it does, without formatting and comments;
    `skipped` that it is marked to be skipped or expected to fail, `conditional` that this depends
    on something; `names` the words it uses; `lines` its first and last line.
    """

    __test__ = False  # not a test class, whatever its name says to a test runner
    __slots__ = ("assertions", "body", "conditional", "lines", "names", "parts", "skipped")

    def __init__(
        self,
        parts: Sequence[str],
        body: str,
        *,
        assertions: int = 0,
        skipped: bool = False,
        conditional: bool = False,
        names: Iterable[str] = (),
        lines: tuple[int, int] = (0, 0),
    ) -> None:
        self.parts = tuple(parts)
        self.body = body
        self.assertions = assertions
        self.skipped = skipped
        self.conditional = conditional
        self.names = frozenset(names)
        self.lines = lines
