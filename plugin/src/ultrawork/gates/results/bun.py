"""`bun test`: rows under the name of a file, and three numbers at the end."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, RunnerCounts, join_names, make_one_line

SEEN = FORMS["bun"]
_FILE = re.compile(r"^(\S+\.[cm]?[jt]sx?):$")
_ROW = re.compile(r"^(?:\((pass|fail|skip|todo)\)|([✓✗»✎])) (.*?)(?: \[[\d.]+m?s\])?$")
_ERROR = re.compile(r"^error: (.+)$")
_COUNT = re.compile(r"^ *(\d+) (pass|skip|todo|fail)$", re.MULTILINE)
_OUTCOMES = {
    "pass": PASSED, "✓": PASSED, "fail": FAILED, "✗": FAILED, "skip": SKIPPED, "»": SKIPPED, "todo": SKIPPED, "✎": SKIPPED,
}  # fmt: skip


def parse(text: str) -> TestReport | None:
    if not SEEN.search(text):
        return None
    collector = Collector()
    file, one_line = "", ""
    for line in text.splitlines():
        head, row, error = _FILE.match(line), _ROW.match(line), _ERROR.match(line)
        if head:
            file = head[1]
        elif error:
            one_line = make_one_line(error[1])
        elif row:
            outcome = _OUTCOMES[row[1] or row[2]]
            collector.add(join_names(file, row[3]), outcome, one_line)
            one_line = ""
    counts = {word: int(number) for number, word in _COUNT.findall(text)}
    failed, skipped = counts.get("fail", 0), counts.get("skip", 0) + counts.get("todo", 0)
    return collector.report(RunnerCounts(counts.get("pass", 0) + failed, failed, skipped))
