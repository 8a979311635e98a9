"""Decide who judges the finished work of a session, how thoroughly, and what a judge's answer means.

Also what a planner writes beside the plan: autopilot's specification before it, team's acceptance criteria after it."""

import re
from collections.abc import Mapping, Sequence
from re import search
from typing import Any

from ..modes import modes
from ..plan.criteria import JUDGED
from ..plan.task import COMPLEX
from ..value import Value
from ..verdict_values import FAIL, PASS
from ..wording import cut
from . import roles
from .roles import Spawn
from .steps import SessionFacts

LIGHT, STANDARD, THOROUGH = "LIGHT", "STANDARD", "THOROUGH"
FULL, PARTIAL, NONE = "full", "partial", "none"
SMALL_FILES, SMALL_LINES, MANY_FILES = 5, 100, 20
# The complexity for a tier in a project's settings: simple, standard or complex.
COMPLEXITY = {LIGHT: "simple", STANDARD: "standard", THOROUGH: "complex"}

_SECURITY = frozenset(
    (
        "auth", "authentication", "authorization", "authorisation", "oauth", "oauth2", "jwt", "token", "tokens", "login",
        "password", "passwords", "secret", "secrets", "credential", "credentials", "permission", "permissions", "security",
        "crypto", "encryption", "acl", "rbac", "csrf", "cors", "env",
    )
)  # fmt: skip
# Files that shape many others, with any extension: `config.ts`, `schema.sql`.
_SHAPING = frozenset(("config", "schema", "types", "definitions", "interfaces", "migration"))
_MANIFESTS = frozenset(
    (
        "package.json", "tsconfig.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "build.gradle",
        "Dockerfile", "docker-compose.yml", "Makefile",
    )
)  # fmt: skip
_SHAPING_FOLDERS = frozenset(("migrations", "schemas"))


class ChangeSize(Value):
    """`coverage` is full if tests were changed with the code, none if nothing here is tested."""

    files: int
    lines: int
    architecture: bool = False
    security: bool = False
    coverage: str = PARTIAL


def measure_change(paths: list[str], lines: int, coverage: str = PARTIAL) -> ChangeSize:
    return ChangeSize(
        len(paths),
        lines,
        architecture=any(map(is_architectural, paths)),
        security=any(map(is_sensitive, paths)),
        coverage=coverage,
    )


def choose_tier(made: ChangeSize) -> str:
    if made.security or made.architecture or made.files > MANY_FILES:
        return THOROUGH
    small = made.files < SMALL_FILES and made.lines < SMALL_LINES
    return LIGHT if small and made.coverage == FULL else STANDARD


def choose_for_files(paths: list[str], lines: int, *, tested: bool) -> str:
    """Return how thoroughly such a change has to be reviewed; `tested`: tests changed with it."""
    return choose_tier(measure_change(paths, lines, FULL if tested else PARTIAL))


def is_sensitive(path: str) -> bool:
    """Return whether a folder or name contains a sensitive word: `auth/token.py`, not `tokenizer.py`."""
    return not _SECURITY.isdisjoint(_words(path))


def is_architectural(path: str) -> bool:
    *folders, name = path.split("/")
    shaped = name in _MANIFESTS or name.partition(".")[0].lower() in _SHAPING
    return shaped or not _SHAPING_FOLDERS.isdisjoint(folders)


def _words(path: str) -> set[str]:
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", path)
    return set(re.split(r"[^a-z0-9]+", parted.lower()))


VERIFY, SECURITY, QUALITY = "verify", "security", "quality"
APPROVED, REJECTED, NEEDS_FIX = "APPROVED", "REJECTED", "NEEDS_FIX"
# Neither for nor against the work: the answer contains no verdict.
UNCLEAR = "UNCLEAR"
_WORDS = (PASS, APPROVED, FAIL, REJECTED, NEEDS_FIX)
# A last line that is a verdict and nothing else, or names one as such.
_LAST_LINE = rf"(?i)(?:^|\bverdict\b\W*(?:is\b)?)\W*({'|'.join(_WORDS)})\W*$"
_LONGEST = 300
# The verifier gives the functional verdict; document 004 names the three.
KINDS = {"functional": VERIFY, SECURITY: SECURITY, QUALITY: QUALITY}
_FOCUS = {
    SECURITY: (
        "security. How can this change be abused: input that reaches a shell, a query, a path or a"
        " page; missing permission checks; secrets in code, logs or errors; weak or home-made"
        " cryptography; new dependencies?"
    ),
    QUALITY: (
        "quality. Can the next engineer understand and change this safely: names, size, no"
        " duplication, reported errors, tests that fail without the change, no leftovers?"
    ),
}
_NO_REASON = "the {who} gave no structured verdict. Review the work as a whole"


def list_wanted(known: SessionFacts) -> list[str]:
    """Return the required judges: always the verifier, for autopilot all three, for team by the change."""
    mode = known.mode.mode if known.mode is not None else ""
    if mode == modes.AUTOPILOT:
        return [VERIFY, SECURITY, QUALITY]
    if mode != modes.TEAM:
        return [VERIFY]
    more = [SECURITY] if is_sensitive_work(known.session.goal, known.changed) else []
    return [VERIFY, *more, *([QUALITY] if len(known.changed) > MANY_FILES else [])]


def is_sensitive_work(goal: str, changed: Sequence[str]) -> bool:
    """Return whether goal or changed paths speak of what must not fall into the wrong hands."""
    return any(map(is_sensitive, (goal, *changed)))


def spawn(known: SessionFacts, part: str) -> Spawn:
    """Return a judge on a model as strong as the change is large; after the first round it gets the earlier
    findings."""
    model = known.models[COMPLEXITY[choose_judge_tier(known)]]
    before = known.session.state.verification.get("before") or ()
    judge = roles.spawn_verifier(known.session, known.work, known.receipts, model=model, before=before)
    if part == VERIFY:
        return judge
    prompt = f"{judge.prompt}\n\nFOCUS: {_FOCUS[part]} Review nothing else."
    return roles.Spawn(
        roles.REVIEWER, model, part, f"review for {part}", prompt, key=roles.PART, acts_as=roles.VERIFIER
    )


def choose_judge_tier(known: SessionFacts) -> str:
    """Return how thoroughly the work is reviewed, by its size and the topics of goal and paths."""
    if is_sensitive_work(known.session.goal, known.changed):
        return THOROUGH
    return choose_for_files(list(known.changed), known.changed_lines, tested=known.tests_changed)


def read_prose(message: str) -> dict[str, Any]:
    """Read a judge's answer without a block: the verdict in a clear last line, and the reason if it is negative."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    match = search(_LAST_LINE, lines[-1]) if lines else None
    if match is None:
        return {}
    word = match[1].upper()
    why = cut(" ".join([*lines[:-1], lines[-1][: match.start()]]).strip(), _LONGEST)
    against = word not in (PASS, APPROVED)
    return {"verdict": word, "findings": [{"what": why}] if against and why else []}


def is_clear(answer: Mapping[str, Any]) -> bool:
    """Return whether it needs no second question: an approval, or what is wrong."""
    return _word(answer) in (PASS, APPROVED) or bool(answer.get("findings"))


def _word(answer: Mapping[str, Any]) -> str:
    word = answer.get("verdict")
    return word.strip().upper() if isinstance(word, str) else ""


def read_ruling(answer: Mapping[str, Any], who: str = "verifier") -> tuple[str, list[Any]]:
    """A missing or malformed verdict does not approve; P2 is a note and blocks nothing."""
    given = answer.get("findings")
    findings = given if isinstance(given, list) else [given] if given else []
    word = _word(answer)
    if word in (PASS, APPROVED) and all(map(is_note, findings)):
        return APPROVED, findings
    if word not in _WORDS and not findings:
        return UNCLEAR, []
    severe = word == REJECTED or any(get_severity(finding) == "P0" for finding in findings)
    reasons = findings or [_NO_REASON.format(who=who)]
    return REJECTED if severe else NEEDS_FIX, reasons


def list_texts(findings: Sequence[Any], part: str = VERIFY) -> list[str]:
    """Return findings as sentences with their place; other parts than the verifier are named."""
    lines = [describe_finding(finding) for finding in findings]
    return lines if part == VERIFY else [f"{part}: {text}" for text in lines]


def list_mend_criteria(findings: Sequence[Any], part: str = VERIFY) -> list[str]:
    """Return what has to be fixed; for a rejection with notes only, the notes."""
    blocking = [finding for finding in findings if not is_note(finding)]
    return [_make_criterion(finding, part) for finding in blocking or findings]


def _make_criterion(finding: object, part: str) -> str:
    """Return what must hold after the fix: the judge's command or words, else that the finding is gone."""
    fields = finding if isinstance(finding, dict) else {}
    check, holds = str(fields.get("shown_by") or "").strip(), str(fields.get("holds") or "").strip()
    if check:
        return check if "=>" in check else f"{check} => exit 0"
    where = f" ({fields['where']})" if fields.get("where") else ""
    return f"{JUDGED} {holds}{where}" if holds else f"{JUDGED} no longer so: {list_texts([finding], part)[0]}"


SPEC, PRD = "spec", "prd"
BEFORE = {modes.AUTOPILOT: SPEC}
AFTER = {modes.TEAM: PRD}
ASKED = {
    SPEC: (
        "Write the specification, not the plan: what the goal means, as short numbered requirements that"
        " can be checked; what is out of scope; which technology is used, and why; what you assumed where the"
        " goal is open. At most 400 words, no tasks, no JSON: your last message is the specification itself."
    ),
    PRD: (
        "The plan is complete. Write acceptance criteria for the whole goal, not for single tasks: what must"
        " hold when all tasks are merged. Write 1 to 5, each `command => expected` or `judged: what to look"
        ' at`. Your last message ends with one fenced JSON block: {"criteria": ["make test => exit 0"]}'
    ),
}


def find_missing(known: SessionFacts, table: Mapping[str, str]) -> str:
    """Return what this mode still needs; empty if nothing."""
    wanted = table.get(known.mode.mode, "") if known.mode is not None else ""
    there = known.session.design if wanted == SPEC else known.session.state.prd
    return "" if there else wanted


def spawn_draft(known: SessionFacts, table: Mapping[str, str]) -> Spawn:
    part = find_missing(known, table)
    session = known.session
    lines = [f"SESSION_ID: {session.id}", f"PART: {part}", "", f"Goal: {session.goal}", ""]
    plan = [f"- {task.id}: {cut(task.subject, 100)}" for task in known.work]
    lines += ["Tasks of the plan:", *plan, ""] if part == PRD else []
    model = roles.DEFAULT_MODELS[COMPLEX]
    prompt = "\n".join([*lines, ASKED[part]])
    return roles.Spawn(roles.PLANNER, model, part, f"write the {part}", prompt, key=roles.PART)


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
