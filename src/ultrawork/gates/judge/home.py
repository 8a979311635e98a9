"""
Whether tests are green only with what lies in the person's home: no tree holds that, and nobody else has it. Where a
change begins to speak of the home, its tests run once more with an empty one. Tests that need what lies there at the
start too are nobody's doing.
"""

import os
from collections.abc import Iterator, Mapping

from ...core.patterns import compile_late
from ...core.verdict.finding import NOTE, Finding
from ...core.verdict.gate import TEST, Gate, has_service, read_document
from ...core.verdict.gate_findings import is_doc
from ...core.verdict.gate_run import FAILED, GREEN, PASSED, RED
from ..reach.helpers import is_test_code
from ..run.receipt import WITHOUT_HOME, RunReceipt
from ..trees.scratch import ScratchFolder
from .comparison import GateComparison, GateMeasurement

_SPEAKS = compile_late(
    r"Path\.home\(|expanduser|homedir\(|\bHOME\b|UserHomeDir|\bhome_dir\(|user\.home|Dir\.home|[\"'`]~/"
    r"|XDG_[A-Z]+_(?:HOME|DIR)|USERPROFILE"
)
# Where programs that run tests keep themselves, unless a variable says so.
_TOOLS = {
    "CARGO_HOME": ".cargo",
    "GOPATH": "go",
    "GRADLE_USER_HOME": ".gradle",
    "NVM_DIR": ".nvm",
    "PYENV_ROOT": ".pyenv",
    "PYTHONUSERBASE": ".local",
    "RUSTUP_HOME": ".rustup",
}
_SHOWN = 3


def list_home_findings(
    comparison: GateComparison, found: list[GateMeasurement]
) -> Iterator[Finding]:
    """A doubt for each gate whose tests are red without the home, where the change speaks of it."""
    path = _find_speaking(comparison)
    for one in found if path else ():
        gate, now = one.pair.gate, one.now
        asked = gate.kind == TEST and gate.required and not has_service(gate)
        if asked and now is not None and now.result.colour == GREEN and comparison.fits(one):
            yield from _run_without(comparison, one, now, path)


def _find_speaking(comparison: GateComparison) -> str:
    """A changed file of the product whose new lines speak of the home; empty if none does."""
    source, base, tree = comparison.source, comparison.base_tree, comparison.tree
    patterns = comparison.context.settings["tests.paths"]
    for one in comparison.changes:
        if one.status == "D" or one.binary or is_doc(one.path) or is_test_code(one.path, patterns):
            continue
        if any(_SPEAKS.search(line) for _, line in source.list_added_lines(base, tree, one.path)):
            return one.path
    return ""


def _run_without(
    comparison: GateComparison, measured: GateMeasurement, now: RunReceipt, path: str
) -> Iterator[Finding]:
    with ScratchFolder(comparison.context.cache) as folder:
        home = f"{folder}/home"
        os.mkdir(home)
        gate = _with_home(measured.pair.gate, home, comparison.context.environ)
        run = comparison.scratch_run(gate, WITHOUT_HOME, comparison.tree)
        lost = _list_lost(run, now)
        base = comparison.base(measured) if lost else None
        if base is not None and measured.pair.pinned is not None:
            pinned = _with_home(measured.pair.pinned, home, comparison.context.environ)
            before = comparison.scratch_run(pinned, WITHOUT_HOME, comparison.base_tree)
            lost = [name for name in lost if name not in _list_lost(before, base)]
    if lost:
        yield _report(measured.fact.name, lost, path, run.number)


def _with_home(gate: Gate, home: str, environ: Mapping[str, str]) -> Gate:
    """The same gate with another home, in which its own programs are still found."""
    old = environ.get("HOME", "")
    kept = {
        name: f"{old}/{place}"
        for name, place in _TOOLS.items()
        if name not in environ and os.path.isdir(f"{old}/{place}")
    }
    moved = {name: f"{home}/{name}" for name in environ if name.startswith("XDG_")}
    return read_document({**gate.document(), "env": {**kept, **moved, **gate.env, "HOME": home}})


def _list_lost(without: RunReceipt, now: RunReceipt) -> list[str]:
    """Tests that pass and are red without the home; of a gate that names none its colour, by its own name."""
    if without.result.colour != RED:
        return []
    report, told = without.result.report, now.result.report
    if report is None or not report.outcomes or told is None or not told.outcomes:
        return [now.gate.name] if now.result.colour == GREEN else []
    failed = [name for name, outcome in report.outcomes.items() if outcome == FAILED]
    return [name for name in failed if told.outcomes.get(name) == PASSED or not told.complete]


def _report(gate: str, lost: list[str], path: str, receipt: int) -> Finding:
    names = ", ".join(lost[:_SHOWN])
    return Finding(
        rule="home-needed",
        level=NOTE,
        gate=gate,
        what=f"{gate} is green only with what lies in your home: with an empty one {names} is red",
        where=path,
        receipt=receipt,
        clears="let the code be right without a file in the home",
        doubt=True,
    )
