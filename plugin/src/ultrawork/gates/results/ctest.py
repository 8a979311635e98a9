"""`ctest`: one row for each registered test."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import Collector, RunnerCounts

_TOTAL = re.compile(r"^\d+% tests passed, (\d+) tests? failed out of (\d+)", re.MULTILINE)
_ROW = re.compile(
    r"^ *\d+/\d+ Test +#\d+: (\S.*?) \.*(?:\*\*\*| +)(Passed|Failed|Not Run|Skipped|Timeout|Exception|Disabled)",
    re.MULTILINE,
)
_OUTCOMES = {"Passed": PASSED, "Skipped": SKIPPED, "Disabled": SKIPPED}


def parse(text: str) -> TestReport | None:
    total = _TOTAL.search(text)
    if total is None:
        return None
    collector = Collector()
    for name, ended in _ROW.findall(text):
        if ended == "Not Run":
            collector.add_errored(name.strip(), "its program was not built")
        else:
            collector.add(name.strip(), _OUTCOMES.get(ended, FAILED))
    if collector.outcomes:
        return collector.report()
    counts = RunnerCounts(ran=int(total[2]), failed=int(total[1]), skipped=0)
    return collector.report(counts, complete=False)
