# ruff: noqa: RUF001 (these signs are what the runner prints)
"""Read jest, verbose or not: without --verbose it names only the tests that failed."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, RunnerCounts, Suites, find_message, join_names

SEEN = FORMS["jest"]
_COUNT = re.compile(r"(\d+) (\w+)")
_FILE = re.compile(r"^(PASS|FAIL) +(?:.*? )??(\S+?)(?: \([\d.]+ m?s\))?$")
_ROW = re.compile(r"^( +)(✓|√|✕|×|○|✎) (?:skipped |todo )?(.*?)(?: \([\d.]+ m?s\))?$")
_SUITE = re.compile(r"^( +)(\S.*)$")
_FAILURE = re.compile(r"^  ● (.*)$")
_OUTCOMES = {"✓": PASSED, "√": PASSED, "✕": FAILED, "×": FAILED, "○": SKIPPED, "✎": SKIPPED}
_NO_LOAD = "Test suite failed to run"


class _Reader:
    def __init__(self) -> None:
        self.found = Collector()
        self.suites = Suites()
        self.file = ""
        self.in_tree = False
        self.failing = ""
        self.body: list[str] = []

    def line(self, line: str) -> None:
        if file := _FILE.match(line):
            self.enter(file[2].removeprefix("./"))
        elif failure := _FAILURE.match(line):
            self.fail(failure[1].strip())
        elif self.in_tree and line.strip():
            self.tree(line)
        else:
            self.in_tree = False
            self.body.append(line)

    def enter(self, file: str) -> None:
        self.flush()
        self.file, self.in_tree, self.suites = file, True, Suites()

    def tree(self, line: str) -> None:
        row, suite = _ROW.match(line), _SUITE.match(line)
        if row:
            depth = len(row[1])
            name = join_names(self.file, *self.suites.path(depth), row[3])
            self.found.add(name, _OUTCOMES[row[2]])
        elif suite:
            self.suites.enter(len(suite[1]), suite[2])

    def fail(self, title: str) -> None:
        self.flush()
        self.in_tree = False
        if title == _NO_LOAD:
            self.failing = self.file
        elif title not in ("Console", "Cannot log after tests are done."):
            self.failing = join_names(self.file, *title.split(" › "))

    def flush(self) -> None:
        if self.failing and self.file:
            self.found.add(self.failing, FAILED, find_message("\n".join(self.body)))
        self.failing, self.body = "", []


def parse(text: str) -> TestReport | None:
    totals = SEEN.findall(text)
    if not totals:
        return None
    reader = _Reader()
    for line in text.splitlines():
        if SEEN.match(line):
            reader.flush()
        reader.line(line)
    reader.flush()
    return reader.found.report(_counts(totals))


def _counts(totals: list[str]) -> RunnerCounts:
    count: dict[str, int] = {}
    for total in totals:
        for number, word in _COUNT.findall(total):
            count[word] = count.get(word, 0) + int(number)
    return RunnerCounts(
        ran=count.get("failed", 0) + count.get("passed", 0),
        failed=count.get("failed", 0),
        skipped=count.get("skipped", 0) + count.get("todo", 0),
    )
