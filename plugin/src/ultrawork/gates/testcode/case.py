"""One test as its source defines it, and how it can be put away: always, or on a condition."""

from ...core.value import Value

ALWAYS = "always"
SOMETIMES = "sometimes"
NEVER = ""


def get_strongest(*marks: str) -> str:
    for mark in (ALWAYS, SOMETIMES):
        if mark in marks:
            return mark
    return NEVER


class TestCase(Value):
    """
    `parts` are its suites and its own name; `body` what it does, without formatting and comments;
    `skipped` that it is marked to be skipped or expected to fail, `conditional` that this depends
    on something; `names` the words it uses; `lines` its first and last line.
    """

    __test__ = False  # not a test class, whatever its name says to a test runner

    parts: tuple[str, ...]
    body: str
    mark: str
    names: frozenset[str]
    lines: tuple[int, int]

    @property
    def skipped(self) -> bool:
        return self.mark != NEVER

    @property
    def conditional(self) -> bool:
        return self.mark == SOMETIMES
