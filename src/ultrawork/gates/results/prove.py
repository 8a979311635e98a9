"""`prove -v` and kin: TAP of several files, each under its own name, and the harness's own summary."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import Collector, RunnerCounts, join_place, make_one_line

SEEN = re.compile(r"^Files=\d+, Tests=\d+,", re.MULTILINE)
_FILE = re.compile(r"^(\S+) \.\.+ ?(.*)$")
_ROW = re.compile(r"^(not )?ok\b(?: (\d+))?(?: -)?(?: (.*?))?$")
_DIRECTIVE = re.compile(r"(?:^| )# *(skip|todo)\b.*$", re.IGNORECASE)
_NOTE = re.compile(r"^# ?\s*(.+)$")
_PLACE = re.compile(r"at (\S+) line (\d+)")
_SKIPPED = re.compile(r"^skipped(?:: (.*))?$")
_ENDED = re.compile(r"^(?:Dubious|Failed \d+/\d+ subtests|No subtests run)")
_TOTAL = re.compile(r"^Files=\d+, Tests=(\d+),", re.MULTILINE)


class _Reader:
    def __init__(self) -> None:
        self.found = Collector()
        self.file = ""
        self.failing = ""
        self.rows = 0
        self.notes: list[str] = []

    def line(self, line: str) -> None:
        file, row, note = _FILE.match(line), _ROW.match(line), _NOTE.match(line)
        if file and not row:
            self.open(file[1], file[2])
        elif row and self.file and (row[2] or row[3]):
            self.row(row[1] is not None, row[3] or f"test {row[2]}")
        elif note and self.failing:
            self.notes.append(note[1])
        elif _ENDED.match(line) and self.file and not self.rows:
            # Died before its first test: nothing of it ran.
            self.found.add_errored(self.file, make_one_line(line))
        elif (skipped := _SKIPPED.match(line)) and self.file and not self.rows:
            self.found.add(self.file, SKIPPED, skipped[1] or "")

    def explain(self) -> None:
        """Where it stands, and what differs; both come after the row."""
        place = next((found for note in self.notes if (found := _PLACE.match(note))), None)
        said = [
            note for note in self.notes if not note.startswith(("Failed test", "at ", "Looks "))
        ]
        where = f"{place[1]}:{place[2]}" if place else ""
        if self.failing:
            self.found.say(self.failing, join_place(where, make_one_line(", ".join(said[:2]))))
        self.failing, self.notes = "", []

    def open(self, file: str, rest: str) -> None:
        self.explain()
        self.file, self.rows = file, 0
        if rest:
            self.line(rest)

    def row(self, failed: bool, title: str) -> None:
        self.explain()
        directive = _DIRECTIVE.search(title)
        name = (title[: directive.start()] if directive else title).strip()
        outcome = FAILED if failed else PASSED
        told = f"{self.file}::{name or f'test {self.rows + 1}'}"
        unique = self.found.add_again(told, SKIPPED if directive else outcome)
        self.failing = unique if failed and not directive else ""
        self.rows += 1


def parse(text: str) -> TestReport | None:
    total = _TOTAL.search(text)
    if total is None:
        return None
    reader = _Reader()
    for line in text.splitlines():
        if SEEN.match(line) or line.startswith("Test Summary Report"):
            break
        reader.line(line)
    reader.explain()
    if reader.found.outcomes:
        return reader.found.report()
    counts = RunnerCounts(int(total[1]), 0 if "Result: PASS" in text else 1, 0)
    return reader.found.report(counts, complete=False)
