"""How one gate stands: run now, run again where one run is not enough, and run on base where it is red."""

from ..core import colours, goals, judging
from ..core.findings import NOTE, WEAK, Finding
from ..core.gate import TEST
from ..core.results import BROKEN, FLAKY, GREEN, RED, TestReport
from ..core.verdict import NOT_NEEDED, GateFact
from .mint import BASE, CANARY, NEW, PINNED, Copy, Minted, last_red, mint, reusable, usual
from .noticing import QUICK
from .surroundings import shadows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.gate import Gate
    from ..system.git import Change as FileChange
    from .pairs import Pair
    from .sides import TestSide
    from .source import Source
    from .work import Work

MORE_RUNS = 2
# What is red here is held against nobody.
_ONCE = (BASE, CANARY)


class Measured:
    """
    A gate's standing, what was found about it, and the runs behind it. `rules` are the changed files
    that say how it runs: its definition, and `shadows`, new files named like its runner.
    """

    __slots__ = ("base", "fact", "findings", "now", "pair", "pinned", "rules", "settled", "shadows")

    def __init__(self, pair: "Pair", fact: GateFact) -> None:
        self.pair = pair
        self.fact = fact
        self.findings: list[Finding] = []
        self.rules: list[str] = []
        self.shadows: list[str] = []
        self.now: Minted | None = None
        self.base: Minted | None = None
        self.pinned: Minted | None = None
        self.settled = True


class Bench:
    """Measures gates of one checkout against one base; `runs` are the numbers of all receipts used."""

    def __init__(
        self,
        work: "Work",
        source: "Source",
        *,
        base: str,
        tree: str,
        change: judging.Change,
        changes: "Sequence[FileChange]" = (),
    ) -> None:
        self.work = work
        self.source = source
        self.base_tree = base
        self.tree = tree
        self.change = change
        self.changes = changes
        self.runs: set[int] = set()
        self._looked = False

    def measure(self, pair: "Pair") -> Measured:
        gate = pair.gate
        quiet = self._not_needed(pair)
        if quiet:
            return Measured(pair, GateFact(gate.name, NOT_NEEDED, reason=quiet))
        if not self.work.may_run(gate.command):
            return self._not_allowed(pair)
        measured = Measured(pair, GateFact(gate.name, None, required=gate.required))
        if pair.now is not None:
            measured.now = self._now(measured, pair.now)
        measured.rules = self._rules(measured)
        if measured.rules or pair.now is None:
            self._as_pinned(measured)
        self._judge(measured)
        if not gate.required:
            measured.findings = [one.as_note() for one in measured.findings]
        return measured

    def _not_needed(self, pair: "Pair") -> str:
        known = self._known_base(pair)
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

    def _now(self, measured: Measured, gate: "Gate") -> Minted:
        """The run on the files as they are: a receipt that holds, or a new one; twice if it writes."""
        wavering = last_red(self.work, gate, self.tree)
        if wavering is not None:
            return self._wavering(measured, wavering)
        kept = reusable(self.work, gate, self.tree, NEW)
        if kept is not None:
            return self._used(kept)
        first = self._run_here(gate)
        if not judging.after_writing(first.wrote, None):
            return self._again_if_red(measured, first)
        second = self._run_here(gate)
        if judging.after_writing(first.wrote, second.wrote) == judging.REWRITES:
            same = set(first.wrote) & set(second.wrote)
            second.side.colour = BROKEN
            second.side.reason = judging.REWRITES if same else colours.MOVES
            measured.settled = False
            return second
        return self._again_if_red(measured, second)

    def _run_here(self, gate: "Gate") -> Minted:
        minted = self._used(mint(self.work, gate, Copy(self.work.root, self.tree, NEW)))
        self.tree = minted.document["tree"]["after"]
        self._looked = True
        return minted

    def is_settled(self) -> bool:
        """Whether the files are still those that were judged."""
        return self._looked or self.source.snapshot() == self.tree

    def _used(self, minted: Minted) -> Minted:
        if minted.document["session"] == self.work.session.id:
            self.runs.add(minted.number)
        return minted

    def _again_if_red(self, measured: Measured, first: Minted) -> Minted:
        """A red gate runs once more on the unchanged files; green then means flaky, not green."""
        return self._wavering(measured, first) if self._runs_twice(first) else first

    def _wavering(self, measured: Measured, red: Minted) -> Minted:
        """After a red run on these very files: red again, or flaky and how much."""
        again = self._run_here(red.gate)
        if colours.flaky(red.side.colour, again.side.colour) != FLAKY:
            return again
        further = [self._run_here(red.gate).side.colour for _ in range(MORE_RUNS)]
        failed = red.side.report.failed if red.side.report else []
        near = colours.touched(self.change.changed, failed, red.side.output)
        measured.fact.counts = colours.flaky_counts(further, touched=near)
        measured.findings.append(
            Finding(
                rule="flaky",
                level=NOTE,
                gate=red.gate.name,
                what=colours.flaky_line(failed, red=1 + further.count(RED), runs=2 + len(further)),
                receipt=red.number,
            )
        )
        again.side.colour = FLAKY
        return again

    def _runs_twice(self, first: Minted) -> bool:
        fits = first.seconds <= self.work.left / 2
        asked = bool(self.work.settings["tests.flaky_reruns"])
        return first.side.colour == RED and first.gate.kind == TEST and asked and fits

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
            if on in _ONCE or not self._runs_twice(first):
                return first
            again = self._used(mint(self.work, gate, copy))
        return again if again.side.colour != BROKEN else first

    def _rules(self, measured: Measured) -> list[str]:
        pair = measured.pair
        changed = {one.path: one.status for one in self.changes}
        files = {*(pair.pinned.files if pair.pinned else ()), *(pair.now.files if pair.now else ())}
        found = [path for path in changed if path in files] if pair.changed else []
        new = [path for path, status in changed.items() if status == "A"]
        places = shadows(pair.gate, self.work.root)
        runner = pair.gate.runner
        measured.shadows = [
            path for path in new if _is_at(path, places) or judging.shadows(path, runner)
        ]
        return list(dict.fromkeys([*found, *measured.shadows]))

    def _as_pinned(self, measured: Measured) -> None:
        """The gate as it was defined at the start, on the files as they are now."""
        gate = measured.pair.pinned or measured.pair.gate
        measured.pinned = self.scratch_run(
            gate, PINNED, self.tree, overlay=(self.base_tree, measured.rules)
        )
        if measured.pair.changed:
            measured.findings += self._definition(measured, measured.pinned)
        measured.findings += self._shadowed(measured, measured.pinned)
        if measured.now is None:
            measured.now = measured.pinned

    def _definition(self, measured: Measured, run: Minted) -> list[Finding]:
        pinned, now = measured.pair.pinned, measured.pair.now
        assert pinned is not None
        base = self.base(measured) if run.side.colour != GREEN else None
        after = "" if now is None else now.command
        same = after == pinned.command
        finding = judging.definition(
            pinned.name,
            before=pinned.definition if same and now else pinned.command,
            after=now.definition if same and now else after,
            now=measured.now.side if measured.now else run.side,
            pinned=run.side,
            pinned_as_before=self._is_red_as_before(measured, run, base),
            about_tests=goals.speaks_of_tests(self.change.goal),
            program_left=run.side.colour == BROKEN and self._left_manifest(run.side.reason),
            base=self._tests_of(base),
            where=pinned.source.partition(":")[0],
        )
        return [finding] if finding is not None else []

    def _left_manifest(self, reason: str) -> bool:
        """Whether the program that is not there was among what the project asks for, and is no more."""
        program, missing, _ = reason.partition(" is not there")
        before, now = (self.source.manifests(tree) for tree in (self.base_tree, self.tree))
        return bool(missing) and program in before and program not in now

    def _tests_of(self, base: Minted | None) -> TestReport | None:
        """How many tests base had: as they ran, or as its source tells where they cannot any more."""
        if base is None or (base.side.report is not None and base.side.report.ran):
            return base.side.report if base else None
        return TestReport(ran=self.source.count_tests(self.base_tree))

    def _is_red_as_before(self, measured: Measured, run: Minted, base: Minted | None) -> bool:
        if base is None or run.side.colour != RED:
            return False
        name, kind = measured.fact.name, measured.pair.gate.kind
        return judging.red_as_before(
            judging.red(name, kind, run.side, base.side, self.change), name
        )

    def _shadowed(self, measured: Measured, run: Minted) -> list[Finding]:
        runner = measured.pair.gate.runner or "the runner"
        return [
            judging.shadow(path, runner, without=run.side.colour, receipt=run.number)
            for path in measured.shadows
        ]

    def _judge(self, measured: Measured) -> None:
        now, fact = measured.now, measured.fact
        assert now is not None
        self._against_base(measured, now)
        if now.side.colour == RED:
            base = self.base(measured)
            side = base.side if base else None
            found = judging.red(fact.name, measured.pair.gate.kind, now.side, side, self.change)
            measured.findings += found
            fact.as_before = judging.red_as_before(found, fact.name)
        if measured.pair.pinned is None:
            measured.findings += judging.new_gate(fact.name, measured.pair.gate.kind, now.side)
        fact.result, fact.receipt, fact.reason = now.side.colour, now.number, now.side.reason

    def _against_base(self, measured: Measured, now: Minted) -> None:
        """Broken is red where it did run at the start; red for want of a service is broken."""
        if now.side.colour == BROKEN and measured.settled:
            base = self.base(measured)
            before = base.side.colour if base else None
            worse = colours.against_base(colours.Colour(BROKEN, now.side.reason), before)
            now.side.colour, now.side.reason = worse.value, worse.reason
        elif now.side.colour == RED:
            base = self.base(measured)
            if base is not None and colours.needs_service(_as_run(now), _as_run(base)):
                now.side.colour, now.side.reason = BROKEN, "needs a service that is not there"

    def _known_base(self, pair: "Pair") -> Minted | None:
        gate = pair.pinned
        return reusable(self.work, gate, self.base_tree, BASE) if gate is not None else None

    def base(self, measured: Measured) -> Minted | None:
        """The gate as it was on the files as they were; None for a gate that did not exist."""
        gate = measured.pair.pinned
        if measured.base is not None or gate is None:
            return measured.base
        if self.tree == self.base_tree and measured.now is not None:
            measured.base = measured.now
        else:
            measured.base = self.scratch_run(gate, BASE, self.base_tree)
        return measured.base

    def comparable_base(self, measured: Measured, side: "TestSide") -> Minted | None:
        """Base, where it is known, quick to make, or needed: something other than code changed."""
        if measured.base is not None or measured.now is None:
            return measured.base
        quick = measured.now.seconds <= QUICK
        asked = quick or bool(measured.rules) or side.touched
        return self.base(measured) if asked and self.change.changed else None


def _as_run(minted: Minted) -> colours.Run:
    exit_ = minted.document["run"]["exit"]
    return colours.Run(exit=exit_, output=minted.side.output, report=minted.side.report)


def _is_at(path: str, places: "Sequence[str]") -> bool:
    return any(path == one or path.startswith(one + "/") for one in places)
