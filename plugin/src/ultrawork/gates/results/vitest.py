# ruff: noqa: RUF001 (these signs are what the runner prints)
"""Read vitest: the default reporter names only tests of failed files, the verbose one all."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, RunnerCounts, Suites, join_names, join_place, make_one_line

TOTAL = re.compile(r"^ +Tests  +(\S.*)$", re.MULTILINE)
SEEN = FORMS["vitest"]
_COUNT = re.compile(r"(\d+) (failed|passed|skipped|todo)")
_OUTCOMES = {"✓": PASSED, "×": FAILED, "↓": SKIPPED, "□": SKIPPED}
_FILE = re.compile(r"^ (?:✓|×|❯|↓) (?:\|[^|]+\| )?(\S.*?) \(\d+ tests?\b[^)]*\)(?: +[\d.]+ ?m?s)?.*$")
_ROW = re.compile(r"^( +)(✓|×|↓|□) (?:\|[^|]+\| )?(.*?)(?: +\d+ ?ms| \[skipped\])*$")
_SUITE = re.compile(r"^( {2,})❯ (.*?) \(\d+\)(?: .*)?$")
_FAILURE = re.compile(r"^ FAIL  (?:\|[^|]+\| )?(.*?)(?: \[ .* \])?$")
_PLACE = re.compile(r"^ ❯ (?:.* )?(\S+?):(\d+):\d+$", re.MULTILINE)
_FIRST = 3


class _Reader:
    def __init__(self) -> None:
        self.found = Collector()
        self.suites = Suites()
        self.file = ""

    def line(self, line: str) -> None:
        file, suite, row = _FILE.match(line), _SUITE.match(line), _ROW.match(line)
        if file:
            self.file, self.suites = file[1], Suites()
        elif suite:
            self.suites.enter(len(suite[1]), suite[2])
        elif row:
            self.row(len(row[1]), row[2], row[3])

    def row(self, depth: int, mark: str, title: str) -> None:
        if depth == 1 and " > " in title:
            self.found.add(title, _OUTCOMES[mark])
            return
        path = self.suites.path(depth)
        # vitest 4 indents a nested test without naming its suites: its name would be a guess.
        if self.file and depth == _FIRST + 2 * len(path):
            self.found.add(join_names(self.file, *path, title), _OUTCOMES[mark])


def parse(text: str) -> TestReport | None:
    if not SEEN.search(text):
        return None
    reader = _Reader()
    tree = re.split(r"^⎯+ Failed ", text, maxsplit=1, flags=re.MULTILINE)[0]
    for line in tree.splitlines():
        reader.line(line)
    _failures(text, reader.found)
    return reader.found.report(_counts(text))


def _failures(text: str, collector: Collector) -> None:
    names: list[str] = []
    body: list[str] = []
    for line in [*text.splitlines(), "⎯⎯⎯"]:
        failure = _FAILURE.match(line)
        if failure and not body:
            names.append(failure[1])
        elif line.startswith("⎯⎯⎯") or failure:
            for name in names:
                collector.add(name, FAILED, _message(body))
            names, body = [failure[1]] if failure else [], []
        elif names:
            body.append(line)


def _message(body: list[str]) -> str:
    place = _PLACE.search("\n".join(body))
    return join_place(f"{place[1]}:{place[2]}" if place else "", make_one_line(body))


def _counts(text: str) -> RunnerCounts:
    count = dict.fromkeys(("failed", "passed", "skipped", "todo"), 0)
    for total in TOTAL.findall(text):
        for number, word in _COUNT.findall(total):
            count[word] += int(number)
    return RunnerCounts(
        ran=count["failed"] + count["passed"], failed=count["failed"], skipped=count["skipped"] + count["todo"]
    )
