"""A pipeline as a plan: its tasks, its agents, what a stage is told, and what a failure leads to."""

import json
import random

import pytest

from ultrawork.content import models
from ultrawork.core.course import next_step, roles
from ultrawork.core.errors import UsageError
from ultrawork.core.plan import graph
from ultrawork.core.plan.task import FAILED, RESOLVED
from ultrawork.core.session.session import Session
from ultrawork.features.pipeline.values import agents as stage_agents
from ultrawork.features.pipeline.values import expression as pipeline
from ultrawork.features.pipeline.values import stage_plan
from ultrawork.features.pipeline.values.agents import StageAgent
from ultrawork.features.pipeline.values.context import WHOLE, find_winner, make_context, read_ballot


def made(text, own=None, **wishes):
    found = pipeline.parse(text)
    agents = {name: stage_agents.resolve(name, own or {}) for name in pipeline.list_names(found)}
    plan, document = stage_plan.make_plan(found, pipeline.PipelineOptions(**wishes), agents, now=1.0)
    session = Session(id="s", goal=found.task, working_dir="/p", started_at=1.0)
    session.state.pipeline = document
    return session, {task.id: task for task in plan}


def needs(plan):
    return {name: task.blocked_by for name, task in plan.items()}


def test_stages_become_tasks_that_wait_for_the_stage_before():
    _, plan = made('explore -> [architect, critic] -> executor "x"')
    assert needs(plan) == {
        "s1-explore": [],
        "s2-architect": ["s1-explore"],
        "s2-critic": ["s1-explore"],
        "s3-executor": ["s2-architect", "s2-critic"],
    }


def test_the_same_agent_twice_in_a_stage_makes_two_tasks():
    _, plan = made('[executor, executor, EXECUTOR] "x"', own={"EXECUTOR": own("EXECUTOR")})
    assert list(plan) == ["s1-executor", "s1-executor-2", "s1-EXECUTOR-3"]


def own(name, *, reads=False, page=""):
    return StageAgent(name, name, reads=reads, page=page)


def test_to_summarize_a_parallel_stage_is_a_task_of_its_own():
    _, plan = made('[explore, architect] -> executor "x"', merge="summarize")
    assert needs(plan)["s1-merge"] == ["s1-explore", "s1-architect"]
    assert needs(plan)["s2-executor"] == ["s1-merge"]
    _, single = made('explore -> executor "x"', merge="summarize")
    assert "s1-merge" not in single


@pytest.mark.parametrize("seed", range(80))
def test_any_pipeline_makes_a_plan_without_circles_in_which_every_stage_waits_for_the_one_before(seed):
    chance = random.Random(seed)
    names = ["explore", "executor", "critic", "plug:one", "writer"]
    stages = [
        [pipeline.StageMember(chance.choice(names)) for _ in range(chance.randint(1, 4))]
        for _ in range(chance.randint(1, 15))
    ]
    own_agents = {"plug:one": own("plug:one")}
    found = pipeline.Pipeline(stages, "x")
    agents = {name: stage_agents.resolve(name, own_agents) for name in names}
    wishes = pipeline.PipelineOptions(merge=chance.choice(pipeline.MERGES))
    plan, document = stage_plan.make_plan(found, wishes, agents, now=1.0)
    wanted = {task.id: task.blocked_by for task in plan}
    graph.check(wanted)
    number = {name: one["number"] for name, one in document["stages"].items()}
    assert all(number[name] - number[other] in (0, 1) for name in wanted for other in wanted[name])
    assert len({name.lower() for name in wanted}) == len(plan) >= sum(map(len, stages))
    json.dumps(document)


def test_every_agent_that_has_a_tier_here_can_be_a_stage():
    known = models.load()
    for name in [*known.agents, *known.aliases]:
        found = stage_agents.resolve(name, {}, known.agents)
        assert found.kind.startswith("ultrawork:")
        assert found.reads == (found.kind != roles.WORKER)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("exeuctor", "did you mean executor?"),
        ("explore:sonet", "did you mean sonnet?"),
        ("xyzzy", "no agent"),
        ("shoper", "did you mean shopper?"),
    ],
)
def test_an_unknown_agent_is_refused_with_the_nearest(name, why):
    with pytest.raises(UsageError) as refused:
        stage_agents.resolve(name, {"shopper": own("shopper")})
    assert why in str(refused.value)


def test_a_projects_own_agent_comes_before_ours_and_a_tier_may_be_part_of_a_name():
    assert stage_agents.resolve("critic", {"critic": own("critic")}).kind == "critic"
    assert stage_agents.resolve("executor-low", {}).tier == "low"
    assert stage_agents.resolve("ultrawork:executor", {}).kind == roles.WORKER


def test_a_stage_is_started_as_its_agent_with_its_role_and_the_task():
    session, plan = made('explore:opus -> executor "mend the login"')
    spawn = next_step.spawn_task(session, plan["s1-explore"])
    assert (spawn.agent, spawn.model, spawn.counts_as) == (roles.EXPLORER, "opus", roles.READING)
    assert "TASK_ID: s1-explore" in spawn.prompt
    assert "mend the login" in spawn.prompt
    assert "STAGE: explore, 1 of 2" in spawn.prompt
    assert spawn.of_task
    writer = next_step.spawn_task(session, plan["s2-executor"])
    assert (writer.agent, writer.counts_as) == (roles.WORKER, roles.WORKER)


def test_an_agent_of_a_project_is_taken_as_it_is():
    session, plan = made('mine "x"', own={"mine": own("mine", page="/p/.claude/agents/mine.md")})
    spawn = next_step.spawn_task(session, plan["s1-mine"])
    assert (spawn.agent, spawn.model, spawn.page) == ("mine", "", "/p/.claude/agents/mine.md")
    assert "model" not in spawn.document()


def test_a_task_that_is_no_stage_is_a_workers_also_in_a_pipeline():
    session, plan = made('explore "x"')
    task = plan["s1-explore"]
    task.id = "mend-1"
    assert next_step.spawn_task(session, task).agent == roles.WORKER


def told(session, plan, name, reports):
    return make_context(session, name, list(plan.values()), reports, ".omc/x")


def test_the_context_has_the_keys_that_agents_know():
    session, plan = made('explore -> architect -> executor "fix it"')
    plan["s1-explore"].status = RESOLVED
    document = told(session, plan, "s2-architect", {"s1-explore": "calc.py:2"}).document
    assert document["original_task"] == "fix it"
    assert [one["output"] for one in document["previous_stages"]] == ["calc.py:2"]
    assert document["previous_stages"][0]["status"] == "done"
    assert document["current_stage"]["name"] == "architect"
    assert document["next_stage"] == {"number": 3, "names": ["executor"]}
    assert told(session, plan, "s3-executor", {}).document["next_stage"] is None


def test_a_long_report_goes_to_a_file_whose_path_is_told():
    session, plan = made('explore -> architect "x"')
    found = told(session, plan, "s2-architect", {"s1-explore": "y" * 50_000})
    (entry,) = found.document["previous_stages"]
    assert entry["whole_output"] == ".omc/x/s1-explore.md"
    assert found.files == {"s1-explore.md": "y" * 50_000}
    assert len(entry["output"]) < 7_000


def test_the_context_stays_within_its_size_however_long_the_pipeline_is():
    session, plan = made(" -> ".join(["[explore, architect, critic]"] * 19) + ' -> writer "x"')
    reports = dict.fromkeys(plan, "z" * 20_000)
    found = told(session, plan, "s20-writer", reports)
    assert len(json.dumps(found.document)) < 2 * WHOLE


def test_results_side_by_side_are_put_one_after_the_other():
    session, plan = made('[explore, architect] -> executor "x"')
    reports = {"s1-explore": "here", "s1-architect": "there"}
    (entry,) = told(session, plan, "s2-executor", reports).document["previous_stages"]
    assert entry["merge"] == "concat"
    assert [one["output"] for one in entry["members"]] == ["here", "there"]


def test_a_vote_is_counted_and_only_the_winners_report_is_handed_on():
    session, plan = made('[explore, architect, critic] -> executor "x"', merge="vote")
    assert "VOTE:" in next_step.spawn_task(session, plan["s1-explore"]).prompt
    assert "VOTE:" not in next_step.spawn_task(session, plan["s2-executor"]).prompt
    reports = {
        "s1-explore": "rewrite\nVOTE: rewrite",
        "s1-architect": "fix\n**VOTE: Fix it.**",
        "s1-critic": "VOTE: fix  it",
    }
    (entry,) = told(session, plan, "s2-executor", reports).document["previous_stages"]
    assert entry["winner"] == "fix it"
    assert [one["id"] for one in entry["members"]] == ["s1-architect"]
    assert entry["votes"]["s1-explore"] == "rewrite"


def test_without_a_majority_nobody_wins_and_all_are_heard():
    session, plan = made('[explore, architect] -> executor "x"', merge="vote")
    reports = {"s1-explore": "VOTE: a", "s1-architect": "VOTE: b"}
    (entry,) = told(session, plan, "s2-executor", reports).document["previous_stages"]
    assert entry["winner"] == ""
    assert len(entry["members"]) == 2


def test_a_summary_stands_for_the_stage_that_it_sums_up():
    session, plan = made('[explore, architect] -> executor "x"', merge="summarize")
    reports = {"s1-explore": "a", "s1-architect": "b", "s1-merge": "both"}
    summing = told(session, plan, "s1-merge", reports).document["previous_stages"]
    assert [one["output"] for one in summing[0]["members"]] == ["a", "b"]
    (entry,) = told(session, plan, "s2-executor", reports).document["previous_stages"]
    assert entry["output"] == "both"


def test_a_verdict_is_a_vote_and_silence_is_none():
    assert read_ballot('done\n```json\n{"verdict": "FAIL", "findings": []}\n```') == "fail"
    assert read_ballot("I would fix it.") == ""
    assert find_winner(["a", "b", "b", ""]) == "b"
    assert find_winner(["", ""]) == ""


def failing(text, **wishes):
    session, plan = made(text, **wishes)
    task = next(iter(plan.values()))
    task.status, task.retry_count = FAILED, task.max_retry
    return session, plan, task


@pytest.mark.parametrize(
    ("policy", "goes_on"), [("abort", False), ("retry", False), ("skip", True), ("fallback", True)]
)
def test_the_policy_says_whether_a_pipeline_goes_on_after_a_failure(policy, goes_on):
    session, plan, task = failing('explore -> executor "x"', on_error=policy)
    assert stage_plan.list_failed_stages(session, list(plan.values())) == [task]
    assert stage_plan.may_go_on(session, task) is goes_on


def test_a_stage_that_has_tries_left_has_not_failed_yet():
    session, plan, task = failing('explore "x"', retry=2)
    task.retry_count = 1
    assert stage_plan.list_failed_stages(session, list(plan.values())) == []


def test_a_stage_falls_back_once_to_the_plain_agent_of_its_kind():
    session, _, task = failing('security-reviewer:haiku -> executor "x"', on_error="fallback")
    stage_plan.fall_back(session.state.pipeline, task.id)
    spawn = next_step.spawn_task(session, task)
    assert (spawn.agent, spawn.model) == (roles.EXPLORER, "opus")
    assert not stage_plan.may_go_on(session, task)


def test_only_a_pipeline_with_a_stage_that_writes_is_expected_to_change_files():
    assert not stage_plan.has_writers(made('explore -> critic "x"')[0])
    assert stage_plan.has_writers(made('explore -> executor "x"')[0])
