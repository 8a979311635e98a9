"""Run a check and record the result: a receipt, written once and never changed."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from time import time
from typing import Any

from ...core.times import format_iso
from ...core.value import Value, fresh
from ...core.verdict import gate_run
from ...core.verdict.gate import Gate
from ...core.verdict.gate_run import GateResult, TestReport
from ...store import receipts
from ...store.codec import digest, dumps
from ..context import GateContext
from ..trees import tree as trees
from ..trees.scratch import ScratchFolder
from . import execution
from .execution import GateRun
from .seals import read_versions

NEW = "new"
BASE = "base"
OLD_TESTS = "old-tests"
OLD_CODE = "new-tests"
UNDONE = "undone"
PINNED = "pinned"
PLANTED = "planted"
DELIVERED = "delivered"
AGAIN = "again"
FAULT = "fault"
TASK_END = "task-end"
RELATED = "related"
NAMES = 50
_FILES = 5_000
# What CMake prints about such a folder before it continues.
_ELSEWHERE = "CMake Error: The current CMakeCache.txt directory"


class RunReceipt:
    """
    A receipt for the judge: the result, its document, and for a run that could not start, the missing program and
    its remedy.
    """

    def __init__(
        self, gate: Gate, result: GateResult, document: dict[str, Any], *, reused: bool = False, remedy: str = ""
    ) -> None:
        self.gate = gate
        self.result = result
        self.document = document
        self.reused = reused
        self.remedy = remedy
        self.missing = ""
        self.seconds: float = document["run"]["seconds"]
        self.wrote: list[str] = document["tree"]["wrote"]

    @property
    def number(self) -> int:
        return int(self.document["id"])


def make_command_key(gate: Gate) -> str:
    """Return a key that is the same for the same command: everything that runs, and where."""
    return _digest_command(tuple(gate.argv), gate.where, tuple(gate.env.items()), gate.definition)


@lru_cache(maxsize=64)
def _digest_command(argv: Sequence[str], where: str, env: Iterable[tuple[str, str]], definition: str) -> str:
    return digest(dumps([list(argv), where, dict(env), definition]))


class RunTarget(Value):
    """Files to run a check on: the checkout itself, or a scratch copy of a tree with `tests` put into it."""

    root: str
    tree: str
    on: str
    tests: Mapping[str, bytes] = fresh(dict)


def make_receipt(
    context: GateContext,
    gate: Gate,
    copy: RunTarget,
    *,
    equip: Callable[[dict[str, str]], dict[str, str]] | None = None,
) -> RunReceipt:
    """Runs a gate once and stores the receipt; nothing is stored if we are killed before its end."""
    # A log belongs to its receipt: if we are killed before that is stored, the next run removes it.
    with ScratchFolder(context.cache) as own:
        began = time()
        ran = _run(context, gate, copy, own, equip)
        return _mint(context, ran, copy, _look(context, copy, began)[0])


def make_receipts(
    context: GateContext, gate: Gate, copy: RunTarget, choose: Callable[[GateResult, float], Gate | None]
) -> list[RunReceipt]:
    """
    Run in the checkout, and a second time if `choose` names a command for the first result and its seconds.
    Scanning 100,000 files costs more than a short run, so one scan serves both. The second run counts only if no
    file was written since the start of the first, not even one that was restored before the scan. Otherwise only
    the first counts, and the second is repeated with its own scan.
    """
    with ScratchFolder(context.cache) as own, ScratchFolder(context.cache) as other:
        began = time()
        first = _run(context, gate, copy, own)
        more = choose(_result(first), first.done.seconds)
        second = _run(context, more, copy, other) if more is not None else None
        tree, seen = _look(context, copy, began)
        run_receipts = [_mint(context, first, copy, tree)]
        if second is not None and seen is not None and trees.was_at_rest(seen, began):
            run_receipts.append(_mint(context, second, copy, tree))
        return run_receipts


class _Ran(Value):
    """A run whose receipt is not written yet."""

    gate: Gate
    done: GateRun
    colour: gate_run.Colour
    started: float


def _run(
    context: GateContext,
    gate: Gate,
    copy: RunTarget,
    own: str,
    equip: Callable[[dict[str, str]], dict[str, str]] | None = None,
) -> _Ran:
    key = make_command_key(gate)
    # A run that was cut off only shows that it takes longer.
    cut_off = receipts.was_cut_off(context.store.database, context.root, key)
    usual = None if cut_off else read_usual_seconds(context, gate)
    context.announce(gate.name, "" if copy.on == NEW else copy.on, usual)
    context.note_log(own + "/log", receipts.find_last_count(context.store.database, context.root, key))
    started = context.store.now()
    done = execution.run_gate(
        gate,
        copy.root,
        deadline=find_deadline(context, gate),
        log_path=own + "/log",
        environ=context.environ,
        cache=context.cache,
        should_stop=lambda: bool(context.tick()),
        equip=equip,
        confinement=context.confinement,
    )
    context.note_run(done.seconds)
    _forget_place(done.report, copy.root)
    colour = _find_rewritten(done, copy) or _find_foreign(done, copy)
    colour = colour or judge_run(gate, done, copy.root)
    return _Ran(gate, done, colour, started)


def _mint(context: GateContext, ran: _Ran, copy: RunTarget, tree: dict[str, Any]) -> RunReceipt:
    gate, done, colour = ran.gate, ran.done, ran.colour
    document = _document(context, ran, copy, tree)
    receipt = _stored(context, ran, document)
    receipt.remedy = _advise(gate, colour, done.report, copy.root)
    receipt.missing = colour.missing
    return receipt


def _forget_place(report: TestReport | None, root: str) -> None:
    """Make paths relative to the project: a proof names no folder of a machine."""
    if report is not None:
        report.messages = {name: text.replace(root + "/", "") for name, text in report.messages.items()}


def read_usual_seconds(context: GateContext, gate: Gate) -> float | None:
    return receipts.find_longest_seconds(context.store.database, context.root, make_command_key(gate))


def find_deadline(context: GateContext, gate: Gate) -> float:
    return min(context.left, gate.timeout) if gate.timeout else context.left


def _find_rewritten(done: GateRun, copy: RunTarget) -> gate_run.Colour | None:
    """Find a run that changed the tests it was given, which proves nothing. Git may have changed line endings."""
    for path, text in copy.tests.items():
        now = read_laid(copy.root, [path]).get(path)
        if now is None or now.replace(b"\r\n", b"\n") != text.replace(b"\r\n", b"\n"):
            done.report = None
            return gate_run.Colour(gate_run.BROKEN, f"the run changed {path}")
    return None


def _find_foreign(done: GateRun, copy: RunTarget) -> gate_run.Colour | None:
    """Return BROKEN for a copy whose build folder was configured elsewhere: it builds the files there."""
    if copy.on == NEW or _ELSEWHERE not in done.output:
        return None
    done.report = None
    return gate_run.Colour(gate_run.BROKEN, "its build is not configured here")


def read_laid(root: str, paths: Iterable[str]) -> dict[str, bytes]:
    """Return test code that was put into a copy; missing files are left out."""
    from ..testcode.files import is_source_path

    contents = {}
    for path in filter(is_source_path, paths):
        try:
            with open(f"{root}/{path}", "rb") as file:
                contents[path] = file.read()
        except OSError:
            continue
    return contents


def judge_run(gate: Gate, done: GateRun, root: str) -> gate_run.Colour:
    """Return the result of a run by itself, without a comparison."""
    return gate_run.find_colour(
        gate_run.RunFacts(
            exit=done.exit,
            output=done.output,
            signal=done.signal_number,
            timed_out=done.timed_out,
            report=done.report,
            runner=gate.runner,
            toolchain=gate.toolchain,
            kind=gate.kind,
            gate=gate.name,
            command=gate.command,
            limit=done.seconds,
            missing=done.missing,
            replayed=done.replayed,
            partial=gate.reason == gate_run.SOME_TESTS,
            absent=_list_absent(gate, done, root),
        )
    )


def _list_absent(gate: Gate, done: GateRun, root: str) -> list[str]:
    if not done.exit:
        return []
    from .remedy import list_absent

    return list_absent(gate, done.output, root)


def _advise(gate: Gate, colour: gate_run.Colour, report: TestReport | None, root: str) -> str:
    if colour.value not in (gate_run.BROKEN, gate_run.RED):
        return ""
    from .remedy import advise, advise_red

    if colour.value == gate_run.RED:
        return advise_red(gate, report, root) if report is not None else ""
    return advise(gate, colour, root)


def _stored(context: GateContext, ran: _Ran, document: dict[str, Any]) -> RunReceipt:
    folder = f"{context.store.home.session(context.session.id)}/evidence"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    done = ran.done
    with context.store.change(context.session.id) as change:
        whole = receipts.add(
            change, document, place=context.root, command=make_command_key(ran.gate), report=_report(done.report)
        )
        if done.log and os.path.exists(done.log):
            os.replace(done.log, f"{folder}/{whole['id']}.log")
    return RunReceipt(ran.gate, _result(ran, whole["id"]), whole)


def _result(ran: _Ran, number: int | None = None) -> GateResult:
    return GateResult(
        ran.colour.value, report=ran.done.report, output=ran.done.output, reason=ran.colour.reason, receipt=number
    )


def _document(context: GateContext, ran: _Ran, copy: RunTarget, tree: dict[str, Any]) -> dict[str, Any]:
    gate, done = ran.gate, ran.done
    return {
        "schema": "ultrawork.receipt/1",
        "gate": {
            "name": gate.name,
            "kind": gate.kind,
            "from": gate.source,
            "command": gate.command,
            "definition": "pinned" if copy.on == PINNED else "now",
        },
        "run": {
            "argv": list(done.argv),
            "cwd": gate.where,
            "by": context.by,
            "on": copy.on,
            "seconds": round(done.seconds, 3),
            "exit": done.exit,
            "signal": done.signal,
            "differing": context.differing,
            "started": format_iso(ran.started),
        },
        "result": ran.colour.value,
        "reason": ran.colour.reason,
        "tests": _tests(done.report),
        "tree": tree,
        "output": {"sha256": done.sha256, "bytes": done.output_bytes, "log": ""},
        "tools": read_versions(gate, context.root, context.environ),
    }


def _look(context: GateContext, copy: RunTarget, began: float) -> tuple[dict[str, Any], trees.Tree | None]:
    """
    Return the state of the files after a run, with their tree if it is unchanged. A scratch copy is discarded, so
    it is not scanned.
    """
    same: dict[str, Any] = {"before": copy.tree, "after": copy.tree, "wrote": []}
    if copy.on != NEW:
        return same, None
    after = trees.take_snapshot(copy.root, context.cache, context.environ)
    if after.id == copy.tree:
        stirred = _list_stirred(copy.root, trees.list_paths(after), began)
        return {**same, "stirred": stirred} if stirred else same, after
    before = trees.get_recorded(copy.tree, copy.root, context.cache, context.environ)
    file_changes = trees.diff(before, after)
    dropped = [
        file_change.path for file_change in file_changes if file_change.status == "A" and not _is_kept(file_change.path)
    ]
    if dropped:
        trees.leave_out(after, dropped)
        after = trees.take_snapshot(copy.root, context.cache, context.environ)
    wrote = [file_change.path for file_change in file_changes if file_change.path not in dropped]
    return {"before": copy.tree, "after": after.id, "wrote": wrote[:NAMES]}, None


def _list_stirred(root: str, paths: Sequence[str], began: float) -> list[str]:
    """Return files that were written during a run and are unchanged; of very many, not every one is read."""
    stirred = []
    for path in paths if len(paths) <= _FILES else ():
        try:
            is_later = os.lstat(f"{root}/{path}").st_ctime > began
        except OSError:
            continue
        stirred += [path] if is_later else []
    return stirred[:NAMES]


def _is_kept(path: str) -> bool:
    """Source and expectations belong to the project, also where a run wrote them."""
    from ..testcode import files as testfiles

    return testfiles.is_source_path(path) or testfiles.is_snapshot_path(path)


def _tests(report: TestReport | None) -> dict[str, Any] | None:
    if report is None:
        return None
    return {
        "ran": report.ran,
        "failed": report.failed[:NAMES],
        "failed_count": report.failed_count,
        "skipped": report.skipped_count,
    }


def _report(report: TestReport | None) -> dict[str, Any] | None:
    if report is None:
        return None
    return {
        "outcomes": report.outcomes,
        "messages": report.messages,
        "ran": report.ran,
        "failed_count": report.failed_count,
        "skipped_count": report.skipped_count,
        "complete": report.complete,
        "errored": report.errored,
    }
