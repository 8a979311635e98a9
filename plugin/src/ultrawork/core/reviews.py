"""
Read claims of external reviewers: a claim counts if it includes a command that was run and failed.

A failing command confirms it, a passing one refutes it, and without a command it is an opinion. Confirmed claims can
lower a verdict; nothing that a reviewer says can raise it.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .value import Value, list_fields

PENDING = "pending"
CONFIRMED = "confirmed"
REFUTED = "refuted"
OPINION = "opinion"
FIXED = "fixed"
STATUSES = (CONFIRMED, PENDING, OPINION, FIXED, REFUTED)

REVIEW_ROLES = (
    "code-reviewer", "security-reviewer", "critic", "quality-reviewer", "api-reviewer", "performance-reviewer",
    "style-reviewer", "test-engineer", "verifier", "reviewer",
)  # fmt: skip
FORM = (
    'End with one JSON object: {"findings": [{"title": "…", "path": "…", "line": 1, "severity": "high", "command":'
    ' "…"}]}. A command is one line of shell, run at the top of the project: it fails because of the defect and'
    " would pass without it. Leave it empty where there is none; a finding without one is an opinion."
)
LONGEST_TITLE, LONGEST_COMMAND, MOST = 300, 1_000, 50
SEVERITIES = ("critical", "high", "medium", "low")
_WEIGHTS = {"p0": "critical", "p1": "high", "p2": "low"}
_NEAR = 5
# Commands whose result does not depend on the files.
_ALWAYS = frozenset(("true", "false", ":", "echo", "printf", "exit", "return", "sleep", "kill"))
# Exit statuses that mean a failing result: others may mean that nothing was collected or the call was wrong.
_RED_EXITS = {"pytest": (1,)}
_NOT_RUN = (126, 127)


class ReviewClaim(Value):
    """A claim. `id` is the same for the same claim of the same reviewer; `receipt` is the run that settled it."""

    id: str
    reviewer: str
    title: str
    path: str = ""
    line: int = 0
    severity: str = "medium"
    command: str = ""
    status: str = PENDING
    why: str = ""
    at: float = 0.0
    tree: str = ""
    receipt: int | None = None

    @property
    def is_open(self) -> bool:
        return self.status in (PENDING, CONFIRMED) and bool(self.command)

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path

    def document(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in list_fields(ReviewClaim)}


def read_claims(document: Mapping[str, Any] | None, reviewer: str) -> list[ReviewClaim]:
    """Return the findings of an answer; entries without a title are ignored. The caller adds ids and times."""
    listed = document.get("findings") if document else None
    review_claims = [_read(entry, reviewer) for entry in listed or [] if isinstance(entry, dict)] if isinstance(listed, list) else []  # fmt: skip
    return [review_claim for review_claim in review_claims if review_claim.title][:MOST]


def _read(raw: Mapping[str, Any], reviewer: str) -> ReviewClaim:
    """Read a claim in the form of external reviewers, or in that of our own agents: what, where, severity P0 to P2,
    shown_by."""
    path, at = _split_place(_one_line(raw.get("path") or raw.get("where")))
    line, severity = raw.get("line") or at, str(raw.get("severity") or "").lower()
    severity = _WEIGHTS.get(severity, severity)
    command = _one_line(raw.get("command") or raw.get("shown_by"))
    fits = len(command) <= LONGEST_COMMAND
    return ReviewClaim(
        "", reviewer, _one_line(raw.get("title") or raw.get("what"))[:LONGEST_TITLE],
        path=path[:LONGEST_TITLE],
        line=line if isinstance(line, int) and 0 < line < 10_000_000 else 0,
        severity=severity if severity in SEVERITIES else "medium",
        command=command if fits else "",
        status=PENDING if command and fits else OPINION,
        why="" if command and fits else "no command shows it",
    )  # fmt: skip


def _split_place(where: str) -> tuple[str, int]:
    """`auth/session.py:41` as path and line."""
    path, colon, line = where.rpartition(":")
    return (path, int(line)) if colon and line.isdecimal() and len(line) < 9 else (where, 0)


def _one_line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def is_about_files(command: str, paths: Collection[str]) -> bool:
    """Return whether it can have anything to do with these files: it names one of them, or starts a runner of tests."""
    words = _words(command)
    if not words or words[0] in _ALWAYS:
        return False
    names = {part for path in paths for part in (path, path.rpartition("/")[2], _stem(path))}
    names |= {path.partition("/")[0] for path in paths if "/" in path}
    return bool(names & set(words)) or any(word in _RUNNERS for word in words)


_RUNNERS = frozenset(
    ("pytest", "unittest", "npm", "pnpm", "yarn", "npx", "node", "make", "cargo", "go", "tox", "nox", "vitest", "jest",
     "mvn", "gradle", "gradlew", "dotnet", "rspec", "rake", "phpunit", "ctest", "mypy", "ruff", "tsc", "eslint")
)  # fmt: skip


# Signs of a command that affects more than a copy of the files. They decide who is asked, and prove nothing: what a
# program does is not visible in its words.
_HARMLESS = r"\d?>\s*&\d|\d?>\s*/dev/null|&&"
_FAR = (
    (r"(?:^|[\s'\"=(:,<>])(?:/|~)|\$\{?(?:HOME|PWD|OLDPWD)\b|expanduser|Path\.home|(?:^|[\s'\"/=(])\.\.(?:/|\s|$)",
     "it names a place outside the project"),
    (r"\.(?:omc|git|claude|codex|gemini|ssh|aws|gnupg|env|netrc|npmrc|pypirc)\b", "it names private files"),
    (r"\benviron\b|\bgetenv\b|\bprintenv\b|\bprocess\.env\b", "it reads the environment"),
    (r"\b(?:curl|wget|nc|ncat|ssh|scp|telnet|socket|urllib|requests|http)\b", "it uses the network"),
    (r"&|\b(?:nohup|setsid|disown|fork|Popen|spawn|daemon)\b", "it may leave something running"),
    (r"\$\(|`|\beval\b|\bexec\b|base64|\bxxd\b|\\x|\bchr\(|__import__|getattr\(", "it hides what it does"),
)  # fmt: skip


def find_reach(command: str) -> str:
    """Return why a command is shown to the user before it runs, even if others run by setting."""
    text = re.sub(_HARMLESS, " ", command)
    return next((why for sign, why in _FAR if re.search(sign, text)), "")


def _words(command: str) -> list[str]:
    """Return its words, including quoted ones: `python -c "import shop"` names shop."""
    return [word for word in re.split(r"[\s\"'`;|&()=,:<>\[\]{}]+", command) if word]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def settle_claim(claim: ReviewClaim, exit_code: int | None) -> str:
    """Return the status after a run of the claim's command; empty if the run shows nothing."""
    if exit_code is None or exit_code in _NOT_RUN:
        return ""
    if exit_code == 0:
        return FIXED if claim.status == CONFIRMED else REFUTED
    words = _words(claim.command)
    red = next((codes for name, codes in _RED_EXITS.items() if name in words), None)
    return CONFIRMED if red is None or exit_code in red else ""


def rank_claims(claims: Sequence[ReviewClaim]) -> list[ReviewClaim]:
    """Return claims that several reviewers confirmed by different commands first, then confirmed ones, then by
    severity; refuted ones last."""

    def weigh(review_claim: ReviewClaim) -> tuple[int, int, int]:
        shared = review_claim.status == CONFIRMED and is_corroborated(review_claim, claims)
        return (0 if shared else 1, STATUSES.index(review_claim.status), SEVERITIES.index(review_claim.severity))

    return sorted(claims, key=weigh)


def is_corroborated(claim: ReviewClaim, claims: Iterable[ReviewClaim]) -> bool:
    """Return whether another reviewer found it at the same place and another command shows it: agreement alone is not
    enough."""
    return any(
        review_claim.reviewer != claim.reviewer
        and review_claim.path == claim.path != ""
        and abs(review_claim.line - claim.line) <= _NEAR
        and review_claim.status == CONFIRMED
        and review_claim.command != claim.command
        for review_claim in claims
    )


class Record(Value):
    """A reviewer's record. `precision` is None before any of their commands has run."""

    reviewer: str
    confirmed: int = 0
    refuted: int = 0
    opinions: int = 0
    pending: int = 0

    def document(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in list_fields(Record)}

    @property
    def precision(self) -> float | None:
        run = self.confirmed + self.refuted
        return self.confirmed / run if run else None


_COUNTED = {CONFIRMED: "confirmed", FIXED: "confirmed", REFUTED: "refuted", OPINION: "opinions", PENDING: "pending"}


def count_records(claims: Iterable[ReviewClaim]) -> list[Record]:
    """Count by name; a claim that was confirmed and fixed since counts as confirmed."""
    records: dict[str, Record] = {}
    for claim in claims:
        record = records.setdefault(claim.reviewer, Record(claim.reviewer))
        name = _COUNTED[claim.status]
        setattr(record, name, getattr(record, name) + 1)
    return [records[name] for name in sorted(records)]
