"""`deno test`: rows with the outcome at their end, under the name of a file."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, join_names, make_one_line

SEEN = FORMS["deno"]
_FILE = re.compile(r"^running \d+ tests? from (?:\./)?(\S+)$")
_ROW = re.compile(r"^(\S.*?) \.\.\. (ok|FAILED|ignored)(?: .*)?$")
_ERROR = re.compile(r"^(\S.*?) => (\S+?):(\d+):\d+\nerror: (.*)$", re.MULTILINE)
_UNLOADED = re.compile(r"^(?:\./)?(\S+) \(uncaught error\)$", re.MULTILINE)
_OUTCOMES = {"ok": PASSED, "FAILED": FAILED, "ignored": SKIPPED}


def parse(text: str) -> TestReport | None:
    if not SEEN.search(text):
        return None
    collector = Collector()
    file = ""
    for line in text.splitlines():
        head, row = _FILE.match(line), _ROW.match(line)
        if head:
            file = head[1]
        elif row and file:
            collector.add(join_names(file, row[1]), _OUTCOMES[row[2]])
    for name in _UNLOADED.findall(text):
        collector.add_errored(name)
    for test, path, line, message in _ERROR.findall(text):
        place = path.removeprefix("./")
        collector.say(join_names(place, test), f"{place}:{line}  {make_one_line(message)}")
    return collector.report() if collector.outcomes else None
