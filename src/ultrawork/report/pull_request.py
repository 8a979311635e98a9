"""What is proved, as text for a pull request; `ultrawork evidence check` reads it back."""

from ..core.results import short
from ..core.summary import counts
from ..core.times import spoken
from ..core.wording import one_line
from .evidence import gate_runs, scratch_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    Document = dict[str, Any]

_TREE = 12
_HASH = 12


def markdown(
    verdict: "Document", receipts: "Sequence[Document]", refusals: "Sequence[Document]"
) -> str:
    gates, others = gate_runs(verdict, receipts), scratch_runs(verdict, receipts)
    rows = [_row(one["gate"]["name"], one, one["gate"]["command"]) for one in gates]
    old = [one for one in others if one["run"]["on"] == "old-tests"]
    rows += [_row("original tests on this code", one, "") for one in old]
    told = [f"{one['at']} {one_line(one['what'])}" for one in refusals]
    return "\n".join(
        [
            f"**ultrawork: {verdict['verdict']}** for tree `{verdict['tree'][:_TREE]}`:"
            f" {one_line(verdict['goal'])}",
            "",
            "| check | result | command | time |",
            "|---|---|---|---|",
            *rows,
            "",
            _sentences(verdict),
            f"<details><summary>{_count(len(gates) + len(others), 'receipt')},"
            f" {_count(len(told), 'claim')} sent back</summary>",
            "",
            " · ".join(_receipt(one) for one in [*gates, *others]),
            *told,
            "</details>",
            "Check: `ultrawork evidence check -` with this text",
        ]
    )


def _row(name: str, receipt: "Document", command: str) -> str:
    result = counts(receipt) or {"green": "ok"}.get(receipt["result"], receipt["result"])
    shown = f"`{one_line(command)}`".replace("|", "\\|") if command else ""
    return f"| {name} | {result} | {shown} | {spoken(receipt['run']['seconds'])} |"


def _sentences(verdict: "Document") -> str:
    noticed = verdict["noticed_by"]
    fails = "not tried" if noticed is None else _names(map(short, noticed[:5]))
    moved = [one["where"] for one in _by_rule(verdict, "test-moved", "snapshot-moved")]
    before = [one["what"] for one in _by_rule(verdict, "red-as-before")]
    changed = [one["gate"] for one in _by_rule(verdict, "gate-changed")]
    open_ones = [one_line(one["what"]) for one in verdict["findings"] if one["level"] != "note"]
    parts = [
        f"Fails without this change: {fails}",
        f"Expectations changed: {_names(moved)}",
        f"Red before and still: {'; '.join(before) or 'none'}",
        f"Gate changed: {', '.join(changed) or 'none'}",
    ]
    parts += [f"Open: {'; '.join(open_ones)}"] if open_ones else []
    parts += [f"Not checked: {'; '.join(verdict['not_checked'])}"] if verdict["not_checked"] else []
    parts += [f"Accepted: {'; '.join(verdict['accepted'])}"] if verdict["accepted"] else []
    return ". ".join(parts) + "."


def _by_rule(verdict: "Document", *rules: str) -> "list[Document]":
    return [one for one in verdict["findings"] if one["rule"] in rules]


def _names(names: "Iterable[str]") -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def _receipt(receipt: "Document") -> str:
    on = receipt["run"]["on"]
    label = receipt["gate"]["name"] + ("" if on == "new" else f"/{on}")
    digest = receipt["output"]["sha256"][:_HASH]
    return f"`#{receipt['id']}` {label} {receipt['result']} `sha256:{digest}`"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
