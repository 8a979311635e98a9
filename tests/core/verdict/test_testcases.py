"""The table of changed tests, row by row, and the honest situations that keep it quiet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.verdict.finding import NOTE, STRONG, WEAK
from ultrawork.core.verdict.testcases import (
    ADDED,
    CHANGED,
    GONE,
    KINDS,
    REMOVED,
    SKIP,
    SUPPORT,
    UNSKIPPED,
    TestFacts,
    judge,
    judge_all,
    judge_snapshots,
)

P, F, S = "passed", "failed", "skipped"


def facts(kind, base, new, new_on_base=None, **more):
    return TestFacts(
        "test_x", kind, old_on_base=base, old_on_new=new, new_on_base=new_on_base, **more
    )


QUIET = {
    "renamed, moved, reformatted, strengthened": facts(CHANGED, P, P, F),
    "mended together with the code": facts(CHANGED, F, P, F),
    "base unknown but green": facts(CHANGED, None, P),
    "new": facts(ADDED, GONE, GONE, F, new_on_new=P),
    "taken out of its skip": facts(UNSKIPPED, S, F),
    "was skipped before": facts(CHANGED, S, F),
    "fixtures refactored": facts(SUPPORT, P, P, P, new_on_new=P),
}
NOTES = {
    "removed, green as it was": facts(REMOVED, P, P, GONE),
    "skipped, green as it was": facts(SKIP, P, P, S),
    "expectation moved with the behaviour": facts(CHANGED, P, F, F),
    "removed with its feature": facts(REMOVED, P, F, GONE, feature="old_login"),
    "the goal names it as wrong": facts(CHANGED, F, F, P, put_away_by_goal=True),
    "the goal asks to skip it": facts(SKIP, P, F, S, put_away_by_goal=True),
    "skipped on a condition that does not hold here": facts(
        SKIP, F, F, conditional=True, new_on_new=P
    ),
    "new and skipped": facts(ADDED, GONE, GONE, new_on_new=S),
    "original cannot be run": facts(CHANGED, None, None),
    "original cannot be run on new code": facts(CHANGED, P, None),
    "fixtures follow the behaviour": facts(SUPPORT, P, F, F, new_on_new=P),
    "only its set-up changed": facts(CHANGED, P, F, P, notices_fault=True),
    "only its set-up changed, and no fault can be planted": facts(CHANGED, P, F, P),
    "moved, and cannot be run on base": facts(
        CHANGED, P, F, None, notices_fault=True, expects_else=True
    ),
}
DOUBTS = {
    "vanished and cannot be run": facts(REMOVED, None, None),
    "skipped and cannot be run": facts(SKIP, P, None),
    "fewer assertions and cannot be run": facts(CHANGED, None, F, fewer_assertions=True),
    "original is itself skipped on new code": facts(REMOVED, P, S),
    "skipped on a condition that holds here": facts(SKIP, P, F, conditional=True, new_on_new=S),
    "cannot be run on base": facts(CHANGED, P, F, None),
    "removed, and its feature only renamed": facts(REMOVED, P, F, feature="pay", renamed=True),
    "another literal, and cannot be run": facts(CHANGED, P, None, expects_else=True),
    "loosened, but it notices planted faults": facts(
        CHANGED, P, F, P, notices_fault=True, expects_else=True
    ),
    "loosened, and no fault can be planted": facts(CHANGED, P, F, P, expects_else=True),
}
ONCE = {
    "the failing test was bent": (facts(CHANGED, F, F, P), "test-changed"),
    "the failing test was deleted": (facts(REMOVED, F, F, GONE), "test-changed"),
    "the failing test was deleted with its feature": (
        facts(REMOVED, F, F, GONE, feature="old_login"),
        "test-changed",
    ),
    "the failing test was skipped": (facts(SKIP, F, F, S), "test-changed"),
    "a fixture makes it pass": (facts(SUPPORT, F, F, P, new_on_new=P), "support-changed"),
}
REFUSED = {
    "loosened so that both pass": (
        facts(CHANGED, P, F, P, expects_else=True, notices_fault=False),
        "test-loosened",
    ),
    "the code broke it and it was deleted": (facts(REMOVED, P, F, GONE), "test-put-away"),
    "the code broke it and it was skipped": (facts(SKIP, P, F, S), "test-put-away"),
    "it skips itself from within": (facts(CHANGED, P, F, S, new_on_new=S), "test-put-away"),
    "it is no longer found": (facts(CHANGED, P, F, None, new_on_new=GONE), "test-put-away"),
    "a fixture hides what broke": (
        facts(SUPPORT, P, F, P, new_on_new=P, notices_fault=False),
        "test-loosened",
    ),
}


@pytest.mark.parametrize("row", list(QUIET))
def test_nothing_is_said_about(row):
    assert judge(QUIET[row]) is None


@pytest.mark.parametrize("row", list(NOTES))
def test_a_note_is_made_of(row):
    found = judge(NOTES[row])
    assert (found.level, found.doubt, found.clears) == (NOTE, False, "nothing to do")


@pytest.mark.parametrize("row", list(DOUBTS))
def test_no_pass_and_no_refusal_for(row):
    found = judge(DOUBTS[row])
    assert (found.level, found.doubt) == (NOTE, True)


@pytest.mark.parametrize("row", list(REFUSED))
def test_refused_is(row):
    test, rule = REFUSED[row]
    found = judge(test)
    assert (found.level, found.rule) == (STRONG, rule)
    assert "test_x" in found.clears


@pytest.mark.parametrize("row", list(ONCE))
def test_refused_once_and_never_a_pass_is(row):
    test, rule = ONCE[row]
    found = judge(test)
    assert (found.level, found.rule) == (WEAK, rule)
    assert "test_x" in found.clears


@pytest.mark.parametrize(("setting", "level"), [("note", NOTE), ("ask", WEAK), ("refuse", STRONG)])
def test_how_a_moved_expectation_is_taken_is_a_setting(setting, level):
    found = judge(facts(CHANGED, P, F, F, before="== 1", after="== 2"), moved=setting)
    assert found.level == level
    assert found.what == "test_x expects something else now: == 1 -> == 2"
    assert (found.clears == "nothing to do") is (level == NOTE)


def test_expected_text_that_lies_beside_the_test_moves_like_any_expectation():
    beside = facts(SUPPORT, P, F, F, new_on_new=P, where="tests/price_list.txt", expects_else=True)
    found = judge(beside)
    assert (found.rule, found.level) == ("test-moved", NOTE)
    assert found.what == "test_x expects something else now, in tests/price_list.txt"
    assert judge(beside, moved="ask").level == WEAK
    set_up = facts(SUPPORT, P, F, F, new_on_new=P, where="tests/conftest.py")
    assert judge(set_up).rule == "test-support"


def test_a_put_away_test_is_described_by_what_was_done_to_it():
    assert "was removed" in judge(facts(REMOVED, P, F)).what
    assert "was skipped" in judge(facts(CHANGED, P, F, new_on_new=S)).what
    assert "put out of reach" in judge(facts(CHANGED, P, F, new_on_new=GONE)).what


def test_five_tests_that_became_one_are_one_note():
    tests = [facts(REMOVED, P, P, GONE) for _ in range(5)]
    found = judge_all([*tests, facts(CHANGED, P, F, F), facts(CHANGED, P, P)])
    assert [one.rule for one in found] == ["test-moved", "test-removed"]
    assert found[1].what == "5 tests were removed or skipped; they are green as they were"


def test_one_removed_test_is_named():
    (found,) = judge_all([facts(REMOVED, P, P, GONE)])
    assert found.what == "test_x was removed; it is green as it was"


def test_snapshots_may_move_with_the_source_but_not_alone():
    paths = ["tests/__snapshots__/a.snap", "b.snap"]
    assert judge_snapshots([], source_changed=False, old_on_new=F) is None
    assert judge_snapshots(paths, source_changed=False, old_on_new=P) is None
    moved = judge_snapshots(paths, source_changed=True, old_on_new=F)
    assert (moved.level, moved.rule, moved.doubt) == (NOTE, "snapshot-moved", False)
    alone = judge_snapshots(paths[:1], source_changed=False, old_on_new=F)
    assert (alone.level, alone.what) == (
        WEAK,
        "1 snapshot changed and no source did; with the old ones the tests are red",
    )
    unknown = judge_snapshots(paths, source_changed=False, old_on_new=None)
    assert (unknown.level, unknown.doubt) == (NOTE, True)


outcomes = st.sampled_from([P, F, S, GONE, None])
any_test = st.builds(
    TestFacts,
    st.just("test_x"),
    st.sampled_from(KINDS),
    old_on_base=outcomes,
    old_on_new=outcomes,
    new_on_base=outcomes,
    new_on_new=outcomes,
    conditional=st.booleans(),
    put_away_by_goal=st.booleans(),
    expects_else=st.booleans(),
    notices_fault=st.sampled_from([True, False, None]),
    fewer_assertions=st.booleans(),
    feature=st.sampled_from(["", "old_login"]),
)


@given(any_test)
def test_a_refusal_rests_on_an_original_that_is_red_on_this_code(test):
    found = judge(test)
    if found and found.level == STRONG:
        assert test.old_on_new == F
        assert test.old_on_base in (P, F)


@given(any_test)
def test_a_test_whose_original_is_green_is_never_refused(test):
    if test.old_on_new == P:
        found = judge(test)
        assert found is None or (found.level, found.doubt) == (NOTE, False)


@given(any_test)
def test_what_was_red_at_the_start_and_is_red_still_is_never_waved_through(test):
    if test.old_on_base == F and test.old_on_new == F and test.kind not in (ADDED, UNSKIPPED):
        asked = test.put_away_by_goal or (test.conditional and test.kind == SKIP)
        assert asked or judge(test).level == WEAK


@given(any_test)
def test_a_test_that_was_put_away_while_red_is_never_passed_over_in_silence(test):
    if test.old_on_base in (P, F) and test.old_on_new == F and test.kind in (REMOVED, SKIP):
        assert judge(test) is not None


def test_of_a_test_nothing_is_presumed_that_would_be_held_against_it():
    given = facts(CHANGED, P, F, F)
    presumed = (given.fewer_assertions, given.conditional, given.renamed, given.feature)
    assert not any(presumed)
    assert judge(given).level == NOTE


def test_one_green_test_that_went_away_is_named_and_two_become_one_note():
    gone = [
        TestFacts(f"test_{n}", REMOVED, old_on_base=P, old_on_new=P, where=f"a.py:{n}")
        for n in (1, 2)
    ]
    (alone,) = judge_all(gone[:1])
    assert alone.what == "test_1 was removed; it is green as it was"
    (both,) = judge_all(gone)
    assert both.what == "2 tests were removed or skipped; they are green as they were"
    assert (both.rule, both.where, both.level) == ("test-removed", "a.py:1", NOTE)


def test_a_red_test_that_went_away_stays_apart_from_green_ones():
    names = [
        TestFacts("test_1", REMOVED, old_on_base=P, old_on_new=F),
        *(TestFacts(f"test_{n}", REMOVED, old_on_base=P, old_on_new=P) for n in (2, 3)),
    ]
    assert [one.rule for one in judge_all(names)] == ["test-put-away", "test-removed"]


def test_snapshots_are_told_by_the_first_of_them():
    for source_changed, old in ((True, F), (False, None), (False, F)):
        found = judge_snapshots(["a.snap", "b.snap"], source_changed=source_changed, old_on_new=old)
        assert found.where == "a.snap"
        assert found.what.startswith("2 snapshots changed")


@pytest.mark.parametrize(
    ("lines", "instead", "moved"),
    [
        ({"before": "x == 1", "after": "x == 2"}, ": x == 1 -> x == 2", ": x == 1 -> x == 2"),
        ({"before": "x == 1"}, "", ": x == 1 -> "),
        ({"after": "x == 2"}, "", ":  -> x == 2"),
        ({}, "", ""),
    ],
)
def test_the_lines_that_differ_are_shown(lines, instead, moved):
    was_red = judge(facts(CHANGED, F, F, P, **lines)).what
    assert was_red == f"test_x was red and was changed; its original is red still{instead}"
    expects = judge(facts(CHANGED, P, F, F, where="a.py:3", **lines)).what
    assert expects == f"test_x expects something else now{moved}"


def test_of_a_fixture_that_moved_an_expectation_its_place_is_told():
    known = {"expects_else": True, "new_on_new": P}
    found = judge(facts(SUPPORT, P, F, F, where="data.json", **known))
    assert found.what == "test_x expects something else now, in data.json"
    assert judge(facts(SUPPORT, P, F, F, **known)).what == "test_x expects something else now"


@pytest.mark.parametrize(
    ("kind", "now", "verb"),
    [
        (CHANGED, P, "changed"),
        (CHANGED, S, "skipped"),
        (CHANGED, GONE, "put out of reach"),
        (REMOVED, GONE, "removed"),
        (SKIP, S, "skipped"),
    ],
)
def test_what_was_done_to_a_test_is_said_by_what_running_it_showed(kind, now, verb):
    assert f"was red and was {verb};" in judge(facts(kind, F, F, new_on_new=now)).what
