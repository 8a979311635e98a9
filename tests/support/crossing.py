"""
Two trees in memory and a bench beside them, for tests of tests and code that are run together: what a run would
say is given, and every run that is asked for is written down. No program starts, no file is written.
"""

import re
from dataclasses import dataclass, field
from types import SimpleNamespace

from ultrawork.core.verdict.gate import TEST, Gate
from ultrawork.core.verdict.gate_findings import ChangeFacts
from ultrawork.core.verdict.gate_run import FAILED, GREEN, RED, GateResult, TestReport
from ultrawork.core.verdict.verdict import GateFact
from ultrawork.gates.judge.comparison import GateComparison, GateMeasurement, GatePair
from ultrawork.gates.judge.cross_runs import CrossRuns
from ultrawork.gates.judge.retest import Retest
from ultrawork.gates.judge.test_change import ChangedTests
from ultrawork.gates.run.receipt import RunReceipt
from ultrawork.gates.trees.source import Source
from ultrawork.system.git import FileChange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ultrawork.core.verdict.finding import Finding

BASE, NOW = "base", "now"


def make_gate(**changes: object) -> Gate:
    given = {
        "name": "test",
        "kind": TEST,
        "argv": ["pytest"],
        "command": "pytest",
        "runner": "pytest",
    }
    return Gate(**{**given, "source": "", "reason": "", **changes})  # type: ignore[arg-type]


def make_run(
    outcomes: "Mapping[str, str] | None", colour: str = "", *, number: int = 7, **report: object
) -> RunReceipt:
    """A run that names these tests; with None it tells nothing of its tests."""
    told = None
    if outcomes is not None:
        told = TestReport(outcomes=outcomes, **report)  # type: ignore[arg-type]
        colour = colour or (RED if FAILED in outcomes.values() else GREEN)
    document = {"id": number, "run": {"seconds": 1.0}, "tree": {"wrote": []}}
    return RunReceipt(make_gate(), GateResult(colour, report=told), document)


class TwoTrees(Source):
    """What both trees hold, by path; what is defined in them is found by a plain search."""

    __slots__ = ("held", "links")

    def __init__(self, base: "Mapping[str, str]", now: "Mapping[str, str]") -> None:
        self.held = {BASE: dict(base), NOW: dict(now)}
        self.links: dict[str, str] = {}
        self.search = SimpleNamespace(  # type: ignore[assignment]
            defines=self._defines,
            find_named_in_tests=lambda *_: set(),
            find_tests_naming=lambda *_: [],
            is_named_in_code=self._is_named_in_code,
            list_imports=lambda *_: (set(), set()),
        )

    def read(self, tree: str, path: str) -> str | None:
        return self.held[tree].get(path)

    def names(self, tree: str) -> list[str]:
        return list(self.held[tree])

    def has_file_named(self, tree: str, words: "Iterable[str]") -> bool:
        stems = {path.rpartition("/")[2].partition(".")[0] for path in self.held[tree]}
        return not stems.isdisjoint(words)

    def list_links(self, tree: str) -> dict[str, str]:
        return self.links if tree == BASE else {}

    def list_changes(self) -> list[FileChange]:
        base, now = self.held[BASE], self.held[NOW]
        paths = [path for path in {**base, **now} if base.get(path) != now.get(path)]
        status = {path: "M" if path in base and path in now else "A" if path in now else "D" for path in paths}  # fmt: skip
        return [FileChange(path, status[path]) for path in paths]

    def _defines(self, tree: str, name: str) -> bool:
        product = [text for path, text in self.held[tree].items() if "test" not in path]
        return any(re.search(rf"(?m)^(def|class) {name}\b", text) for text in product)

    def _is_named_in_code(self, tree: str, word: str, beside: str = "") -> bool:
        held = self.held[tree].items()
        return any(
            word in text
            for path, text in held
            if path.endswith(".py") and "test" not in path and path != beside
        )


@dataclass
class AskedRun:
    gate: Gate
    on: str
    code: str
    tests: str
    paths: list[str]
    texts: dict[str, str]

    @property
    def chosen(self) -> str:
        """The tests that it was narrowed to; empty for all of them."""
        return self.gate.env.get("PYTEST_ADDOPTS", "")


@dataclass
class Bench:
    """One gate over two trees. `say` gives the runs of each kind, or a function of what was asked."""

    base: "Mapping[str, str]"
    now: "Mapping[str, str]"
    gate: Gate = field(default_factory=make_gate)
    pinned: "Gate | None" = None
    rules: "Sequence[str]" = ()
    goal: str = "make it right"
    commands: str = ""
    links: "Mapping[str, str]" = field(default_factory=dict)
    say: "dict[str, RunReceipt | Callable[[AskedRun], RunReceipt]]" = field(default_factory=dict)
    asked: "list[AskedRun]" = field(default_factory=list)

    def __post_init__(self) -> None:
        self.source = TwoTrees(self.base, self.now)
        self.source.links.update(self.links)
        pair = GatePair("test", self.gate, self.pinned or self.gate)
        self.measured = GateMeasurement(pair, GateFact("test", None), rules=list(self.rules))
        changes = self.source.list_changes()
        self.tests = ChangedTests(self.source, BASE, NOW, changes, [], commands=self.commands)
        self.comparison = _Comparison(self)

    @property
    def crossing(self) -> CrossRuns:
        return CrossRuns(self.comparison, self.measured, self.tests)

    @property
    def retest(self) -> Retest:
        return Retest(self.comparison, self.measured, self.tests)

    def judge(self) -> "dict[str, Finding]":
        """The findings by their rules."""
        return {one.rule: one for one in self.retest.findings()}

    def answer(self, asked: AskedRun) -> RunReceipt:
        self.asked.append(asked)
        found = self.say[asked.on]
        return found if isinstance(found, RunReceipt) else found(asked)

    def count(self, on: str) -> int:
        return sum(one.on == on for one in self.asked)


class _Comparison(GateComparison):
    """Runs are said, not made; everything else is the real one's."""

    def __init__(self, bench: Bench) -> None:
        context = SimpleNamespace(settings={"tests.changed": "note"}, left=1000.0)
        change = ChangeFacts(bench.goal)
        super().__init__(context, bench.source, base=BASE, tree=NOW, change=change)  # type: ignore[arg-type]
        self._bench = bench

    def scratch_run(self, gate, on, code, *, overlay=None, texts=None, **_):  # type: ignore[no-untyped-def]
        tests, paths = overlay or ("", ())
        return self._bench.answer(AskedRun(gate, on, code, tests, list(paths), dict(texts or {})))
