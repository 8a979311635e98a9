"""Rounds of ralph and ultraqa over the one decision: every loop ends within its bound, whatever happens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.core.modes import loops, tables
from ultrawork.core.stop import rules as stop_rules
from ultrawork.core.verdict_values import FAIL, PASS, UNVERIFIED

NOW = 1000.0


def facts(progress, seen, verdict=FAIL, **more):
    made = stop_rules.StopFacts(verdict=verdict, because="test fails", **more)
    loops.set_counts(made, progress)
    loops.apply_round(made, progress, seen)
    return made


def decided(progress, seen, verdict=FAIL, **more):
    """One stop: the decision, and another round if it is a refusal."""
    decision = stop_rules.decide_after_checks(facts(progress, seen, verdict, **more))
    if decision.action in stop_rules.REFUSALS:
        assert loops.begin_round(progress, seen, NOW)
    return decision


def moving(number, **more):
    return loops.LoopRound(loops.make_mark(f"tree{number}", FAIL), **more)


def still(**more):
    return loops.LoopRound("same", **more)


LEFT = stop_rules.OpenWork("1 of 3 stories is open", step="finish it")


def test_ralph_has_ten_rounds_while_something_moves():
    ralph = tables.begin("ralph", NOW)
    rules = [decided(ralph, moving(number)).rule for number in range(10)]
    assert rules == [*["red"] * 9, "limit"]


def test_a_person_gives_it_more():
    ralph = tables.begin("ralph", NOW, limits={"iteration": 3})
    rules = [decided(ralph, moving(number)).rule for number in range(3)]
    assert rules == ["red", "red", "limit"]
    last = stop_rules.decide_after_checks(facts(ralph, moving(9)))
    assert last.because == "all 3 rounds of ralph are used up, so the agent was allowed to stop"
    assert last.clears == "for more rounds: /ultrawork:ralph --max-iterations N <task>"


def test_without_progress_it_ends_after_the_repeats():
    ralph = tables.begin("ralph", NOW)
    assert [decided(ralph, still()).rule for _ in range(3)] == ["red", "red", "no-progress"]


@pytest.mark.parametrize(
    "other", [loops.make_mark("tree2", FAIL), loops.make_mark("tree", PASS), loops.make_mark("tree", FAIL, ["US-1"])]
)
def test_files_verdict_or_stories_that_move_are_progress(other):
    ralph = tables.begin("ralph", NOW)
    first = loops.make_mark("tree", FAIL)
    rules = [decided(ralph, loops.LoopRound(mark)).rule for mark in (first, first, other, other, other)]
    assert rules == ["red"] * 4 + ["no-progress"]


def test_open_stories_refuse_although_all_is_green_and_closed_ones_pass():
    ralph = tables.begin("ralph", NOW)
    first = decided(ralph, still(left=LEFT), PASS)
    assert (first.action, first.rule, first.because) == (stop_rules.NUDGE, "open", LEFT.what)
    assert decided(ralph, still(), PASS).action == stop_rules.PASS


def test_open_stories_are_bounded_too_and_say_what_is_left():
    ralph = tables.begin("ralph", NOW)
    last = [decided(ralph, still(left=LEFT), PASS) for _ in range(3)][-1]
    assert (last.action, last.rule) == (stop_rules.LET_GO, "no-progress")
    assert last.because == "sent back twice without progress, and 1 of 3 stories is open"


def test_no_verdict_and_nothing_open_is_let_go():
    ralph = tables.begin("ralph", NOW)
    assert decided(ralph, still(), UNVERIFIED).rule == "not-proved"


def test_a_loop_goes_on_where_a_plain_session_takes_red_for_an_answer():
    ralph = tables.begin("ralph", NOW)
    decided(ralph, moving(1), admits=True)
    assert decided(ralph, moving(2), admits=True).rule == "red"
    plain = stop_rules.StopFacts(verdict=FAIL, admits=True, refusals=1)
    assert stop_rules.decide_after_checks(plain).rule == "admitted"


def test_blocked_is_accepted_in_a_loop():
    ralph = tables.begin("ralph", NOW)
    assert decided(ralph, moving(1), blocked="no licence", checked=True).rule == "blocked"


def test_ultraqa_ends_at_the_third_of_the_same_failure_although_files_move():
    qa = tables.begin("ultraqa", NOW)
    last = [decided(qa, moving(number, failure="x")) for number in range(3)]
    assert [one.rule for one in last] == ["red", "red", "same-failure"]
    assert last[1].last
    assert last[2].because == "the same failure occurred 3 times: test fails"


def test_ultraqa_has_five_cycles():
    qa = tables.begin("ultraqa", NOW)
    rules = [decided(qa, moving(number, failure=str(number))).rule for number in range(5)]
    assert rules == [*["red"] * 4, "limit"]


STOPS = st.lists(
    st.tuples(
        st.sampled_from((PASS, FAIL, UNVERIFIED)),
        st.integers(0, 3),  # the files
        st.integers(0, 2),  # stories that pass
        st.booleans(),  # something is open
        st.sampled_from(("", "x", "y")),  # the failure
        st.lists(st.sampled_from(("weak", "other")), unique=True),
    ),
    min_size=40,
    max_size=40,
)


@settings(max_examples=amount(50, 300), deadline=None)
@given(st.sampled_from(("ralph", "ultraqa")), st.integers(1, 12), st.integers(1, 30), st.booleans(), STOPS)
def test_every_loop_ends_within_its_bound(mode, most, repeats, admits, stops):
    """Whatever is found at each stop: never more rounds than the limit, and it never ends as PASS unproved."""
    counter = tables.LOOPS[mode].counter
    progress = tables.begin(mode, NOW, limits={counter: most})
    told, refused = set(), 0
    for verdict, tree, stories, left, failure, weak in stops:
        seen = loops.LoopRound(
            loops.make_mark(str(tree), verdict, [str(one) for one in range(stories)]),
            left=LEFT if left else None,
            failure=failure if verdict == FAIL else "",
        )
        decision = decided(progress, seen, verdict, repeats=repeats, weak=weak, shown=told, admits=admits)  # fmt: skip
        if decision.action not in stop_rules.REFUSALS:
            break
        refused += 1
        told.update(weak)
    else:
        raise AssertionError("it did not end")
    assert refused <= most - 1
    assert progress.counts[counter] <= most
    assert decision.action in (stop_rules.PASS, stop_rules.LET_GO)
    if decision.action == stop_rules.PASS:
        assert verdict == PASS
        assert not left
        assert not weak
