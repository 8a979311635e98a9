"""How one gate stands: run now, run again where one run is not enough, and run on base where it is red."""

from ..core import colours, judging
from ..core.findings import WEAK, Finding
from ..core.gate import TEST
from ..core.results import BROKEN, FLAKY, GREEN, RED
from ..core.verdict import NOT_NEEDED, GateFact
from .mint import BASE, NEW, PINNED, Copy, Minted, key, mint, reusable, usual

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .pairs import Pair
    from .source import Source
    from .work import Work

MORE_RUNS = 2


class Measured:
    """A gate's standing, what was found about it, and the runs behind it."""

    __slots__ = ("base", "fact", "findings", "now", "pair", "pinned", "settled")

    def __init__(self, pair: "Pair", fact: GateFact) -> None:
        self.pair = pair
        self.fact = fact
        self.findings: list[Finding] = []
        self.now: Minted | None = None
        self.base: Minted | None = None
        self.pinned: Minted | None = None
        self.settled = True


class Bench:
    """Measures gates of one checkout against one base."""

    def __init__(
        self, work: "Work", source: "Source", *, base: str, tree: str, change: judging.Change
    ) -> None:
        self.work = work
        self.source = source
        self.base_tree = base
        self.tree = tree
        self.change = change

    def measure(self, pair: "Pair") -> Measured:
        gate = pair.gate
        quiet = self._not_needed(pair)
        if quiet:
            return Measured(pair, GateFact(gate.name, NOT_NEEDED, reason=quiet))
        if not self.work.may_run(gate.command):
            return self._not_allowed(pair)
        measured = Measured(pair, GateFact(gate.name, None, required=gate.required))
        if pair.now is not None:
            measured.now = self._now(measured)
        if pair.changed:
            self._as_pinned(measured)
        self._judge(measured)
        return measured

    def _not_needed(self, pair: "Pair") -> str:
        known = self.known_base(pair)
        return judging.not_needed(
            self.change.changed,
            seconds=usual(self.work, pair.gate),
            base=known.side.colour if known else None,
        )

    def _not_allowed(self, pair: "Pair") -> Measured:
        measured = Measured(
            pair, GateFact(pair.name, None, reason="not run: only you may start it here")
        )
        measured.findings.append(
            Finding(
                rule="not-run",
                level=WEAK,
                gate=pair.name,
                what=f"{pair.name} has not run on these files, and I may not start it myself",
                clears="run `ultrawork verify`",
            )
        )
        return measured

    def _now(self, measured: Measured) -> Minted:
        """The run on the files as they are: a receipt that holds, or a new one; twice if it writes."""
        gate = measured.pair.now
        assert gate is not None
        kept = reusable(self.work, gate, self.tree, NEW)
        if kept is not None:
            return kept
        here = Copy(self.work.root, self.tree, NEW)
        first = mint(self.work, gate, here)
        if not judging.after_writing(first.wrote, None):
            return self._again_if_red(measured, first)
        second = mint(self.work, gate, Copy(self.work.root, first.document["tree"]["after"], NEW))
        if judging.after_writing(first.wrote, second.wrote) == judging.REWRITES:
            second.side.colour, second.side.reason = BROKEN, judging.REWRITES
            measured.settled = False
        self.tree = second.document["tree"]["after"]
        return second

    def _again_if_red(self, measured: Measured, first: Minted) -> Minted:
        """A red gate runs once more on the unchanged files; green then means flaky, not green."""
        fits = first.seconds <= self.work.left / 2
        if first.side.colour != RED or not self.work.settings["tests.flaky_reruns"] or not fits:
            return first
        if first.gate.kind != TEST:
            return first
        again = self._run_here(first)
        if colours.flaky(first.side.colour, again.side.colour) != FLAKY:
            return again
        further = [self._run_here(first).side.colour for _ in range(MORE_RUNS)]
        failed = first.side.report.failed if first.side.report else []
        near = colours.touched(self.change.changed, failed, first.side.output)
        measured.fact.counts = colours.flaky_counts(further, touched=near)
        measured.findings.append(
            Finding(
                rule="flaky",
                level="note",
                gate=first.gate.name,
                what=colours.flaky_line(failed, red=1 + further.count(RED), runs=2 + len(further)),
                receipt=first.number,
            )
        )
        again.side.colour = FLAKY
        return again

    def _run_here(self, first: Minted) -> Minted:
        return mint(self.work, first.gate, Copy(self.work.root, self.tree, NEW))

    def _as_pinned(self, measured: Measured) -> None:
        """The gate as it was defined at the start, on the files as they are now."""
        pinned, now = measured.pair.pinned, measured.pair.now
        assert pinned is not None
        with self.source.copy(self.tree, overlay=(self.base_tree, pinned.files)) as folder:
            measured.pinned = mint(
                self.work, pinned, Copy(folder, f"{self.tree}+{self.base_tree[:12]}", PINNED)
            )
        base = self.base(measured) if measured.pinned.side.colour != GREEN else None
        finding = judging.definition(
            pinned.name,
            before=pinned.command
            if now is None or now.command != pinned.command
            else pinned.definition,
            after="" if now is None else _other(now.command, pinned.command, now.definition),
            now=measured.now.side if measured.now else measured.pinned.side,
            pinned=measured.pinned.side,
            program_left=_program_left(measured),
            base=base.side.report if base else None,
            where=pinned.source.partition(":")[0],
        )
        if finding is not None:
            measured.findings.append(finding)
        if now is None:
            measured.now = measured.pinned

    def _judge(self, measured: Measured) -> None:
        now = measured.now
        assert now is not None
        fact = measured.fact
        if now.side.colour == BROKEN:
            base = self.base(measured)
            worse = colours.against_base(
                colours.Colour(BROKEN, now.side.reason), base.side.colour if base else None
            )
            now.side.colour, now.side.reason = worse.value, worse.reason
        if now.side.colour == RED:
            base = self.base(measured)
            side = base.side if base else None
            found = judging.red(fact.name, measured.pair.gate.kind, now.side, side, self.change)
            measured.findings += found
            fact.as_before = judging.red_as_before(found, fact.name)
        fact.result, fact.receipt, fact.reason = (
            now.side.colour,
            now.side.receipt or now.number,
            now.side.reason,
        )

    def known_base(self, pair: "Pair") -> Minted | None:
        gate = pair.pinned
        return reusable(self.work, gate, self.base_tree, BASE) if gate is not None else None

    def base(self, measured: Measured) -> Minted | None:
        """The gate as it was on the files as they were; None for a gate that did not exist."""
        gate = measured.pair.pinned
        if measured.base is not None or gate is None:
            return measured.base
        measured.base = self.known_base(measured.pair)
        if measured.base is None:
            with self.source.copy(self.base_tree) as folder:
                measured.base = mint(self.work, gate, Copy(folder, self.base_tree, BASE))
        return measured.base


def _other(command: str, before: str, definition: str) -> str:
    """What to show of a changed definition: the command where that changed, else its whole text."""
    return command if command != before else definition


def _program_left(measured: Measured) -> bool:
    """Whether the pinned gate is broken because its program is no longer part of the project."""
    pinned = measured.pinned
    return (
        pinned is not None and pinned.side.colour == BROKEN and "is not there" in pinned.side.reason
    )


__all__ = ["Bench", "Measured", "key"]
