"""What comes next in a pipeline: random stages that fail at random, under every policy, always come to an end."""

import random

import pytest

from ultrawork.core.course import steps
from ultrawork.core.course.next_step import choose_next
from ultrawork.core.course.steps import SessionFacts
from ultrawork.core.plan.task import FAILED, IN_PROGRESS, PENDING, RESOLVED, SKIPPED
from ultrawork.core.session.exploration import Explorer
from ultrawork.core.session.session import EXECUTION, Session
from ultrawork.features.pipeline.values import agents as stage_agents
from ultrawork.features.pipeline.values import expression as pipeline
from ultrawork.features.pipeline.values import stage_plan
from ultrawork.features.pipeline.values.context import collect_facts

NAMES = ("explore", "architect", "executor", "critic")
MOST = 2_000


def made(found, **wishes):
    agents = {name: stage_agents.resolve(name, {}) for name in pipeline.list_names(found)}
    plan, document = stage_plan.make_plan(found, pipeline.PipelineOptions(**wishes), agents, now=1.0)
    session = Session(id="s", goal=found.task, working_dir="/p", started_at=1.0)
    session.phase, session.options["auto_mode"] = EXECUTION, True
    session.state.pipeline = document
    return session, plan


class World:
    """Agents that come to something or not; what the program does after its own steps is done here too."""

    def __init__(self, session, plan, chance, odds):
        self.session, self.plan, self.chance, self.odds = session, plan, chance, odds
        self.attempts = dict.fromkeys([task.id for task in plan], 0)

    def step(self):
        return choose_next(SessionFacts(self.session, self.plan, [], attended=False))

    def start(self, name):
        task = next(one for one in self.plan if one.id == name)
        waited = {one.id: one.status for one in self.plan}
        assert all(waited[other] == RESOLVED for other in task.blocked_by)
        task.status, self.attempts[name] = IN_PROGRESS, self.attempts[name] + 1
        task.attempts += 1

    def end_one(self):
        running = [task for task in self.plan if task.status == IN_PROGRESS]
        if running:
            failed = self.chance.random() < self.odds
            one = self.chance.choice(running)
            one.status = FAILED if failed else RESOLVED

    def own(self, step):
        if step.own == steps.RETRY:
            for task in self.plan:
                if task.status == FAILED and task.may_retry:
                    task.status, task.retry_count = PENDING, task.retry_count + 1
        elif step.own == steps.STAGE_FAILED:
            self._go_on()

    def _go_on(self):
        document = self.session.state.pipeline
        failed = stage_plan.list_failed_stages(self.session, self.plan)
        for task in [one for one in failed if stage_plan.may_go_on(self.session, one)]:
            if document["on_error"] == pipeline.FALLBACK:
                stage_plan.fall_back(document, task.id)
                task.status = PENDING
            else:
                task.status = SKIPPED
                for other in self.plan:
                    other.blocked_by = [one for one in other.blocked_by if one != task.id]


def play(world):
    """The own step with which it ends."""
    for _ in range(MOST):
        step = world.step()
        if step.kind == steps.OWN and step.own in (steps.FAILING, steps.STAGES_DONE):
            return step.own
        if step.kind == steps.OWN:
            world.own(step)
        for spawn in step.spawns:
            world.start(spawn.subject)
        world.end_one()
    raise AssertionError("it goes on for ever")


@pytest.mark.parametrize("policy", pipeline.ON_ERROR)
@pytest.mark.parametrize("seed", range(25))
def test_every_pipeline_ends_within_its_tries_whatever_fails(policy, seed):
    chance = random.Random(seed)
    stages = [
        [pipeline.StageMember(chance.choice(NAMES)) for _ in range(chance.randint(1, 3))]
        for _ in range(chance.randint(1, 8))
    ]
    retry = chance.randint(0, 3)
    merge = chance.choice(pipeline.MERGES)
    session, plan = made(pipeline.Pipeline(stages, "x"), retry=retry, on_error=policy, merge=merge)
    world = World(session, plan, chance, odds=chance.choice([0.0, 0.3, 0.9, 1.0]))
    end = play(world)
    ended = {task.status for task in plan}
    most = retry + 1 + (policy == pipeline.FALLBACK)
    assert max(world.attempts.values()) <= most
    if end == steps.STAGES_DONE:
        assert ended <= {RESOLVED, SKIPPED}
    else:
        assert FAILED in ended
        assert policy != pipeline.SKIP
    assert IN_PROGRESS not in ended


def test_the_facts_of_the_mode_are_the_keys_that_scripts_know():
    session, plan = made(pipeline.parse('explore:opus -> [executor, writer] "fix it"'))
    plan[0].status, plan[1].status = RESOLVED, IN_PROGRESS
    reports = [Explorer(id="s1-explore", report="here", done_at=1.0)]
    told = collect_facts(SessionFacts(session, plan, reports))
    assert (told["name"], told["task"], told["current_stage"]) == ("custom", "fix it", 2)
    assert told["stages"][0] == {
        "id": "s1-explore",
        "name": "explore",
        "agent": "ultrawork:explorer",
        "model": "opus",
        "status": "complete",
        "output": "here",
    }
    assert [one["status"] for one in told["stages"]] == ["complete", "running", "pending"]
