"""Read `dart test` and `flutter test`, expanded: a line when a test begins, and another when it fails."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, make_one_line

SEEN = FORMS["dart"]
_ROW = re.compile(r"^\d\d:\d\d \+\d+(?: ~(\d+))?(?: -\d+)?: (.*?)( \[E\])?$")
_LAST = re.compile(r"^(?:All tests passed!|Some tests failed\.|No tests ran\.|All tests skipped\.)$")
_LOADING = "loading "
_SKIP = "Skip: "


def parse(text: str) -> TestReport | None:
    if not SEEN.search(text):
        return None
    collector = Collector()
    failing, current, skipped = "", "", 0
    for line in text.splitlines():
        row = _ROW.match(line)
        if row is None:
            if line.strip().startswith(_SKIP) and current in collector.outcomes:
                collector.outcomes[current] = SKIPPED
            elif failing and line.strip():
                collector.say(failing, make_one_line(line))
            continue
        current, skipped = row[2], int(row[1] or skipped)
        failing = _note(collector, current, failed=row[3] is not None)
    if not collector.outcomes:
        return TestReport(ran=0) if "No tests ran." in text else None
    count = list(collector.outcomes.values()).count(SKIPPED)
    return collector.report(complete=None if count >= skipped else False)


def _note(collector: Collector, name: str, *, failed: bool) -> str:
    """The name of a test that has just failed; what is being loaded is none, unless that fails."""
    if _LAST.match(name) or (name.startswith(_LOADING) and not failed):
        return ""
    if name.startswith(_LOADING):
        collector.add_errored(name.removeprefix(_LOADING))
        return name.removeprefix(_LOADING)
    collector.add(name, FAILED if failed else PASSED)
    return name if failed else ""
