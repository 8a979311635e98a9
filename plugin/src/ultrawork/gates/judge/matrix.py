"""The runs behind a verdict. A comparison holds a checkout against its baseline: the change, the goal, and a matrix of
cells. A cell combines product, tests and definition in one place; its receipt is made at most once, when a rule first
asks for it.

`now` runs in the checkout. Every other cell runs in a copy, and only this module runs anything in a copy. Copies that a
proof may need again are kept until the verification ends."""

import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property

from ...core.value import Value, fresh
from ...core.verdict.gate import TEST, Gate, has_service
from ...core.verdict.gate_run import BROKEN, RED, GateResult
from ...system.git import FileChange
from ..context import GateContext
from ..find.project import GateSearch
from ..run.receipt import (
    AGAIN,
    BASE,
    FAULT,
    NEW,
    OLD_CODE,
    PINNED,
    PLANTED,
    UNDONE,
    RunReceipt,
    RunTarget,
    make_command_key,
    make_receipt,
    make_receipts,
    read_laid,
    read_usual_seconds,
)
from ..run.reuse import find_reusable
from ..trees.files import Files
from ..trees.source import Copy, Source
from .change import ChangedFiles, read_convention

EquipRun = Callable[[dict[str, str]], dict[str, str]]
# A failure in one of these never counts against the change, so one run is enough.
_ONCE = (BASE, OLD_CODE, UNDONE, PLANTED, AGAIN, FAULT)
_HELD = (BASE, OLD_CODE)
_SPARE = 1.5


class Cell(Value):
    """One run in a copy. `product` is the tree in the copy. `paths` come from the tree `other`, `texts` overwrite
    files, and ignored files at `without` are left out. `builds` run first."""

    on: str
    gate: Gate
    product: str
    other: str = ""
    paths: Sequence[str] = ()
    texts: Mapping[str, str] = fresh(dict)
    without: Sequence[str] = ()
    builds: Sequence[Gate] = ()

    @property
    def overlay(self) -> tuple[str, Sequence[str]] | None:
        return (self.other, self.paths) if self.paths else None


class Matrix:
    """All cells of one verification. `base` and `tree` are the two trees; `tree` follows files that checks write.
    `runs` holds the numbers of all receipts used."""

    def __init__(
        self, context: GateContext, source: Source, *, base: str, tree: str, on_move: Callable[[], None] | None = None
    ) -> None:
        self.context = context
        self.source = source
        self.base = base
        self.tree = tree
        self.runs: set[int] = set()
        self._on_move = on_move or (lambda: None)
        # True while nothing has run since the last scan.
        self._scanned = True
        self._held: dict[tuple[str, str], tuple[Copy, RunTarget]] = {}
        self._ahead: dict[str, RunReceipt] = {}
        self._held_back: dict[str, Sequence[str]] = {}

    def hold_back(self, gate: str, paths: Sequence[str]) -> None:
        """Never run this check as it is defined now: `paths`, which define it, come from the baseline in every run."""
        self._held_back[gate] = paths

    def is_held_back(self, gate: Gate) -> bool:
        return gate.name in self._held_back

    def close(self) -> None:
        """Remove the copies that were kept for a second run in them."""
        for made, _ in self._held.values():
            made.__exit__()
        self._held = {}

    def find_now(self, gate: Gate) -> RunReceipt | None:
        """Return a receipt for the files as they are that still holds."""
        if gate.name in self._held_back:
            return None
        run = find_reusable(self.context, gate, self.tree, NEW)
        return None if run is None else self.use(run)

    def run_now(
        self,
        gate: Gate,
        *,
        equip: EquipRun | None = None,
        choose: Callable[[GateResult, float], Gate | None] | None = None,
    ) -> RunReceipt:
        """Run in the checkout. `choose` names what has to run again for a result, if that is known."""
        if gate.name in self._held_back:
            return self.run(Cell(PINNED, gate, self.tree))
        target = RunTarget(self.context.root, self.tree, NEW)
        if choose is None:
            receipt = make_receipt(self.context, gate, target, equip=equip)
        else:
            receipt, *more = make_receipts(self.context, gate, target, choose)
            self._ahead = {make_command_key(run.gate): run for run in more}
        self.use(receipt)
        self._scanned = True
        if self.tree != receipt.document["tree"]["after"]:
            self.tree = receipt.document["tree"]["after"]
            self._ahead = {}
            self._on_move()
        return receipt

    def run_now_again(self, gate: Gate) -> RunReceipt:
        """Confirm an earlier run on the same files with a second run; reuse one that was made ahead of time."""
        known = self._ahead.pop(make_command_key(gate), None)
        return self.run_now(gate) if known is None else self.use(known)

    def is_settled(self) -> bool:
        """Return whether the files are still the ones that were judged."""
        return self._scanned or self.source.snapshot() == self.tree

    def run(self, cell: Cell) -> RunReceipt:
        """Return the receipt of a cell. Repeat a failure that counts against the change in the same copy, because a
        flaky test or a fresh copy may be the cause."""
        cell = self._keep_definition(cell)
        name = self._name(cell)
        kept = find_reusable(self.context, cell.gate, name, cell.on)
        if kept is not None:
            return self.use(kept)
        self._scanned = False
        held = self._held.get((cell.gate.name, name)) if cell.on == AGAIN else None
        if held is not None:
            target = RunTarget(held[1].root, name, cell.on, held[1].tests)
            return self.use(make_receipt(self.context, cell.gate, target))
        return self._run_in_copy(cell, name)

    def _keep_definition(self, cell: Cell) -> Cell:
        """Return the cell with the old definition of its check, where the new one may not run."""
        paths = self._held_back.get(cell.gate.name, ())
        if not paths:
            return cell
        kept = copy(cell)
        if cell.other in ("", self.base):
            kept.other, kept.paths = self.base, [*dict.fromkeys([*cell.paths, *paths])]
        else:
            kept.paths = [path for path in cell.paths if path not in paths]
        return kept

    def _run_in_copy(self, cell: Cell, name: str) -> RunReceipt:
        made = self.source.copy(cell.product, cell.overlay, cell.texts, cell.without)
        folder = made.__enter__()
        target = RunTarget(folder, name, cell.on, self._list_laid(folder, cell))
        try:
            for build in cell.builds:
                make_receipt(self.context, build, RunTarget(folder, name, cell.on))
            first = self.use(make_receipt(self.context, cell.gate, target))
            if cell.on in _ONCE or not self.repeats(first):
                return first
            again = self.use(make_receipt(self.context, cell.gate, target))
        finally:
            self._leave(cell.gate, target, made)
        return again if again.result.colour != BROKEN else first

    def _name(self, cell: Cell) -> str:
        without = [*cell.without, *(gate.command for gate in cell.builds)]
        return self.source.name_of(cell.product, cell.overlay, cell.texts, without)

    def _list_laid(self, folder: str, cell: Cell) -> dict[str, bytes]:
        """Read the paths from their tree, because another process may have changed the copy."""
        laid = read_laid(folder, [*cell.paths, *cell.texts])
        for path in laid:
            text = cell.texts.get(path) or self.source.read(cell.other, path)
            if text is not None and not os.path.islink(f"{folder}/{path}"):
                laid[path] = text.encode()
        return laid

    def _leave(self, gate: Gate, target: RunTarget, made: Copy) -> None:
        """Keep a copy if a test may have to fail in it again; remove the others."""
        if target.on in _HELD and gate.kind == TEST and (gate.name, target.tree) not in self._held:
            self._held[gate.name, target.tree] = made, target
        else:
            made.__exit__()

    def find_baseline(self, gate: Gate | None) -> RunReceipt | None:
        """Return the run on the baseline, if it was made before."""
        return find_reusable(self.context, gate, self.base, BASE) if gate is not None else None

    def run_baseline(self, gate: Gate) -> RunReceipt | None:
        """Run the old check on the old files. A check that needs a service runs only if it is known to work."""
        if has_service(gate):
            return self.find_baseline(gate)
        return self.run(Cell(BASE, gate, self.base))

    def repeat_baseline(self, gate: Gate, times: int) -> list[RunReceipt]:
        """Run the baseline again in one copy, several times; return nothing if there is no time."""
        usual = read_usual_seconds(self.context, gate) or 0.0
        if usual * times * _SPARE > self.context.left:
            return []
        self._scanned = False
        with self.source.copy(self.base) as folder:
            target = RunTarget(folder, self.base, BASE)
            return [self.use(make_receipt(self.context, gate, target)) for _ in range(times)]

    def repeats(self, first: RunReceipt) -> bool:
        """Return whether one failing run is not enough evidence."""
        fits = first.seconds <= self.context.left / 2
        may_repeat = bool(self.context.settings["tests.flaky_reruns"]) and not self.context.quick
        return first.result.colour == RED and first.gate.kind == TEST and may_repeat and fits

    def fits(self, seconds: float) -> bool:
        """Return whether there is time for another run of this length."""
        return seconds * _SPARE < self.context.left

    def use(self, receipt: RunReceipt) -> RunReceipt:
        """Add a receipt to those that the verdict rests on."""
        if receipt.document["session"] == self.context.session.id:
            self.runs.add(receipt.number)
        return receipt


SplitChanges = Callable[[str], tuple[Sequence[FileChange], Sequence[FileChange]]]


class Comparison:
    """One comparison. `goal` is empty outside a session. `outside` describes what the agent did beside the files.
    `unseen` are files that runners load and git does not track. The change is updated as checks write files."""

    def __init__(
        self,
        context: GateContext,
        source: Source,
        *,
        base: str,
        tree: str,
        goal: str = "",
        gates: Sequence[Gate] = (),
        split: SplitChanges,
    ) -> None:
        self.context = context
        self.source = source
        self.goal = goal
        self.unseen: list[str] = []
        # What searches for checks found, by the changed paths that they concern.
        self.searches: dict[tuple[str, ...], list[GateSearch]] = {}
        self._gates = gates
        self._split = split
        self.matrix = Matrix(context, source, base=base, tree=tree, on_move=self._sort)
        self._sort()

    def _sort(self) -> None:
        """Read the change again; files that a check writes are part of it."""
        matrix = self.matrix
        own, others = self._split(matrix.tree)
        paths = [file.path for file in (*own, *others)]
        convention = read_convention(self.source, matrix.base, self.context.settings, self._gates, paths)
        self.change = ChangedFiles(self.source, matrix.base, matrix.tree, own, others, convention)

    @cached_property
    def base_files(self) -> Files:
        """The files of the baseline, as finders of checks read them."""
        return self.source.files(self.matrix.base)

    def close(self) -> None:
        self.matrix.close()

    def is_gone(self, folder: str) -> bool:
        """Return whether nothing is left of a folder that held something at the start."""
        if folder == ".":
            return False
        before, now = (
            any(path.startswith(folder + "/") for path in self.source.names(tree))
            for tree in (self.matrix.base, self.matrix.tree)
        )
        return before and not now
