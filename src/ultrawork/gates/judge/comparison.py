"""What one verification compares: each gate now and at the start, the runs of both, and where they are made."""

import os
from collections.abc import Callable, Mapping, Sequence

from ...core.value import Value, fresh
from ...core.verdict.finding import Finding
from ...core.verdict.gate import TEST, Gate, has_service
from ...core.verdict.gate_findings import ChangeFacts
from ...core.verdict.gate_run import BROKEN, RED, GateResult
from ...core.verdict.verdict import GateFact
from ...system.git import FileChange
from ..context import GateContext
from ..run.receipt import (
    AGAIN,
    BASE,
    CANARY,
    NEW,
    NEW_TESTS,
    PLANTED,
    RunReceipt,
    RunTarget,
    make_command_key,
    make_receipt,
    make_receipts,
    read_laid,
    read_usual_seconds,
)
from ..run.reuse import find_reusable
from ..trees.source import Copy, Source
from .test_change import ChangedTests

QUICK = 30.0
EquipRun = Callable[[dict[str, str]], dict[str, str]]
SplitChanges = Callable[[str], tuple[Sequence[FileChange], Sequence[FileChange]]]
# What is red here is held against nobody.
_ONCE = (BASE, CANARY, NEW_TESTS, PLANTED, AGAIN)
_HELD = (BASE, NEW_TESTS)


class GatePair(Value):
    """`now` is None when the gate is gone, `pinned` when it is new."""

    name: str
    now: Gate | None
    pinned: Gate | None

    @property
    def gate(self) -> Gate:
        gate = self.now or self.pinned
        assert gate is not None
        return gate

    @property
    def changed(self) -> bool:
        """Whether the value of its definition changed; a new gate has none to compare with."""
        return self.pinned is not None and (
            self.now is None or self.now.definition != self.pinned.definition
        )


class GateMeasurement(Value):
    """
    A gate's standing, what was found about it, and the runs behind it. `rules` are the changed files
    that say how it runs: its definition, and `shadows`, new files named like its runner.
    """

    pair: GatePair
    fact: GateFact
    findings: list[Finding] = fresh(list)
    rules: list[str] = fresh(list)
    shadows: list[str] = fresh(list)
    now: RunReceipt | None = None
    base: RunReceipt | None = None
    pinned: RunReceipt | None = None
    settled: bool = True


class _HeldCopy(Value):
    copy: Copy
    target: RunTarget


class GateComparison:
    """
    One checkout against one base. `changes` are this session's, `others` everybody else's; `unseen`
    are files that runners load and no tree holds. `tree` follows the files as gates write them, and the
    changes follow it through `split`; `runs` are the numbers of all receipts that were used.
    """

    def __init__(
        self,
        context: GateContext,
        source: Source,
        *,
        base: str,
        tree: str,
        change: ChangeFacts,
        split: SplitChanges | None = None,
    ) -> None:
        self.context = context
        self.source = source
        self.base_tree = base
        self.tree = tree
        self.change = change
        self.changes: Sequence[FileChange] = ()
        self.others: Sequence[FileChange] = ()
        self.unseen: list[str] = []
        self.runs: set[int] = set()
        # Whether nothing has run since the files were looked at, as they have just been.
        self._looked = True
        self._split = split
        self._held: dict[tuple[str, str], _HeldCopy] = {}
        self._ahead: dict[str, RunReceipt] = {}
        self._take_changes()

    def close(self) -> None:
        """Removes the copies that were kept for a second run in them."""
        for held in self._held.values():
            held.copy.__exit__()
        self._held = {}

    def _take_changes(self) -> None:
        """What a gate writes is a change like any other."""
        if self._split is not None:
            self.changes, self.others = self._split(self.tree)
            self.change.changed = [one.path for one in self.changes]

    def find_reusable(self, gate: Gate) -> RunReceipt | None:
        """A receipt for the files as they are that still holds."""
        found = find_reusable(self.context, gate, self.tree, NEW)
        return None if found is None else self._used(found)

    def run_here(
        self,
        gate: Gate,
        *,
        equip: EquipRun | None = None,
        choose: "Callable[[GateResult, float], Gate | None] | None" = None,
    ) -> RunReceipt:
        """With `choose` also what is going to be run once more for this result, if that can be told now."""
        target = RunTarget(self.context.root, self.tree, NEW)
        if choose is None:
            receipt = make_receipt(self.context, gate, target, equip=equip)
        else:
            receipt, *more = make_receipts(self.context, gate, target, choose)
            self._ahead = {make_command_key(one.gate): one for one in more}
        self._used(receipt)
        self._looked = True
        if self.tree != receipt.document["tree"]["after"]:
            self.tree = receipt.document["tree"]["after"]
            self._ahead = {}
            self._take_changes()
        return receipt

    def run_here_again(self, gate: Gate) -> RunReceipt:
        """A run that confirms an earlier one on the same files: made with it, or now."""
        known = self._ahead.pop(make_command_key(gate), None)
        return self.run_here(gate) if known is None else self._used(known)

    def scratch_run(
        self,
        gate: Gate,
        on: str,
        code: str,
        *,
        overlay: tuple[str, Sequence[str]] | None = None,
        texts: Mapping[str, str] | None = None,
        without: Sequence[str] = (),
        twice: bool = False,
    ) -> RunReceipt:
        """
        A run on files that never were together; what is red only now and then counts as green, where the run may be
        held against somebody, or `twice` asks for it. What runs again does so in the copy that it ran in: a red that
        only a fresh copy gives is none of the change.
        """
        name = self.source.name_of(code, overlay, texts, without)
        kept = find_reusable(self.context, gate, name, on)
        if kept is not None:
            return self._used(kept)
        self._looked = False
        held = self._held.get((gate.name, name)) if on == AGAIN else None
        if held is not None:
            target = RunTarget(held.target.root, name, on, held.target.tests)
            return self._used(make_receipt(self.context, gate, target))
        made = self.source.copy(code, overlay, texts, without)
        folder = made.__enter__()
        copy = RunTarget(folder, name, on, self._list_laid(folder, overlay, texts or {}))
        try:
            first = self._used(make_receipt(self.context, gate, copy))
            if (on in _ONCE and not twice) or not self.runs_twice(first):
                return first
            again = self._used(make_receipt(self.context, gate, copy))
        finally:
            self._leave(gate, copy, made)
        return again if again.result.colour != BROKEN else first

    def _list_laid(
        self,
        folder: str,
        overlay: tuple[str, Sequence[str]] | None,
        texts: Mapping[str, str],
    ) -> dict[str, bytes]:
        """By what they are in their tree: another process may have been at the copy before we look at it."""
        tree, paths = overlay or ("", ())
        laid = read_laid(folder, [*paths, *texts])
        for path in laid:
            text = texts[path] if path in texts else self.source.read(tree, path)
            if text is not None and not os.path.islink(f"{folder}/{path}"):
                laid[path] = text.encode()
        return laid

    def _leave(self, gate: Gate, copy: RunTarget, made: Copy) -> None:
        """A copy in which a test may have to be red once more is kept until the end; others are removed."""
        if copy.on in _HELD and gate.kind == TEST and (gate.name, copy.tree) not in self._held:
            self._held[gate.name, copy.tree] = _HeldCopy(made, copy)
        else:
            made.__exit__()

    def repeat_on_base(self, gate: Gate, times: int) -> list[RunReceipt]:
        """New runs on base, one after the other in one copy; none where there is no time for them."""
        usual = read_usual_seconds(self.context, gate) or 0.0
        if usual * times * 1.5 > self.context.left:
            return []
        self._looked = False
        with self.source.copy(self.base_tree) as folder:
            copy = RunTarget(folder, self.base_tree, BASE)
            return [self._used(make_receipt(self.context, gate, copy)) for _ in range(times)]

    def runs_twice(self, first: RunReceipt) -> bool:
        """Whether one red run is not enough to say so."""
        fits = first.seconds <= self.context.left / 2
        asked = bool(self.context.settings["tests.flaky_reruns"]) and not self.context.quick
        return first.result.colour == RED and first.gate.kind == TEST and asked and fits

    def is_gone(self, folder: str) -> bool:
        """Whether nothing is left of a folder that held something at the start."""
        if folder == ".":
            return False
        before, now = (
            any(path.startswith(folder + "/") for path in self.source.names(tree))
            for tree in (self.base_tree, self.tree)
        )
        return before and not now

    def fits(self, measured: GateMeasurement) -> bool:
        """Whether there is time for one more run of a gate."""
        return measured.now is None or measured.now.seconds * 1.5 < self.context.left

    def look_again(self) -> None:
        """Something ran in the checkout: what the files are now has to be seen anew."""
        self._looked = False

    def note(self, receipt: RunReceipt) -> RunReceipt:
        """Counts a receipt among those that the verdict rests on."""
        return self._used(receipt)

    def is_settled(self) -> bool:
        """Whether the files are still those that were judged."""
        return self._looked or self.source.snapshot() == self.tree

    def known_base(self, gate: Gate | None) -> RunReceipt | None:
        return find_reusable(self.context, gate, self.base_tree, BASE) if gate is not None else None

    def base(self, measured: GateMeasurement) -> RunReceipt | None:
        """The gate as it was on the files as they were; None for a gate that did not exist."""
        gate = measured.pair.pinned
        if measured.base is not None or gate is None:
            return measured.base
        if self.tree == self.base_tree and measured.now is not None:
            measured.base = measured.now
        elif has_service(gate):
            measured.base = self.known_base(gate)
        else:
            measured.base = self.scratch_run(gate, BASE, self.base_tree)
        return measured.base

    def comparable_base(self, measured: GateMeasurement, tests: ChangedTests) -> RunReceipt | None:
        """Base, where it is known, quick to make, or needed: something other than code changed."""
        if measured.base is not None or measured.now is None:
            return measured.base
        quick = measured.now.seconds <= QUICK
        asked = quick or bool(measured.rules) or tests.touched
        return self.base(measured) if asked else self.known_base(measured.pair.pinned)

    def _used(self, receipt: RunReceipt) -> RunReceipt:
        if receipt.document["session"] == self.context.session.id:
            self.runs.add(receipt.number)
        return receipt
