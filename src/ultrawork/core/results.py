"""What one run of a gate came to: its colour, and the tests it ran by name."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

GREEN = "green"
RED = "red"
FLAKY = "flaky"
BROKEN = "broken"
ALL = (GREEN, RED, FLAKY, BROKEN)

PASSED = "passed"
FAILED = "failed"
SKIPPED = "skipped"


class TestReport:
    """
    Tests of one run. `outcomes` maps names to passed, failed or skipped where the runner tells
    names; `ran`, `failed_count` and `skipped_count` hold where it only prints counts; `messages`
    keeps one line for a failure (`tests/test_x.py:41  AssertionError: 200 != 401`). `complete`
    says that `outcomes` names every test of the run: only then does a missing name mean anything.
    """

    __test__ = False  # not a test class, whatever its name says to a test runner
    __slots__ = ("complete", "failed_count", "messages", "outcomes", "ran", "skipped_count")

    def __init__(
        self,
        *,
        outcomes: "Mapping[str, str] | None" = None,
        messages: "Mapping[str, str] | None" = None,
        ran: int | None = None,
        failed_count: int | None = None,
        skipped_count: int | None = None,
        complete: bool | None = None,
    ) -> None:
        self.outcomes = dict(outcomes or {})
        self.messages = dict(messages or {})
        counted = list(self.outcomes.values())
        named = bool(counted) and complete is not False
        self.ran = _either(ran, sum(1 for o in counted if o != SKIPPED), named)
        self.failed_count = _either(failed_count, counted.count(FAILED), bool(counted))
        self.skipped_count = _either(skipped_count, counted.count(SKIPPED), named)
        self.complete = named and len(counted) >= (self.ran or 0) + (self.skipped_count or 0)

    def names(self, outcome: str) -> list[str]:
        return [name for name, value in self.outcomes.items() if value == outcome]

    @property
    def failed(self) -> list[str]:
        return self.names(FAILED)


def _either(given: int | None, counted: int, known: bool) -> int | None:
    if given is not None:
        return given
    return counted if known else None


def short(name: str) -> str:
    """A test's own name, without the file and the suites around it."""
    for mark in ("::", " > "):
        if mark in name:
            return name.rpartition(mark)[2]
    parts = name.partition("[")[0].split(".")
    dotted = len(parts) > 1 and all(part.isidentifier() for part in parts)
    return name[len(".".join(parts[:-1])) + 1 :] if dotted else name
