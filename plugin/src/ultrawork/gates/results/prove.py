"""Read `prove -v` and similar: TAP of several files, each under its own name, and the harness summary."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, RunnerCounts, join_place, make_one_line

SEEN = FORMS["prove"]
_FILE = re.compile(r"^(\S+) \.\.+ ?(.*)$")
_ROW = re.compile(r"^(not )?ok\b(?: (\d+))?(?: -)?(?: (.*?))?$")
_DIRECTIVE = re.compile(r"(?:^| )# *(skip|todo)\b.*$", re.IGNORECASE)
_SKIPPED = re.compile(r"^skipped(?:: .*)?$")
# Scratch paths and addresses differ in each run; a test that names one is still the same.
_PASSING = re.compile(r"/(?:tmp|var/tmp|var/folders|dev/shm)/[^\s'\"),;]+|\b0x[0-9a-f]{6,}\b")
_FAILED = re.compile(r"^Failed \d+/\d+ subtests")
_TOTAL = re.compile(r"^Files=\d+, Tests=(\d+),", re.MULTILINE)
_DIAGNOSIS = re.compile(r"^# +Failed test '(.*)'\n# +at (\S+) line (\d+)\.\n((?:# {4,}.*\n)*)", re.MULTILINE)


class _Reader:
    def __init__(self) -> None:
        self.found = Collector()
        self.file = ""
        self.rows = 0

    def line(self, line: str) -> None:
        file, row = _FILE.match(line), _ROW.match(line)
        if file and not row:
            self.open(file[1], file[2])
        elif row and self.file and (row[2] or row[3]):
            self.row(row[1] is not None, row[3] or f"test {row[2]}")
        elif self.file and not self.rows:
            self.end(line)

    def end(self, line: str) -> None:
        """Record how a file ended whose rows are not shown; one that died before its first test did not run."""
        if line.strip() == "ok":
            self.found.add(self.file, PASSED)
        elif _SKIPPED.match(line):
            self.found.add(self.file, SKIPPED)
        elif line.startswith("No subtests run"):
            self.found.add_errored(self.file, "none of its tests ran")
        elif _FAILED.match(line):
            self.found.add(self.file, FAILED, make_one_line(line))

    def open(self, file: str, rest: str) -> None:
        self.file, self.rows = file, 0
        if rest:
            self.line(rest)

    def row(self, failed: bool, title: str) -> None:
        directive = _DIRECTIVE.search(title)
        name = _PASSING.sub("…", (title[: directive.start()] if directive else title).strip())
        outcome = FAILED if failed else PASSED
        text = f"{self.file}::{name or f'test {self.rows + 1}'}"
        self.found.add_again(text, SKIPPED if directive else outcome)
        self.rows += 1

    def explain(self, text: str) -> None:
        """Read diagnostics, which a script prints on another stream, before or after its rows."""
        for name, file, line, rest in _DIAGNOSIS.findall(text):
            lines = [part.strip("# ") for part in rest.splitlines() if part.strip("# ")]
            message = join_place(f"{file}:{line}", make_one_line(", ".join(lines[:2])))
            self.found.say(f"{file}::{_PASSING.sub('…', name)}", message)


def parse(text: str) -> TestReport | None:
    total = _TOTAL.search(text)
    if total is None:
        return None
    reader = _Reader()
    for line in text.splitlines():
        if SEEN.match(line) or line.startswith("Test Summary Report"):
            break
        reader.line(line)
    reader.explain(text)
    if reader.found.outcomes:
        return reader.found.report()
    counts = RunnerCounts(int(total[1]), 0 if "Result: PASS" in text else 1, 0)
    return reader.found.report(counts, complete=False)
