"""Red because of this change, red before and still, or undecided: the rules of the guide about a red gate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.verdict import gate_findings, red_gates
from ultrawork.core.verdict.finding import NOTE, STRONG, WEAK
from ultrawork.core.verdict.gate import LINT, TEST, TYPES
from ultrawork.core.verdict.gate_findings import ChangeFacts
from ultrawork.core.verdict.gate_run import (
    BROKEN,
    FLAKY,
    GREEN,
    HIDDEN,
    RED,
    GateResult,
    TestReport,
)
from ultrawork.core.verdict.red_gates import RELATED, UNDECIDED, UNRELATED, RedGate, judge_red

OLD = "tests/test_clock.py::test_winter"
NEW = "tests/test_session.py::test_expired_token"
CHANGE = ChangeFacts(goal="fix the login bug", changed=["auth/session.py"])


def side(colour, *failed, ran=42, message="", **more):
    outcomes = dict.fromkeys(failed, "failed")
    messages = {failed[0]: message} if message else {}
    report = TestReport(
        outcomes=outcomes, messages=messages, ran=ran, failed_count=len(failed), skipped_count=0
    )
    return GateResult(colour, report=report, receipt=7, **more)


def judge(now, base, change=CHANGE, kind=TEST, relation=UNRELATED):
    def relate(names):
        return dict.fromkeys(names, relation)

    return judge_red(RedGate("test", kind, now, base, change, relate=relate))


def test_a_green_gate_has_nothing_to_answer_for():
    assert judge(side(GREEN), side(RED, OLD)) == []


@pytest.mark.parametrize("base", [None, GateResult(GREEN), GateResult(FLAKY), GateResult(BROKEN)])
def test_red_where_base_was_not_is_refused(base):
    (found,) = judge(side(RED, NEW, message="tests/test_session.py:41  200 != 401"), base)
    assert (found.level, found.rule, found.receipt) == (STRONG, "gate-red", 7)
    assert found.what == "test is red: test_expired_token"
    assert found.where == "tests/test_session.py:41"
    assert found.clears == "make test_expired_token green"


def test_red_without_names_says_what_is_known():
    (found,) = judge(GateResult(RED, reason="exit 2"), GateResult(GREEN))
    assert (found.what, found.where) == ("test is red: exit 2", "")
    (found,) = judge(GateResult(RED), GateResult(GREEN))
    assert found.what == "test is red: it failed"
    (found,) = judge(side(RED), GateResult(GREEN))
    assert found.where == ""


def test_many_red_tests_are_counted():
    (found,) = judge(side(RED, "t1", "t2", "t3", "t4"), GateResult(GREEN))
    assert found.what == "test is red: t1, t2 and 2 more"
    assert found.clears == "make test green"


def test_red_before_and_elsewhere_is_a_note():
    found = judge(side(RED, OLD), side(RED, OLD))
    assert [(one.level, one.rule) for one in found] == [(NOTE, "red-as-before")]
    assert found[0].what == "red before and still: test_winter"
    assert red_gates.is_red_as_before(found, "test")
    assert not red_gates.is_red_as_before(found, "lint")


def test_a_change_that_hides_what_was_red_before_is_refused():
    hidden = side(RED, OLD, reason=HIDDEN)
    (found,) = judge(hidden, side(RED, OLD, reason="exit 1"))
    assert (found.level, found.what) == (STRONG, "test is red: test_winter, red before too")
    (found,) = judge(hidden, hidden)
    assert (found.level, found.rule) == (NOTE, "red-as-before")


@pytest.mark.parametrize("goal", ["fix the login bug", "the login is broken", "repair the clock"])
def test_a_fix_that_leaves_red_what_runs_it_is_refused(goal):
    change = ChangeFacts(goal=goal, changed=["a.py"])
    (found,) = judge(side(RED, OLD), side(RED, OLD), change, relation=RELATED)
    assert (found.level, found.rule) == (STRONG, "gate-red")
    assert not red_gates.is_red_as_before([found], "test")


def test_another_change_that_is_in_a_red_test_is_refused_once():
    change = ChangeFacts(goal="add a discount", changed=["a.py"])
    (found,) = judge(side(RED, OLD), side(RED, OLD), change, relation=RELATED)
    assert (found.level, found.rule) == (WEAK, "red-related")
    assert found.clears == "make test_winter green, or end with BLOCKED: why"


@pytest.mark.parametrize(
    ("goal", "level"),
    [("add a winter clock", WEAK), ("say in the docs what a winter clock is", NOTE)],
)
def test_a_goal_that_says_the_name_of_a_test_is_about_it_unless_it_wants_words(goal, level):
    change = ChangeFacts(goal=goal, changed=["README.md"])
    name = "tests/test_clock.py::test_winter_clock"
    (found,) = judge(side(RED, name), side(RED, name), change, relation=UNRELATED)
    assert found.level == level


def test_a_red_test_that_fails_with_other_words_now_is_refused():
    change = ChangeFacts(goal="add a discount", changed=["a.py"])
    now = side(RED, OLD, message="tests/test_clock.py:9  AssertionError: 3 != 4")
    base = side(RED, OLD, message="tests/test_clock.py:7  AssertionError: 2 != 4")
    (found,) = judge(now, base, change, relation=RELATED)
    assert found.level == STRONG
    moved = side(RED, OLD, message="tests/test_clock.py:9  AssertionError: 2 != 4")
    (found,) = judge(moved, base, change, relation=RELATED)
    assert found.level == WEAK


def test_what_nobody_can_tell_is_no_refusal_and_no_pass():
    change = ChangeFacts(goal="add a discount", changed=["a.go"])
    (found,) = judge(side(RED, OLD), side(RED, OLD), change, relation=UNDECIDED)
    assert (found.level, found.rule, found.doubt) == (NOTE, "red-undecided", True)


def test_a_red_test_that_sounds_like_the_goal_is_undecided_though_it_enters_nothing():
    change = ChangeFacts(goal="add winter time to the clock", changed=["a.py"])
    name = "tests/test_clock.py::test_clock_knows_winter_time"
    (found,) = judge(side(RED, name), side(RED, name), change)
    assert (found.rule, found.doubt) == ("red-undecided", True)
    (found,) = judge(side(RED, OLD), side(RED, OLD), change)
    assert found.rule == "red-as-before"


def test_a_test_that_nobody_asked_about_is_undecided():
    red = RedGate("test", TEST, side(RED, OLD), side(RED, OLD), CHANGE)
    assert [one.rule for one in judge_red(red)] == ["red-undecided"]


def test_what_was_red_must_not_grow():
    found, still = judge(side(RED, OLD, NEW), side(RED, OLD))
    assert (found.level, found.what) == (STRONG, "test is red: test_expired_token")
    assert still.rule == "red-as-before"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (ChangeFacts(goal="fix test_winter", changed=["a.py"]), "the goal names it"),
        (ChangeFacts(goal="make the suite green", changed=["a.py"]), "the goal speaks of tests"),
        (ChangeFacts(goal="fix the login bug"), "nothing was changed"),
        (ChangeFacts(goal="fix the clock", changed=["src/winter.py"]), ""),
        (ChangeFacts(goal="describe the tests", changed=["README.md"]), ""),
    ],
)
def test_the_goal_relates_a_test_and_shared_words_do_not(change, why):
    assert red_gates.explain_relation(OLD, change) == why
    found = judge(side(RED, OLD), side(RED, OLD), change)
    assert ([one.rule for one in found] == ["red-as-before"]) is (why == "")


@pytest.mark.parametrize(
    ("now", "base"),
    [
        (GateResult(RED), side(RED, OLD)),
        (side(RED, OLD), GateResult(RED)),
        (GateResult(RED, report=TestReport(ran=9, failed_count=2)), side(RED, OLD)),
        (
            GateResult(RED, report=TestReport(outcomes={OLD: "failed"}, failed_count=2)),
            side(RED, OLD),
        ),
    ],
)
def test_red_on_both_without_names_is_refused_for_a_fix_and_else_undecided(now, base):
    (found,) = judge(now, base)
    assert (found.level, found.rule) == (STRONG, "gate-red")
    (found,) = judge(now, base, ChangeFacts(goal="add a discount", changed=["a.py"]))
    assert (found.level, found.rule, found.doubt) == (NOTE, "red-undecided", True)


@pytest.mark.parametrize("kind", [LINT, TYPES])
def test_lint_that_was_red_counts_only_for_changed_files(kind):
    base = GateResult(RED, output="old.py:1: error: bad\n")
    now = GateResult(RED, output="old.py:1: error: bad\nold.py:2: error: worse\n")
    (found,) = judge(now, base, kind=kind)
    assert (found.level, found.rule) == (NOTE, "red-as-before")
    mine = GateResult(RED, output="old.py:1: error: bad\nauth/session.py:3: error: worse\n")
    (found,) = judge(mine, base, kind=kind)
    assert (found.level, found.what) == (STRONG, "test is red: auth/session.py: error: worse")


def test_several_new_complaints_are_counted():
    now = GateResult(RED, output="auth/session.py:1: error: a\nauth/session.py:2: error: b\n")
    (found,) = judge(now, GateResult(RED, output="old.py:1: error: bad\n"), kind=LINT)
    assert found.what == "test is red: auth/session.py: error: a and 1 more"


def test_lint_that_tells_no_place_is_undecided():
    change = ChangeFacts(goal="add a discount", changed=["a.py"])
    (found,) = judge(GateResult(RED, output="bad"), GateResult(RED, output="bad"), change, LINT)
    assert (found.rule, found.doubt) == ("red-undecided", True)


def test_lint_that_was_green_is_plainly_red():
    (found,) = judge(GateResult(RED, output="x"), GateResult(GREEN), kind=LINT)
    assert (found.level, found.rule) == (STRONG, "gate-red")


def test_no_change_at_all_is_refused_once():
    found = gate_findings.judge_unchanged(ChangeFacts(goal="fix the login bug"))
    assert (found.level, found.rule) == (WEAK, "nothing-changed")


def test_no_change_is_no_finding_where_none_was_expected():
    assert gate_findings.judge_unchanged(ChangeFacts(goal="explain the login")) is None
    assert gate_findings.judge_unchanged(CHANGE) is None


def test_no_change_is_only_said_where_the_goal_may_have_been_met_before():
    found = gate_findings.judge_unchanged(ChangeFacts(goal="make sure the last page is counted"))
    assert (found.level, found.doubt, found.what) == (NOTE, True, "No file changed")
    assert found.clears == "look whether it was so before"


def test_work_outside_the_tree_is_told_and_not_refused():
    found = gate_findings.judge_unchanged(
        ChangeFacts(goal="fix the bug", outside="pushed branch x")
    )
    assert found.what == "No file changed; the agent pushed branch x"
    assert found.clears == "look at it there"
    assert (found.level, found.doubt) == (NOTE, True)


names = st.sets(st.sampled_from(["t1", "t2", "t3", "a.py::test_login"]), max_size=4)


@given(now=names, before=names, changed=st.sampled_from([(), ("a.py",), ("login.py",)]))
def test_a_test_that_was_not_red_before_is_never_called_red_as_before(now, before, changed):
    found = judge(side(RED, *now), side(RED, *before), ChangeFacts(goal="fix it", changed=changed))
    if now - before:
        assert not red_gates.is_red_as_before(found, "test")
    assert found


@pytest.mark.parametrize(
    "message", ["AssertionError: 200 != 401", "in line 41: 200 != 401", "no colon", ""]
)
def test_a_message_that_begins_with_words_is_no_place(message):
    (found,) = judge(side(RED, NEW, message=message), GateResult(GREEN))
    assert found.where == ""
