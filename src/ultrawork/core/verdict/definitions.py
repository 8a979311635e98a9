"""How gates run: their definitions, the tests they find, the program behind them."""

from .finding import NOTE, STRONG, WEAK, Finding, render_names
from .gate import TEST
from .gate_run import FAILED, FLAKY, GREEN, PASSED, RED, SKIPPED, shorten_name
from .test_names import strip_parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from .gate_run import GateResult, TestReport


_LINE, _COMMA = "\n", ", "


def judge_definition(
    gate: str,
    *,
    before: str,
    after: str,
    now: "GateResult",
    pinned: "GateResult | None",
    pinned_as_before: bool = False,
    about_tests: bool = False,
    program_left: bool = False,
    base: "TestReport | None" = None,
    where: str = "",
) -> Finding | None:
    """
    A gate whose script, target or option table changed: run as now and as pinned. Pinned red
    `pinned_as_before` is nobody's doing, unless the new definition calls it green; that may be what
    a goal `about_tests` asks for. A pinned program that left the manifest cannot run.
    """
    if before == after:
        return None
    became = _tell_difference(before, after)
    command, _, more = before.partition(_LINE)
    as_it_was = " as it was defined" if more else ""
    if pinned is not None and pinned.colour in (GREEN, FLAKY):
        both = "green both ways" if now.colour == GREEN else f"{pinned.colour} as before"
        return _definition_note(gate, f"{became}; {both}", where, pinned)
    hidden = now.colour in (GREEN, FLAKY)
    if pinned is not None and pinned.colour == RED and pinned_as_before and not hidden:
        return _definition_note(gate, f"{became}; as it was, it is red as before", where, pinned)
    if pinned is not None and pinned.colour == RED:
        failed = pinned.report.failed if pinned.report else []
        return Finding(
            rule="gate-changed",
            level=WEAK if pinned_as_before and about_tests else STRONG,
            gate=gate,
            what=f"{became}; as it was, it is red{render_names(failed)}",
            where=where,
            receipt=pinned.receipt,
            clears=f"make `{command}` green{as_it_was}",
        )
    if program_left and _runs_as_many(now, base):
        return _definition_note(gate, f"{became}; it runs as many tests as before", where, pinned)
    why = "could not be run as it was" if pinned is None else pinned.reason or "is broken as it was"
    return Finding(
        rule="gate-changed",
        level=NOTE,
        gate=gate,
        what=f"{became}; {why}",
        where=where,
        receipt=pinned.receipt if pinned else None,
        clears=f"keep `{command}` runnable{as_it_was}, or ulw accept REASON",
        doubt=True,
    )


def _tell_difference(before: str, after: str) -> str:
    """A definition may go on for pages, with the script or the table of options: only what differs is told."""
    if not after:
        return f"`{before.partition(_LINE)[0]}` was removed"
    if _LINE not in before + after:
        return f"`{before}` became `{after}`"
    olds, news = (text.replace(_LINE, _COMMA).split(_COMMA) for text in (before, after))
    gone = _COMMA.join(one for one in olds if one not in news)
    came = _COMMA.join(one for one in news if one not in olds)
    if gone and came:
        return f"`{gone}` became `{came}`"
    return f"`{gone or came}` was {'taken out' if gone else 'added'}"


def judge_new_gate(gate: str, kind: str, now: "GateResult") -> list[Finding]:
    """A gate that was not there at the start proves something only if it tells what it tested."""
    if kind != TEST or now.colour != GREEN or (now.report is not None and now.report.ran):
        return []
    return [
        Finding(
            rule="gate-new",
            level=NOTE,
            gate=gate,
            what=f"{gate} is new and tells no test that it ran",
            receipt=now.receipt,
            clears="let it run tests that are told by name or number",
            doubt=True,
        )
    ]


def find_uncollected(
    gate: str,
    *,
    base: "TestReport | None",
    now: "TestReport | None",
    defined: "Collection[str]",
    old_on_new: "dict[str, str]",
    fewer: int = 0,
    names_red_files: bool = False,
    receipt: int | None = None,
) -> Finding | None:
    """
    Tests that base ran and this tree does not, though their code is still there (`defined`).
    Tests that were taken out of the code are judged one by one (`testcases`); `fewer` counts them.
    With `names_red_files` the runner names the tests of files that failed, and only counts the others.
    """
    if base is None or not base.ran:
        return None
    if now is None or not now.ran:
        return _none_ran(gate, base.ran, now, receipt)
    grew_quiet = names_red_files and bool(base.failed_count) and not now.failed_count
    if not now.complete and base.complete and PASSED in base.outcomes.values() and not grew_quiet:
        return _unnamed(gate, base.ran)
    if not base.complete or not now.complete:
        # A quiet runner names only what fails: a start at which all failed was told by name.
        return _fewer(gate, base, now, fewer)
    still = {strip_parameters(name) for name, outcome in now.outcomes.items() if outcome != SKIPPED}
    # What could not even be loaded at the start ran no test that could be missed.
    ran = [name for name in base.outcomes if name not in base.errored]
    lost = [name for name in ran if base.outcomes[name] != SKIPPED]
    lost = [name for name in lost if name in defined or strip_parameters(name) in defined]
    cases = _list_lost_cases(lost, base, now)
    lost = [name for name in lost if strip_parameters(name) not in still]
    if not lost:
        return _report_lost_cases(gate, cases, receipt) if cases else None
    red_ones = [name for name in lost if old_on_new.get(name) == FAILED]
    unknown = [name for name in lost if old_on_new.get(name) not in (FAILED, PASSED)]
    what = f"{_count(lost)} no longer run{render_names(red_ones or unknown or lost)}"
    return Finding(
        rule="not-collected",
        level=STRONG if red_ones else NOTE,
        gate=gate,
        what=what,
        receipt=receipt,
        clears="let the runner find them again" if red_ones or unknown else "nothing to do",
        doubt=bool(unknown) and not red_ones,
    )


def _list_lost_cases(names: list[str], base: "TestReport", now: "TestReport") -> list[str]:
    """
    Red cases that are gone from tests that run with fewer cases than before: parameters may come from the product.
    Where there are as many, what they are called after has changed.
    """
    before, after = (_count_cases(one.outcomes) for one in (base, now))
    return [
        name
        for name in names
        if base.outcomes[name] == FAILED
        and name not in now.outcomes
        and 0 < after.get(strip_parameters(name), 0) < before[strip_parameters(name)]
    ]


def _count_cases(names: "Iterable[str]") -> dict[str, int]:
    found: dict[str, int] = {}
    for name in map(strip_parameters, names):
        found[name] = found.get(name, 0) + 1
    return found


def _report_lost_cases(gate: str, cases: list[str], receipt: int | None) -> Finding:
    """Never removed with its feature: a case that was red was to be made green, or somebody has to say why not."""
    return Finding(
        rule="not-collected",
        level=NOTE,
        gate=gate,
        what=f"{_count(cases)} no longer run, red at the start{render_names(cases)}",
        receipt=receipt,
        clears="make it green as it was, or ulw accept REASON",
        doubt=True,
    )


_SHADOWING = {
    "pytest": ("pytest", "_pytest", "pluggy"),
    "unittest": ("unittest",),
    "cargo": (".cargo",),
}
_ALWAYS_SHADOWING = ("sitecustomize", "usercustomize", ".npmrc")


def can_shadow(path: str, runner: str) -> bool:
    """Whether a file can stand in for the runner, or step between it and the tests."""
    first, _, rest = path.removeprefix("src/").partition("/")
    name = first if rest else first.removesuffix(".py")
    known = _SHADOWING.get(runner, sum(_SHADOWING.values(), ()) if not runner else ())
    return name in known or name in _ALWAYS_SHADOWING


def judge_shadow(
    path: str, runner: str, *, without: str | None, receipt: int | None = None
) -> Finding:
    """A new file named like the runner; `without` is the gate's colour when it is taken away."""
    what = f"{path} is new and has the name of {runner}"
    if without == GREEN:
        return Finding(
            rule="runner-shadowed",
            level=NOTE,
            what=f"{what}; green without it",
            where=path,
            receipt=receipt,
        )
    if without is None:
        return Finding(
            rule="runner-shadowed",
            level=NOTE,
            what=what,
            where=path,
            clears=f"give {path} another name",
            doubt=True,
        )
    return Finding(
        rule="runner-shadowed",
        level=STRONG,
        what=f"{what}; without it the tests are {without}",
        where=path,
        receipt=receipt,
        clears=f"remove {path} and make the tests green",
    )


def _definition_note(gate: str, what: str, where: str, pinned: "GateResult | None") -> Finding:
    receipt = pinned.receipt if pinned else None
    return Finding(
        rule="gate-changed", level=NOTE, gate=gate, what=what, where=where, receipt=receipt
    )


def _runs_as_many(now: "GateResult", base: "TestReport | None") -> bool:
    if now.colour != GREEN or now.report is None or base is None:
        return False
    ran, before = now.report.ran, base.ran
    return ran is not None and before is not None and ran >= before > 0


def find_swallowed(gate: str, now: "GateResult", base: "GateResult") -> Finding | None:
    """A run that ends green over a failed test, which was green at the start or made it red then."""
    if now.colour not in (GREEN, FLAKY) or now.report is None or base.report is None:
        return None
    failed = [name for name in now.report.failed if _counted_before(name, base)]
    if not failed:
        return None
    return Finding(
        rule="failure-swallowed",
        level=STRONG,
        gate=gate,
        what=f"{gate} ends green though a test failed{render_names(failed)}",
        receipt=now.receipt,
        clears=f"make {shorten_name(failed[0])} green",
    )


def _counted_before(test: str, base: "GateResult") -> bool:
    assert base.report is not None
    known = base.report.outcomes.get(test)
    if known is None:
        return base.colour == GREEN and not base.report.complete
    return known == PASSED or (known == FAILED and base.colour == RED)


def _none_ran(gate: str, before: int, now: "TestReport | None", receipt: int | None) -> Finding:
    """None run where base ran some is red; a runner that tells nothing any more ran none either."""
    told = "no test ran" if now is not None else "no test is told"
    return Finding(
        rule="not-collected",
        level=STRONG,
        gate=gate,
        what=f"{told}; {before} ran at the start",
        receipt=receipt,
        clears="let the runner find them again",
    )


def _unnamed(gate: str, before: int) -> Finding:
    return Finding(
        rule="not-collected",
        level=NOTE,
        gate=gate,
        what=f"{gate} told {before} tests by name at the start, and only a number now",
        clears="let the runner write its report to the end",
        doubt=True,
    )


def _fewer(gate: str, base: "TestReport", now: "TestReport", known: int) -> Finding | None:
    if base.ran is None or now.ran is None or now.ran >= base.ran - known:
        return None
    return Finding(
        rule="not-collected",
        level=NOTE,
        gate=gate,
        what=f"{now.ran} tests ran, {base.ran} did at the start; which ones is not told",
        clears="ulw accept REASON if tests were taken out on purpose",
        doubt=True,
    )


def _count(names: "Sequence[str]") -> str:
    return "1 test is" if len(names) == 1 else f"{len(names)} tests are"
