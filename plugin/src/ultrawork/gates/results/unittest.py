"""unittest, with and without -v; also Django's test command."""

import re

from ...core.patterns import compile_late
from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, RunnerCounts, join_place, make_one_line, sum_matches

SEEN = FORMS["unittest"]
_END = compile_late(r"^(?:OK|FAILED|NO TESTS RAN)(?: \(([^\n]*)\))?$", re.MULTILINE)
_COUNT = compile_late(r"([a-z ]+)=(\d+)")
_TITLE = compile_late(r"^(\w+) \(([\w.<>]+)\)")
_RESULT = compile_late(r"(?:^|\.\.\. )(ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$")
_FAILURE = compile_late(r"^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S+) \(([\w.<>]+)\)")
_SETS_UP = ("setUpClass", "setUpModule")
_FRAME = compile_late(r'^  File "([^"]+)", line (\d+)')
_LIBRARY = compile_late(r"/(?:unittest|importlib)/|/site-packages/")


def parse(text: str) -> TestReport | None:
    if not SEEN.search(text):
        return None
    collector = Collector()
    head, *sections = re.split(r"^={70}$", text, flags=re.MULTILINE)
    _verbose(head, collector)
    for section in sections:
        _failure(section, collector)
    return collector.report(_counts(text))


def _verbose(text: str, collector: Collector) -> None:
    """A title may be followed by a docstring, or by what the test printed, before its result."""
    name = ""
    for line in text.splitlines():
        title = _TITLE.match(line)
        name = _name(*title.groups()) if title else name
        result = _RESULT.search(line)
        if result and name:
            collector.add(name, _outcome(result.group(1)))
            name = ""


def _outcome(word: str) -> str:
    # unittest counts an unexpected success as a failure and exits with 1.
    if word in ("FAIL", "ERROR", "unexpected success"):
        return FAILED
    return PASSED if word == "ok" else SKIPPED


def _failure(section: str, collector: Collector) -> None:
    lines = section.strip("\n").splitlines()
    title = _FAILURE.match(lines[0]) if lines else None
    if not title:
        return
    place, frames = "", False
    error = "unexpected success" if lines[0].startswith("UNEXPECTED") else ""
    for line in lines[1:]:
        frame = _FRAME.match(line)
        if frame and not _LIBRARY.search(frame.group(1)):
            place = f"{frame.group(1)}:{frame.group(2)}"
        frames = frames or line.startswith("  ")
        if frames and not error and line[:1].strip():
            error = line
    name, message = _name(*title.groups()), join_place(place, make_one_line(error))
    if _is_unloaded(*title.groups()):
        collector.add_errored(name, message)
    else:
        collector.add(name, FAILED, message)


def _is_unloaded(method: str, owner: str) -> bool:
    return owner.startswith("unittest.loader._FailedTest") or method in _SETS_UP


def _name(method: str, owner: str) -> str:
    """Return the test's name. Python 3.11 prints the method twice, older versions once."""
    if owner.startswith("unittest.loader._FailedTest"):
        return method
    return owner if owner.endswith("." + method) else f"{owner}.{method}"


def _counts(text: str) -> RunnerCounts:
    total: dict[str, int] = {}
    for end in _END.findall(text):
        for word, count in _COUNT.findall(end):
            total[word.strip()] = total.get(word.strip(), 0) + int(count)
    skipped = total.get("skipped", 0) + total.get("expected failures", 0)
    failures = ("failures", "errors", "unexpected successes")
    return RunnerCounts(
        ran=max(0, sum_matches(SEEN, text) - skipped),
        failed=sum(total.get(word, 0) for word in failures),
        skipped=skipped,
    )
