"""
Results as one JSON document, printed or written to a file: jest and vitest (`--json`), mocha, RSpec, and CTRF, the
common test report format.
"""

import os
from collections.abc import Iterator, Mapping
from json import JSONDecoder
from typing import Any

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import FORMS, Collector, join_names, make_one_line, make_plain

SEEN = FORMS["json_report"]
_LIMIT = 50_000_000
_OUTCOMES = {"passed": PASSED, "pass": PASSED, "ok": PASSED, "failed": FAILED, "fail": FAILED, "error": FAILED}


def read_documents(folder: str, root: str = "") -> TestReport | None:
    """Return all reports below a folder together; None if there is none."""
    collector = Collector()
    known = False
    for place, _, names in os.walk(folder):
        for path in [f"{place}/{name}" for name in sorted(names) if name.endswith(".json")]:
            if os.path.getsize(path) <= _LIMIT:
                with open(path, encoding="utf-8", errors="replace") as file:
                    known = _collect(make_plain(file.read(), root), collector) or known
    return collector.report() if known else None


def parse(text: str) -> TestReport | None:
    """A report that was printed, perhaps behind other lines."""
    collector = Collector()
    parsed = [_collect(text[match.start() :], collector) for match in SEEN.finditer(text)]
    return collector.report() if any(parsed) else None


def _collect(text: str, collector: Collector) -> bool:
    try:
        document, _ = JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return False
    tests = [*_list_tests(document)] if isinstance(document, dict) else []
    for name, outcome, message in tests:
        collector.add_again(name, outcome, message)
    return bool(tests)


def _list_tests(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for suite in _list_tables(document.get("testResults")):
        for case in _list_tables(suite.get("assertionResults")):
            above = [str(title) for title in case.get("ancestorTitles") or ()]
            message = "\n".join(map(str, case.get("failureMessages") or ()))
            yield _make(join_names(*above, str(case.get("title", ""))), case.get("status"), message)
    for case in _list_tables(document.get("examples")):
        message = (case.get("exception") or {}).get("message", "")
        yield _make(str(case.get("full_description", "")), case.get("status"), message)
    results = document.get("results")
    for case in _list_tables(results.get("tests") if isinstance(results, dict) else None):
        around = case.get("suite")
        above = [str(title) for title in around] if isinstance(around, list) else [str(around or "")]
        yield _make(join_names(*above, str(case.get("name", ""))), case.get("status"), str(case.get("message") or ""))
    yield from _list_mocha(document)


def _list_mocha(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for key, status in (("passes", "passed"), ("failures", "failed"), ("pending", "skipped")):
        for case in _list_tables(document.get(key)):
            message = (case.get("err") or {}).get("message", "")
            yield _make(str(case.get("fullTitle", "")), status, message)


def _list_tables(value: object) -> list[dict[str, Any]]:
    return [table for table in value if isinstance(table, dict)] if isinstance(value, list) else []


def _make(name: str, status: object, message: str) -> tuple[str, str, str]:
    return name, _OUTCOMES.get(str(status), SKIPPED), make_one_line(message)
