"""mocha's spec reporter, and the list of failures that its other reporters share."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, RunnerCounts, Suites, find_message, join_names, sum_matches

SEEN = FORMS["mocha"]
_PENDING = re.compile(r"^ +(\d+) pending$", re.MULTILINE)
_FAILING = re.compile(r"^ +(\d+) failing$", re.MULTILINE)
_OK = re.compile(r"^( +)[✔✓√] (.*?)(?: \(\d+ms\))?$")
_NUMBERED = re.compile(r"^( +)(\d+)\) (.*)$")
_SKIPPED = re.compile(r"^( +)- (.*)$")
_SUITE = re.compile(r"^((?:  )+)(\S.*)$")
_DETAIL = re.compile(r"^  (\d+)\) ", re.MULTILINE)
_TITLE = re.compile(r"((?:.+\n)*?.*):\n")


def parse(text: str) -> TestReport | None:
    passing = SEEN.search(text)
    if not passing:
        return None
    collector = Collector()
    numbered = _tree(text[: passing.start()], collector)
    failing = _FAILING.search(text)
    _details(text[failing.end() :] if failing else "", numbered, collector)
    failed = sum_matches(_FAILING, text)
    passed, skipped = sum_matches(SEEN, text), sum_matches(_PENDING, text)
    return collector.report(RunnerCounts(ran=passed + failed, failed=failed, skipped=skipped))


def _tree(text: str, collector: Collector) -> dict[str, str]:
    """Names by the numbers under which failures are explained below."""
    suites = Suites()
    numbered = {}
    for line in text.splitlines():
        ok, failed, skipped = _OK.match(line), _NUMBERED.match(line), _SKIPPED.match(line)
        if ok:
            collector.add_again(join_names(*suites.path(len(ok[1])), ok[2]), PASSED)
        elif failed:
            name = join_names(*suites.path(len(failed[1])), failed[3])
            numbered[failed[2]] = collector.add_again(name, FAILED)
        elif skipped:
            collector.add_again(join_names(*suites.path(len(skipped[1])), skipped[2]), SKIPPED)
        elif suite := _SUITE.match(line):
            suites.enter(len(suite[1]), suite[2])
    return numbered


def _details(text: str, numbered: dict[str, str], collector: Collector) -> None:
    _, *parts = _DETAIL.split(text)
    for ordinal, part in zip(parts[::2], parts[1::2], strict=True):
        title = _TITLE.match(part)
        if title:
            names = join_names(*(line.strip() for line in title[1].splitlines()))
            collector.add(numbered.get(ordinal, names), FAILED, find_message(part[title.end() :]))
