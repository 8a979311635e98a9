"""A verdict in formats that other tools read: SARIF 2.1.0 for findings, JUnit XML for tests."""

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from ..core.verdict.gate_run import FAILED, SKIPPED
from ..core.wording import strip_controls
from .statement import Document

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"strong": "error", "weak": "warning", "note": "note"}


def make_sarif(verdict: Document, version: str) -> Document:
    """Return the findings of a verdict; each rule appears once."""
    findings = verdict["findings"]
    rules = {finding["rule"]: finding for finding in findings}
    driver: Document = {
        "name": "ultrawork",
        "version": version,
        "rules": [
            {
                "id": name,
                "shortDescription": {"text": name.replace("-", " ")},
                "help": {"text": f"ultrawork why {name}"},
            }
            for name in rules
        ],
    }
    places = {name: at for at, name in enumerate(rules)}
    return {
        "$schema": SARIF,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "results": [_make_result(finding, places[finding["rule"]]) for finding in findings],
                "properties": {
                    "verdict": verdict["verdict"],
                    "strength": verdict.get("strength"),
                    "tree": verdict["tree"],
                },
            }
        ],
    }


def _make_result(finding: Mapping[str, Any], index: int) -> Document:
    result: Document = {
        "ruleId": finding["rule"],
        "ruleIndex": index,
        "level": _LEVELS.get(finding["level"], "warning"),
        "message": {"text": f"{finding['what']}. To clear it: {finding['clears']}"},
    }
    path, _, line = str(finding.get("where") or "").partition(":")
    if path:
        place: Document = {"artifactLocation": {"uri": path, "uriBaseId": "%SRCROOT%"}}
        if line.isdigit() and int(line) > 0:
            place["region"] = {"startLine": int(line)}
        result["locations"] = [{"physicalLocation": place}]
    return result


def make_junit(runs: Sequence[tuple[Document, Mapping[str, Any]]]) -> str:
    """Return one suite per check, from its receipt and test report; a check without names is one test."""
    suites = [_make_suite(receipt, report or {}) for receipt, report in runs]
    return "\n".join(
        ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="ultrawork">', *suites, "</testsuites>", ""]
    )


def _make_suite(receipt: Document, report: Mapping[str, Any]) -> str:
    name, seconds = receipt["gate"]["name"], receipt["run"]["seconds"]
    outcomes = report.get("outcomes") or {receipt["gate"]["command"]: _read_colour(receipt)}
    messages = report.get("messages") or {}
    failed = sum(outcome == FAILED for outcome in outcomes.values())
    skipped = sum(outcome == SKIPPED for outcome in outcomes.values())
    head = (
        f"  <testsuite name={_quote(name)} tests={_quote(len(outcomes))} failures={_quote(failed)}"
        f' errors="0" skipped={_quote(skipped)} time={_quote(f"{seconds:.3f}")}>'
    )
    cases = [_make_case(name, test, outcome, messages.get(test, "")) for test, outcome in outcomes.items()]
    return "\n".join([head, *cases, "  </testsuite>"])


def _make_case(suite: str, test: str, outcome: str, message: str) -> str:
    head = f"    <testcase classname={_quote(suite)} name={_quote(test)}"
    inner = {FAILED: f"<failure message={_quote(message or 'failed')}/>", SKIPPED: "<skipped/>"}.get(outcome)
    return f"{head}>{inner}</testcase>" if inner else f"{head}/>"


def _read_colour(receipt: Document) -> str:
    return {"green": "passed", "flaky": "passed"}.get(receipt["result"], FAILED)


def _quote(value: object) -> str:
    return quoteattr(strip_controls(str(value)), {"\n": "&#10;"})
