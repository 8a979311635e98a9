"""Planned sessions in Codex: its own tools for agents, and what its agents are told."""

import json

import pytest

from support.play import GOAL, context, denied
from support.scene import SESSION, refused

EXPLORER = f"AGENT: ultrawork:explorer SESSION_ID: {SESSION} EXPLORER_ID: exp-1"


@pytest.fixture
def codex(alone):
    alone.told = alone.as_codex()
    alone.begun = alone.prompt(f"$ultrawork:ultrawork --auto {GOAL}", **alone.told)
    return alone


def asked(play, message=EXPLORER, call="call_1", tool="spawn_agent"):
    given = {"tool_name": tool, "tool_input": {"message": message}, "tool_use_id": call}
    return play.event("PreToolUse", **given, **play.told)


def started(play, agent="agent-1", call="call_1", response='{"agent_id": "agent-1"}'):
    given = {"tool_name": "spawn_agent", "tool_input": {"message": EXPLORER}, "tool_use_id": call}
    play.event("PostToolUse", **given, tool_response=response, **play.told)
    return play.prompt(EXPLORER, agent_id=agent, **play.told)


def ended(play, agent="agent-1"):
    words = {"agent_id": agent, "last_assistant_message": "The texts are a, b, c."}
    return play.event("SubagentStop", **words, **play.told)


def waited(play):
    given = {"tool_name": "multi_agent_v1wait_agent", "tool_input": {"targets": ["agent-1"]}}
    return play.event("PostToolUse", **given, tool_response="{}", **play.told)


def test_the_next_step_names_codexs_own_tools(codex):
    assert "Call spawn_agent for each of these with exactly this message" in context(codex.begun)
    assert f'- message "{EXPLORER}"' in context(codex.begun)


def test_an_agent_is_told_what_it_is_and_its_whole_task_when_it_begins(codex):
    assert asked(codex) == {}
    told = context(started(codex))
    assert told.startswith("You search one area of a codebase")
    assert f"GOAL: {GOAL}" in told
    assert "SEARCH_HINT: " in told


def test_it_is_told_even_if_its_call_has_not_been_answered_yet(codex):
    asked(codex)
    assert f"GOAL: {GOAL}" in context(codex.prompt(EXPLORER, agent_id="agent-1", **codex.told))


NEWER = "collaborationspawn_agent"
SEALED = {"message": "gAAAAAB sealed", "task_name": "ulw_explorer_exp_1_0"}


def begins(play, path):
    """An agent of the newer tools gets no prompt; its own record says under which name it was begun."""
    record = f"{play.root}/rollout-agent.jsonl"
    with open(record, "w", encoding="utf-8") as file:
        file.write(json.dumps({"type": "session_meta", "payload": {"agent_path": path}}) + "\n")
    told = {**play.told, "transcript_path": record}
    return play.event("SubagentStart", agent_id="agent-1", agent_type="default", **told)


def test_a_call_whose_message_nobody_can_read_is_known_by_its_name(codex):
    assert 'task_name "ulw_explorer_exp_1_0"' in context(codex.begun)
    call = {"tool_name": NEWER, "tool_input": SEALED, "tool_use_id": "call_1"}
    assert codex.event("PreToolUse", **call, **codex.told) == {}
    answer = '{"task_name":"/top/ulw_explorer_exp_1_0"}'
    codex.event("PostToolUse", **call, tool_response=answer, **codex.told)
    assert begins(codex, "/top/somebody_else") == {}
    assert f"GOAL: {GOAL}" in context(begins(codex, "/top/ulw_explorer_exp_1_0"))
    ended(codex)
    told = context(waited(codex))
    assert "ulw_planner_plan_1" in told
    assert "close_agent" not in told, "the newer tools have no such thing"


def test_a_call_that_codex_refused_is_named_again_at_the_end_of_the_turn(codex):
    """It tells no hook that it refused it: an agent limit, a name that is taken."""
    asked(codex)
    assert 'task_name "ulw_explorer_exp_1_1"' in refused(codex.stop("It failed.", **codex.told))


def test_a_call_that_is_not_due_is_denied(codex):
    worker = f"AGENT: ultrawork:worker SESSION_ID: {SESSION} TASK_ID: a"
    assert "is not the next step" in denied(asked(codex, worker))


@pytest.mark.parametrize("message", ["look around", "AGENT: somebody:else", "", None])
def test_agents_that_are_none_of_ours_are_left_alone(codex, message):
    assert asked(codex, message) == {}
    assert codex.prompt("look around", agent_id="agent-9", **codex.told) == {}


@pytest.mark.parametrize("response", ["no JSON", "[]", '{"agent_id": 5}', None, {"agent_id": "x"}])
def test_an_answer_that_cannot_be_read_does_no_harm(codex, response):
    asked(codex)
    assert f"GOAL: {GOAL}" in context(started(codex, response=response))


def test_while_agents_work_it_is_told_to_wait_for_them(codex):
    asked(codex)
    started(codex)
    told = refused(codex.stop("Waiting.", **codex.told))
    assert "Call wait_agent until each running agent has ended." in told
    assert told.endswith("Their ids: agent-1.")


def test_an_agent_that_has_ended_is_to_be_closed_until_that_was_tried(codex):
    """It holds a seat beyond its end; one that Codex has lost is not named for ever."""
    asked(codex)
    started(codex)
    ended(codex)
    assert "First call close_agent for each finished agent: agent-1.\n" in context(waited(codex))
    closing = {"tool_name": "multi_agent_v1close_agent", "tool_input": {"target": "agent-1"}}
    assert codex.event("PreToolUse", **closing, tool_use_id="call_2", **codex.told) == {}
    told = refused(codex.stop("What is next?", **codex.told))
    assert "ultrawork:planner" in told
    assert "close_agent" not in told


def test_no_more_agents_are_asked_for_than_codex_runs_at_a_time(codex):
    asked(codex)
    started(codex)
    ended(codex)
    waited(codex)
    planner = f"AGENT: ultrawork:planner SESSION_ID: {SESSION} PLANNER_ID: plan-1"
    asked(codex, planner, "call_2")
    codex.prompt(planner, agent_id="agent-2", **codex.told)
    tasks = [{"id": f"t{n}", "subject": "Do it", "criteria": ["true"], "blockedBy": []} for n in range(8)]
    plan = f"```json\n{json.dumps({'tasks': tasks})}\n```"
    codex.event("SubagentStop", agent_id="agent-2", last_assistant_message=plan, **codex.told)
    told = context(waited(codex))
    assert told.count("- message ") == 6, told
    assert "(2 more follow when these are running)" in told


def test_the_end_of_an_agent_is_heard_and_the_wait_brings_what_is_next(codex):
    asked(codex)
    started(codex)
    ended(codex)
    told = context(waited(codex))
    assert "AGENT: ultrawork:" in told
    assert EXPLORER not in told


def test_our_program_is_called_by_its_place(play):
    play.told = play.as_codex()
    play.prompt(f"$ultrawork:ultrawork {GOAL}", **play.told)
    asked(play)
    started(play)
    ended(play)
    ours = f'"{play.environ["CLAUDE_PLUGIN_ROOT"]}/bin/ultrawork"'
    assert f"  {ours} session set --session {SESSION} --design -" in context(waited(play))


@pytest.mark.slow
def test_a_reviewer_is_told_that_it_is_one_and_heard_as_a_judge(alone):
    """autopilot in Codex, from the typed skill to the three judges."""
    play = alone
    play.told = play.as_codex()
    play.prompt(f"$ultrawork:autopilot {GOAL}", **play.told)
    assert play.session()["modes"]["autopilot"]["phase"] == "expansion"
    play.explored()
    play.end(play.agent("planner", "spec"), "1. They say right.")
    play.planned()
    for name in "abc":
        play.worked(name)
    play.stop("All done.", **play.told)
    message = f"AGENT: ultrawork:reviewer SESSION_ID: {SESSION} PART: security"
    assert asked(play, message, "call_9") == {}
    told = context(play.prompt(message, agent_id="agent-9", **play.told))
    assert "You review a change" in told.partition("FOCUS: ")[0]
    assert "FOCUS: security" in told
