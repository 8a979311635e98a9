"""Whatever happens to a requirement, it stays on Axiom's table, and no gate opens without what it asks for."""

from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.core.errors import Conflict
from ultrawork.core.modes import machine
from ultrawork.core.modes.machine import ModeProgress
from ultrawork.features.axiom.values import review, states

NOW = 1_000_000.0
DRAFT = "d1"


def reviews(draft=DRAFT, **changed):
    found = {part: {"verdict": "PASS", "by": f"call-{part}", "draft": draft, "blocking": []} for part in review.EXPERTS}
    return {**found, **changed}


READY = {
    states.PLANNING: {"clarity": 95, "draft": DRAFT, "reviews": reviews(), "prd": "p1"},
    states.CONFIRMING: {"prd": "p1", "confirmed": "p1", "tasks_total": 2, "oversized": []},
    states.EXECUTING: {"red": ["test"], "proved": True},
    states.AUTO_FIX: {"stuck": True},
    states.BLOCKED: {"resolved": "try again"},
    states.ARCHIVING: {"archived": True},
    states.IDLE: {"requirement": "number the pages"},
}


def standing(state, **facts):
    progress = states.begin_requirement("number the pages", NOW)
    progress.phase = state
    progress.facts = dict(facts)
    return progress


MOVES = {
    "IDLE": ["PLANNING"],
    "PLANNING": ["CONFIRMING"],
    "CONFIRMING": ["EXECUTING", "PLANNING"],
    "EXECUTING": ["AUTO_FIX", "ARCHIVING"],
    "AUTO_FIX": ["EXECUTING", "BLOCKED"],
    "BLOCKED": ["EXECUTING", "ARCHIVING"],
    "ARCHIVING": ["IDLE"],
}


@pytest.mark.parametrize(("here", "there"), [*product(states.ALL, states.ALL)])
def test_only_what_the_table_names_follows(here, there):
    progress = standing(here, **READY[here])
    if there in (here, *MOVES[here]):
        assert states.move_to(progress, there, NOW).phase == there
    else:
        with pytest.raises(Conflict, match="legal from here"):
            states.move_to(progress, there, NOW)


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"clarity": 89}, "not 90 % clear"),
        ({"clarity": "95"}, "not 90 % clear"),
        ({"clarity": True}, "not 90 % clear"),
        ({"draft": "another"}, "5 of 5 reviews of this draft are missing"),
        ({"reviews": reviews(ux=None)}, "review_ux.md"),
        ({"reviews": reviews(tech={"by": "call-ux", "draft": DRAFT})}, "review_tech.md"),
        ({"reviews": reviews(critic={"by": "", "draft": DRAFT})}, "review_critic.md"),
        ({"reviews": "all of them agree"}, "5 of 5"),
        ({"prd": ""}, "no PRD"),
    ],
)
def test_the_expert_gate_names_what_is_missing_and_the_step_that_opens_it(facts, says):
    progress = standing(states.PLANNING, **{**READY[states.PLANNING], **facts})
    with pytest.raises(Conflict, match=says) as caught:
        states.move_to(progress, states.CONFIRMING, NOW)
    assert "Expert Gate" in str(caught.value)
    assert "(ax-" in str(caught.value)


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"confirmed": "p0"}, "User Gate: only the user"),
        ({"confirmed": True}, "User Gate: only the user"),
        ({"prd": None, "confirmed": None}, "User Gate: only the user"),
        ({"tasks_total": 0}, "Complexity Gate: there is no manifest"),
        ({"oversized": ["T-101"]}, "to be split: T-101"),
    ],
)
def test_a_yes_counts_for_the_very_text_it_was_given_to(facts, says):
    progress = standing(states.CONFIRMING, **{**READY[states.CONFIRMING], **facts})
    with pytest.raises(Conflict, match=says):
        states.move_to(progress, states.EXECUTING, NOW)


@pytest.mark.parametrize("facts", [{}, {"proved": False}, {"proved": "yes"}])
def test_nothing_is_archived_from_the_work_without_its_proof(facts):
    with pytest.raises(Conflict, match="it needs a PASS verdict"):
        states.move_to(standing(states.EXECUTING, **facts), states.ARCHIVING, NOW)


def test_two_mends_then_the_third_red_run_blocks():
    progress = standing(states.EXECUTING, red=["test"])
    for _ in range(states.MENDS):
        progress.facts["red"] = ["test"]
        states.move_to(progress, states.AUTO_FIX, NOW)
        with pytest.raises(Conflict, match="automatic fixes remain"):
            states.move_to(progress, states.BLOCKED, NOW)
        assert machine.spend(progress, "mend", NOW)
        states.move_to(progress, states.EXECUTING, NOW)
    progress.facts["red"] = ["test"]
    states.move_to(progress, states.AUTO_FIX, NOW)
    assert not machine.spend(progress, "mend", NOW)
    assert states.move_to(progress, states.BLOCKED, NOW).phase == states.BLOCKED
    states.forget_mends(progress)
    assert machine.spend(progress, "mend", NOW)


def test_what_was_true_of_other_files_is_forgotten():
    progress = standing(states.AUTO_FIX, red=["test"], proved=True, stuck=True)
    states.move_to(progress, states.EXECUTING, NOW)
    assert progress.facts == {}
    with pytest.raises(Conflict, match="no check fails"):
        states.move_to(progress, states.AUTO_FIX, NOW)


def test_a_no_takes_back_the_prd_and_the_yes():
    progress = standing(states.CONFIRMING, prd="p1", confirmed="p1", draft=DRAFT)
    states.move_to(progress, states.PLANNING, NOW)
    assert progress.facts == {"draft": DRAFT}


def test_what_is_shut_is_explained_without_moving():
    progress = standing(states.BLOCKED)
    assert "ultrawork axiom unblock" in states.explain_shut(progress, states.EXECUTING)
    assert progress.phase == states.BLOCKED
    progress.facts["resolved"] = "go on"
    assert states.explain_shut(progress, states.EXECUTING) == ""


FACTS = {
    "clarity": st.sampled_from([0, 89, 90, 100, True, "90"]),
    "draft": st.sampled_from(["", DRAFT, "d2"]),
    "reviews": st.sampled_from([{}, reviews(), reviews("d2"), reviews(ux=None)]),
    "prd": st.sampled_from(["", "p1", "p2"]),
    "confirmed": st.sampled_from([None, True, "p1", "p2"]),
    "tasks_total": st.integers(0, 2),
    "oversized": st.sampled_from([[], ["T-1"]]),
    "red": st.sampled_from([[], ["test"]]),
    "stuck": st.booleans(),
    "proved": st.sampled_from([True, False, "PASS", 1]),
    "resolved": st.sampled_from(["", "try again"]),
    "archived": st.booleans(),
}
EVENTS = st.one_of(
    st.tuples(st.just("move"), st.sampled_from(states.ALL)),
    st.tuples(st.just("mend"), st.none()),
    st.sampled_from(sorted(FACTS)).flatmap(lambda key: st.tuples(st.just(key), FACTS[key])),
)


@settings(max_examples=amount(60, 300))
@given(st.lists(EVENTS, max_size=80))
def test_no_sequence_of_events_leaves_the_table_or_passes_a_shut_gate(events):
    progress = states.begin_requirement("number the pages", NOW)
    for what, value in events:
        before = ModeProgress.read(progress.document())
        try:
            if what == "move":
                states.move_to(progress, value, NOW)
            elif what == "mend":
                machine.spend(progress, "mend", NOW)
            else:
                progress.facts[what] = value
        except Conflict:
            assert progress.document() == before.document()
            continue
        held(before, progress)
    walked = [phase for phase, _ in progress.history]
    assert all(there in states.MACHINE.moves[here] for here, there in pairwise(walked))
    assert 0 <= progress.counts["mend"] <= states.MENDS


def held(before, after):
    """What must have been there for a step that was taken."""
    facts = before.facts
    if (before.phase, after.phase) == (states.PLANNING, states.CONFIRMING):
        assert facts["clarity"] >= 90
        assert type(facts["clarity"]) is int
        assert not review.list_missing(facts["reviews"], facts["draft"])
    if (before.phase, after.phase) == (states.CONFIRMING, states.EXECUTING):
        assert facts["confirmed"] == facts["prd"] != ""
        assert not facts.get("oversized")
        assert facts["tasks_total"]
    if (before.phase, after.phase) == (states.EXECUTING, states.ARCHIVING):
        assert facts["proved"] is True
    if before.phase == states.BLOCKED != after.phase:
        assert facts["resolved"]
