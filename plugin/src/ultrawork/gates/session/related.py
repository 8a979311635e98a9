"""Run the tests that a change reaches first, if the whole check takes too long to wait for."""

from collections.abc import Sequence

from ...core.times import format_duration
from ...core.value import Value, fresh
from ...core.verdict import summary
from ...core.verdict.gate import TEST, Gate
from ...core.verdict.gate_run import GREEN, RED, quote_name, shorten_name
from ...core.wording import cut
from ...store.pins import Pin
from ..context import GateContext
from ..run.narrow import is_narrow, narrow_to_files
from ..run.receipt import RELATED, RunReceipt, RunTarget, make_receipt
from ..testcode.files import is_loaded_with_runner, is_source_path, is_test_file, is_test_path
from ..trees.source import Source
from ..undone.undo import list_changed

_FILES = 20
_SHOWN = 3
_WIDTH = 100


class RelatedTests(Value):
    """The result of related tests: how many passed, which failed (as messages show them), and their output."""

    passed: int = 0
    failed: list[str] = fresh(list)
    details: list[str] = fresh(list)


def run_related(context: GateContext, pin: Pin, gate: Gate, tree: str) -> RelatedTests | None:
    """
    Run the related tests. None if they are unknown, the runner cannot select them, they did not finish in time, or
    they are the whole suite, which runs in the background anyway.
    """
    if gate.kind != TEST or tree == pin.tree:
        return None
    source = Source(context)
    files = find_related_files(source, pin, tree)
    some = narrow_to_files(gate, files)
    if not is_narrow(some, gate) or _is_whole(source, tree, files):
        return None
    receipt = make_receipt(context, some, RunTarget(context.root, tree, RELATED))
    if receipt.result.colour not in (GREEN, RED) or receipt.result.report is None:
        return None
    failed = list(map(quote_name, receipt.result.report.failed))
    ran = (receipt.document["tests"] or {}).get("ran") or 0
    if not ran or (receipt.result.colour == RED and not failed):
        return None
    return RelatedTests(ran - len(failed), failed, _describe_failures(gate, receipt))


def _is_whole(source: Source, tree: str, files: Sequence[str]) -> bool:
    """Return whether no other file holds tests, as far as names show it."""
    tests = [path for path in source.names(tree) if is_test_file(path) and not is_loaded_with_runner(path)]
    return bool(tests) and set(tests) <= set(files)


def find_related_files(source: Source, pin: Pin, tree: str) -> list[str]:
    """Return changed test files, then those that name a changed function, else those that name a changed module."""
    patterns = tuple(source.context.settings["tests.paths"])
    changed = [file_change.path for file_change in source.changes(pin.tree, tree) if file_change.status != "D"]
    own = [path for path in changed if is_test_path(path, patterns)]
    product = [path for path in changed if path not in own and is_source_path(path)]
    functions = {
        function.name.rpartition(".")[2].partition("#")[0]
        for path in product
        for function in list_changed(path, source.read(pin.tree, path), source.read(tree, path)) or ()
    }
    modules = {path.rpartition("/")[2].partition(".")[0] for path in product}
    named = source.search.find_tests_naming(tree, sorted(functions), patterns)
    named = named or source.search.find_tests_naming(tree, sorted(modules), patterns)
    return list(dict.fromkeys([*own, *named]))[:_FILES]


def _describe_failures(gate: Gate, receipt: RunReceipt) -> list[str]:
    report = receipt.result.report
    if report is None or not report.failed:
        return []
    head = f"{gate.command}, only tests that cover this change: {summary.describe_counts(receipt.document)}"
    lines = [
        cut(f"  FAIL {shorten_name(name)}  {report.messages.get(name, '')}", _WIDTH) for name in report.failed[:_SHOWN]
    ]
    return [cut(f"{head} after {format_duration(receipt.seconds)}", _WIDTH), *lines]
