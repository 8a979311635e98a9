"""What comes next, for every place that a session can be in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.course import next_step, roles, steps
from ultrawork.core.plan.schedule import Schedule
from ultrawork.core.plan.task import ALL, BLOCKED, FAILED, IN_PROGRESS, PENDING, RESOLVED, SKIPPED, VERIFY, Task
from ultrawork.core.session import exploration
from ultrawork.core.session.exploration import Explorer
from ultrawork.core.session.session import EXECUTION, PLANNING, PLANNING_COMPLETE, TERMINAL, VERIFICATION, Session


def session(phase=PLANNING, stage=exploration.COMPLETE, *, iteration=1, approved=False, **options):
    return Session(
        id="s1",
        goal="fix the login",
        working_dir="/p",
        started_at=0.0,
        phase=phase,
        exploration_stage=stage,
        iteration=iteration,
        options=options,
        plan={"version": 1, "created_at": None, "approved_at": "now" if approved else None},
    )


def task(name, status=PENDING, *needs, **more):
    return Task(id=name, subject=name, status=status, blocked_by=list(needs), criteria=["true"], **more)


def step(known_session, tasks=(), explorers=(), **more):
    return next_step.choose_next(steps.SessionFacts(known_session, tasks, explorers, **more))


def explorer(name, done=None, expected=True):
    return Explorer(id=name, hint=f"look at {name}", expected=expected, done_at=done)


@pytest.mark.parametrize(
    ("stage", "explorers", "own"),
    [
        (exploration.NOT_STARTED, [], steps.OVERVIEW),
        (exploration.OVERVIEW, [], steps.OVERVIEW),
        (exploration.OVERVIEW, [explorer("overview", 1.0)], steps.HINTS),
        (exploration.ANALYZING, [explorer("overview", 1.0)], steps.HINTS),
        (exploration.TARGETED, [explorer("overview", 1.0), explorer("exp-1", 1.0)], steps.EXPLORED),
    ],
)
def test_exploration_is_taken_up_where_it_stopped(stage, explorers, own):
    assert step(session(stage=stage), explorers=explorers).own == own


def test_only_missing_explorers_are_started():
    explorers = [explorer("overview", 1.0), explorer("exp-1", 2.0), explorer("exp-2")]
    found = step(session(stage=exploration.TARGETED), explorers=explorers)
    assert [spawn.subject for spawn in found.spawns] == ["exp-2"]
    assert "SEARCH_HINT: look at exp-2" in found.spawns[0].prompt


def test_explorers_at_work_are_waited_for():
    found = step(session(stage=exploration.TARGETED), explorers=[explorer("exp-1")], running=["exp-1"])
    assert (found.kind, found.waiting) == (steps.WAIT, ["exp-1"])


def test_an_unexpected_explorer_holds_nothing_up():
    explorers = [explorer("exp-1", 1.0), explorer("stray", expected=False)]
    assert step(session(stage=exploration.TARGETED), explorers=explorers).own == steps.EXPLORED


def test_planning_is_the_persons_unless_it_is_automatic():
    assert step(session()).kind == steps.PLAN
    assert step(session(auto_mode=True)).spawns[0].agent == roles.PLANNER


def test_a_plan_that_was_refused_goes_back_with_the_reason():
    found = step(session(auto_mode=True), [task("a")], plan_errors=["task a has no criterion"])
    assert "task a has no criterion" in found.spawns[0].prompt


@pytest.mark.parametrize(
    ("options", "approved", "kind", "own"),
    [
        ({}, False, steps.ASK, ""),
        ({}, True, steps.OWN, steps.EXECUTE),
        ({"auto_mode": True}, False, steps.OWN, steps.EXECUTE),
        ({"plan_only": True}, False, steps.OWN, steps.STAND),
        ({"plan_only": True, "auto_mode": True}, False, steps.OWN, steps.STAND),
    ],
)
def test_execution_needs_approval_or_auto(options, approved, kind, own):
    found = step(session(approved=approved, **options), [task("a")])
    assert (found.kind, found.own) == (kind, own)


def test_the_question_is_asked_in_korean_where_the_person_speaks_it():
    found = step(session(), [task("a")], language="ko")
    assert found.question == "이 계획으로 진행할까요?"
    assert found.options == ("승인", "수정 요청", "취소")


def test_a_plan_that_stands_waits_to_be_executed():
    assert step(session(PLANNING_COMPLETE, plan_only=True), [task("a")]).kind == steps.DONE
    approved = session(PLANNING_COMPLETE, approved=True)
    assert step(approved, [task("a")]).own == steps.EXECUTE


EXECUTING = session(EXECUTION)


def test_ready_tasks_start_with_the_model_of_their_complexity():
    plan = [task("a", complexity="simple"), task("b", complexity="complex"), task("c", "pending", "a")]
    found = step(EXECUTING, plan)
    assert {spawn.subject: spawn.model for spawn in found.spawns} == {"a": "haiku", "b": "opus"}


def test_the_third_attempt_gets_the_strongest_model():
    assert roles.choose_model(task("a", attempts=1)) == "sonnet"
    assert {roles.choose_model(task("a", attempts=before)) for before in range(2, 6)} == {"opus"}


@pytest.mark.parametrize(("limit", "started"), [(0, 2), (1, 0), (2, 1), (3, 2)])
def test_workers_stay_within_their_number(limit, started):
    plan = [task("a", IN_PROGRESS), task("b"), task("c")]
    found = step(session(EXECUTION, max_workers=limit), plan)
    assert len(found.spawns) == started


def test_a_barrier_lets_a_wave_end_first():
    plan = [task("a", IN_PROGRESS), task("b", RESOLVED), task("c", "pending", "b")]
    assert step(EXECUTING, plan, barrier=True).kind == steps.WAIT
    assert [spawn.subject for spawn in step(EXECUTING, plan).spawns] == ["c"]


def test_what_the_longest_chain_waits_for_starts_first():
    plan = [task("lone"), task("root"), task("leaf", "pending", "root")]
    found = step(session(EXECUTION, max_workers=1), plan)
    assert [spawn.subject for spawn in found.spawns] == ["root"]


STATUSES = st.sampled_from([PENDING, IN_PROGRESS, RESOLVED, SKIPPED, BLOCKED])


@given(st.lists(st.tuples(STATUSES, st.sets(st.integers(0, 9))), max_size=10), st.booleans())
def test_the_engine_and_the_next_step_choose_the_same_tasks(rows, barrier):
    plan = [
        task(f"t{number}", status, *(f"t{other}" for other in needs if other < number))
        for number, (status, needs) in enumerate(rows)
    ]
    found = step(EXECUTING, plan, barrier=barrier)
    assert [spawn.subject for spawn in found.spawns] == Schedule.of(plan, barrier=barrier).ready()


def test_a_failed_task_does_not_stop_independent_ones_and_is_tried_again():
    plan = [task("a", FAILED), task("b")]
    assert step(EXECUTING, plan).own == steps.RETRY
    used_up = [task("a", FAILED, retry_count=2), task("b")]
    assert [spawn.subject for spawn in step(EXECUTING, used_up).spawns] == ["b"]


def test_the_verify_task_is_never_given_to_a_worker():
    plan = [task("a", RESOLVED), task(VERIFY, "pending", "a")]
    assert step(EXECUTING, plan).own == steps.SETTLE


def test_skipping_verification_ends_unverified():
    found = step(session(EXECUTION, skip_verify=True), [task("a", RESOLVED)])
    assert found.own == steps.UNVERIFIED


STUCK = [task("a", FAILED, retry_count=2), task("b", "pending", "a")]


@pytest.mark.parametrize(
    ("iteration", "attended", "kind", "own"),
    [
        (1, True, steps.OWN, steps.ITERATE),
        (1, False, steps.OWN, steps.ITERATE),
        (5, True, steps.ASK, ""),
        (5, False, steps.OWN, steps.FAILING),
    ],
)
def test_rounds_are_bounded_and_then_a_person_decides(iteration, attended, kind, own):
    now = session(EXECUTION, iteration=iteration, auto_mode=True)
    found = step(now, STUCK, attended=attended)
    assert (found.kind, found.own) == (kind, own)


def test_a_person_who_plans_along_is_asked_as_soon_as_retries_are_used_up():
    found = step(session(EXECUTION), STUCK, attended=True)
    assert (found.kind, found.question) == (steps.ASK, steps.STUCK[0])
    assert step(session(EXECUTION), STUCK, attended=False).own == steps.ITERATE


def test_who_skips_is_asked_why():
    now = session(EXECUTION)
    now.state["skipping"] = True
    assert step(now, STUCK, attended=True).question == steps.REASON[0]


def test_a_start_that_comes_again_is_known_as_a_retry():
    fresh, tried = task("a"), task("b", attempts=1)
    assert not step(session(EXECUTION), [fresh]).again
    assert step(session(EXECUTION), [fresh, tried]).again
    assert step(session(EXECUTION, iteration=2), [fresh]).again


@pytest.mark.parametrize(("number", "words"), [(1, "one question at a time"), (4, "up to 4 questions at a time")])
def test_the_person_is_asked_one_question_at_a_time_or_as_many_as_wanted(number, words):
    found = step(session(stage=exploration.COMPLETE), [], questions=number)
    assert (found.kind, words in found.text) == (steps.PLAN, True)


VERIFYING = session(VERIFICATION)
DONE = [task("a", RESOLVED)]


@pytest.mark.parametrize(
    ("verdict", "verifier", "kind", "own"),
    [
        ("", "", steps.VERIFY, ""),
        ("FAIL", "", steps.OWN, steps.ITERATE),
        ("FAIL", "APPROVED", steps.OWN, steps.ITERATE),
        ("UNVERIFIED", "APPROVED", steps.OWN, steps.UNVERIFIED),
        ("PASS", "", steps.SPAWN, ""),
        ("PASS", "NEEDS_FIX", steps.OWN, steps.ITERATE),
        ("PASS", "REJECTED", steps.OWN, steps.ITERATE),
        ("PASS", "APPROVED", steps.OWN, steps.COMPLETE),
    ],
)
def test_a_verifier_lowers_a_verdict_and_never_raises_it(verdict, verifier, kind, own):
    rulings = {"verify": verifier} if verifier else {}
    found = step(VERIFYING, DONE, verdict=verdict, rulings=rulings)
    assert (found.kind, found.own) == (kind, own)


@pytest.mark.parametrize("phase", TERMINAL)
def test_nothing_follows_an_end(phase):
    assert step(session(phase), DONE).kind == steps.DONE


TASKS = st.lists(st.tuples(st.sampled_from(ALL), st.integers(0, 3), st.sets(st.integers(0, 7))), max_size=8)


@given(TASKS, st.integers(0, 4), st.booleans())
def test_execution_never_starts_what_waits_and_never_stands_still(rows, limit, attended):
    plan = [
        task(f"t{n}", status, *(f"t{need}" for need in needs if need < n), retry_count=tries)
        for n, (status, tries, needs) in enumerate(rows)
    ]
    resolved = {one.id for one in plan if one.status == RESOLVED}
    found = step(session(EXECUTION, max_workers=limit), plan, attended=attended)
    by_name = {one.id: one for one in plan}
    for spawn in found.spawns:
        assert resolved.issuperset(by_name[spawn.subject].blocked_by)
        assert by_name[spawn.subject].status == PENDING
    assert found.kind in (steps.SPAWN, steps.WAIT, steps.ASK, steps.OWN)
    if found.kind == steps.WAIT:
        assert any(one.status == IN_PROGRESS for one in plan)
