"""The life of a session: every pair of phases, and what each step needs."""

import pytest

from ultrawork.core.errors import Conflict, UsageError
from ultrawork.core.session import phases
from ultrawork.core.session.phases import PhaseFacts

READY = PhaseFacts(approved=True, passed=True, restart=True)
LEGAL = {
    ("PLANNING", "PLANNING_COMPLETE"),
    ("PLANNING", "EXECUTION"),
    ("PLANNING_COMPLETE", "PLANNING"),
    ("PLANNING_COMPLETE", "EXECUTION"),
    ("EXECUTION", "VERIFICATION"),
    ("VERIFICATION", "EXECUTION"),
    ("VERIFICATION", "DOCUMENTATION"),
    ("VERIFICATION", "COMPLETE"),
    ("DOCUMENTATION", "EXECUTION"),
    ("DOCUMENTATION", "COMPLETE"),
    ("FAILED", "EXECUTION"),
    *((phase, end) for phase in phases.ALL[:5] for end in ("FAILED", "CANCELLED")),
}
PAIRS = [(now, target) for now in phases.ALL for target in phases.ALL if now != target]


def test_there_are_the_phases_of_the_documents():
    assert phases.ALL == (
        "PLANNING",
        "PLANNING_COMPLETE",
        "EXECUTION",
        "VERIFICATION",
        "DOCUMENTATION",
        "COMPLETE",
        "FAILED",
        "CANCELLED",
    )


@pytest.mark.parametrize(("now", "target"), [pair for pair in PAIRS if pair in LEGAL])
def test_a_legal_move_is_made_when_nothing_is_missing(now, target):
    assert phases.move(now, target, READY) == target


@pytest.mark.parametrize(("now", "target"), [pair for pair in PAIRS if pair not in LEGAL])
def test_an_illegal_move_names_the_legal_ones(now, target):
    with pytest.raises(Conflict) as refused:
        phases.move(now, target, READY)
    named = str(refused.value).partition("legal from here: ")[2]
    legal = [other for other in phases.ALL if (now, other) in LEGAL]
    assert set(named.split(", ")) == set(legal) if legal else "it has ended" in named


@pytest.mark.parametrize("phase", phases.ALL)
def test_staying_where_one_is_needs_nothing(phase):
    assert phases.move(phase, phase, PhaseFacts()) == phase


@pytest.mark.parametrize("now", [phases.PLANNING, phases.PLANNING_COMPLETE])
def test_execution_waits_for_an_approved_plan(now):
    with pytest.raises(Conflict, match="--plan-approved"):
        phases.move(now, phases.EXECUTION, PhaseFacts())
    assert phases.move(now, phases.EXECUTION, PhaseFacts(approved=True)) == phases.EXECUTION


def test_a_session_begun_with_auto_needs_no_approval():
    assert phases.move(phases.PLANNING, phases.EXECUTION, PhaseFacts(auto=True)) == phases.EXECUTION


def test_a_failed_session_goes_on_only_by_restart():
    with pytest.raises(Conflict, match="--restart"):
        phases.move(phases.FAILED, phases.EXECUTION, PhaseFacts(approved=True))


def test_verification_waits_for_unsettled_tasks_and_names_the_first_five():
    with pytest.raises(Conflict, match=r"t0, t1, t2, t3, t4$"):
        phases.move(phases.EXECUTION, phases.VERIFICATION, PhaseFacts(unsettled=[f"t{n}" for n in range(9)]))


@pytest.mark.parametrize("now", [phases.VERIFICATION, phases.DOCUMENTATION])
def test_complete_waits_for_a_verdict(now):
    with pytest.raises(Conflict, match="PASS verdict"):
        phases.move(now, phases.COMPLETE, PhaseFacts(approved=True))


def test_another_round_is_refused_when_all_are_used_up():
    last = PhaseFacts(iteration=5, limit=5)
    with pytest.raises(Conflict, match="all 5 iterations"):
        phases.move(phases.VERIFICATION, phases.EXECUTION, last)
    assert phases.move(phases.VERIFICATION, phases.EXECUTION, PhaseFacts(iteration=4, limit=5))


@pytest.mark.parametrize(
    ("word", "phase"),
    [("execution", "EXECUTION"), (" Planning ", "PLANNING"), ("COMPLETED", "COMPLETE"), ("canceled", "CANCELLED")],
)
def test_phases_are_read_in_every_spelling_of_the_documents(word, phase):
    assert phases.parse(word) == phase


def test_an_unknown_phase_names_the_known_ones():
    with pytest.raises(UsageError, match="PLANNING_COMPLETE"):
        phases.parse("DONE")
