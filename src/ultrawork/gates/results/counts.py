"""Runners that are known only by the numbers they print last."""

import re

from ...core.results import TestReport

_FORMS = (
    # Maven and Gradle
    r"Tests run: (?P<all>\d+), Failures: (?P<failed>\d+), Errors: (?P<errors>\d+)(?:, Skipped: (?P<skipped>\d+))?(?![^\n]*Time elapsed)",
    r"Tests run: (?P<all>\d+), Failures: (?P<failed>\d+)",
    r"(?P<all>\d+) tests completed, (?P<failed>\d+) failed(?:, (?P<skipped>\d+) skipped)?",
    # PHPUnit
    r"Tests: (?P<all>\d+), Assertions: \d+(?:, Errors: (?P<errors>\d+))?(?:, Failures: (?P<failed>\d+))?[^\n]*?(?:, Skipped: (?P<skipped>\d+))?",
    r"OK \((?P<all>\d+) tests?, \d+ assertions?\)",
    # RSpec, ExUnit, minitest
    r"(?P<all>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pending)?",
    r"(?P<all>\d+) (?:tests?|runs), \d+ assertions, (?P<failed>\d+) failures, (?P<errors>\d+) errors(?:, (?P<skipped>\d+) skips)?",
    r"(?:\d+ \w+, )*(?P<all>\d+) tests?, (?P<failed>\d+) failures?(?:, \d+ excluded)?(?:, (?P<skipped>\d+) skipped)?",
    # dotnet
    r"Failed: +(?P<failed>\d+), Passed: +(?P<passed>\d+), Skipped: +(?P<skipped>\d+), Total:",
    # ctest, nextest, bun
    r"\d+% tests passed, (?P<failed>\d+) tests? failed out of (?P<all>\d+)",
    r"(?P<all>\d+) tests? run: (?P<passed>\d+) passed[^\n,]*(?:, (?P<failed>\d+) failed)?(?:, (?P<skipped>\d+) skipped)?",
    r"(?P<passed>\d+) pass\n(?: *(?P<skipped>\d+) skip\n)? *(?P<failed>\d+) fail\b",
    r"(?P<passed>\d+) passed,? *(?:[,;|] *)?(?P<failed>\d+) failed",
    r"(?P<failed>\d+) failed[,;|] *(?P<passed>\d+) passed",
    r"(?P<passed>\d+) (?:tests? )?passed",
)


def read(text: str) -> TestReport | None:
    for form in _FORMS:
        found = list(re.finditer(form, text))
        if found:
            return _report([match.groupdict() for match in found])
    return None


def _report(runs: "list[dict[str, str | None]]") -> TestReport:
    def total(key: str) -> int:
        return sum(int(run.get(key) or 0) for run in runs)

    failed, skipped = total("failed") + total("errors"), total("skipped")
    ran = total("all") - skipped if "all" in runs[0] else total("passed") + failed
    return TestReport(ran=ran, failed_count=failed, skipped_count=skipped, complete=False)
