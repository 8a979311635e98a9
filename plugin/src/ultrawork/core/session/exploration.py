"""How far the exploration of a session has come, and what its explorers found: `context.json`."""

from ..errors import UsageError
from ..times import format_iso
from ..value import Value, fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

NOT_STARTED = "not_started"
OVERVIEW = "overview"
ANALYZING = "analyzing"
TARGETED = "targeted"
COMPLETE = "complete"
STAGES = (NOT_STARTED, OVERVIEW, ANALYZING, TARGETED, COMPLETE)


def parse_stage(word: str) -> str:
    from ..check import quote

    stage = word.strip().lower()
    if stage not in STAGES:
        raise UsageError(f"{quote(word)} is not an exploration stage; known: {', '.join(STAGES)}")
    return stage


def is_explored(expected: list[str], reported: list[str]) -> bool:
    """Return whether every explorer that was expected has reported; more than those do no harm."""
    return bool(expected) and set(expected) <= set(reported)


SCHEMA = "2.2"
_MOST = 20
LISTS = ("key_files", "patterns", "constraints")


def read_findings(report: str) -> "dict[str, list[str]]":
    """The lists of a report: places that it names (`auth/session.py:41`), and the lines under a heading of patterns."""
    import re

    places = re.findall(r"(?<![\w/])((?:[\w.-]+/)*[\w.-]+\.[A-Za-z]\w{0,7})(?::\d+)?(?![\w/])", report)
    files = [place for place in places if "/" in place or not place[0].isdigit()]
    findings = {"key_files": list(dict.fromkeys(files))[:_MOST]}
    for key in ("patterns", "constraints"):
        part = re.search(rf"(?im)^\W*{key[:-1]}[^\n]*\n((?:[ \t]*[-*][^\n]*\n?)+)", report)
        lines = part.group(1).splitlines() if part else []
        findings[key] = [line.strip(" \t-*") for line in lines][:_MOST]
    return {key: entries for key, entries in findings.items() if entries}


class Explorer(Value):
    """One explorer: expected, and once it reported, what it found."""

    id: str
    hint: str = ""
    summary: str = ""
    findings: "dict[str, Any]" = fresh(dict)
    report: str | None = None
    expected: bool = False
    done_at: float | None = None

    @property
    def file(self) -> str:
        return f"exploration/{self.id}.md"

    def document(self) -> "dict[str, Any]":
        return {
            "id": self.id,
            "hint": self.hint,
            "file": self.file,
            "summary": self.summary,
            "findings": self.findings,
            "completed_at": format_iso(self.done_at),
        }


def make_document(explorers: "Sequence[Explorer]") -> "dict[str, Any]":
    reported = [explorer for explorer in explorers if explorer.done_at is not None]
    expected = [explorer.id for explorer in explorers if explorer.expected]
    return {
        "version": SCHEMA,
        "expected_explorers": expected,
        "exploration_complete": is_explored(expected, [explorer.id for explorer in reported]),
        "explorers": [explorer.document() for explorer in reported],
        **{key: _merged(reported, key) for key in LISTS},
        "scopeExpansion": None,
    }


def _merged(explorers: "Sequence[Explorer]", key: str) -> list[str]:
    """Return every explorer's entries of one list, each once, in the order of arrival."""
    entries = (entry for explorer in explorers for entry in explorer.findings.get(key, []))
    return list(dict.fromkeys(entries))
