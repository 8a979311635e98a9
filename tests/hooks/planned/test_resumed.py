"""A planned session whose conversation was compacted or resumed: the model is told again."""

import pytest

from support.play import GOAL, context

OTHER = "5e551040-0000-4000-8000-000000000009"


def start(play, source, **data):
    return play.event("SessionStart", source=source, **data)


@pytest.mark.parametrize("source", ["compact", "resume"])
def test_goal_agents_next_step_and_end_are_told_in_a_kilobyte(executing, source):
    executing.worked("a")
    executing.agent("worker", "b")
    told = context(start(executing, source))
    assert len(told.encode()) <= 1000
    for part in (f"Goal: {GOAL}", "Running: b.", "EXECUTION", "TASK_ID: c", "every task is resolved"):
        assert part in told


def test_at_another_start_nothing_is_told(executing):
    assert start(executing, "clear") == {}


def test_where_everybody_is_at_work_it_is_said(executing):
    executing.agent("worker", "a")
    assert "workers running: a" in context(start(executing, "compact"))


def test_a_session_that_another_client_took_up_is_told_to_that_client(executing):
    executing.event(
        "UserPromptExpansion",
        session_id=OTHER,
        command_name="ultrawork:ultrawork-exec",
        command_args="--session last",
        prompt="x",
    )
    assert f"Goal: {GOAL}" in context(start(executing, "compact", session_id=OTHER))


def test_an_ended_session_is_not_told(executing):
    executing.run("cancel", "--session", "last")
    assert start(executing, "compact") == {}
