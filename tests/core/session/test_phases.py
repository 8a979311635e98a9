"""The life of a session: every pair of phases, and what each step needs."""

import pytest

from ultrawork.core.errors import Conflict, UsageError
from ultrawork.core.session import session
from ultrawork.core.session.session import PhaseFacts

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
    *((phase, end) for phase in session.ALL[:5] for end in ("FAILED", "CANCELLED")),
}
PAIRS = [(now, target) for now in session.ALL for target in session.ALL if now != target]


def test_there_are_the_phases_of_the_documents():
    assert session.ALL == (
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
    assert session.move(now, target, READY) == target


@pytest.mark.parametrize(("now", "target"), [pair for pair in PAIRS if pair not in LEGAL])
def test_an_illegal_move_names_the_legal_ones(now, target):
    with pytest.raises(Conflict) as refused:
        session.move(now, target, READY)
    named = str(refused.value).partition("legal from here: ")[2]
    legal = [other for other in session.ALL if (now, other) in LEGAL]
    assert set(named.split(", ")) == set(legal) if legal else "it has ended" in named


@pytest.mark.parametrize("phase", session.ALL)
def test_staying_where_one_is_needs_nothing(phase):
    assert session.move(phase, phase, PhaseFacts()) == phase


@pytest.mark.parametrize("now", [session.PLANNING, session.PLANNING_COMPLETE])
def test_execution_waits_for_an_approved_plan(now):
    with pytest.raises(Conflict, match="--plan-approved"):
        session.move(now, session.EXECUTION, PhaseFacts())
    assert session.move(now, session.EXECUTION, PhaseFacts(approved=True)) == session.EXECUTION


def test_a_session_begun_with_auto_needs_no_approval():
    assert session.move(session.PLANNING, session.EXECUTION, PhaseFacts(auto=True)) == session.EXECUTION


def test_a_failed_session_goes_on_only_by_restart():
    with pytest.raises(Conflict, match="--restart"):
        session.move(session.FAILED, session.EXECUTION, PhaseFacts(approved=True))


def test_verification_waits_for_unsettled_tasks_and_names_the_first_five():
    with pytest.raises(Conflict, match=r"t0, t1, t2, t3, t4$"):
        session.move(session.EXECUTION, session.VERIFICATION, PhaseFacts(unsettled=[f"t{n}" for n in range(9)]))


@pytest.mark.parametrize("now", [session.VERIFICATION, session.DOCUMENTATION])
def test_complete_waits_for_a_verdict(now):
    with pytest.raises(Conflict, match="PASS verdict"):
        session.move(now, session.COMPLETE, PhaseFacts(approved=True))


def test_another_round_is_refused_when_all_are_used_up():
    last = PhaseFacts(iteration=5, limit=5)
    with pytest.raises(Conflict, match="all 5 iterations"):
        session.move(session.VERIFICATION, session.EXECUTION, last)
    assert session.move(session.VERIFICATION, session.EXECUTION, PhaseFacts(iteration=4, limit=5))


@pytest.mark.parametrize(
    ("word", "phase"),
    [("execution", "EXECUTION"), (" Planning ", "PLANNING"), ("COMPLETED", "COMPLETE"), ("canceled", "CANCELLED")],
)
def test_phases_are_read_in_every_spelling_of_the_documents(word, phase):
    assert session.parse(word) == phase


def test_an_unknown_phase_names_the_known_ones():
    with pytest.raises(UsageError, match="PLANNING_COMPLETE"):
        session.parse("DONE")
