"""What is proved: the last verdict and its receipts, for the screen."""

from ..core.results import FAILED, short
from ..core.summary import WIDTH, counts
from ..core.times import spoken
from ..core.wording import cut, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Document = dict[str, Any]

_SHORT = 7
_ID = 4
_GOAL = 41
TARGETS = {
    "base": "on the files at start",
    "old-tests": "old tests on new code",
    "new-tests": "new tests on old code",
    "pinned": "defined as at start",
    "canary": "with a planted failure",
}


def show(
    verdict: "Document", receipts: "Sequence[Document]", refusals: "Sequence[Document]"
) -> str:
    """The last verdict with everything behind it."""
    lines = [_head(verdict), _tree(verdict)]
    lines += [_gate_row(one) for one in gate_runs(verdict, receipts)]
    lines += [_scratch_row(one, verdict) for one in scratch_runs(verdict, receipts)]
    lines += [_finding(one) for one in verdict["findings"]]
    lines += [f"{'unknown':<9}{text}" for text in _unknown(verdict)]
    lines += [f"{'accepted':<9}{text}" for text in verdict["accepted"]]
    lines += [f"{one['at']:<9}{one['what']}" for one in refusals]
    return "\n".join(cut(line.rstrip(), WIDTH) for line in lines)


def gate_runs(verdict: "Document", receipts: "Sequence[Document]") -> "list[Document]":
    """The runs that the gates stand by, in the order of the gates."""
    numbers = [gate.get("receipt") for gate in verdict["gates"].values()]
    known = {one["id"]: one for one in receipts}
    return [known[number] for number in numbers if number in known]


def scratch_runs(verdict: "Document", receipts: "Sequence[Document]") -> "list[Document]":
    """What was run beside them, the last of each kind."""
    numbers = set(verdict.get("receipts", ()))
    used = [one for one in receipts if one["id"] in numbers and one["run"]["on"] in TARGETS]
    last = {(one["gate"]["name"], one["run"]["on"]): one for one in used}
    return list(last.values())


def _head(verdict: "Document") -> str:
    sent_back = {0: "", 1: ", sent back once"}.get(
        verdict["refusals"], f", sent back {verdict['refusals']} times"
    )
    value = f"{verdict['verdict']:<8} "
    goal = cut(one_line(verdict["goal"]), _GOAL)
    session = verdict["session"].removeprefix("verify-")[:_ID]
    when = f"{session}  {verdict['decided'][11:16]}"
    return f"{value}{goal:<{_GOAL + 2}}{when}  {spoken(verdict['seconds'])}{sent_back}"


def _tree(verdict: "Document") -> str:
    changed = verdict["changed"]
    files = "file" if changed["files"] == 1 else "files"
    commit = f"commit {verdict['commit'][:_SHORT]}" if verdict["commit"] else "not committed"
    return (
        f"{'tree':<9}{verdict['tree'][:_SHORT]} {commit}; base {verdict['base'][:_SHORT]}; "
        f"{changed['files']} {files}, +{changed['added']} -{changed['removed']}"
    )


def _gate_row(receipt: "Document") -> str:
    told = f"{receipt['result']:<8}{_all_counts(receipt)}"
    command = cut(one_line(receipt["gate"]["command"]), 24)
    return f"{cut(receipt['gate']['name'], 8):<9}{told:<34} {command:<25}{_ending(receipt)}"


def _scratch_row(receipt: "Document", verdict: "Document") -> str:
    told = f"{TARGETS[receipt['run']['on']]:<23}{receipt['result']}"
    noticed = verdict["noticed_by"] or []
    names = [name for name in (receipt["tests"] or {}).get(FAILED, []) if name in noticed]
    if names and receipt["run"]["on"] in ("new-tests", "base"):
        more = f" and {len(names) - 1} more" if names[1:] else ""
        verb = "notice" if more else "notices"
        said = cut(f"{short(names[0])}{more} {verb} this change", 50)
        return f"{'':<9}{told:<34} {said}  #{receipt['id']}"
    return f"{'':<9}{told:<34} {_all_counts(receipt):<25}{_ending(receipt)}"


def _ending(receipt: "Document") -> str:
    run = receipt["run"]
    return f"{spoken(run['seconds']):<10}{run['by']:<8}#{receipt['id']}"


def _all_counts(receipt: "Document") -> str:
    skipped = (receipt["tests"] or {}).get("skipped")
    told = counts(receipt)
    return f"{told}, {skipped} skipped" if told and skipped else told


def _finding(finding: "Document") -> str:
    gate = f"{finding['gate']}: " if finding.get("gate") else ""
    what = one_line(finding["what"])
    said = what if what.startswith(gate.rstrip(": ")) else gate + what
    receipt = f"  #{finding['receipt']}" if finding.get("receipt") else ""
    where = f"  {finding['where']}" if finding.get("where") else ""
    room = WIDTH - 9 - len(receipt)
    return f"{finding['level']:<9}{cut(said + where, room)}{receipt}"


def _unknown(verdict: "Document") -> list[str]:
    """What is not checked and not told already as a finding."""
    told = {one["what"] for one in verdict["findings"]}
    return [text for text in verdict["not_checked"] if text not in told]


def one(receipt: "Document") -> str:
    """One receipt on the screen."""
    run, tree, output = receipt["run"], receipt["tree"], receipt["output"]
    ended = f"exit {run['exit']}" if run["exit"] is not None else f"ended by {run['signal']}"
    where = "" if run["cwd"] == "." else f"  in {run['cwd']}"
    wrote = f"; wrote {', '.join(tree['wrote'])}" if tree["wrote"] else ""
    tools = ", ".join(f"{name} {version}" for name, version in receipt["tools"].items())
    lines = [
        f"#{receipt['id']:<8}{receipt['gate']['name']} {receipt['result']}  {_all_counts(receipt)}",
        f"command  {one_line(receipt['gate']['command'])}{where}  ({receipt['gate']['from']})",
        f"run      {run['started']}  {spoken(run['seconds'])}  {ended}  by {run['by']}  on {run['on']}",
        f"tree     {tree['before'][:_SHORT]}{wrote}",
        f"output   {output['bytes']} bytes  sha256 {output['sha256'][:12]}  {output['log']}",
        f"tools    {tools}",
    ]
    lines += [f"reason   {receipt['reason']}"] if receipt.get("reason") else []
    lines += [f"failed   {name}" for name in (receipt["tests"] or {}).get(FAILED, [])[:20]]
    return "\n".join(cut(line.rstrip(), WIDTH) for line in lines)


__all__ = ["TARGETS", "counts", "gate_runs", "one", "scratch_runs", "show"]
