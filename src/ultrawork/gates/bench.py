"""Where gates are run for one verification: here, and on files that never were together."""

from ..core import judging
from ..core.gate import TEST
from ..core.results import BROKEN, RED
from .kept import reusable
from .mint import BASE, CANARY, NEW, Copy, Minted, mint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.gate import Gate
    from ..system.git import Change as FileChange
    from .measure import Measured
    from .sides import TestSide
    from .source import Source
    from .work import Work

QUICK = 30.0
# What is red here is held against nobody.
_ONCE = (BASE, CANARY)


class Bench:
    """
    One checkout against one base. `changes` are this session's, `others` everybody else's; `unseen`
    are files that runners load and no tree holds. `tree` follows the files as gates write them, `runs`
    are the numbers of all receipts that were used.
    """

    def __init__(
        self,
        work: "Work",
        source: "Source",
        *,
        base: str,
        tree: str,
        change: judging.Change,
        changes: "Sequence[FileChange]" = (),
        others: "Sequence[FileChange]" = (),
    ) -> None:
        self.work = work
        self.source = source
        self.base_tree = base
        self.tree = tree
        self.change = change
        self.changes = changes
        self.others = others
        self.unseen: list[str] = []
        self.runs: set[int] = set()
        self._looked = False

    def kept(self, gate: "Gate") -> Minted | None:
        """A receipt for the files as they are that still holds."""
        found = reusable(self.work, gate, self.tree, NEW)
        return None if found is None else self._used(found)

    def run_here(self, gate: "Gate") -> Minted:
        minted = self._used(mint(self.work, gate, Copy(self.work.root, self.tree, NEW)))
        self.tree = minted.document["tree"]["after"]
        self._looked = True
        return minted

    def scratch_run(
        self,
        gate: "Gate",
        on: str,
        code: str,
        *,
        overlay: "tuple[str, Sequence[str]] | None" = None,
        texts: "Mapping[str, str] | None" = None,
    ) -> Minted:
        """A run on files that never were together; what is red only now and then counts as green."""
        name = self.source.name_of(code, overlay, texts)
        kept = reusable(self.work, gate, name, on)
        if kept is not None:
            return self._used(kept)
        self._looked = False
        with self.source.copy(code, overlay, texts) as folder:
            copy = Copy(folder, name, on)
            first = self._used(mint(self.work, gate, copy))
            if on in _ONCE or not self.runs_twice(first):
                return first
            again = self._used(mint(self.work, gate, copy))
        return again if again.side.colour != BROKEN else first

    def runs_twice(self, first: Minted) -> bool:
        """Whether one red run is not enough to say so."""
        fits = first.seconds <= self.work.left / 2
        asked = bool(self.work.settings["tests.flaky_reruns"])
        return first.side.colour == RED and first.gate.kind == TEST and asked and fits

    def is_settled(self) -> bool:
        """Whether the files are still those that were judged."""
        return self._looked or self.source.snapshot() == self.tree

    def known_base(self, gate: "Gate | None") -> Minted | None:
        return reusable(self.work, gate, self.base_tree, BASE) if gate is not None else None

    def base(self, measured: "Measured") -> Minted | None:
        """The gate as it was on the files as they were; None for a gate that did not exist."""
        gate = measured.pair.pinned
        if measured.base is not None or gate is None:
            return measured.base
        if self.tree == self.base_tree and measured.now is not None:
            measured.base = measured.now
        else:
            measured.base = self.scratch_run(gate, BASE, self.base_tree)
        return measured.base

    def comparable_base(self, measured: "Measured", side: "TestSide") -> Minted | None:
        """Base, where it is known, quick to make, or needed: something other than code changed."""
        if measured.base is not None or measured.now is None:
            return measured.base
        quick = measured.now.seconds <= QUICK
        asked = quick or bool(measured.rules) or side.touched
        return self.base(measured) if asked else self.known_base(measured.pair.pinned)

    def _used(self, minted: Minted) -> Minted:
        if minted.document["session"] == self.work.session.id:
            self.runs.add(minted.number)
        return minted
