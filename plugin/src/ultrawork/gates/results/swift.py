"""Read `swift test`: rows of XCTest and Swift Testing."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, join_place, make_one_line

SEEN = FORMS["swift"]
_CASE = re.compile(r"^Test Case '(?:-\[)?([^'\]]+?)\]?' (passed|failed|skipped) \(")
_ERROR = re.compile(r"^(\S+?):(\d+): error: (?:-\[)?(\S+?(?: \w+)?)\]? : (.*)$")
_TESTING = re.compile(r"^\S Test \"?(.+?)\"?(?:\(\))? (passed|failed|skipped)\b(?: after)?")
_ISSUE = re.compile(r"^\S Test \"?(.+?)\"?(?:\(\))? recorded an issue at (\S+?:\d+)(?::\d+)?: (.*)$")
_OUTCOMES = {"passed": PASSED, "failed": FAILED, "skipped": SKIPPED}


def parse(text: str) -> TestReport | None:
    if not SEEN.search(text):
        return None
    collector = Collector()
    messages: dict[str, str] = {}
    for line in text.splitlines():
        error, issue = _ERROR.match(line), _ISSUE.match(line)
        row = _CASE.match(line) or (None if "Test run" in line else _TESTING.match(line))
        if error:
            name = error[3].replace(" ", ".")
            messages.setdefault(name, join_place(f"{error[1]}:{error[2]}", make_one_line(error[4])))
        elif issue:
            messages.setdefault(issue[1], join_place(issue[2], make_one_line(issue[3])))
        elif row:
            collector.add(row[1].replace(" ", ".") if _CASE.match(line) else row[1], _OUTCOMES[row[2]])
    for name, message in messages.items():
        collector.say(name, message)
    return collector.report() if collector.outcomes else None
