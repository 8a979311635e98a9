"""Pipelines in the client, event by event."""

import json
from pathlib import Path

import pytest

from support.play import GOAL, context, denied, fenced
from support.scene import SESSION, refused

DRAWN = f'explore -> executor "{GOAL}"'


def begin(play, words=DRAWN):
    return play.begin(words, skill="ultrawork:pipeline")


def start(play, name, kind):
    """The agent of a stage, called as the program told."""
    return play.agent("", name, subagent_type=kind, prompt=f"SESSION_ID: x TASK_ID: {name}")


def staged(play, name, kind, message, write=()):
    agent = start(play, name, kind)
    for file in write:
        play.write(f"{file}.txt", "right\n")
    return play.end(agent, message)


def status(play):
    return {name: one["status"] for name, one in play.tasks().items() if name != "verify"}


def prompts(play):
    return {one["prompt"].partition("TASK_ID: ")[2].split()[0]: one["prompt"] for one in play.due()}


def state(play):
    path = Path(play.place, f".omc/state/sessions/{SESSION}/pipeline-state.json")
    return json.loads(path.read_text())


EXPLORER, WORKER, REVIEWER = "ultrawork:explorer", "ultrawork:worker", "ultrawork:reviewer"


def test_the_skill_begins_with_the_first_stage_and_nobody_explores_or_plans(play):
    answer = begin(play)
    assert "pipeline on, explore -> executor" in answer["systemMessage"]
    assert f'"{EXPLORER}" prompt "SESSION_ID: {SESSION} TASK_ID: s1-explore"' in context(answer)
    assert status(play) == {"s1-explore": "pending", "s2-executor": "pending"}
    assert play.session()["phase"] == "EXECUTION"
    assert state(play)["active"] is True


def test_the_words_for_it_begin_what_is_drawn_behind_them(play):
    answer = play.prompt(f"Agent pipeline: {DRAWN}")
    assert "TASK_ID: s1-explore" in context(answer)
    assert state(play)["expression"] == "explore -> executor"


def test_the_words_for_it_alone_begin_the_preset_that_fits(play):
    play.prompt("chain agents to debug the three texts")
    assert state(play)["name"] == "debug"


def test_a_stage_gets_what_the_one_before_it_reported(play):
    begin(play)
    staged(play, "s1-explore", EXPLORER, "check.sh looks for the word right.\nDONE")
    assert status(play)["s1-explore"] == "resolved"
    assert "check.sh looks for the word right" in prompts(play)["s2-executor"]
    assert [one["status"] for one in state(play)["stages"]] == ["complete", "pending"]


@pytest.mark.slow
def test_the_whole_goes_through_gates_and_verifier(play):
    begin(play)
    staged(play, "s1-explore", EXPLORER, "found")
    staged(play, "s2-executor", WORKER, "All written.", write="abc")
    play.stop()
    play.end(play.agent("verifier"), fenced({"verdict": "PASS", "findings": []}))
    play.stop()
    assert play.session()["verdict"] == "PASS"
    assert (state(play)["phase"], state(play)["active"]) == ("complete", False)


def test_agents_of_a_stage_that_reads_may_not_edit_and_those_of_one_that_writes_may(play):
    begin(play)
    reader = start(play, "s1-explore", EXPLORER)
    assert "only reads" in denied(play.edit_as(reader, "a.txt"))
    play.end(reader, "found")
    writer = start(play, "s2-executor", WORKER)
    assert not denied(play.edit_as(writer, "a.txt"))


def test_a_stage_is_refused_before_its_turn(play):
    begin(play)
    given = {"subagent_type": WORKER, "prompt": "TASK_ID: s2-executor"}
    _, answer = play.ask("", "s2-executor", **given)
    assert "is not the next step" in denied(answer)


def test_an_agent_of_the_project_is_a_stage_as_it_is(play):
    page = "---\nname: counter\ndescription: counts\ntools: Read, Grep\n---\nYou count.\n"
    play.write(".claude/agents/counter.md", page)
    begin(play, f'counter -> executor "{GOAL}"')
    (one,) = play.due()
    assert one["subagent_type"] == "counter"
    agent = start(play, "s1-counter", "counter")
    assert "only reads" in denied(play.edit_as(agent, "a.txt"))
    play.end(agent, "three texts")
    assert status(play)["s1-counter"] == "resolved"


def test_a_reviewer_is_shown_what_the_stages_before_changed(play):
    begin(play, f'executor -> critic "{GOAL}"')
    staged(play, "s1-executor", WORKER, "Written.", write="ab")
    assert "+right" in prompts(play)["s2-critic"]
    staged(play, "s2-critic", REVIEWER, "c is still wrong.")
    assert status(play) == {"s1-executor": "resolved", "s2-critic": "resolved"}


def test_a_stage_without_a_report_has_failed_and_is_tried_again(play):
    begin(play)
    staged(play, "s1-explore", EXPLORER, "   ")
    (prompt,) = prompts(play).values()
    assert "The last attempt failed: it ended without a report" in prompt


def test_after_its_tries_a_failure_ends_the_pipeline(play):
    begin(play, f"--retry=0 {DRAWN}")
    staged(play, "s1-explore", EXPLORER, "BLOCKED: no files")
    assert play.session()["phase"] == "FAILED"
    assert state(play)["phase"] == "failed"


def test_a_failed_stage_is_left_out_where_that_is_wished(play):
    begin(play, f"--retry=0 --on-error=skip {DRAWN}")
    staged(play, "s1-explore", EXPLORER, "BLOCKED: no files")
    assert status(play) == {"s1-explore": "skipped", "s2-executor": "pending"}
    assert list(prompts(play)) == ["s2-executor"]


def test_a_failed_stage_falls_back_where_that_is_wished(play):
    begin(play, f'--retry=0 --on-error=fallback critic -> executor "{GOAL}"')
    staged(play, "s1-critic", REVIEWER, "BLOCKED: no diff")
    (one,) = play.due()
    assert (one["subagent_type"], one["model"]) == (EXPLORER, "opus")


def test_a_failure_beside_a_running_stage_waits_for_it(play):
    begin(play, f'--retry=0 [explore, architect] -> executor "{GOAL}"')
    other = start(play, "s1-architect", EXPLORER)
    staged(play, "s1-explore", EXPLORER, "BLOCKED: no files")
    assert play.session()["phase"] == "EXECUTION"
    play.end(other, "an idea")
    assert play.session()["phase"] == "FAILED"


def test_a_pipeline_that_only_reads_ends_without_a_word_of_a_verdict(play):
    begin(play, f'explore "{GOAL}"')
    staged(play, "s1-explore", EXPLORER, "The texts are a, b, c.")
    assert "Pass on what s1-explore reported" in play.next()["text"]
    answer = play.stop()
    assert "systemMessage" not in answer
    assert not refused(answer)
    assert play.session()["verdict"] is None
    assert not play.is_on()
    assert state(play)["answered"] is True


def test_a_stage_that_writes_and_changed_nothing_is_unverified(play):
    begin(play, f'executor "{GOAL}"')
    staged(play, "s1-executor", WORKER, "All three are right, tests pass.")
    assert play.session()["verdict"] == "UNVERIFIED"
    told = play.stop()["systemMessage"]
    assert told.startswith("ultrawork: UNVERIFIED")
    assert "no stage changed a file" in " ".join(told.split()).lower()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ('explore -> -> executor "x"', "character 12"),
        ('exeuctor "x"', "did you mean executor?"),
        ('explore:claude-opus-4-1 "x"', "use ultrawork run for"),
        ('--on-error=hope explore "x"', "known: abort, skip, retry, fallback"),
    ],
)
def test_what_cannot_be_begun_is_said_and_leaves_nothing_behind(play, words, why):
    answer = begin(play, words)
    assert why in answer["systemMessage"]
    assert not play.is_on()
    assert not Path(play.place, ".omc/state").exists()


def test_another_exclusive_mode_is_in_the_way(play):
    folder = Path(play.place, ".omc/state/sessions/other")
    folder.mkdir(parents=True)
    (folder / "autopilot-state.json").write_text('{"active": true}')
    answer = begin(play)
    assert "autopilot is on" in answer["systemMessage"]
    assert not play.is_on()


def test_what_was_cut_off_is_resumed_in_another_conversation(play):
    begin(play)
    staged(play, "s1-explore", EXPLORER, "found")
    start(play, "s2-executor", WORKER)
    answer = play.event(
        "UserPromptExpansion",
        session_id="5e551040-0000-4000-8000-000000000009",
        command_name="ultrawork:pipeline",
        command_args="--resume",
        prompt="/ultrawork:pipeline --resume",
    )
    assert "TASK_ID: s2-executor" in context(answer)


def test_what_was_cancelled_within_the_hour_goes_on_with_its_reports(play):
    begin(play)
    staged(play, "s1-explore", EXPLORER, "found")
    play.prompt("ulw off")
    assert (play.session()["phase"], state(play)["active"]) == ("CANCELLED", False)
    answer = begin(play, "--resume")
    assert "TASK_ID: s2-executor" in context(answer)
    assert (play.session()["phase"], state(play)["active"]) == ("EXECUTION", True)


def test_switched_off_by_name_it_does_not_begin(play):
    play.environ["ULTRAWORK_SKIP_HOOKS"] += ",pipeline"
    answer = begin(play)
    assert "disabled by" in answer["systemMessage"]
    assert not play.is_on()


def test_help_shows_how_it_is_written(play):
    assert "--on-error=abort|skip|retry|fallback" in begin(play, "--help")["reason"]
