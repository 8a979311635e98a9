"""Read the Test Anything Protocol, which node --test, tape, tap, vitest and mocha can print."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, find_frame, join_place, make_one_line, sum_matches

SEEN = FORMS["tap"]
_ROW = re.compile(r"^( *)(not )?ok\b(?: (\d+))?(?: -(?= ))?(?: (.*?))?( \{)?$")
_DIRECTIVE = re.compile(r"(?:^|(?<!\\) )# *(skip|todo|time ?=)\S*(?: .*)?$", re.IGNORECASE)
_SUBTEST = re.compile(r"^( *)# Subtest: (.*)$")
_BAIL = re.compile(r"^Bail out!(.*)$")
_TOTAL = re.compile(r"^# tests (\d+)$", re.MULTILINE)
_NODE_SUITES = re.compile(r"^# suites (\d+)$", re.MULTILINE)
_PLACE = re.compile(r"""^[ \t]*(?:location|at): ['"]?(?:.*\()?([^'"()\n]+?):(\d+)(?::\d+)?\)?['"]?$""", re.MULTILINE)
_SAID = re.compile(r"""^\s*(?:error|message): *(?:\|-?)?['"]?(.*?)['"]?$""")


class _Reader:
    def __init__(self) -> None:
        self.found = Collector()
        self.path: list[tuple[int, str, int, int]] = []
        self.groups = 0
        self.braces = 0
        self.failing = ""
        self.notes: list[str] = []
        # Indented rows whose test is named only by the row after them.
        self.unnamed: list[tuple[str, str, list[str]]] = []

    def line(self, line: str) -> None:
        subtest, row = _SUBTEST.match(line), _ROW.match(line)
        if subtest:
            self.open(len(subtest[1]), _unescaped(subtest[2]))
        elif line.strip() == "}" and self.braces:
            self.close()
        elif row and (row[3] or row[4]):
            self.row(len(row[1]), row[2] is not None, row[4] or "", row[5] is not None)
        elif bail := _BAIL.match(line):
            self.found.add("Bail out!", FAILED, make_one_line(bail[1]))
        elif self.failing or self.unnamed:
            self.notes.append(line)

    def open(self, depth: int, name: str) -> None:
        self.path.append((depth, name, len(self.found.outcomes), self.found.failures))

    def close(self) -> None:
        self.flush()
        self.path.pop()
        self.braces -= 1

    def row(self, depth: int, failed: bool, title: str, opens: bool) -> None:
        self.flush()
        directive = _DIRECTIVE.search(title)
        name = _unescaped(title[: directive.start()] if directive else title).strip()
        if opens:
            self.groups += 1
            self.braces += 1
            self.open(depth, name)
            return
        outcome = _outcome(failed, directive[1] if directive else "")
        if depth and not self.path:
            self.unnamed.append((name, outcome, []))
            return
        if self.unnamed and (self.name_children(name) or outcome != FAILED):
            return
        if self.path and self.path[-1][:2] == (depth, name):
            _, _, count, failures = self.path.pop()
            if len(self.found.outcomes) > count:
                self.groups += 1
                if outcome != FAILED or self.found.failures > failures:
                    return
        self.tell(depth, name or "test", outcome)

    def name_children(self, parent: str) -> bool:
        """Name the rows that waited for the name of their test; return whether one of them failed."""
        before = self.found.failures
        for name, outcome, notes in self.unnamed:
            again = self.found.add_again(f"{parent} > {name}", outcome)
            self.found.say(again, _message(notes))
        self.groups += 1
        self.unnamed = []
        return self.found.failures > before

    def tell(self, depth: int, name: str, outcome: str) -> None:
        path = [part for at, part, *_ in self.path if at < depth]
        again = self.found.add_again(" > ".join([*path, name]), outcome)
        self.failing = again if outcome == FAILED else ""

    def flush(self) -> None:
        if self.failing:
            self.found.say(self.failing, _message(self.notes))
        elif self.unnamed:
            self.unnamed[-1][2].extend(self.notes)
        self.failing, self.notes = "", []


def parse(text: str) -> TestReport | None:
    if not SEEN.search(text):
        return None
    reader = _Reader()
    for line in text.splitlines():
        reader.line(line)
    reader.flush()
    if not reader.found.outcomes:
        return TestReport(ran=0) if re.search(r"^1\.\.0", text, re.MULTILINE) else None
    return reader.found.report(complete=_told_all(text, reader))


def _told_all(text: str, reader: _Reader) -> bool | None:
    """Return whether all tests were seen. node's total includes tests that contain others."""
    if not _NODE_SUITES.search(text):
        return None
    return None if len(reader.found.outcomes) + reader.groups >= sum_matches(_TOTAL, text) else False


def _outcome(failed: bool, directive: str) -> str:
    if directive.lower() in ("skip", "todo"):
        return SKIPPED
    return FAILED if failed else PASSED


def _unescaped(name: str) -> str:
    return name.replace("\\#", "#").replace("\\\\", "\\")


def _message(notes: list[str]) -> str:
    body = "\n".join(notes)
    place = _PLACE.search(body)
    where = find_frame(body) or (f"{place[1]}:{place[2]}" if place else "")
    for index, line in enumerate(notes):
        match = _SAID.match(line)
        if match and (match[1] or line.rstrip().endswith(("|", "|-"))):
            return join_place(where, make_one_line([match[1], *notes[index + 1 :]]))
    return join_place(where, make_one_line([note for note in notes if note.strip() != "---"]))
