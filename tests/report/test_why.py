"""Why a task is where it is, and what comes next, in words."""

from ultrawork.core.course import steps
from ultrawork.core.course.roles import Spawn
from ultrawork.core.course.steps import NextStep
from ultrawork.core.plan.task import Task
from ultrawork.report.course import render_step
from ultrawork.report.why import explain_task


def test_a_task_tells_what_it_waits_for_and_what_would_change_it():
    task = Task("c", "count", blocked_by=["a", "b"], criteria=["Run: make test"])
    assert explain_task(task, {"a"}).splitlines() == [
        "decided    task c is pending, attempt 0",
        "because    it waits for b",
        "next       Run: make test",
    ]


def test_a_reason_that_was_given_comes_first_and_nothing_may_hold_a_task():
    assert "because    red" in explain_task(Task("c", "count", reason="red"), set())
    free = explain_task(Task("c", "count"), set())
    assert "because    it is ready to start" in free
    assert "next       no criterion was given" in free


def test_the_next_step_shows_its_agents_with_their_words_indented():
    spawn = Spawn("ultrawork:worker", "sonnet", "a", "Correct a", "Do it.\n\nThen end.")
    step = NextStep(steps.SPAWN, "start one agent", spawns=[spawn])
    assert render_step(step).splitlines() == [
        f"{steps.SPAWN}: start one agent",
        "",
        "ultrawork:worker (sonnet): Correct a",
        "  Do it.",
        "",
        "  Then end.",
    ]


def test_a_question_is_shown_with_its_options():
    step = NextStep(steps.ASK, "the person decides", question="Go on?", options=("Yes", "No"))
    assert render_step(step).splitlines()[1:] == ["Go on?", "  - Yes", "  - No"]
