"""The tree that a verdict names: what a run in a copy shows, and what it cannot show."""

import pytest

from ultrawork.core.verdict import delivered
from ultrawork.core.verdict.delivered import CHANGED, NEW, OutsideFacts, OutsidePath
from ultrawork.core.verdict.gate_run import BROKEN, GREEN, RED, GateResult, TestReport
from ultrawork.gates.session import pinning
from ultrawork.store import pins

HIDDEN = "echo 'hidden.py' >>.git/info/exclude; echo 'x = 1' >hidden.py"


def result(colour, *failed, ran=3):
    report = TestReport(ran=ran, outcomes=dict.fromkeys(failed, "failed"), failed_count=len(failed))
    return GateResult(colour, report=report)


def judge(copy, base, paths=("build/a.json",), **options):
    options = {"own_files": True, "now": result(GREEN), **options}
    found = delivered.judge_copy("test", paths, copy=copy, base=base, **options)
    return None if found is None else (found.rule, found.doubt)


@pytest.mark.parametrize(
    ("copy", "base", "paths", "expected"),
    [
        (result(GREEN), None, ("build/a.json",), None),
        (result(RED, "test_a"), result(GREEN), ("build/a.json",), ("not-delivered", False)),
        (result(RED, "test_a"), result(RED, "test_b"), ("build/a.json",), ("not-delivered", False)),
        (result(RED, "test_a"), result(RED, "test_a"), ("build/a.json",), ("not-delivered-unread", True)),
        (result(RED, "test_a"), result(RED, "test_a"), ("rounding.py",), ("not-delivered", False)),
        (result(BROKEN), result(BROKEN), ("build/a.json",), ("not-delivered-unread", True)),
        (result(RED, "test_a"), result(RED, "test_a", ran=1), ("x.py",), ("not-delivered-unread", True)),
        (result(RED, "test_a"), None, ("x.py",), ("not-delivered-unread", True)),
    ],
)
def test_a_red_copy_counts_as_far_as_base_shows_that_copies_work(copy, base, paths, expected):
    assert judge(copy, base, paths) == expected


def test_a_check_that_needs_an_ignored_file_is_said_to_pass_here():
    options = {"now": result(GREEN), "own_files": True, "label": "npm test"}
    failing = result(RED, "a")
    found = delivered.judge_copy("test", ["dist/color.js"], copy=failing, base=result(GREEN), **options)
    assert found.what == "`npm test` passes here, but fails without dist/color.js, which git ignores"
    assert found.clears == (
        "build dist/color.js as part of the check, track it with `git add -f dist/color.js`,"
        " or remove it and get `npm test` to pass"
    )


def test_a_check_that_fails_here_too_is_not_said_to_pass():
    copy, now = result(RED, "a", "b"), result(RED, "a")
    found = delivered.judge_copy("test", ["x.py"], copy=copy, now=now, base=result(RED, "a"), own_files=True)
    assert found.what == "`test` fails in more tests without x.py, which git ignores"


def test_a_green_copy_that_tests_other_files_proves_nothing():
    assert judge(result(GREEN), None, own_files=False) == ("not-delivered-unread", True)


@pytest.mark.parametrize(
    ("path", "facts", "explained"),
    [
        (OutsidePath("node_modules", CHANGED, folder=True), OutsideFacts(changed=["package-lock.json"]), True),
        (OutsidePath("node_modules", CHANGED, folder=True), OutsideFacts(commands=["npm ci"]), True),
        (OutsidePath("node_modules", CHANGED, folder=True), OutsideFacts(), False),
        (OutsidePath(".venv", NEW, folder=True, made_by_installer=True), OutsideFacts(), True),
        (OutsidePath("vendor", NEW, folder=True), OutsideFacts(), False),
        (OutsidePath("dist/a.js", CHANGED), OutsideFacts(built=frozenset(["dist/a.js"])), True),
        (OutsidePath("dist/a.js", CHANGED), OutsideFacts(commands=["npm ci"]), False),
    ],
)
def test_what_explains_a_path_that_moved(path, facts, explained):
    assert bool(delivered.explain(path, facts)) is explained


@pytest.fixture
def returning(stage_of, shop):
    """The Makefile goes back to the checkout by its absolute path, wherever it is called."""

    def make(**files):
        stage = stage_of({**shop, **files}, "add up differently")
        makefile = f"test:\n\t@cd {stage.place} && python3 -m unittest -v\n"
        commit = "git add -A; git -c user.name=a -c user.email=a@b.c commit -qm x"
        stage.apply({"write": {"Makefile": makefile}, "sh": commit})
        store = stage.store()
        pin = pinning.pin(stage.place, store, stage.environ)
        with store.change("s1") as change:
            pins.save(change, pin)
        return stage

    return make


@pytest.mark.slow
def test_a_copy_whose_gate_runs_the_checkouts_files_is_not_believed(returning):
    stage = returning()
    stage.apply({"edit": [["shop.py", "sum(prices)", "sum(list(prices))"]], "sh": HIDDEN})
    outcome = stage.verify()
    told = [one.what for one in outcome.verdict.facts.findings]
    assert outcome.value == "UNVERIFIED", told
    assert any("in a copy, the check loads code from another folder" in one for one in told), told


@pytest.mark.slow
def test_what_such_a_copy_says_of_base_excuses_no_red(returning):
    """Red as before, elsewhere: true here, and yet a copy that runs the checkout cannot tell."""
    red = "import unittest\n\n\nclass ClockTest(unittest.TestCase):\n    def test_clock(self):\n        self.fail()\n"
    stage = returning(**{"test_clock.py": red})
    stage.apply({"edit": [["shop.py", "sum(prices)", "sum(list(prices))"]]})
    outcome = stage.verify()
    rules = {one.rule for one in outcome.verdict.facts.findings}
    assert (outcome.value, "copy-foreign" in rules) == ("UNVERIFIED", True), rules
