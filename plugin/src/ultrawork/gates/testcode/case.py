"""One test as its source defines it, and whether it is skipped: always, or on a condition."""

from ...core.value import Value

ALWAYS = "always"
SOMETIMES = "sometimes"
NEVER = ""


def get_strongest(*marks: str) -> str:
    return next((mark for mark in (ALWAYS, SOMETIMES) if mark in marks), NEVER)


class TestCase(Value):
    """A test in the source. `parts` are its suites and its name, `body` its code without formatting and comments.
    `skipped`: it is marked as skipped or expected to fail; `conditional`: that depends on something. `names` are the
    words it uses, `lines` its first and last line."""

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
