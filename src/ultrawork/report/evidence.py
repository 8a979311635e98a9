"""What is proved: the last verdict and its receipts, for the screen and for a pull request."""

from ..core.times import spoken
from ..core.wording import cut, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Document = dict[str, Any]

_SHORT = 7
_TARGETS = {
    "base": "on the files at the start",
    "old-tests": "old tests on new code",
    "new-tests": "new tests on old code",
    "pinned": "as it was defined at the start",
}


def show(
    verdict: "Document", receipts: "Sequence[Document]", refusals: "Sequence[Document]"
) -> str:
    """The last verdict with everything behind it."""
    used = _used(verdict, receipts)
    lines = [_head(verdict), _tree(verdict)]
    lines += [_gate_row(one) for one in used if one["run"]["on"] == "new"]
    lines += [_gate_row(one) for one in used if one["run"]["on"] != "new"]
    lines += [_finding(one) for one in verdict["findings"]]
    lines += [f"{'unknown':<9}{text}" for text in verdict["not_checked"]]
    lines += [f"{'accepted':<9}{text}" for text in verdict["accepted"]]
    lines += [f"{one['at']:<9}{cut(one['what'], 90)}" for one in refusals]
    return "\n".join(line.rstrip() for line in lines)


def _used(verdict: "Document", receipts: "Sequence[Document]") -> "list[Document]":
    numbers = {gate["receipt"] for gate in verdict["gates"].values() if gate.get("receipt")}
    numbers |= set(verdict.get("receipts", []))
    return [one for one in receipts if one["id"] in numbers]


def _head(verdict: "Document") -> str:
    sent_back = {0: "", 1: ", sent back once"}.get(
        verdict["refusals"], f", sent back {verdict['refusals']} times"
    )
    goal = cut(one_line(verdict["goal"]), 48)
    when = verdict["decided"][11:16]
    took = spoken(verdict["seconds"])
    return (
        f"{verdict['verdict']:<11}{goal:<50}{verdict['session'][:8]:<10}{when}  {took}{sent_back}"
    )


def _tree(verdict: "Document") -> str:
    changed = verdict["changed"]
    files = "file" if changed["files"] == 1 else "files"
    commit = f"commit {verdict['commit'][:_SHORT]}" if verdict["commit"] else "not committed"
    return (
        f"{'tree':<9}{verdict['tree'][:_SHORT]} {commit}; base {verdict['base'][:_SHORT]}; "
        f"{changed['files']} {files}, +{changed['added']} -{changed['removed']}"
    )


def _gate_row(receipt: "Document") -> str:
    run = receipt["run"]
    what = _TARGETS.get(run["on"])
    name = receipt["gate"]["name"] if what is None else ""
    told, shown = (
        (f"{receipt['result']:<8}{counts(receipt)}", receipt["gate"]["command"])
        if what is None
        else (f"{what:<27}{receipt['result']}", counts(receipt))
    )
    ending = f"{spoken(run['seconds']):>7}  {run['by']:<7}#{receipt['id']}"
    return f"{name:<9}{told:<36}{cut(shown, 24):<25}{ending}"


def counts(receipt: "Document") -> str:
    """`4 ok`, `3 ok, 1 failed`; empty where the runner tells nothing."""
    tests = receipt["tests"]
    if not tests or tests.get("ran") is None:
        return ""
    failed = tests.get("failed_count") or 0
    parts = [f"{tests['ran'] - failed} ok"]
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{tests['skipped']} skipped"] if tests.get("skipped") else []
    return ", ".join(parts)


def _finding(finding: "Document") -> str:
    where = f"  {finding['where']}" if finding.get("where") else ""
    receipt = f"  #{finding['receipt']}" if finding.get("receipt") else ""
    return f"{finding['level']:<9}{cut(finding['what'], 80)}{where}{receipt}"


def one(receipt: "Document") -> str:
    """One receipt on the screen."""
    run, tree = receipt["run"], receipt["tree"]
    lines = [
        f"#{receipt['id']}  {receipt['gate']['name']}  {receipt['result']}  {counts(receipt)}",
        f"command  {receipt['gate']['command']}    in {run['cwd']}    ({receipt['gate']['from']})",
        f"run      {run['started']}  {spoken(run['seconds'])}  exit {run['exit']}  by {run['by']}  on {run['on']}",
        f"tree     {tree['before'][:_SHORT]}"
        + (f"; wrote {', '.join(tree['wrote'])}" if tree["wrote"] else ""),
        f"output   {receipt['output']['bytes']} bytes, sha256 {receipt['output']['sha256'][:12]}, {receipt['output']['log']}",
    ]
    lines += [f"failed   {name}" for name in (receipt["tests"] or {}).get("failed", [])[:20]]
    return "\n".join(lines)


def markdown(
    verdict: "Document", receipts: "Sequence[Document]", refusals: "Sequence[Document]"
) -> str:
    """The same for a pull request; `ultrawork evidence check` reads it back."""
    used = _used(verdict, receipts)
    rows = [
        f"| {_TARGETS.get(one['run']['on'], one['gate']['name'])} | {counts(one) or one['result']} |"
        f" `{one['gate']['command']}` | {spoken(one['run']['seconds'])} |"
        for one in used
        if one["run"]["on"] in ("new", "old-tests")
    ]
    notes = "; ".join(one["what"] for one in verdict["findings"]) or "none"
    noticed = ", ".join(f"`{name}`" for name in verdict["noticed_by"]) or "nothing"
    hashes = " · ".join(
        f"`#{one['id']}` {one['gate']['name']} {one['result']} `sha256:{one['output']['sha256']}`"
        for one in used
    )
    claims = [f"{one['at']} {one['what']}" for one in refusals]
    return "\n".join(
        [
            f"**ultrawork: {verdict['verdict']}** for tree `{verdict['tree']}`: {one_line(verdict['goal'])}",
            "",
            "| check | result | command | time |",
            "|---|---|---|---|",
            *rows,
            "",
            f"Fails without this change: {noticed}. Findings: {notes}.",
            f"<details><summary>{len(used)} receipts, {len(claims)} claims sent back</summary>",
            "",
            hashes,
            *claims,
            "</details>",
            "Check: `ultrawork evidence check -` with this text",
        ]
    )
