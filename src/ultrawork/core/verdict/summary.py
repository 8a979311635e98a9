"""A verdict in one line, from its document and its receipts alone: the same when made and when read back."""

from ..wording import cut
from . import verdict as verdicts
from .finding import LEVELS, STRONG, WEAK
from .gate_run import GREEN, RED, shorten_name
from .verdict import NOT_NEEDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Document = Mapping[str, Any]

WIDTH = 100
# The client puts its own words before a line, and we put the way to the proof behind it.
_PASS_WIDTH = WIDTH - 22
_MOVED = ("test-moved", "snapshot-moved")


def render_verdict(verdict: "Document", receipts: "Mapping[int, Document]") -> str:
    """`PASS  test 4 ok, lint ok; noticed by test_x`, or the verdict and what stands against PASS."""
    if verdict["verdict"] == verdicts.PASS:
        return cut(
            f"PASS  {'; '.join([describe_gates(verdict, receipts), *describe_notes(verdict)])}",
            _PASS_WIDTH,
        )
    return cut(f"{verdict['verdict']}. {find_reason(verdict)}", WIDTH)


def describe_gates(verdict: "Document", receipts: "Mapping[int, Document]") -> str:
    before = {one["gate"] for one in verdict["findings"] if one["rule"] == "red-as-before"}
    told = [
        _gate(name, gate, receipts.get(gate.get("receipt") or 0), name in before)
        for name, gate in verdict["gates"].items()
    ]
    return ", ".join(told)


def describe_counts(receipt: "Document | None", *, as_before: bool = False) -> str:
    """`4 ok`, `3 ok, 1 failed`, `41 ok, 1 red as before`; empty where the runner tells nothing."""
    tests = receipt["tests"] if receipt else None
    if not tests or tests.get("ran") is None:
        return ""
    failed = tests.get("failed_count") or 0
    parts = [f"{tests['ran'] - failed} ok"]
    parts += [f"{failed} {'red as before' if as_before else 'failed'}"] if failed else []
    return ", ".join(parts)


def describe_notes(verdict: "Document") -> list[str]:
    moved = sum(1 for one in verdict["findings"] if one["rule"] in _MOVED)
    found = [f"{moved} expectation{'' if moved == 1 else 's'} changed"] if moved else []
    noticed = verdict["noticed_by"]
    if noticed:
        names = [shorten_name(name) for name in noticed[:2]]
        more = f" and {len(noticed) - 2} more" if noticed[2:] else ""
        found.append(f"noticed by {', '.join(names)}{more}")
    elif noticed is not None:
        found.append("no test notices it")
    return found


def find_reason(verdict: "Document") -> str:
    """What matters most: what a run showed, else what is missing."""
    findings = [
        one["what"]
        for level in (STRONG, WEAK)
        for one in verdict["findings"]
        if one["level"] == level
    ]
    red = [f"{name} is red" for name, one in verdict["gates"].items() if one["result"] == RED]
    strange = [one["what"] for one in verdict["findings"] if one["level"] not in LEVELS]
    reasons = [*findings, *strange, *red, *verdict["not_checked"], *_silent(verdict)]
    return reasons[0] if reasons else "files change while I check"


def _silent(verdict: "Document") -> list[str]:
    if not verdict["gates"]:
        return ["no check here"]
    return [
        f"{name} is {one['result'] or 'not run'}"
        for name, one in verdict["gates"].items()
        if one["result"] not in (GREEN, NOT_NEEDED)
    ]


def _gate(name: str, gate: "Document", receipt: "Document | None", as_before: bool) -> str:
    result = gate["result"]
    if result == NOT_NEEDED:
        return f"{name} not needed"
    told = describe_counts(receipt, as_before=as_before) if result in (GREEN, RED) else ""
    return f"{name} {told or ('ok' if result == GREEN else result or 'not run')}"
