"""A gate as it was at the start, beside what it is now: its definition, and what stands in its way."""

from ..core import goals, judging
from ..core.findings import NOTE, Finding
from ..core.results import BROKEN, GREEN, RED, TestReport
from .mint import PINNED
from .surroundings import shadows
from .unseen import SUPPORT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .bench import Bench
    from .measure import Measured
    from .mint import Minted


def compare(bench: "Bench", measured: "Measured") -> None:
    """Runs a gate once more as it was, where this change touched how it runs."""
    measured.rules = _rules(bench, measured)
    hidden = [path for path in bench.unseen if _is_support(path) or measured.pair.changed]
    if not (measured.rules or measured.shadows or hidden) and measured.pair.now is not None:
        return
    gate = measured.pair.pinned or measured.pair.gate
    run = bench.scratch_run(gate, PINNED, bench.tree, overlay=(bench.base_tree, measured.rules))
    measured.pinned = run
    if measured.pair.changed:
        measured.findings += _definition(bench, measured, run)
    runner = measured.pair.gate.runner or "the runner"
    measured.findings += [
        judging.shadow(path, runner, without=run.side.colour, receipt=run.number)
        for path in measured.shadows
    ]
    if run.side.colour in (RED, BROKEN):
        measured.findings += [_hidden(path, run) for path in hidden if _is_support(path)]
    measured.now = measured.now or run


def _rules(bench: "Bench", measured: "Measured") -> list[str]:
    pair = measured.pair
    changed = {one.path: one.status for one in bench.changes}
    files = {*(pair.pinned.files if pair.pinned else ()), *(pair.now.files if pair.now else ())}
    found = [path for path in changed if path in files] if pair.changed else []
    places, runner = shadows(pair.gate, bench.work.root), pair.gate.runner
    new = [path for path, status in changed.items() if status == "A"]
    new += [path for path in bench.unseen if not _is_support(path)]
    measured.shadows = [
        path for path in new if _is_at(path, places) or judging.shadows(path, runner)
    ]
    return list(dict.fromkeys([*found, *measured.shadows]))


def _is_support(path: str) -> bool:
    return path.rpartition("/")[2] in SUPPORT and not path.endswith("customize.py")


def _hidden(path: str, run: "Minted") -> "Finding":
    return Finding(
        rule="unseen-support",
        level=NOTE,
        what=f"{path} is in no tree, and without it the tests are {run.side.colour}",
        where=path,
        receipt=run.number,
        clears=f"let git know {path}, or remove it",
        doubt=True,
    )


def _is_at(path: str, places: "Sequence[str]") -> bool:
    return any(path == one or path.startswith(one + "/") for one in places)


def _definition(bench: "Bench", measured: "Measured", run: "Minted") -> "list[Finding]":
    pinned, now = measured.pair.pinned, measured.pair.now
    assert pinned is not None
    base = bench.base(measured) if run.side.colour != GREEN else None
    same = now is not None and now.command == pinned.command
    finding = judging.definition(
        pinned.name,
        before=pinned.definition if same else pinned.command,
        after="" if now is None else now.definition if same else now.command,
        now=measured.now.side if measured.now else run.side,
        pinned=run.side,
        pinned_as_before=_is_red_as_before(bench, measured, run, base),
        about_tests=goals.speaks_of_tests(bench.change.goal),
        program_left=run.side.colour == BROKEN and _left_manifest(bench, run.side.reason),
        base=_tests_of(bench, base),
        where=pinned.source.partition(":")[0],
    )
    return [finding] if finding is not None else []


def _is_red_as_before(
    bench: "Bench", measured: "Measured", run: "Minted", base: "Minted | None"
) -> bool:
    if base is None or run.side.colour != RED:
        return False
    name, kind = measured.fact.name, measured.pair.gate.kind
    return judging.red_as_before(judging.red(name, kind, run.side, base.side, bench.change), name)


def _left_manifest(bench: "Bench", reason: str) -> bool:
    """Whether the program that is not there was among what the project asks for, and is no more."""
    program, missing, _ = reason.partition(" is not there")
    before, now = (bench.source.manifests(tree) for tree in (bench.base_tree, bench.tree))
    return bool(missing) and program in before and program not in now


def _tests_of(bench: "Bench", base: "Minted | None") -> TestReport | None:
    """How many tests base had: as they ran, or as its source tells where they cannot any more."""
    if base is None or (base.side.report is not None and base.side.report.ran):
        return base.side.report if base else None
    return TestReport(ran=bench.source.count_tests(bench.base_tree))
