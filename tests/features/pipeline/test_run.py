"""Pipelines without a client: scripted agents, real files, and what the program makes of their results."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from support.headless import FIX, SHOW, Headless, worker

TASK = "Fix the sum of two numbers"
FAILS = {"exit": 3}
MENDS = (FIX, SHOW, {"say": "calc.py adds now.\nDONE"})


@pytest.fixture
def project(tmp_path):
    return Headless(str(tmp_path))


def say(text):
    return {"say": text}


def pipe(project, expression, *words):
    return project.run(
        "run", "--auto", "--backend", "script", "--mode", "pipeline", *words,
        f'{expression} "{TASK}"', patience=240,
    )  # fmt: skip


def statuses(project):
    listed = project.run("task", "list", "--session", "last", "--json").data["tasks"]
    return {one["id"]: one["status"] for one in listed if one["id"] != "verify"}


def attempts(project, name):
    return project.run("logs", name, "--json").data["attempts"]


def prompt(project, name):
    return Path(attempts(project, name)[-1]["folder"], "prompt.txt").read_text()


def context(project, name):
    text = prompt(project, name).partition("PIPELINE_CONTEXT")[2]
    return json.JSONDecoder().raw_decode(text[text.index("{") :])[0]


def state(project):
    (path,) = Path(project.place, ".omc/state/sessions").glob("*/pipeline-state.json")
    return json.loads(path.read_text())


@pytest.mark.slow
def test_a_pipeline_goes_from_stage_to_stage_and_ends_in_the_gates(project):
    project.cast([], worker("s1-explore", say("calc.py:2 subtracts")), worker("s2-*", *MENDS))
    answer = pipe(project, "explore:opus -> executor")
    assert answer.status == 0, answer
    assert "PASS  2 of 2 tasks" in answer.out
    assert "a + b" in project.read("calc.py")
    before = context(project, "s2-executor")["previous_stages"]
    assert [one["output"] for one in before] == ["calc.py:2 subtracts"]
    told = state(project)
    assert (told["active"], told["phase"], told["task"]) == (False, "complete", TASK)
    assert [(one["name"], one["model"], one["status"]) for one in told["stages"]] == [
        ("explore", "opus", "complete"),
        ("executor", "sonnet", "complete"),
    ]


@pytest.mark.slow
def test_a_pipeline_that_only_reads_ends_with_its_report_and_no_verdict(project):
    project.cast([], worker("s1-*", say("it subtracts")), worker("s2-*", say("Add instead.")))
    answer = pipe(project, "explore -> architect")
    assert answer.status == 0, answer
    assert "Add instead." in answer.out
    assert "PASS" not in answer.out
    assert "UNVERIFIED" not in answer.out
    assert project.run("session", "get", "--session", "last", "--json").data["verdict"] is None
    assert project.run("resume").status == 5


@pytest.mark.slow
def test_a_stage_that_reads_cannot_write(project):
    project.cast([], worker("s1-explore", FIX, say("I changed it.")))
    pipe(project, "explore")
    assert "a - b" in project.read("calc.py")
    said = Path(attempts(project, "s1-explore")[0]["folder"], "out.jsonl").read_text()
    assert "refused: write" in said


@pytest.mark.slow
def test_a_stage_that_reads_and_fails_says_why_and_goes_back_only_while_a_try_is_left(project):
    project.cast([], worker("s1-*", {"exit": 1}))
    answer = pipe(project, "explore", "--retry=1")
    told = [line for line in answer.out.splitlines() if "s1-explore: " in line and " started (" not in line]
    assert len(told) == 3, answer
    assert told[0].endswith("; retried")
    assert told[1].endswith("; failed")
    assert told[2].startswith("task     s1-explore: ")


@pytest.mark.slow
def test_an_expression_is_read_before_a_program_is_looked_for(project):
    words = ["run", "--auto", "--backend", "codex", "--mode", "pipeline"]
    answer = project.run(*words, f'nobody -> executor "{TASK}"')
    assert (answer.status, "nobody" in answer.err) == (2, True), answer
    answer = project.run(*words, "--retry", "x", f'executor "{TASK}"')
    assert (answer.status, "codex" in answer.err) == (2, False), answer


@pytest.mark.slow
def test_who_claims_work_and_changed_nothing_gets_no_pass(project):
    project.cast([], worker("s1-executor", say("Fixed, all tests pass.\nDONE")))
    answer = pipe(project, "executor")
    assert answer.status == 3, answer
    assert "UNVERIFIED" in answer.out
    assert "no stage changed a file" in project.run("why", "--session", "last").out


@pytest.mark.slow
def test_without_a_policy_a_failure_ends_the_pipeline(project):
    project.cast([], worker("s1-*", say("found")), worker("s2-*", FAILS), worker("s3-*", *MENDS))
    answer = pipe(project, "explore -> architect -> executor", "--retry", "0")
    assert answer.status == 1, answer
    assert statuses(project) == {"s1-explore": "resolved", "s2-architect": "failed", "s3-executor": "pending"}
    assert "a - b" in project.read("calc.py")
    assert state(project)["phase"] == "failed"


@pytest.mark.slow
def test_a_failed_stage_is_left_out_where_that_is_wished(project):
    project.cast([], worker("s1-*", say("found")), worker("s2-*", FAILS), worker("s3-*", *MENDS))
    answer = pipe(project, "explore -> architect -> executor", "--retry=0", "--on-error=skip")
    assert answer.status == 0, answer
    assert statuses(project)["s2-architect"] == "skipped"
    told = {one["name"]: one for one in context(project, "s3-executor")["previous_stages"]}
    assert (told["architect"]["status"], told["explore"]["output"]) == ("skipped", "found")


@pytest.mark.slow
def test_a_failed_stage_is_tried_again_as_often_as_wished(project):
    project.cast(
        [],
        worker("s1-explore", say("found at last"), attempt=3),
        worker("s1-explore", FAILS),
        worker("s2-executor", *MENDS),
    )
    answer = pipe(project, "explore -> executor", "--on-error", "retry")
    assert answer.status == 0, answer
    tried = [one["status"] for one in attempts(project, "s1-explore")]
    assert tried == ["failed", "failed", "resolved"]
    assert state(project)["retry_count"] == 2


@pytest.mark.slow
def test_tries_are_bounded(project):
    project.cast([], worker("s1-explore", FAILS))
    assert pipe(project, "explore -> executor", "--on-error=retry", "--retry=1").status == 1
    assert len(attempts(project, "s1-explore")) == 2


@pytest.mark.slow
def test_a_failed_stage_falls_back_to_the_plain_agent_of_its_kind_once(project):
    project.cast(
        [], worker("s1-*", say("the plain one found it"), attempt=2), worker("s1-*", FAILS), worker("s2-*", *MENDS)
    )
    answer = pipe(project, "critic:haiku -> executor", "--retry=0", "--on-error=fallback")
    assert answer.status == 0, answer
    assert [one["model"] for one in attempts(project, "s1-critic")] == ["haiku", "opus"]


@pytest.mark.slow
def test_where_the_fallback_fails_too_the_pipeline_ends(project):
    project.cast([], worker("s1-*", FAILS))
    assert pipe(project, "critic -> executor", "--retry=0", "--on-error=fallback").status == 1
    assert len(attempts(project, "s1-critic")) == 2


@pytest.mark.slow
def test_a_stage_that_says_it_is_blocked_has_failed(project):
    project.cast([], worker("s1-explore", say("I tried.\nBLOCKED: no network")))
    assert pipe(project, "explore -> executor", "--retry=0").status == 1
    assert "no network" in attempts(project, "s1-explore")[0]["reason"]


@pytest.mark.slow
def test_reports_side_by_side_are_handed_on_one_after_the_other(project):
    project.cast([], worker("s1-explore", say("here")), worker("s1-architect", say("there")), worker("s2-*", *MENDS))
    assert pipe(project, "[explore, architect] -> executor").status == 0
    (entry,) = context(project, "s2-executor")["previous_stages"]
    assert [one["output"] for one in entry["members"]] == ["here", "there"]


@pytest.mark.slow
def test_a_vote_hands_on_what_most_voted_for(project):
    project.cast(
        [],
        worker("s1-explore", say("VOTE: rewrite")),
        worker("s1-architect", say("small\nVOTE: mend")),
        worker("s1-critic", say("VOTE: Mend.")),
        worker("s2-*", *MENDS),
    )
    assert pipe(project, "[explore, architect, critic] -> executor", "--merge=vote").status == 0
    (entry,) = context(project, "s2-executor")["previous_stages"]
    assert entry["winner"] == "mend"
    assert [one["id"] for one in entry["members"]] == ["s1-architect"]


@pytest.mark.slow
def test_a_vote_of_the_last_stage_is_part_of_the_answer(project):
    project.cast(
        [],
        worker("s1-explore", say("fine\nVOTE: ship")),
        worker("s1-critic", say("VOTE: ship")),
        worker("s1-architect", say("VOTE: wait")),
    )
    answer = pipe(project, "[explore, critic, architect]", "--merge=vote")
    assert answer.status == 0, answer
    assert "vote     ship (2 of 3)" in answer.out


@pytest.mark.slow
def test_an_agent_sums_up_a_parallel_stage(project):
    project.cast(
        [],
        worker("s1-explore", say("here")),
        worker("s1-architect", say("there")),
        worker("s1-merge", say("both say: add")),
        worker("s2-*", *MENDS),
    )
    assert pipe(project, "[explore, architect] -> executor", "--merge=summarize").status == 0
    (entry,) = context(project, "s2-executor")["previous_stages"]
    assert entry["output"] == "both say: add"
    (summed,) = context(project, "s1-merge")["previous_stages"]
    assert [one["output"] for one in summed["members"]] == ["here", "there"]


@pytest.mark.slow
def test_two_that_write_side_by_side_are_both_merged(project):
    other = {"write": "notes.txt", "text": "added\n"}
    project.cast([], worker("s1-executor", *MENDS), worker("s1-writer", other, say("notes.txt is there")))
    assert pipe(project, "[executor, writer]").status == 0
    assert project.read("notes.txt") == "added\n"
    assert "a + b" in project.read("calc.py")


@pytest.mark.slow
def test_a_long_report_is_a_file_in_the_next_agents_folder_and_never_part_of_the_work(project):
    look = {"run": ["sh", "-c", "tail -c 5 .omc/state/sessions/*/pipeline/s1-explore.md > end.txt"]}
    project.cast([], worker("s1-*", say("x" * 30_000 + "HERE\n")), worker("s2-*", look, *MENDS))
    answer = pipe(project, "explore -> executor")
    assert answer.status == 0, answer
    assert "HERE" in project.read("end.txt")
    assert not any(".omc" in line for line in project.git("ls-files").splitlines())


@pytest.mark.slow
def test_an_agent_of_the_project_is_told_its_own_page(project):
    folder = Path(project.place, ".claude/agents")
    folder.mkdir(parents=True)
    page = "---\nname: counter\ndescription: counts\ntools: Read, Grep\n---\nYou count sheep.\n"
    (folder / "counter.md").write_text(page)
    project.git("add", "-A")
    project.git("commit", "-qm", "An agent of our own")
    project.cast([], worker("s1-counter", FIX, say("three sheep")))
    answer = pipe(project, "counter")
    assert answer.status == 0, answer
    assert prompt(project, "s1-counter").startswith("You count sheep.")
    assert "a - b" in project.read("calc.py")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["exeuctor"], "did you mean executor?"),
        (["explore:sonet"], "did you mean sonnet?"),
        (["explore -> -> executor"], "character 12"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_exists(project, words, why):
    project.cast([])
    answer = pipe(project, *words)
    assert answer.status == 2, answer
    assert why in answer.err
    assert not Path(project.home, "sessions").exists() or not any(Path(project.home, "sessions").iterdir())


def test_flags_of_pipelines_belong_to_pipelines(project):
    project.cast([])
    answer = project.run("run", "--auto", "--backend", "script", "--merge=vote", "a goal")
    assert answer.status == 2
    assert "--mode pipeline" in answer.err


@pytest.mark.slow
def test_a_pipeline_is_asked_about_before_it_runs_without_auto(project):
    project.cast([], worker("s1-*", *MENDS))
    answer = project.run("run", "--backend", "script", "--mode", "pipeline", f'executor "{TASK}"')
    assert "Plan saved" in answer.out
    assert statuses(project) == {"s1-executor": "pending"}
    done = project.run("exec", "--session", "last", patience=240)
    assert done.status == 0, done


@pytest.mark.slow
def test_a_liar_at_the_gates_is_sent_back_and_never_complete(project):
    wrong = {"write": "calc.py", "text": "def add(a, b):\n    return 0\n"}
    project.cast([], worker("s1-*", wrong, say("All tests pass.\nDONE")))
    answer = pipe(project, "executor", "--retry=0")
    assert answer.status == 1, answer
    assert "a - b" in project.read("calc.py")


@pytest.mark.slow
def test_an_engine_that_is_killed_in_the_middle_goes_on_with_what_was_reported(project):
    """What has reported is not asked again, and the next stage still knows what it said."""
    gate, begun = Path(project.root, "open"), Path(project.root, "begun")
    waits = {"run": ["sh", "-c", f"touch {begun}; while ! test -f {gate}; do sleep 0.1; done"]}
    project.cast([], worker("s1-*", say("calc.py:2 subtracts")), worker("s2-*", waits, *MENDS))
    words = ["--auto", "--backend", "script", "--mode", "pipeline", f'explore -> executor "{TASK}"']
    engine = project.start("run", *words, start_new_session=True)
    until(begun.exists)
    os.kill(engine.pid, signal.SIGKILL)
    engine.communicate(timeout=60)
    gate.touch()
    answer = project.run("resume", patience=240)
    assert answer.status == 0, answer
    assert len(attempts(project, "s1-explore")) == len(attempts(project, "s2-executor")) == 1
    assert "calc.py:2 subtracts" in prompt(project, "s2-executor")


@pytest.mark.slow
def test_a_pipeline_that_was_cancelled_is_kept_and_resume_goes_on_with_it(project):
    """As often as a person likes; what has reported is not asked again."""
    gate, begun = Path(project.root, "open"), Path(project.root, "begun")
    waits = {"run": ["sh", "-c", f"touch {begun}; while ! test -f {gate}; do sleep 0.1; done"]}
    project.cast([], worker("s1-*", say("calc.py:2 subtracts")), worker("s2-*", waits, *MENDS))
    words = ["--auto", "--backend", "script", "--mode", "pipeline", f'explore -> executor "{TASK}"']
    engine = project.start("run", *words, start_new_session=True)
    until(begun.exists)
    told = project.run("cancel").out
    engine.communicate(timeout=60)
    assert "; to continue pipeline within the hour: ultrawork resume. Files" in told
    gate.touch()
    answer = project.run("resume", "--session", "last", patience=240)
    assert answer.status == 0, answer
    assert "PASS  2 of 2 tasks" in answer.out
    assert len(attempts(project, "s1-explore")) == 1
    assert project.run("session", "get", "--session", "last", "--field", "phase").out == "COMPLETE\n"


@pytest.mark.slow
def test_what_no_engine_can_take_up_is_not_said_to_be_kept(project):
    project.cast([], worker("work", {"run": ["sleep", "300"]}))
    engine = project.start("run", "--auto", "--backend", "script", "--mode", "ralph", TASK)
    until(lambda: "work" in statuses_or_nothing(project, "in_progress"))
    told = project.run("cancel").out
    engine.communicate(timeout=60)
    assert "off: session" in told
    assert "kept" not in told
    assert "resume" not in told
    answer = project.run("resume", "--session", "last")
    assert (answer.status, "start another: ultrawork run" in answer.err) == (5, True)


def statuses_or_nothing(project, wanted):
    answer = project.run("task", "list", "--session", "last", "--json")
    listed = answer.data["tasks"] if answer.status == 0 else []
    return [one["id"] for one in listed if one["status"] == wanted]


def until(holds, patience=120):
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)
