"""Agents beside a session: notes, cost, stale ones; stops and limits."""

import json
import os
from threading import Event, Thread
from time import monotonic, time

import pytest

from support.scene import SESSION
from ultrawork.features.notepad import store as notepad
from ultrawork.report import timeline
from ultrawork.store import trace
from ultrawork.store.atomic import Lock
from ultrawork.store.omc import agent_tracking


def end(project, words="done", name="a1", **data):
    return project.agent(name, event="SubagentStop", last_assistant_message=words, **data)


def test_what_agents_ask_to_remember_is_noted(project):
    end(project, "<remember>one</remember> <remember priority>two</remember>")
    end(project, "<remember priority>three</remember>", "a2")
    assert "one" in notepad.read(project.omc, "working")
    assert notepad.read(project.omc, "priority") == "two\nthree"


def test_a_note_that_ten_agents_leave_is_there_once(project):
    for number in range(10):
        end(project, "<remember>the port is 8081</remember>", f"a{number}")
    assert notepad.read(project.omc, "working").count("the port is 8081") == 1


def test_an_agent_that_says_nothing_of_its_success_had_it(project):
    for name, data in (("a1", {}), ("a2", {"success": False})):
        project.agent(name)
        end(project, name=name, **data)
    found = {one["agent_id"]: one["status"] for one in agent_tracking.list_all(project.omc)}
    assert found == {"a1": "completed", "a2": "failed"}


def test_agents_that_cost_much_are_told_to_the_person_once(project, tmp_path):
    usage = {"input_tokens": 300_000, "output_tokens": 20_000}
    entry = {"message": {"id": "m1", "model": "claude-opus-4", "usage": usage}}
    path = tmp_path / "agent.jsonl"
    path.write_text(f'{json.dumps(entry)}\n{json.dumps(entry)}\nnot json "usage"\n')
    project.agent("a1")
    said = end(project, agent_transcript_path=str(path)).get("systemMessage")
    assert said == "ultrawork: the agents of this session cost about $2.00"
    project.agent("a2")
    assert "systemMessage" not in end(project, name="a2", agent_transcript_path=str(path))


def test_a_model_without_a_price_is_named_and_not_guessed(project, tmp_path):
    usage = {"input_tokens": 300_000, "output_tokens": 20_000}
    models = {"m1": "claude-opus-4", "m2": "somebody-elses"}
    entries = [{"message": {"id": name, "model": model, "usage": usage}} for name, model in models.items()]
    path = tmp_path / "agent.jsonl"
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    project.agent("a1")
    said = end(project, agent_transcript_path=str(path)).get("systemMessage")
    assert said == (
        "ultrawork: the agents of this session cost about $2.00, without somebody-elses, which has no known price"
    )


def test_an_agent_that_runs_for_long_is_named_once(project):
    agent_tracking.mark_started(project.omc, "old", "debugger", SESSION, time() - 400)
    said = project.agent("new").get("systemMessage")
    assert said == "ultrawork: agents running for more than 5 minutes: debugger"
    assert "systemMessage" not in project.agent("newer")


def test_a_lone_agent_that_runs_for_long_is_named_by_the_next_tool_call(project):
    agent_tracking.mark_started(project.omc, "old", "debugger", SESSION, time() - 400)
    said = project.tool("Bash", {"command": "ls"}).get("systemMessage")
    assert said == "ultrawork: agents running for more than 5 minutes: debugger"
    assert "systemMessage" not in project.tool("Bash", {"command": "ls"})


def test_status_tells_agents_that_run_for_long_and_those_that_meet_in_a_file(project):
    project.prompt("ulw change the words")
    for name, kind, began in (("old", "debugger", time() - 400), ("new", "executor", time())):
        agent_tracking.mark_started(project.omc, name, kind, SESSION, began)
        agent_tracking.mark_touched(project.omc, name, "app.txt", began)
    said = project.run("status")
    assert "agents     2 running; longer than 5 minutes: debugger\n" in said
    assert "agents     debugger, executor both have app.txt" in said
    project.agent("old", "debugger", "SubagentStop")
    assert "agents     1 running\n" in f"{project.run('status')}\n"


def test_agents_that_follow_each_other_for_the_third_time_are_named_once(project):
    said = [
        project.agent(f"a{number}", kind).get("systemMessage")
        for number, kind in enumerate(["planner", "critic"] * 3 + ["planner", "critic"])
    ]
    words = "ultrawork: the same agents start each other in a loop: planner, critic"
    assert said[:6] == [None] * 5 + [words]
    assert said[7] is None


def test_the_end_of_compaction_is_no_agent(project):
    project.agent("x", "", "SubagentStop", last_assistant_message="")
    assert agent_tracking.list_all(project.omc) == []


def todo(project, *items):
    listed = [{"content": name, "status": "pending"} for name in items]
    project.tool("TodoWrite", {"todos": listed})


def feedback(answer):
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def test_a_list_left_open_is_sent_back_once(project):
    todo(project, "write the tests")
    assert "1 item open on your to-do list: write the tests" in feedback(project.stop())
    assert project.stop() == {}
    todo(project, "write the docs")
    assert "write the docs" in feedback(project.stop())


@pytest.mark.parametrize(
    "data", [{"background_tasks": [{"type": "subagent"}]}, {"stop_hook_active": True}, {"permission_mode": "plan"}]
)
def test_a_stop_that_has_its_reason_passes(project, data):
    todo(project, "write the tests")
    assert project.stop("Done.", **data) == {}


def test_a_question_to_a_person_who_is_there_passes(project):
    todo(project, "write the tests")
    assert project.stop("Shall I go on?") == {}


def test_an_armed_session_has_a_decision_of_its_own(project):
    project.prompt("ulw change the words")
    todo(project, "write the tests")
    assert "open on your to-do list" not in json.dumps(project.stop())


def limit(project, message, kind="rate_limit"):
    return project.event("StopFailure", error=kind, last_assistant_message=message)


def kept(project):
    return project.state(f"state/sessions/{SESSION}/rate-limit.json")


@pytest.mark.slow
def test_an_attended_session_is_woken_when_a_limit_is_over(project):
    soon = f"limit reached|{int(time()) - 14}"
    assert "Continue where you stopped" in limit(project, soon)["wake"]


@pytest.mark.slow
def test_somebody_who_goes_on_by_hand_is_not_woken(project):
    answered = Event()

    def go_on():
        while not answered.wait(0.5):
            project.prompt("go on")

    person = Thread(target=go_on)
    person.start()
    answer = limit(project, f"limit reached|{int(time()) + 30}")
    answered.set()
    person.join()
    assert answer == {}


def test_alone_the_end_of_a_limit_is_only_written_down_and_tries_are_counted(project):
    project.environ["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
    for _ in range(2):
        assert limit(project, "overloaded", "overloaded") == {}
    assert kept(project)["tries"] == 2


def test_another_failure_is_no_limit(project):
    assert limit(project, "rate limit", "server_error") == {}
    assert not os.path.exists(f"{project.omc.state_folder(SESSION)}/rate-limit.json")


def test_an_ended_session_leaves_nothing_that_only_it_needed(project):
    project.agent("a1")
    todo(project, "x")
    project.stop()
    project.event("SessionEnd", reason="other")
    assert agent_tracking.list_all(project.omc) == []
    assert not os.path.exists(f"{project.omc.state_folder(SESSION)}/told")


def test_a_lock_that_somebody_holds_does_not_hold_the_session(project):
    with Lock(f"{project.place}/.omc/.lock"):
        started = monotonic()
        assert project.agent("a1") == {}
        assert monotonic() - started < 60
    project.agent("a2")
    assert [one["agent_id"] for one in agent_tracking.list_all(project.omc)] == ["a2"]


def test_the_trace_is_fed_by_real_events_without_ulw(project):
    """Each filter finds what an event wrote: a tool, a page, an agent, a word, a mode."""
    project.prompt("deepsearch for the port")
    project.tool("Bash", {"command": "ls"})
    project.tool("Skill", {"skill": "ultrawork:deepsearch"})
    project.tool("Agent", {"subagent_type": "ultrawork:explore", "prompt": "look"})
    todo(project, "write the tests")
    entries = trace.read_all(project.state_folder, SESSION)
    shown = {name: timeline.render_lines(entries, name) for name in timeline.FILTERS}
    assert {name: len(shown[name]) for name in ("tools", "skills", "agents", "keywords")} == {
        "tools": 2,
        "skills": 1,
        "agents": 1,
        "keywords": 1,
    }


def test_without_the_feature_nothing_is_traced(project):
    project.only("notepad")
    project.tool("Bash", {"command": "ls"})
    assert trace.read_all(project.state_folder, SESSION) == []
