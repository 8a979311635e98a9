"""
Asking tests the right question: the original tests on the new code, the new tests on the old code.

What changed in the tests chooses what to run; only what the runs show is judged.
"""

from ..core import goals, judging, testcases
from ..core.findings import Finding
from ..core.results import FAILED, PASSED
from ..core.testcases import ADDED, GONE, REMOVED, SKIP, SUPPORT, TestFacts
from . import tests as testfiles
from .mint import NEW_TESTS, OLD_TESTS, Copy, Minted, mint, reusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.results import TestReport
    from ..system.git import Change as FileChange
    from .measure import Bench, Measured
    from .tests import TestChange

QUICK = 30.0


class Retest:
    """The tests of one gate, before and after."""

    def __init__(
        self, bench: "Bench", measured: "Measured", changes: "Sequence[FileChange]"
    ) -> None:
        self.bench = bench
        self.measured = measured
        self.changes = changes
        settings = bench.work.settings
        self.patterns: list[str] = settings["tests.paths"]
        self.moved: str = settings["tests.changed"]
        self.test_paths = [c.path for c in changes if testfiles.is_test_path(c.path, self.patterns)]
        self.support_paths = [
            c.path
            for c in changes
            if testfiles.is_support_path(c.path) and c.path not in self.test_paths
        ]

    @property
    def paths(self) -> list[str]:
        return [*self.test_paths, *self.support_paths]

    def findings(self) -> list[Finding]:
        """What the changed tests come to; nothing when tests were only added."""
        changed = self.changed_tests()
        relevant = [one for one in changed if one.kind != ADDED]
        if not relevant and not self.support_paths and not self._snapshots():
            return self._collected(None)
        old = self._old_on_new()
        new = self._new_on_base() if relevant else None
        base = self.bench.base(self.measured)
        found = [
            testcases.judge(self._facts(one, old, new, base), moved=self.moved) for one in relevant
        ]
        found += self._support(old, base)
        found.append(
            testcases.snapshots(
                self._snapshots(),
                source_changed=self._source_changed(),
                old_on_new=_overall(old),
                receipt=old.number if old else None,
            )
        )
        return [one for one in found if one is not None] + self._collected(old)

    def noticed_by(self) -> list[str] | None:
        """The tests that fail when the change is taken out; None if that was not tried."""
        now = self.measured.now
        if now is None or now.side.report is None or now.seconds > QUICK:
            return None
        without = self._new_on_base()
        if without is None or without.side.report is None:
            return None
        return testcases.noticed_by(without.side.report.outcomes, now.side.report.outcomes)

    def changed_tests(self) -> "list[TestChange]":
        source, bench = self.bench.source, self.bench
        found: list[TestChange] = []
        for path in self.test_paths:
            before = source.read(bench.base_tree, path)
            after = source.read(bench.tree, path)
            if not testfiles.generated(path, after or before or ""):
                found += testfiles.changed_tests(before, after, path)
        return found

    def _old_on_new(self) -> Minted | None:
        """The tests as they were, with their fixtures, on the code as it is."""
        return self._run(self.bench.tree, self.bench.base_tree, OLD_TESTS)

    def _new_on_base(self) -> Minted | None:
        """The tests as they are on the code as it was."""
        if not self.paths:
            return self.bench.base(self.measured)
        return self._run(self.bench.base_tree, self.bench.tree, NEW_TESTS)

    def _run(self, code: str, tests: str, on: str) -> Minted | None:
        gate = self.measured.pair.pinned or self.measured.pair.now
        if gate is None:
            return None
        name = f"{code}+{tests[:12]}"
        kept = reusable(self.bench.work, gate, name, on)
        if kept is not None:
            return kept
        with self.bench.source.copy(code, overlay=(tests, self.paths)) as folder:
            return mint(self.bench.work, gate, Copy(folder, name, on))

    def _facts(
        self, change: "TestChange", old: Minted | None, new: Minted | None, base: Minted | None
    ) -> TestFacts:
        goal = self.bench.change.goal
        now = self.measured.now
        return TestFacts(
            change.name,
            change.kind,
            old_on_base=outcome(base, change),
            old_on_new=outcome(old, change),
            new_on_base=None if change.kind in (REMOVED, SKIP) else outcome(new, change),
            new_on_new=outcome(now, change),
            where=change.where,
            before=change.before,
            after=change.after,
            feature=self._removed_feature(change),
            conditional=change.conditional,
            put_away_by_goal=goals.puts_away(goal, change.name),
            about_tests=goals.speaks_of_tests(goal),
            fewer_assertions=change.assertions_after < change.assertions_before,
            receipt=old.number if old else None,
        )

    def _removed_feature(self, change: "TestChange") -> str:
        """A name that a removed test used, defined in base and nowhere now."""
        if change.kind != REMOVED:
            return ""
        source, bench = self.bench.source, self.bench
        return testfiles.vanished_name(
            change.names, lambda name: source.defines(bench.base_tree, name),
            lambda name: source.defines(bench.tree, name),
        )  # fmt: skip

    def _support(self, old: Minted | None, base: Minted | None) -> list[Finding | None]:
        """Tests that are green only with changed fixtures, though their own text is the same."""
        if not self.support_paths or old is None or old.side.report is None:
            return []
        now, known = self.measured.now, {one.name for one in self.changed_tests()}
        outcomes = now.side.report.outcomes if now and now.side.report else {}
        return [
            testcases.judge(
                TestFacts(
                    name,
                    SUPPORT,
                    old_on_base=_named(base, name),
                    old_on_new=FAILED,
                    new_on_base=_named(self._new_on_base(), name),
                    new_on_new=PASSED,
                    where=self.support_paths[0],
                    about_tests=goals.speaks_of_tests(self.bench.change.goal),
                    receipt=old.number,
                ),
                moved=self.moved,
            )
            for name in old.side.report.failed
            if outcomes.get(name) == PASSED and name not in known
        ]

    def _snapshots(self) -> list[str]:
        return [path for path in self.support_paths if testfiles.is_snapshot(path)]

    def _source_changed(self) -> bool:
        others = {change.path for change in self.changes} - set(self.paths)
        return any(not judging.is_doc(path) for path in others)

    def _collected(self, old: Minted | None) -> list[Finding]:
        """Tests that are still in the code but are no longer run."""
        now, base = self.measured.now, self.measured.base
        if now is None or base is None:
            return []
        found = judging.collected(
            self.measured.fact.name,
            base=base.side.report,
            now=now.side.report,
            defined=self._defined(base.side.report),
            old_on_new=old.side.report.outcomes if old and old.side.report else {},
            receipt=now.number,
        )
        return [found] if found is not None else []

    def _defined(self, base: "TestReport | None") -> list[str]:
        """The names that base ran and whose test is still in the code."""
        if base is None:
            return []
        gone = {one.name for one in self.changed_tests() if one.kind in (REMOVED, SKIP)}
        return [
            name
            for name in base.outcomes
            if not any(testfiles.same_test(name, one) for one in gone)
        ]


def outcome(minted: Minted | None, change: "TestChange") -> str | None:
    """What a run says about a test; `gone` if it ran others and not this one, None if it cannot tell."""
    if minted is None or minted.side.report is None:
        return None
    report = minted.side.report
    found = [
        value for name, value in report.outcomes.items() if testfiles.same_test(name, change.name)
    ]
    if found:
        return FAILED if FAILED in found else found[0]
    return GONE if report.complete else None


def _named(minted: Minted | None, name: str) -> str | None:
    if minted is None or minted.side.report is None:
        return None
    return minted.side.report.outcomes.get(name, GONE if minted.side.report.complete else None)


def _overall(minted: Minted | None) -> str | None:
    if minted is None or minted.side.colour not in ("green", "red"):
        return None
    return PASSED if minted.side.colour == "green" else FAILED
