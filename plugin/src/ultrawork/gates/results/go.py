"""`go test` as text (named are failures, with -v all tests) and as -json."""

import re
from json import loads

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, join_place, make_one_line

SEEN = FORMS["go"]
_RESULT = re.compile(r"^ *--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$")
_START = re.compile(r"^=== (?:RUN|CONT|NAME|PAUSE) +(\S*)$")
_PACKAGE = re.compile(r"^(ok|FAIL|\?)\s+(\S+)\s+(?:[\d.]+s|\(cached\)|\[)(.*)$")
_PLACE = re.compile(r"^\s+(\S+\.go:\d+): (.*)$")
_PANIC = re.compile(r"^panic: (.*?)(?: \[recovered.*\])?$")
_COMPILING = re.compile(r"^# (\S+).*\n(?:# .*\n)?(\S+\.go:\d+)(?::\d+)?: (.*)$", re.MULTILINE)
_OUTCOMES = {"PASS": PASSED, "FAIL": FAILED, "SKIP": SKIPPED}
_ACTIONS = {"pass": PASSED, "fail": FAILED, "skip": SKIPPED}


class _Package:
    """What is known before the line that names the package."""

    def __init__(self) -> None:
        self.started: dict[str, None] = {}
        self.outcomes: dict[str, str] = {}
        self.messages: dict[str, str] = {}
        self.current = ""

    def line(self, line: str) -> None:
        start, result = _START.match(line), _RESULT.match(line)
        if start:
            self.current = start[1]
            if start[1]:
                self.started[start[1]] = None
        elif result:
            self.result(result[2], _OUTCOMES[result[1]])
        else:
            self.note(line)

    def result(self, name: str, outcome: str) -> None:
        # With -v every test is announced: a row without an announcement was printed by a test.
        if not self.started or name in self.started:
            self.current = name
            self.outcomes[name] = outcome

    def note(self, line: str) -> None:
        place, panic = _PLACE.match(line), _PANIC.match(line)
        if place:
            self.messages.setdefault(self.current, join_place(place[1], make_one_line(place[2])))
        elif panic:
            self.messages.setdefault(self.current, make_one_line("panic: " + panic[1]))

    def close(self, package: str, failed: bool, rest: str, collector: Collector) -> None:
        for name in self.started if failed else ():
            self.outcomes.setdefault(name, FAILED)
        for name, outcome in self.outcomes.items():
            collector.add(f"{package}.{name}", outcome, self.messages.get(name, ""))
        if failed and FAILED not in self.outcomes.values():
            message = self.messages.get("", "") or make_one_line(rest.strip("[] "))
            if "setup failed" in rest or "build failed" in rest:
                # An import failed: none of its tests was compiled.
                collector.add_errored(package, message)
            else:
                collector.add(package, FAILED, message)


def parse(text: str) -> TestReport | None:
    if not SEEN.search(text):
        return None
    collector = Collector()
    lines, events = _events(text)
    package, verbose = _Package(), bool(events)
    for line in lines:
        end = _PACKAGE.match(line)
        if not end:
            package.line(line)
            continue
        verbose = verbose or bool(package.started)
        package.close(end[2], end[1] == "FAIL", end[3], collector)
        package = _Package()
    _from_json(events, collector)
    for name, place, message in _COMPILING.findall(text):
        collector.messages.pop(name, "")
        collector.say(name, join_place(place, make_one_line(message)))
    return collector.report(complete=None if verbose else False)


def _events(text: str) -> tuple[list[str], list[dict[str, str]]]:
    lines, events = [], []
    for line in text.splitlines():
        if line.startswith('{"') and '"Action":' in line:
            try:
                events.append(loads(line))
                continue
            except ValueError:
                pass
        lines.append(line)
    return lines, events


def _from_json(events: list[dict[str, str]], collector: Collector) -> None:
    packages: dict[str, _Package] = {}
    for event in events:
        name = event.get("Package", "")
        package = packages.setdefault(name, _Package())
        action, test = event.get("Action", ""), event.get("Test", "")
        if action == "run":
            package.started[test] = None
        elif action in ("output", "build-output"):
            package.current = test
            package.note(event.get("Output", "").rstrip("\n"))
        elif test and action in _ACTIONS:
            package.result(test, _ACTIONS[action])
        elif action in _ACTIONS:
            package.close(name, action == "fail", "", collector)
