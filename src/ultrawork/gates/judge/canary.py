"""A test that must fail, planted in a scratch copy: a runner that calls it green has been tampered with."""

from collections.abc import Callable, Sequence

from ...core.verdict import test_awareness, test_names
from ...core.verdict.finding import Finding
from ...core.verdict.gate import Gate
from ...core.verdict.gate_run import GREEN, TestReport
from ..run.narrow import is_narrow, narrow
from ..run.receipt import CANARY, RunReceipt
from ..testcode import files as testfiles
from ..testcode.cases import ENDINGS, find_language
from ..testcode.rust import find_test_module
from .comparison import GateComparison, GateMeasurement

_PYTHON = """

import unittest as _planted


def test_planted_by_ultrawork():
    assert 1 == 2


class PlantedByUltrawork(_planted.TestCase):
    def test_planted_equal(self):
        self.assertEqual(1, 2)

    def test_planted_assert(self):
        assert 1 == 2

    def test_planted_raises(self):
        raise AssertionError
"""
_PYTHON_NAMES = (
    ("test_planted_by_ultrawork",),
    ("PlantedByUltrawork", "test_planted_equal"),
    ("PlantedByUltrawork", "test_planted_assert"),
    ("PlantedByUltrawork", "test_planted_raises"),
)
_NONE = TestReport(ran=0, failed_count=0)
_NAME = "planted by ultrawork"
# Each is false.
_ASSERTIONS = {
    "expect(": "expect(1).toBe(2);",
    "assert.equal(": "assert.equal(1, 2);",
    "assert.strictEqual(": "assert.strictEqual(1, 2);",
    "assert.deepEqual(": "assert.deepEqual([1], [2]);",
    "assert.deepStrictEqual(": "assert.deepStrictEqual([1], [2]);",
    "assert.ok(": "assert.ok(false);",
    "assert(": "assert(false);",
}
_GO = '\n\nfunc TestPlantedByUltrawork(t *testing.T) { t.Fatal("planted") }\n'
_RUST = "\n    #[test]\n    fn planted_by_ultrawork() { assert_eq!(1, 2); }\n"


def check(
    comparison: GateComparison, measured: GateMeasurement, *, suspicious: bool
) -> list[Finding]:
    """Plants a test beside one that ran, and runs the gate on it."""
    now = measured.now
    path = _host(comparison, measured)
    if now is None or path is None:
        return []
    text = comparison.source.read(comparison.tree, path) or ""
    planted = _PLANTERS[find_language(path)](text)
    if planted is None:
        return []
    whole, texts = measured.pair.gate, {path: planted[0]}
    alone = None if suspicious else _run_alone(comparison, whole, texts, planted[1])
    run = alone or comparison.scratch_run(whole, CANARY, comparison.tree, texts=texts)
    outcomes = [
        test_names.read_outcome(run.result.report, path, parts) if run.result.report else None
        for parts in planted[1]
    ]
    before = _NONE if alone else now.result.report
    if test_awareness.has_planted_passed(outcomes, before, run.result.report):
        return [test_awareness.report_blind(measured.fact.name, receipt=run.number)]
    if suspicious and run.result.colour == GREEN:
        return [test_awareness.report_unseen(measured.fact.name, receipt=run.number)]
    return []


def _run_alone(
    comparison: GateComparison, whole: Gate, texts: dict[str, str], planted: Sequence[Sequence[str]]
) -> RunReceipt | None:
    """The planted tests and no others; None where the runner cannot be told, or ran more or none of them."""
    gate = narrow(whole, [parts[-1] for parts in planted])
    if not is_narrow(gate, whole):
        return None
    run = comparison.scratch_run(gate, CANARY, comparison.tree, texts=texts)
    report = run.result.report
    if report is None or not report.ran:
        return None
    return run if report.complete or report.ran <= len(planted) else None


def _host(comparison: GateComparison, measured: GateMeasurement) -> str | None:
    """A file whose tests ran, by the names that were told; else the first file of tests."""
    where = measured.pair.gate.where
    inside = [
        path
        for path in comparison.source.names(comparison.tree)
        if path.endswith(ENDINGS)
        and (where == "." or path.startswith(where + "/"))
        and (testfiles.is_test_path(path) or path.endswith(".rs"))
    ]
    report = measured.now.result.report if measured.now else None
    told = "\n".join(report.outcomes) if report else ""
    named = [path for path in inside if path in told or test_names.name_module(path) in told]
    return next(iter([*named, *inside]), None)


def _into_python(text: str) -> tuple[str, tuple[tuple[str, ...], ...]] | None:
    return text + _PYTHON, _PYTHON_NAMES


def _into_javascript(text: str) -> tuple[str, tuple[tuple[str, ...], ...]] | None:
    """By the words that the file itself uses, each assertion once: one alone may have been made to say yes."""
    word = next((word for word in ("test", "it") if f"{word}(" in text), None)
    if word is None:
        return None
    looks = [line for used, line in _ASSERTIONS.items() if used in text]
    planted = looks or ['throw new Error("planted");']
    names = [f"{_NAME} {number}" for number in range(len(planted))]
    tests = [f'{word}("{name}", () => {{ {line} }});\n' for name, line in zip(names, planted, strict=True)]  # fmt: skip
    return f"{text}\n\n{''.join(tests)}", tuple((name,) for name in names)


def _into_go(text: str) -> tuple[str, tuple[tuple[str, ...], ...]] | None:
    return (text + _GO, (("TestPlantedByUltrawork",),)) if '"testing"' in text else None


def _into_rust(text: str) -> tuple[str, tuple[tuple[str, ...], ...]] | None:
    module = find_test_module(text)
    if module is not None:
        end = module[1] - 1
        return text[:end] + _RUST + text[end:], (("tests", "planted_by_ultrawork"),)
    return (text + _RUST, (("planted_by_ultrawork",),)) if "#[test]" in text else None


_PLANTERS: dict[str, Callable[[str], tuple[str, tuple[tuple[str, ...], ...]] | None]] = {
    "python": _into_python,
    "javascript": _into_javascript,
    "go": _into_go,
    "rust": _into_rust,
}
