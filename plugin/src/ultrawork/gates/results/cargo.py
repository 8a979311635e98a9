"""`cargo test`: unit, integration and documentation tests, each under the name of its program."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, RunnerCounts, join_place, make_one_line, sum_matches

SEEN = FORMS["cargo"]
_PASSED = re.compile(r"^test result: \w+\. (\d+) passed;", re.MULTILINE)
_FAILED = re.compile(r"^test result: \w+\. \d+ passed; (\d+) failed;", re.MULTILINE)
_IGNORED = re.compile(r"^test result: .*; (\d+) ignored;", re.MULTILINE)
_PROGRAM = re.compile(r"^ +Running .*?\(?\S*?([^/\s]+?)-[0-9a-f]{16}(?:\.exe)?\)?$")
_DOC = re.compile(r"^ +Doc-tests (\S+)$")
_BEGIN = re.compile(r"^running \d+ tests?$")
_ROW = re.compile(r"^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b")
_QUIET = re.compile(r"^(\S.*?)(?: - should panic)? --- FAILED$")
_DETAIL = re.compile(r"^---- (.+?)(?: - should panic)? stdout ----$")
_PANIC = re.compile(r"^thread .* panicked at (?:'(.*)', )?(\S+?:\d+)(?::\d+)?:?$")
_OTHER = re.compile(r"^(?:Error: |note: test did not panic|error: test did not panic)")
_EXAMPLE = re.compile(r"^(.+ - .*?) \(line (\d+)\)(.*)$")
_OUTCOMES = {"ok": PASSED, "FAILED": FAILED, "ignored": SKIPPED}


class _Reader:
    def __init__(self) -> None:
        self.collector = Collector()
        self.program = ""
        self.in_rows = False
        self.failing = ""
        self.panic = ""

    def line(self, line: str) -> None:
        program = _PROGRAM.match(line) or _DOC.match(line)
        detail = _DETAIL.match(line)
        if program:
            self.program = program[1]
        elif _BEGIN.match(line):
            self.in_rows, self.failing = True, ""
        elif line == "failures:" or line.startswith("test result: "):
            self.in_rows = False
        elif self.in_rows:
            self.row(line)
        elif detail:
            self.failing, self.panic = self.name(detail[1]), ""
            self.collector.add(self.failing, FAILED)
        elif self.failing:
            self.explain(line)

    def name(self, test: str) -> str:
        return f"{self.program}::{test}" if self.program else test

    def row(self, line: str) -> None:
        row, quiet = _ROW.match(line), _QUIET.match(line)
        if row:
            self.collector.add(self.name(row[1]), _OUTCOMES[row[2]])
        elif quiet:
            self.collector.add(self.name(quiet[1]), FAILED)

    def explain(self, line: str) -> None:
        panic = _PANIC.match(line)
        if panic and panic[1]:
            self.collector.say(self.failing, join_place(panic[2], make_one_line(panic[1])))
        elif panic:
            self.panic = panic[2]
        elif self.panic or _OTHER.match(line):
            self.collector.say(self.failing, join_place(self.panic, make_one_line(line)))
            self.panic = ""


def _name_examples(collector: Collector) -> None:
    """Name examples by what they document and their number there, because line numbers shift."""
    places = sorted(
        (match[1] + match[3], int(match[2]), match[0]) for match in map(_EXAMPLE.match, collector.outcomes) if match
    )
    count: dict[str, int] = {}
    for item, _, name in places:
        count[item] = count.get(item, 0) + 1
        collector.rename(name, item if count[item] == 1 else f"{item} #{count[item]}")


def parse(text: str) -> TestReport | None:
    if not SEEN.search(text):
        return None
    reader = _Reader()
    for line in text.splitlines():
        reader.line(line)
    _name_examples(reader.collector)
    failed = sum_matches(_FAILED, text)
    ran, skipped = sum_matches(_PASSED, text) + failed, sum_matches(_IGNORED, text)
    return reader.collector.report(RunnerCounts(ran=ran, failed=failed, skipped=skipped))
