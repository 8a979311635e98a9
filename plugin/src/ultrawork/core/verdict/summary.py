"""A verdict in one line, from its document and receipts alone: the same when made and when read back."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from ..wording import capitalize, cut
from . import strength
from . import verdict as verdicts
from .finding import LEVELS, STRONG, WEAK
from .gate import name_check
from .gate_run import BROKEN, FLAKY, GREEN, RED
from .verdict import NOT_NEEDED

Document = Mapping[str, Any]

WIDTH = 100
# The result of a check, after its name and as a verb.
_RESULTS = {GREEN: "ok", RED: "failed", FLAKY: "flaky", BROKEN: "could not run"}
_VERBS = {RED: "fails", BROKEN: "could not run", FLAKY: "is flaky"}
# Notes about what a verdict rests on: they cost nothing, and are always shown.
_ALOUD = (
    "name-nowhere",
    "check-same",
    "check-replaced",
    "check-unread-consent",
    "surroundings-changed",
    "forged-event",
    "settled-by-hand",
    "asked-by-agent",
)
# Named first beside a PASS: tests that are gone or prove nothing.
_NAMED = ("test-dropped", "idle-test")
# The client prefixes the line, and we append the way to the proof.
ROOM_BEFORE_DETAILS = WIDTH - 22
_NOTE_LINES = 2


def render_verdict(verdict: Document, receipts: Mapping[int, Document]) -> str:
    """Return `PASS, proved by test_x. make test: 4 passed, ruff check: ok`, or the verdict and what keeps it from
    PASS."""
    if verdict["verdict"] != verdicts.PASS:
        return cut(f"{verdict['verdict']}. {capitalize(find_reason(verdict))}", WIDTH)
    shown, listed = strength.describe_strength(verdict), describe_notes(verdict)
    notes = "; ".join(listed)
    first, gates = f"PASS{f', {shown}' if shown else ''}.", describe_gates(verdict, receipts)
    whole = f"{first} {', '.join(gates)}"
    if len(whole) + len(notes) + 2 <= ROOM_BEFORE_DETAILS:
        return f"{whole}; {notes}" if notes else whole
    parts = [f"{gate}," for gate in gates[:-1]] + gates[-1:]
    head, colon, lines = first.partition(": ")
    if len(first) > ROOM_BEFORE_DETAILS and colon:
        return _lay_out([f"{head}.", *parts], [lines.removesuffix("."), *_lay_out_notes(listed)])
    return _lay_out([first, *parts], _lay_out_notes(listed))


def _lay_out(parts: Sequence[str], more: Sequence[str]) -> str:
    """Fill lines with the parts; the others get lines of their own."""
    lines = [cut(parts[0], ROOM_BEFORE_DETAILS)]
    for part in parts[1:]:
        if len(lines[-1]) + 1 + len(part) <= ROOM_BEFORE_DETAILS:
            lines[-1] += f" {part}"
        else:
            lines.append(cut(part, ROOM_BEFORE_DETAILS))
    return "\n  ".join([*lines, *(cut(text, WIDTH - 2) for text in more if text)])


def _lay_out_notes(notes: Sequence[str]) -> list[str]:
    """Put notes on one line if they fit, else on lines of their own; a long note gets a second line."""
    joined = "; ".join(notes)
    if len(joined) <= WIDTH - 2:
        return [capitalize(joined)]
    lines = [wrap(capitalize(note), WIDTH - 2, break_on_hyphens=False)[:_NOTE_LINES] for note in notes]
    return [line for several in lines for line in several]


def explain_pass(verdict: Document) -> str:
    """Return why it is a PASS, without the numbers: how strong it is, and what still fails."""
    notes = describe_notes(verdict)
    sentences = [strength.describe_strength(verdict), *(notes or ["all checks pass"])]
    return "; ".join(sentence for sentence in sentences if sentence)


def describe_gates(verdict: Document, receipts: Mapping[int, Document]) -> list[str]:
    """Describe each check; met criteria of tasks are only counted, because there are many. What could not run is among
    the notes."""
    met = [gate for gate in verdict["gates"].values() if gate.get("task") and gate["result"] == GREEN]
    gates = [
        _gate(name, gate, receipts.get(gate.get("receipt") or 0))
        for name, gate in verdict["gates"].items()
        if gate not in met and not gate.get("not_checked")
    ]
    return gates + ([f"criteria: {len(met)} met"] if met else [])


def describe_counts(receipt: Document | None) -> str:
    """Return `4 passed` or `3 passed, 1 failed`; empty if the runner reports no numbers."""
    tests = receipt["tests"] if receipt else None
    if not tests or tests.get("ran") is None:
        return ""
    failed = tests.get("failed_count") or 0
    parts = [f"{tests['ran'] - failed} passed"]
    parts += [f"{failed} failed"] if failed else []
    return ", ".join(parts)


def describe_notes(verdict: Document) -> list[str]:
    """Return what a user should know about a PASS beside its strength: what still fails, which expectations changed."""
    shown = ("failing-before", "flaky")
    before = [finding["what"] for finding in verdict["findings"] if finding["rule"] in shown]
    changed = strength.describe_expectations(verdict)
    if changed and verdict.get("strength") != strength.EXPECTATIONS:
        before.append(changed)
    before += [
        f"not checked: {name} ({_find_reason(verdict, name)})"
        for name, gate in verdict["gates"].items()
        if gate.get("not_checked")
    ]
    for rules in (strength.LITTLE_RULES, _ALOUD):
        before += [finding["what"] for finding in verdict["findings"] if finding["rule"] in rules]
    return before


def describe_looks(verdict: Document) -> str:
    """Return `Worth a look: shop.py:3 counts its calls (and 2 more)`; empty if there is nothing."""
    from .rules import LOOK, is_of_family

    noted = [(finding["rule"], finding["what"]) for finding in verdict["findings"]]
    looks = [what for rule, what in noted if rule in _NAMED]
    looks += [what for rule, what in noted if is_of_family(rule, LOOK)]
    more = f" (and {len(looks) - 1} more)" if looks[1:] else ""
    return f"Worth a look: {cut(looks[0], WIDTH - 40)}{more}" if looks else ""


def _find_reason(verdict: Document, name: str) -> str:
    reasons = [reason for reason in verdict["not_checked"] if reason.startswith(f"{name}: ")]
    return reasons[0].partition(": ")[2] if reasons else "could not run"


def find_reason(verdict: Document) -> str:
    """Return the most important reason: what a run showed, else what is missing."""
    findings = [
        finding["what"] for level in (STRONG, WEAK) for finding in verdict["findings"] if finding["level"] == level
    ]
    red = [f"{name} fails" for name, gate in verdict["gates"].items() if gate["result"] == RED]
    strange = [finding["what"] for finding in verdict["findings"] if finding["level"] not in LEVELS]
    left = [*verdict["not_checked"], *_silent(verdict), *verdict["accepted"]]
    reasons = [*findings, *strange, *red, *left]
    return reasons[0] if reasons else "files changed while the checks ran"


def _silent(verdict: Document) -> list[str]:
    if not verdicts.has_checks(verdict):
        return [_say_unchecked([gate for gate in verdict["gates"].values() if gate.get("task")])]
    return [
        f"{name} {_VERBS.get(gate['result'], 'did not run')}"
        for name, gate in verdict["gates"].items()
        if gate["result"] not in (GREEN, NOT_NEEDED)
    ]


def _say_unchecked(criteria: Sequence[Document]) -> str:
    if not criteria:
        return verdicts.NO_CHECK
    met = sum(criterion["result"] == GREEN for criterion in criteria)
    return f"{verdicts.NO_CHECK}, and {met} of {len(criteria)} criteria are met. Add a check: ulw gates draft"


def _gate(name: str, gate: Document, receipt: Document | None) -> str:
    result = gate["result"]
    if result == NOT_NEEDED:
        return f"{name}: not needed"
    called = name_receipt(receipt) if receipt else name
    shown = describe_counts(receipt) if result in (GREEN, RED) else ""
    return f"{called}: {shown or _RESULTS.get(result, 'did not run')}"


def name_receipt(receipt: Document) -> str:
    """Return the display name of a receipt's check."""
    gate, run = receipt["gate"], receipt["run"]
    return name_check(gate["name"], gate.get("kind", ""), gate["command"], run.get("cwd", "."))
