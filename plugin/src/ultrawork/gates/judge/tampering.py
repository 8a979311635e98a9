"""Detect tampering with what a verdict rests on: pins, programs, who gave consent, and the runner.

A test is planted that must fail: a runner that passes it no longer reports failures. Used if something changed that
loads with the runner: conftest and setup files, settings, a module that shadows one. The control is the same test on
the baseline."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from ...core.check import quote
from ...core.verdict import old_tests, rules
from ...core.verdict.gate_run import BROKEN, FAILED, PASSED, RED
from ...core.verdict.verdict import Finding
from ...core.wording import name_some
from ...store import anchors, pins, sessions, tasks
from ...store.database import find_broken_links
from ...store.pins import Pin
from ..context import AGENT, GateContext
from ..run import seals
from ..run.receipt import PLANTED, RunReceipt
from ..testcode import files as testfiles
from ..testcode.cases import ENDINGS, find_language
from ..testcode.rust import find_test_module
from .matrix import Cell, Comparison
from .standing import CheckState


def find_tampering(context: GateContext, pin: Pin) -> Iterator[Finding]:
    """Look for tampering in sessions that a user started; `verify` pins its own sessions itself."""
    if pin.around is None:
        return
    database, session = context.store.database, context.session
    if anchors.is_taken_over(database, session.id, pin.at):
        yield rules.make_finding("taken-over")
    if bent := _find_bent_record(context):
        yield rules.make_finding(bent)
    if forged := anchors.list_foreign(database, session.id, pin.at):
        # They had no effect, so they cost nothing.
        count = "an event" if len(forged) == 1 else f"{len(forged)} events"
        last = f"{forged[-1]['event']} {quote(forged[-1]['what']) if forged[-1]['what'] else ''}"
        yield rules.make_finding("forged-event", count=count, last=last.rstrip())
    if denied := anchors.list_tampering(database, session.id, pin.at):
        yield rules.make_finding("tampering", paths=name_some(list(dict.fromkeys(denied))))
    if session.state.ulw.get("by") == AGENT:
        yield rules.make_finding("asked-by-agent")
    if settled := tasks.list_settled_by_hand(database, session.id):
        yield rules.make_finding("settled-by-hand", names=", ".join(settled[:3]))
    if pin.around.seals:
        yield from _find_broken_seals(context, pin, pin.around.seals)


def _find_bent_record(context: GateContext) -> str:
    """Return the rule for a record of this session that no longer fits together; the first one explains the others."""
    database, session = context.store.database, context.session
    if find_broken_links(database, session.id):
        return "record-changed"
    if not sessions.is_as_recorded(database, session):
        return "session-changed"
    return "" if pins.is_chained(database, session.id) else "pins-changed"


def _find_broken_seals(context: GateContext, pin: Pin, before: Mapping[str, str]) -> Iterator[Finding]:
    """Find changed programs. An install is honest work and only mentioned; a changed ultrawork costs the PASS."""
    broken = seals.list_broken(before, seals.take_seals(context.root, context.environ, pin.gates))
    if seals.OURSELVES in broken:
        broken.remove(seals.OURSELVES)
        is_work = os.path.realpath(__file__).startswith(os.path.realpath(context.root) + "/")
        yield rules.make_finding("own-program-work" if is_work else "own-program")
    if broken:
        yield rules.make_finding("surroundings-changed", where=broken[0], names=name_some(broken))


_PYTHON = """

import unittest as _planted


def test_planted_by_ultrawork():
    assert 1 == 2


class PlantedByUltrawork(_planted.TestCase):
    def test_planted_equal(self):
        self.assertEqual(1, 2)

    def test_planted_raises(self):
        raise AssertionError
"""
_PYTHON_NAMES = (
    ("test_planted_by_ultrawork",), *(("PlantedByUltrawork", f"test_planted_{word}") for word in ("equal", "raises")),
)  # fmt: skip
_NAME = "planted by ultrawork"
# Each of these is false.
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
_GO_NAMES = (("TestPlantedByUltrawork",),)
_RUST = "\n    #[test]\n    fn planted_by_ultrawork() { assert_eq!(1, 2); }\n"

Parts = tuple[str, ...]
Planted = tuple[str, tuple[Parts, ...]]


def list_blind(comparison: Comparison, state: CheckState) -> list[Finding]:
    """A finding if the planted test does not fail, though it does on the baseline."""
    loaded = any(map(testfiles.is_loaded_with_runner, comparison.change.paths))
    if not (state.rules or loaded) or state.now is None:
        return []
    now = _plant(comparison, state, comparison.matrix.tree)
    if now is None or _is_seen(*now) or _cannot_run(state, now[0]):
        return []
    before = _plant(comparison, state, comparison.matrix.base)
    if before is None or not _is_seen(*before):
        return []
    # A report of failures alone leaves out what its runner never collects: a function, for unittest.
    if _list_failed(*before) and _list_failed(*before) == _list_failed(*now):
        return []
    return [state.find("check-blind", receipt=now[0].number)]


def _plant(comparison: Comparison, state: CheckState, tree: str) -> tuple[RunReceipt, str, tuple[Parts, ...]] | None:
    path = _find_host(comparison, state, tree)
    text = comparison.source.read(tree, path) if path else None
    planted = _PLANTERS[find_language(path)](text) if path and text else None
    if planted is None:
        return None
    gate = state.pair.gate if tree == comparison.matrix.tree else state.pair.pinned
    if gate is None:
        return None
    run = comparison.matrix.run(Cell(PLANTED, gate, tree, texts={path: planted[0]}))
    return run, path, planted[1]


def _is_seen(run: RunReceipt, path: str, parts: Sequence[Parts]) -> bool:
    """Return whether the run fails because of a planted test; if names are reported, each kind of assertion must fail."""
    report = run.result.report
    if report is None:
        return run.result.colour == RED
    outcomes = [old_tests.read_outcome(report, path, part) for part in parts]
    if PASSED in outcomes:
        return False
    return FAILED in outcomes or run.result.colour == RED


def _cannot_run(state: CheckState, run: RunReceipt) -> bool:
    """Return whether the check cannot run its tests at all now, planted or not: it lets nothing pass."""
    return run.result.colour == BROKEN and state.now is not None and not state.now.result.passes


def _list_failed(run: RunReceipt, path: str, parts: Sequence[Parts]) -> list[Parts]:
    report = run.result.report
    return [part for part in parts if report and old_tests.read_outcome(report, path, part) == FAILED]


def _find_host(comparison: Comparison, state: CheckState, tree: str) -> str:
    """Return a file whose tests ran, by the reported names; else the first test file."""
    where = state.pair.gate.where
    inside = [
        path
        for path in comparison.source.names(tree)
        if path.endswith(ENDINGS)
        and (where == "." or path.startswith(where + "/"))
        and (testfiles.is_test_file(path) or path.endswith(".rs"))
        and not testfiles.is_loaded_with_runner(path)
    ]
    report = state.now.result.report if state.now else None
    text = "\n".join(report.outcomes) if report else ""
    named = [path for path in inside if path in text or old_tests.name_module(path) in text]
    return next(iter([*named, *inside]), "")


def _into_javascript(text: str) -> Planted | None:
    """Plant a test with the functions that the file uses, each assertion once: one alone may have been altered."""
    word = next((word for word in ("test", "it") if f"{word}(" in text), None)
    if word is None:
        return None
    looks = [line for used, line in _ASSERTIONS.items() if used in text]
    planted = looks or ['throw new Error("planted");']
    names = [f"{_NAME} {number}" for number in range(len(planted))]
    tests = [f'{word}("{name}", () => {{ {line} }});\n' for name, line in zip(names, planted, strict=True)]
    return f"{text}\n\n{''.join(tests)}", tuple((name,) for name in names)


def _into_rust(text: str) -> Planted | None:
    module = find_test_module(text)
    if module is not None:
        end = module[1] - 1
        return text[:end] + _RUST + text[end:], (("tests", "planted_by_ultrawork"),)
    return (text + _RUST, (("planted_by_ultrawork",),)) if "#[test]" in text else None


_PLANTERS: dict[str, Callable[[str], Planted | None]] = {
    "python": lambda text: (text + _PYTHON, _PYTHON_NAMES),
    "javascript": _into_javascript,
    "go": lambda text: (text + _GO, _GO_NAMES) if '"testing"' in text else None,
    "rust": _into_rust,
}
