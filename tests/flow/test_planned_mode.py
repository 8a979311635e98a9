"""
Planned modes over random courses of a session: what happens is drawn, what follows is decided by the program.

A little stand-in for the store carries out the program's own steps; phases, counts and facts of the mode's
machine have to follow, and every course has to end within its bounds.
"""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.course import judges, next_step, steps
from ultrawork.core.modes import modes, tables
from ultrawork.core.plan.task import FAILED, PENDING, RESOLVED, Task
from ultrawork.core.session import exploration, session
from ultrawork.core.session.session import Session
from ultrawork.flow import beginning, planned_mode

STAGED = (modes.AUTOPILOT, modes.ULTRAPILOT, modes.TEAM)
MOST = 1500


class Course:
    """`draw` chooses what agents and gates come to."""

    def __init__(self, mode, draw):
        self.draw = draw
        options = {**beginning.MODE_OPTIONS[mode], "auto_mode": True}
        self.session = Session(
            id="s1", goal="mend the login", working_dir="/p", started_at=0.0, options=options,
            exploration_stage=exploration.COMPLETE,
        )  # fmt: skip
        limits = {"iteration": options["max_iterations"]}
        facts = beginning.MODE_FACTS.get(mode)
        self.mode = tables.begin(mode, 0.0, facts=facts, limits=limits)
        self.tasks, self.rulings, self.errors = [], {}, []
        self.verdict = ""
        self.seen = [self.mode.phase]

    def known(self):
        return steps.SessionFacts(
            self.session, self.tasks, [], verdict=self.verdict, rulings=self.rulings,
            plan_errors=self.errors, mode=self.mode, attended=self.draw(st.booleans()),
        )  # fmt: skip

    def run(self):
        for _ in range(MOST):
            known = self.known()
            planned_mode.move_progress(self.mode, known, 1.0)
            self.check()
            step = next_step.choose_next(known)
            if step.kind == steps.DONE:
                return
            assert step.kind != steps.ASK, "a mode ends by itself"
            self.do(step)
        raise AssertionError("it does not end")

    def check(self):
        machine = tables.find(self.mode.mode)
        assert self.mode.phase in machine.moves
        assert all(number <= self.mode.limits[one] for one, number in self.mode.counts.items())
        if self.mode.phase != self.seen[-1]:
            self.seen.append(self.mode.phase)
        told = [phase for phase, _ in self.mode.history]
        legal = pairwise(told)
        assert all(after in machine.moves[before] for before, after in legal)

    def do(self, step):
        if step.kind == steps.SPAWN:
            for spawn in step.spawns:
                self.agent(spawn)
        elif step.kind == steps.VERIFY:
            self.verdict = self.draw(st.sampled_from(["PASS", "PASS", "FAIL"]))
        else:
            OWN[step.own](self)

    def agent(self, spawn):
        if spawn.subject == "spec":
            self.session.design = "the spec"
        elif spawn.subject == "prd":
            self.session.state["prd"] = {"criteria": ["true"]}
        elif spawn.subject == "plan":
            self.planned()
        elif spawn.of_task:
            task = next(one for one in self.tasks if one.id == spawn.subject)
            fails = self.draw(st.integers(0, 3)) == 0
            task.status = FAILED if fails else RESOLVED
            task.attempts += 1
        else:
            self.rulings[spawn.subject] = self.draw(
                st.sampled_from([judges.APPROVED, judges.APPROVED, judges.NEEDS_FIX])
            )

    def planned(self):
        if self.draw(st.booleans()):
            self.errors = ["no task has criteria"]
            if "architect" in self.mode.limits:
                tables.spend(self.mode, "architect", 1.0)
            return
        self.errors = []
        count = self.draw(st.integers(1, 3))
        self.tasks = [Task(id=str(one), subject="t", criteria=["true"]) for one in range(count)]

    def execute(self):
        self.session.phase = session.EXECUTION

    def retry(self):
        for task in self.tasks:
            if task.status == FAILED and task.may_retry:
                task.status, task.retry_count = PENDING, task.retry_count + 1

    def iterate(self):
        for task in self.tasks:
            if task.status == FAILED:
                task.status = PENDING
        if self.session.phase == session.VERIFICATION:
            name = f"mend-{self.session.iteration}"
            self.tasks.append(Task(id=name, subject="mend", criteria=["true"]))
        self.session.iteration += 1
        self.session.phase, self.verdict, self.rulings = session.EXECUTION, "", {}

    def settle(self):
        self.session.phase, self.verdict, self.rulings = session.VERIFICATION, "", {}

    def complete(self):
        assert self.verdict == "PASS"
        wanted = judges.list_wanted(self.known())
        assert all(self.rulings[part] == judges.APPROVED for part in wanted)
        self.end(session.COMPLETE, "PASS")

    def fail(self):
        self.end(session.FAILED, "FAIL")

    def end(self, phase, verdict):
        self.session.phase, self.session.verdict, self.session.ended_at = phase, verdict, 1.0


OWN = {
    steps.EXECUTE: Course.execute,
    steps.RETRY: Course.retry,
    steps.ITERATE: Course.iterate,
    steps.SETTLE: Course.settle,
    steps.COMPLETE: Course.complete,
    steps.FAILING: Course.fail,
}


@pytest.mark.slow
@pytest.mark.parametrize("mode", STAGED)
@given(data=st.data())
def test_any_course_ends_within_its_bounds_and_only_along_the_table(mode, data):
    course = Course(mode, data.draw)
    course.run()
    wanted = {session.COMPLETE: tables.COMPLETE, session.FAILED: tables.FAILED}
    assert course.mode.phase == wanted[course.session.phase]
    assert course.session.iteration <= beginning.MODE_OPTIONS[mode]["max_iterations"]
    assert not course.mode.active


class Always:
    """Draws what is told, wherever that can be drawn; elsewhere the first that fits."""

    def __init__(self, **fixed):
        self.fixed = fixed

    def __call__(self, strategy):
        text = repr(strategy)
        for word, value in self.fixed.items():
            if word in text:
                return value
        return False if "booleans" in text else 1


def test_gates_that_stay_red_end_autopilot_after_five_cycles():
    course = Course(modes.AUTOPILOT, Always(PASS="FAIL"))
    course.run()
    assert (course.mode.phase, course.mode.counts["qa"]) == (tables.FAILED, 5)
    assert course.session.iteration == 5
    assert "validation" not in course.seen


def test_reviewers_that_never_approve_end_autopilot_after_three_rounds():
    course = Course(modes.AUTOPILOT, Always(PASS="PASS", APPROVED=judges.REJECTED))
    course.run()
    assert (course.mode.phase, course.mode.counts["validation"]) == (tables.FAILED, 3)
    assert course.session.iteration == 3


def test_reviewers_who_find_something_after_the_last_cycle_of_qa_end_autopilot():
    """Another round would have to pass the gates again, and the mode has no cycle left for that."""
    words = iter(["FAIL"] * 4 + ["PASS"])
    always = Always(APPROVED=judges.NEEDS_FIX)
    course = Course(modes.AUTOPILOT, lambda strategy: next(words) if "PASS" in repr(strategy) else always(strategy))
    course.run()
    assert (course.mode.phase, course.mode.counts["qa"]) == (tables.FAILED, 5)
    assert course.seen[-2:] == ["validation", "failed"]


def test_a_team_mends_three_times_and_then_has_failed():
    course = Course(modes.TEAM, Always(PASS="FAIL"))
    course.run()
    assert (course.mode.phase, course.mode.counts["fix"]) == (tables.FAILED, 3)
    assert course.seen.count("team-verify") == course.session.iteration == 4


def test_plans_that_cannot_stand_end_autopilot_after_five():
    course = Course(modes.AUTOPILOT, Always(booleans=True))
    course.run()
    assert (course.mode.phase, course.mode.counts["architect"]) == (tables.FAILED, 5)
    assert course.seen[-2] == "planning"


def test_a_good_course_goes_through_every_stage_once():
    good = {"PASS": "PASS", "APPROVED": judges.APPROVED}
    stages_of = {
        modes.AUTOPILOT: ["expansion", "planning", "execution", "qa", "validation", "complete"],
        modes.TEAM: ["team-plan", "team-prd", "team-exec", "team-verify", "complete"],
        modes.ULTRAPILOT: ["partition", "execution", "integration", "validation", "complete"],
    }
    for mode, wanted in stages_of.items():
        course = Course(mode, Always(**good))
        course.run()
        assert course.seen == wanted
