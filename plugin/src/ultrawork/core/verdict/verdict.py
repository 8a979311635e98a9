"""Decide the verdict on a tree: PASS only if every required check passes and nothing is open. A finding is one thing
about a change that a user or an agent should know; `ulw accept REASON` accepts open findings, but never turns a failing
check into a passing one."""

from collections.abc import Mapping, Sequence
from typing import Any

from .. import verdict_values
from ..times import format_iso
from ..value import Value, fresh, list_fields
from ..wording import name_some
from .gate_run import ALL, BROKEN, FLAKY, GREEN, RED, quote_name

STRONG = "strong"
WEAK = "weak"
NOTE = "note"
LEVELS = (STRONG, WEAK, NOTE)
NOTHING_TO_DO = "nothing to do"

_TURN_WORDS = ", or end with"


def drop_turn_words(step: str) -> str:
    """Return a next step for people, who have no turn to end with BLOCKED."""
    return step.partition(_TURN_WORDS)[0]


class Finding(Value):
    """A `strong` finding is a failure, a `weak` one is sent back once and then reported, a `note` is reported. `doubt`
    marks a note about something that could not be decided: it is not sent back, and there is no PASS."""

    rule: str
    level: str
    what: str
    clears: str = NOTHING_TO_DO
    gate: str | None = None
    where: str = ""
    receipt: int | None = None
    doubt: bool = False

    @property
    def is_open(self) -> bool:
        """Return whether it keeps these files from a PASS."""
        return self.level != NOTE or self.doubt

    def as_note(self) -> "Finding":
        """Return the same as a note, for a check that does not decide."""
        place = {"gate": self.gate, "where": self.where, "receipt": self.receipt}
        return Finding(self.rule, NOTE, self.what, **place)  # type: ignore[arg-type]

    def document(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in list_fields(Finding) if name != "doubt"}


def render_names(names: Sequence[str]) -> str:
    """Return `: a, b and 3 more`."""
    return f": {name_some([quote_name(name) for name in names])}" if names else ""


Document = dict[str, Any]

SCHEMA = "ultrawork.verdict/1"
PASS = verdict_values.PASS
FAIL = verdict_values.FAIL
UNVERIFIED = verdict_values.UNVERIFIED
ALL_VERDICTS = (PASS, FAIL, UNVERIFIED)
NOT_NEEDED = "not needed"
NO_CHECK = "this project has no checks"
# How a verdict was asked for, beside the usual way.
STRICT = "strict"
QUICK = "quick"
_MOVING = "files changed while the checks ran"


class GateFact(Value):
    """The result of a check on this tree. `as_before`: it fails only where it failed at the start, and the goal does
    not ask for it. `counts`: it is flaky but passed often enough since. `reason`: why it could not run or was not
    needed. `ok`: how many of its tests passed, if known. `task`: it is a criterion of that task. `called`: its name on
    screens."""

    name: str
    result: str | None
    receipt: int | None = None
    required: bool = True
    as_before: bool = False
    counts: bool = False
    reason: str = ""
    ok: int | None = None
    task: str = ""
    tests: bool = True
    called: str = ""

    @property
    def label(self) -> str:
        """The name that screens show."""
        return self.called or self.name

    def document(self) -> dict[str, Any]:
        optional = {} if self.required else {"required": False}
        whose = {"task": self.task} if self.task else {}
        skipped = {"not_checked": True} if self.result == BROKEN and self.as_before else {}
        return {"result": self.result, "receipt": self.receipt, **optional, **whose, **skipped}


class VerdictFacts(Value):
    """Everything a verdict rests on. `settled` is False if files changed while checks ran. `noticed_by` is None if no
    one looked for tests that notice the change. `strength` is empty if it is unknown."""

    session: str
    goal: str
    base: str
    tree: str
    gates: Sequence[GateFact] = ()
    findings: Sequence[Finding] = ()
    not_checked: Sequence[str] = ()
    settled: bool = True
    commit: str | None = None
    decided: float = 0.0
    seconds: float = 0.0
    refusals: int = 0
    noticed_by: Sequence[str] | None = ()
    strength: str = ""
    strength_reason: str = ""
    changed: dict[str, int] = fresh(lambda: dict.fromkeys(("files", "added", "removed", "tests"), 0))


class Verdict(Value):
    """The verdict. `because` lists in short sentences what keeps it from PASS."""

    value: str
    because: tuple[str, ...]
    facts: VerdictFacts

    def document(self) -> dict[str, Any]:
        facts = self.facts
        return {
            "schema": SCHEMA,
            "verdict": self.value,
            "strength": (facts.strength or None) if self.value == PASS else None,
            "strength_reason": facts.strength_reason if self.value == PASS else "",
            "session": facts.session,
            "goal": facts.goal,
            "base": facts.base,
            "tree": facts.tree,
            "commit": facts.commit,
            "decided": format_iso(facts.decided),
            "seconds": round(facts.seconds),
            "refusals": facts.refusals,
            "gates": {gate.name: gate.document() for gate in facts.gates},
            "noticed_by": None if facts.noticed_by is None else list(facts.noticed_by),
            "changed": facts.changed,
            "findings": [finding.document() for finding in facts.findings],
            "not_checked": [*facts.not_checked, *_unchecked(facts)],
            "accepted": [],
        }


def decide(facts: VerdictFacts) -> Verdict:
    """Return FAIL for strong findings and failing checks, UNVERIFIED for anything open or unknown, else PASS."""
    failing = (*_failing_gates(facts), *_list_sentences(facts, STRONG))
    if failing:
        return Verdict(FAIL, failing, facts)
    because = (*_open_gates(facts), *_open_findings(facts), *_missing(facts))
    return Verdict(UNVERIFIED if because else PASS, because, facts)


def read_value(document: object) -> str:
    """Return a stored or given verdict. Anything missing or malformed is not PASS."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        return UNVERIFIED
    value = document.get("verdict")
    if value not in ALL_VERDICTS:
        return UNVERIFIED
    return UNVERIFIED if value == PASS and not _consistent(document) else str(value)


def _failing_gates(facts: VerdictFacts) -> list[str]:
    return [
        f"{gate.label} fails" for gate in facts.gates if gate.required and gate.result == RED and not gate.as_before
    ]


def _list_sentences(facts: VerdictFacts, level: str) -> list[str]:
    return [finding.what for finding in facts.findings if finding.level == level]


def _open_gates(facts: VerdictFacts) -> list[str]:
    required = [gate for gate in facts.gates if gate.required]
    if not required:
        return [NO_CHECK]
    passing = any(gate.result in (GREEN, FLAKY) and gate.ok for gate in required)
    open_ = [gate for gate in required if not (passing and gate.result == BROKEN and gate.as_before)]
    return [why for gate in open_ if (why := _why_open(gate, passing=passing))]


def _why_open(gate: GateFact, *, passing: bool) -> str:
    """Return why a check does not count toward a PASS; empty if it does."""
    if gate.result == NOT_NEEDED:
        return "" if gate.reason else f"{gate.label} did not run"
    if gate.result not in ALL:
        return f"{gate.label} did not run"
    if gate.result == BROKEN:
        return f"{gate.label} could not run: {gate.reason or 'no result'}"
    if gate.receipt is None:
        return f"{gate.label} has no receipt"
    if gate.result == FLAKY and not gate.counts:
        return f"{gate.label} is flaky"
    if gate.result == RED and gate.tests and not gate.ok and not passing:
        return f"{gate.label}: no test passes"
    return ""


def _open_findings(facts: VerdictFacts) -> list[str]:
    unknown = [finding.what for finding in facts.findings if finding.level not in LEVELS]
    doubts = [finding.what for finding in facts.findings if finding.level == NOTE and finding.doubt]
    return [*unknown, *_list_sentences(facts, WEAK), *doubts]


def _missing(facts: VerdictFacts) -> list[str]:
    gaps = [] if facts.settled else [_MOVING]
    gaps += [] if facts.tree else ["the files could not be recorded"]
    gaps += [] if facts.base else ["the baseline is missing"]
    return gaps + list(facts.not_checked)


def _unchecked(facts: VerdictFacts) -> list[str]:
    gates = [
        f"{gate.name}: {gate.reason}" for gate in facts.gates if gate.reason and gate.result in (BROKEN, NOT_NEEDED)
    ]
    moving = [] if facts.settled else [_MOVING]
    return moving + gates + [finding.what for finding in facts.findings if finding.doubt]


def _consistent(document: dict[str, Any]) -> bool:
    """Return whether a document that says PASS also shows why."""
    gates, findings = document.get("gates"), document.get("findings")
    if not isinstance(gates, dict) or not isinstance(findings, list):
        return False
    required = {name: gate for name, gate in gates.items() if not _is_optional(gate)}
    known = [finding for finding in findings if isinstance(finding, dict)]
    before = {finding.get("gate") for finding in known if finding.get("rule") == "failing-before"}
    if not required or not all(_does_count(gate, name in before) for name, gate in required.items()):
        return False
    closed = len(known) == len(findings) and all(finding.get("level") == NOTE for finding in known)
    named = all(isinstance(document.get(key), str) and document[key] for key in ("base", "tree"))
    return closed and named


def has_checks(document: Mapping[str, Any]) -> bool:
    """Return whether the project had a check to decide. A plan's criteria decide nothing."""
    return not all(_is_optional(gate) for gate in document["gates"].values())


def _is_optional(gate: object) -> bool:
    return isinstance(gate, dict) and gate.get("required") is False


def _does_count(gate: object, red_before: bool) -> bool:
    colours = (GREEN, FLAKY, RED) if red_before else (GREEN, FLAKY)
    return isinstance(gate, dict) and (
        gate.get("result") == NOT_NEEDED
        or (gate.get("result") == BROKEN and gate.get("not_checked") is True)
        or (gate.get("result") in colours and type(gate.get("receipt")) is int)
    )


def accept(document: Document, reason: str) -> Document:
    """Mark open findings and doubts as accepted. Accepting never makes a PASS; an existing PASS with nothing open
    stays."""
    unchecked = document["not_checked"]
    doubts = {finding["what"] for finding in document["findings"]} & set(unchecked)
    taken = [finding for finding in document["findings"] if finding["level"] != NOTE or finding["what"] in doubts]
    stood = not taken and read_value(document) == PASS
    return {
        **document,
        "verdict": PASS if stood else UNVERIFIED,
        "findings": [finding for finding in document["findings"] if finding not in taken],
        "not_checked": [entry for entry in unchecked if entry not in doubts],
        "accepted": [*document["accepted"], *(f"{finding['what']} (accepted by you: {reason})" for finding in taken)],
    }
