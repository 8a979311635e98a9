"""Names and outcomes while a report is read."""

from ...core.results import FAILED, PASSED, SKIPPED, TestReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_WORSE = {SKIPPED: 0, PASSED: 1, FAILED: 2}


class Counts:
    """The numbers a runner printed."""

    __slots__ = ("failed", "ran", "skipped")

    def __init__(self, *, ran: int, failed: int, skipped: int) -> None:
        self.ran = ran
        self.failed = failed
        self.skipped = skipped


class Collector:
    """A test that is told twice keeps its worse outcome and its first message."""

    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}
        self.messages: dict[str, str] = {}
        self.failures = 0
        self._told: dict[str, int] = {}

    def add(self, name: str, outcome: str, message: str = "") -> None:
        known = self.outcomes.get(name)
        if known is None or _WORSE[outcome] > _WORSE[known]:
            self.outcomes[name] = outcome
            self.failures += outcome == FAILED
        self.say(name, message)

    def add_again(self, name: str, outcome: str, message: str = "") -> str:
        """For runners that tell no file: the second test of a name is another test."""
        count = self._told[name] = self._told.get(name, 0) + 1
        unique = name if count == 1 else f"{name} #{count}"
        self.add(unique, outcome, message)
        return unique

    def say(self, name: str, message: str) -> None:
        if message and self.outcomes.get(name) == FAILED:
            self.messages.setdefault(name, message)

    def report(self, counts: Counts | None = None, *, complete: bool | None = None) -> TestReport:
        if counts is None:
            return TestReport(outcomes=self.outcomes, messages=self.messages, complete=complete)
        # A file that could not be loaded has failed, though no test of it was counted.
        unloaded = max(0, self.failures - counts.failed)
        return TestReport(
            outcomes=self.outcomes,
            messages=self.messages,
            ran=counts.ran + unloaded,
            failed_count=counts.failed + unloaded,
            skipped_count=counts.skipped,
            complete=complete,
        )


def merged(reports: list[TestReport]) -> TestReport:
    """One report of several runs behind one command."""
    if len(reports) == 1:
        return reports[0]
    together = Collector()
    for report in reports:
        for name, outcome in report.outcomes.items():
            together.add(name, outcome, report.messages.get(name, ""))
    return TestReport(
        outcomes=together.outcomes,
        messages=together.messages,
        ran=_sum(report.ran for report in reports),
        failed_count=_sum(report.failed_count for report in reports),
        skipped_count=_sum(report.skipped_count for report in reports),
        complete=None if all(report.complete for report in reports) else False,
    )


def _sum(numbers: "Iterable[int | None]") -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
