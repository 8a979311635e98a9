"""
Tests that were changed, judged by what running them showed:

    original on base   original on new   new on base        reading
    any                green             any                renamed, moved, merged, strengthened
    red                red               any                the test was changed instead of the code
    green              red               red                expectation moved with the behaviour
    green              red               green              loosened so that both pass
    green              red               gone or skipped    the code broke it and it was put away
    cannot be run                                           note

A test that was red at the start never goes away with its feature. Where the new test cannot run on base, a planted
fault tells whether it still notices anything: the bodies of the changed functions, emptied.
"""

from ..value import Value
from ..wording import count_things
from .finding import NOTE, NOTHING_TO_DO, STRONG, WEAK, Finding
from .gate_run import FAILED, PASSED, SKIPPED, shorten_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ADDED = "added"
REMOVED = "removed"
CHANGED = "changed"
SKIP = "skipped"
UNSKIPPED = "unskipped"
SUPPORT = "support"
KINDS = (ADDED, REMOVED, CHANGED, SKIP, UNSKIPPED, SUPPORT)
GONE = "gone"
# A test that was red was changed instead of the code, as running its original showed.
BENT_RULES = ("test-changed", "support-changed", "snapshot-alone")
_MOVED_LEVELS = {"note": NOTE, "ask": WEAK, "refuse": STRONG}


class TestFacts(Value):
    """
    One test whose own body changed, vanished or was skipped, or (`support`) whose fixtures did.
    Outcomes are passed, failed, skipped, `gone` (no such test there), or None: could not be run.
    `feature` is a name it used that is defined nowhere any more; `renamed` that what it meant lives on
    under another name, without a test in its place. `expects_else` is that an assertion or an expected value
    changed, `notices_fault` whether the test as it is now is red over emptied functions; None if not tried.
    """

    __test__ = False  # not a test class, whatever its name says to a test runner
    name: str
    kind: str
    old_on_base: str | None = None
    old_on_new: str | None = None
    new_on_base: str | None = None
    new_on_new: str | None = None
    where: str = ""
    before: str = ""
    after: str = ""
    feature: str = ""
    renamed: bool = False
    conditional: bool = False
    put_away_by_goal: bool = False
    expects_else: bool = False
    notices_fault: bool | None = None
    fewer_assertions: bool = False
    receipt: int | None = None

    @property
    def label(self) -> str:
        return shorten_name(self.name)

    @property
    def put_away(self) -> bool:
        """Not there any more, or there and not run: by its mark, or by what running it showed."""
        return self.kind in (REMOVED, SKIP) or self.new_on_new in (SKIPPED, GONE)


def judge(test: TestFacts, *, moved: str = "note") -> Finding | None:
    """The finding about one test; `moved` is the setting `tests.changed`."""
    if test.kind in (ADDED, UNSKIPPED) or test.old_on_base in (SKIPPED, GONE):
        return _new_and_skipped(test)
    if test.old_on_new == PASSED:
        return _still_green(test)
    if test.put_away_by_goal:
        return _note(test, f"{test.label} was {_verb(test)}, as the goal asks")
    if test.conditional and test.kind == SKIP:
        return _conditional(test)
    if None in (test.old_on_base, test.old_on_new) or test.old_on_new in (SKIPPED, GONE):
        return _cannot_run(test)
    return _red_on_new(test, moved)


def judge_all(tests: "Iterable[TestFacts]", *, moved: str = "note") -> list[Finding]:
    """Findings about all of them; tests that went away and are green as they were become one."""
    green: list[Finding] = []
    rest: list[Finding] = []
    for test in tests:
        if one := judge(test, moved=moved):
            (green if test.put_away and test.old_on_new == PASSED else rest).append(one)
    if len(green) < 2:
        return rest + green
    what = f"{len(green)} tests were removed or skipped; they are green as they were"
    return [*rest, Finding(rule=green[0].rule, level=NOTE, what=what, where=green[0].where)]


def judge_snapshots(
    changed: "Sequence[str]",
    *,
    source_changed: bool,
    old_on_new: str | None,
    receipt: int | None = None,
) -> Finding | None:
    """Snapshots and golden files are expectations: they may move, but not alone."""
    if not changed or old_on_new == PASSED:
        return None
    what = f"{count_things(len(changed), 'snapshot')} changed and no source did"
    if source_changed:
        return Finding(
            rule="snapshot-moved",
            level=NOTE,
            what=f"{count_things(len(changed), 'snapshot')} changed together with the source",
            where=changed[0],
            receipt=receipt,
        )
    if old_on_new is None:
        return _doubt("snapshot-alone", f"{what}; the old ones could not be run", changed[0])
    return Finding(
        rule="snapshot-alone",
        level=WEAK,
        what=f"{what}; with the old ones the tests are red",
        where=changed[0],
        receipt=receipt,
        clears="mend the code that the old snapshots describe, or say in the goal that they are wrong",
    )


def _new_and_skipped(test: TestFacts) -> Finding | None:
    if test.kind == ADDED and test.new_on_new == SKIPPED:
        return _note(test, f"{test.label} is new and skipped")
    return None


def _still_green(test: TestFacts) -> Finding | None:
    if test.put_away:
        return _note(test, f"{test.label} was {_verb(test)}; it is green as it was")
    return None


def _conditional(test: TestFacts) -> Finding:
    """A condition that does not hold here hides nothing; one that does may."""
    if test.new_on_new == PASSED:
        return _note(test, f"{test.label} is skipped on a condition that does not hold here")
    return _doubt(
        "test-skipped", f"{test.label} is skipped here on a condition and was red", test.where
    )


def _cannot_run(test: TestFacts) -> Finding:
    what = f"{test.label} was {_verb(test)}; its original could not be run"
    if test.put_away or test.fewer_assertions or test.expects_else:
        return _doubt("test-not-run", what, test.where)
    return _note(test, what)


def _red_on_new(test: TestFacts, moved: str) -> Finding | None:
    if test.old_on_base == FAILED:
        return _instead_of_code(test)
    if test.put_away:
        return _put_away(test)
    if test.new_on_base == FAILED or (test.new_on_base is None and test.notices_fault):
        return _moved(test, moved)
    return _loosened(test)


def _instead_of_code(test: TestFacts) -> Finding:
    """Perhaps the test was wrong: said once to the agent, then to the person, who may accept it."""
    if test.kind == SUPPORT:
        what = f"{test.label} was red and is green only with what it reads changed"
        return _weak("support-changed", what, test)
    lines = f": {test.before} -> {test.after}" if test.before and test.after else ""
    what = f"{test.label} was red and was {_verb(test)}; its original is red still{lines}"
    return _weak("test-changed", what, test)


def _loosened(test: TestFacts) -> Finding:
    """Passes with and without the change, its original does not: only set-up may do that."""
    if test.new_on_base is None and test.notices_fault is None:
        what = f"{test.label} was changed; it could not be run on base"
        return _doubt("test-not-run", what, test.where)
    what = f"{test.label} was loosened: its original is red"
    if test.notices_fault is False and (test.expects_else or test.kind == SUPPORT):
        return _strong("test-loosened", f"{what}, and it misses a planted fault", test)
    if test.expects_else:
        return _doubt(
            "test-loosened", f"{what}, and it passes with and without the change", test.where
        )
    return _note(test, f"{test.label} is set up differently; its original is red")


def _put_away(test: TestFacts) -> Finding:
    if test.feature and test.renamed:
        what = f"{test.label} was removed; {test.feature} seems to live on under another name"
        return _doubt("test-not-run", what, test.where)
    if test.feature:
        return _note(test, f"{test.label} was removed with its feature ({test.feature})")
    return _strong(
        "test-put-away", f"{test.label} was green, is red on this code, and was {_verb(test)}", test
    )


def _moved(test: TestFacts, setting: str) -> Finding:
    if test.kind == SUPPORT and not test.expects_else:
        return _note(test, f"{test.label} needs the changed fixtures for this behaviour")
    lines = f": {test.before} -> {test.after}" if test.before or test.after else ""
    level = _MOVED_LEVELS[setting]
    return Finding(
        rule="test-moved",
        level=level,
        what=f"{test.label} expects something else now{lines}"
        + (f", in {test.where}" if test.kind == SUPPORT and test.where else ""),
        where=test.where,
        receipt=test.receipt,
        clears=NOTHING_TO_DO
        if level == NOTE
        else "say why the expectation had to change, or restore it",
    )


def _verb(test: TestFacts) -> str:
    if test.kind == CHANGED and test.new_on_new in (SKIPPED, GONE):
        return "skipped" if test.new_on_new == SKIPPED else "put out of reach"
    return {REMOVED: "removed", SKIP: "skipped", SUPPORT: "given other fixtures"}.get(
        test.kind, "changed"
    )


def _strong(rule: str, what: str, test: TestFacts) -> Finding:
    clears = f"restore {test.label} and make it green, or name it in the goal as wrong or outdated"
    return Finding(
        rule=rule, level=STRONG, what=what, where=test.where, receipt=test.receipt, clears=clears
    )


def _weak(rule: str, what: str, test: TestFacts) -> Finding:
    clears = f"mend the code that the original {test.label} describes, or end with BLOCKED: why"
    return Finding(
        rule=rule, level=WEAK, what=what, where=test.where, receipt=test.receipt, clears=clears
    )


def _note(test: TestFacts, what: str) -> Finding:
    return Finding(
        rule="test-" + test.kind, level=NOTE, what=what, where=test.where, receipt=test.receipt
    )


def _doubt(rule: str, what: str, where: str) -> Finding:
    return Finding(
        rule=rule,
        level=NOTE,
        what=what,
        where=where,
        clears="run it by hand, or ulw accept REASON",
        doubt=True,
    )
