"""Findings of judges as sentences, and those that are notes: they block nothing."""

from collections.abc import Mapping
from typing import Any


def list_judge_notes(verification: Mapping[str, Any]) -> list[str]:
    """Return what judges noted beside their verdict."""
    judged = verification.get("judged") or {}
    findings = [finding for part in judged.values() for finding in part.get("findings") or ()]
    return [describe_finding(finding) for finding in findings if is_note(finding)]


def describe_finding(finding: object) -> str:
    if not isinstance(finding, dict):
        return str(finding)
    where = f" ({finding['where']})" if finding.get("where") else ""
    return f"{_find_words(finding)}{where}"


def _find_words(finding: dict[str, object]) -> object:
    """Return what the finding says; a judge that forgot our key used one of its own."""
    texts = [text for key, text in finding.items() if key != "severity" and isinstance(text, str)]
    return finding.get("what") or max(texts, key=len, default=finding)


def is_note(finding: object) -> bool:
    return get_severity(finding) == "P2"


def get_severity(finding: object) -> str:
    return str(finding.get("severity")) if isinstance(finding, dict) else ""
