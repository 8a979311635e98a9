"""`meson test`: one row for each registered test."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, make_one_line

SEEN = FORMS["meson"]
_ROW = re.compile(
    r"^ *\d+/\d+ (\S.*?) +(OK|FAIL|SKIP|TIMEOUT|ERROR|INTERRUPT|EXPECTEDFAIL|UNEXPECTEDPASS) +[\d.]+ ?s\b *(.*)$",
    re.MULTILINE,
)
_OUTCOMES = {"OK": PASSED, "EXPECTEDFAIL": PASSED, "SKIP": SKIPPED}


def parse(text: str) -> TestReport | None:
    if not SEEN.search(text):
        return None
    collector = Collector()
    for name, ended, rest in _ROW.findall(text):
        # With suites, the project's name precedes each test.
        collector.add(name.rpartition(" / ")[2], _OUTCOMES.get(ended, FAILED), make_one_line(rest))
    return collector.report() if collector.outcomes else None
