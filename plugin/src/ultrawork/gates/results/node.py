# ruff: noqa: RUF001 (these signs are what the runner prints)
"""Read `node --test` as it prints for people; `tap` reads its TAP form."""

import re

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, RunnerCounts, find_frame, join_place, make_one_line, sum_matches

SEEN = FORMS["node"]
_SKIPPED = re.compile(r"^ℹ (?:skipped|todo) (\d+)$", re.MULTILINE)
_FAILED = re.compile(r"^ℹ (?:fail|cancelled) (\d+)$", re.MULTILINE)
_OPEN = re.compile(r"^( *)▶ (.*)$")
_ROW = re.compile(r"^( *)(✔|✖|﹣|⚠|▶) (.*) \([\d.]+ms\)(?: # (.*))?$")
_OUTCOMES = {"✔": PASSED, "✖": FAILED, "﹣": SKIPPED, "⚠": SKIPPED, "▶": PASSED}
_DETAIL = re.compile(r"^test at (.+?):(\d+):\d+\n✖ (.*?) \([\d.]+ms\)(?: # .*)?\n", re.MULTILINE)


def parse(text: str) -> TestReport | None:
    if not SEEN.search(text):
        return None
    collector = Collector()
    rows, _, details = text.partition("\n✖ failing tests:")
    groups = _rows(rows, collector)
    _messages(details, collector)
    if len(collector.outcomes) + groups >= sum_matches(SEEN, text):
        return collector.report()
    skipped = sum_matches(_SKIPPED, text)
    ran = sum_matches(SEEN, text) - skipped
    return collector.report(RunnerCounts(ran=ran, failed=sum_matches(_FAILED, text), skipped=skipped))


def _rows(text: str, collector: Collector) -> int:
    """Return how many suites were seen. A suite opens with ▶ and closes with a row of its own name."""
    open_suites: list[tuple[int, str, int]] = []
    groups = 0
    for line in text.splitlines():
        row, opens = _ROW.match(line), _OPEN.match(line)
        if opens and not row:
            open_suites.append((len(opens[1]), opens[2], collector.failures))
        if not row:
            continue
        depth, name = len(row[1]), row[3]
        outcome = SKIPPED if row[4] is not None else _OUTCOMES[row[2]]
        if open_suites and open_suites[-1][:2] == (depth, name):
            _, _, before = open_suites.pop()
            groups += 1
            if outcome != FAILED or collector.failures > before:
                continue
        path = [suite for at, suite, _ in open_suites if at < depth]
        collector.add_again(" > ".join([*path, name]), outcome)
    return groups


def _messages(details: str, collector: Collector) -> None:
    ends = [*(match.start() for match in _DETAIL.finditer(details)), len(details)]
    for match, end in zip(_DETAIL.finditer(details), ends[1:], strict=True):
        file, line, leaf = match.groups()
        body = details[match.end() : end]
        place = find_frame(body) or f"{file}:{line}"
        name = _failed_named(collector, leaf)
        collector.say(name, join_place(place, make_one_line(body.strip().strip("'"))))


def _failed_named(collector: Collector, leaf: str) -> str:
    for name, outcome in collector.outcomes.items():
        own = re.sub(r" #\d+$", "", name)
        if outcome == FAILED and name not in collector.messages and (" > " + own).endswith(" > " + leaf):
            return name
    return leaf
