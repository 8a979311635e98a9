"""
Tests and code of different moments, run together: the original tests on the new code, the new tests on
the old code, and, where a file does not load there, its changed tests inside the file that does.
"""

from ..core import matching
from ..core.results import BROKEN, FAILED, GREEN, PASSED, RED
from .graft import grafted
from .mint import NEW_TESTS, OLD_TESTS, Minted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.gate import Gate
    from .bench import Bench
    from .measure import Measured
    from .sides import TestSide
    from .tests import TestChange


class Crossing:
    """One gate's tests with one gate's code; each run is made once, when it is asked for."""

    __slots__ = ("_bench", "_grafts", "_measured", "_side", "old")

    def __init__(self, bench: "Bench", measured: "Measured", side: "TestSide") -> None:
        self._bench = bench
        self._measured = measured
        self._side = side
        self._grafts: dict[str, Minted | None] = {}
        self.old: Minted | None = None

    def old_on_new(self) -> Minted:
        """The tests as they were, with all they stood on, on the code as it is."""
        self.old = self._run(OLD_TESTS)
        return self.old

    def new_on_base(self) -> Minted | None:
        """The tests as they are on the code as it was."""
        unchanged = not self._side.paths and not self._side.inline and not self._measured.rules
        return self._bench.base(self._measured) if unchanged else self._run(NEW_TESTS)

    def outcome_on_new(self, change: "TestChange", feature: str) -> str | None:
        """What became of the original; where it does not even load for want of a name, it is red."""
        found = told(self.old, change) or told(self._grafted(OLD_TESTS, self.old), change)
        failed = self.old is not None and self.old.side.colour in (RED, BROKEN)
        return FAILED if found is None and failed and feature else found

    def outcome_on_base(self, change: "TestChange") -> str | None:
        """What the changed test says about the code as it was."""
        new = self.new_on_base()
        found = told(new, change) or told(self._grafted(NEW_TESTS, new), change)
        unloaded = new is not None and new.side.colour in (RED, BROKEN)
        return found or (FAILED if unloaded else None)

    def _run(self, on: str) -> Minted:
        code, tests = self._trees(on)
        return self._bench.scratch_run(
            self._gate(on),
            on,
            code,
            overlay=(tests, [*self._side.paths, *self._measured.rules]),
            texts=self._side.texts(tests=tests, code=code),
        )

    def _grafted(self, on: str, run: Minted | None) -> Minted | None:
        """Only for tests that the run could not tell about, in files that have a place for them."""
        if on not in self._grafts:
            code, tests = self._trees(on)
            texts = self._texts(run, tests, code)
            self._grafts[on] = self._run_grafted(on, texts) if texts else None
        return self._grafts[on]

    def _run_grafted(self, on: str, texts: dict[str, str]) -> Minted:
        code, tests = self._trees(on)
        paths = [path for path in self._side.paths if path not in texts]
        return self._bench.scratch_run(
            self._gate(on),
            on,
            code,
            overlay=(tests, [*paths, *self._measured.rules]),
            texts={**self._side.texts(tests=tests, code=code), **texts},
        )

    def _texts(self, run: Minted | None, tests: str, into: str) -> dict[str, str]:
        read = self._bench.source.read
        lost = [one for one in self._side.judged if one.parts and told(run, one) is None]
        texts = {}
        for path in dict.fromkeys(one.path for one in lost):
            theirs, own = read(tests, path), read(into, path)
            names = [one.parts for one in lost if one.path == path]
            text = grafted(theirs, own, path, names) if theirs and own else None
            if text is not None:
                texts[path] = text
        return texts

    def _trees(self, on: str) -> tuple[str, str]:
        """The code and the tests."""
        now, base = self._bench.tree, self._bench.base_tree
        return (now, base) if on == OLD_TESTS else (base, now)

    def _gate(self, on: str) -> "Gate":
        pair = self._measured.pair
        return (pair.pinned or pair.gate) if on == OLD_TESTS else pair.gate


def told(minted: Minted | None, change: "TestChange") -> str | None:
    """What a run says about a test of the source; `gone` if it ran others and not this one."""
    if minted is None or minted.side.report is None:
        return None
    if not change.parts:
        return {GREEN: PASSED, RED: FAILED}.get(minted.side.colour)
    return matching.outcome(minted.side.report, change.path, change.parts)
