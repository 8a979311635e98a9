"""pytest: what it prints. The names of all tests come from its JUnit file (`junit`)."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, RunnerCounts, join_place, make_one_line

_OUTCOMES = {
    "PASSED": PASSED,
    "XPASS": PASSED,
    "FAILED": FAILED,
    "ERROR": FAILED,
    "SUBFAILED": FAILED,
    "SKIPPED": SKIPPED,
    "XFAIL": SKIPPED,
}
_WORDS = "PASSED|XPASS|FAILED|ERROR|SUBFAILED|SKIPPED|XFAIL"
SEEN = FORMS["pytest"]
_COUNT = re.compile(r"(\d+) (\w+)(?: \w+)?")
_VERBOSE = re.compile(rf"^(\S[^\n]*::[^\n]+?) ({_WORDS})(?: \([^\n]*\))?\s*(?:\[ *\d+%\])?$", re.MULTILINE)
_WORKER = re.compile(rf"^\[gw\d+\] \[ *\d+%\] ({_WORDS}) (\S[^\n]*?)\s*$", re.MULTILINE)
_SHORT = re.compile(
    r"^(FAILED|ERROR|PASSED|XPASS|XFAIL|SUBFAILED)(?:[(\[][^\n]*?[)\]])? "
    r"([^\s\[\n][^\[\n]*?(?:\[[^\n]*?\])?)(?: - ([^\n]*))?$",
    re.MULTILINE,
)
_SECTION = re.compile(r"^_{3,} (?:ERROR at (?:setup|teardown) of |ERROR collecting )?(\S.*?) _{3,}$")
_TEARDOWN = re.compile(r"^_{3,} ERROR at teardown of ", re.MULTILINE)
_PLACE = re.compile(r"^([^\s:][^:\n]*\.\w+):(\d+): ")


def parse(text: str) -> TestReport | None:
    sessions = SEEN.findall(text)
    if not sessions:
        return None
    collector = Collector()
    for name, word in _VERBOSE.findall(text):
        collector.add(name, _OUTCOMES[word])
    for word, name in _WORKER.findall(text):
        collector.add(name, _OUTCOMES[word])
    shown = _tracebacks(text)
    for word, name, message in _SHORT.findall(text.partition("short test summary info")[2]):
        place, detail = shown.get(name.partition("::")[2].replace("::", ".") or name, ("", ""))
        line = join_place(place, make_one_line(message or detail))
        if word == "ERROR":
            collector.add_errored(name, line)
        else:
            collector.add(name, _OUTCOMES[word], line)
    return collector.report(_counts(sessions, twice=len(_TEARDOWN.findall(text))))


def _counts(sessions: list[str], *, twice: int) -> RunnerCounts:
    """`twice` are tests that passed and then broke at their end: pytest counts both."""
    total: dict[str, int] = {}
    for session in sessions:
        for count, word in _COUNT.findall(session):
            total[word.rstrip("s")] = total.get(word.rstrip("s"), 0) + int(count)
    failed = total.get("failed", 0) + total.get("error", 0)
    return RunnerCounts(
        ran=max(0, failed + total.get("passed", 0) + total.get("xpassed", 0) - twice),
        failed=failed,
        skipped=total.get("skipped", 0) + total.get("xfailed", 0),
    )


def _tracebacks(text: str) -> dict[str, tuple[str, str]]:
    """Return for each failure with a traceback: the first place in the project, and the message."""
    places: dict[str, str] = {}
    messages: dict[str, str] = {}
    title = ""
    for line in text.splitlines():
        section = _SECTION.match(line)
        place = _PLACE.match(line)
        if section:
            title = section[1]
        elif line.startswith("E  "):
            messages.setdefault(title, line[1:])
        elif place and not place[1].startswith("/"):
            places.setdefault(title, f"{place[1]}:{place[2]}")
    return {title: (places.get(title, ""), messages.get(title, "")) for title in {*places, *messages}}
