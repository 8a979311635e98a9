"""A requirement goes through its states by what agents, receipts and the person really did, and by nothing else."""

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from support.axiom_play import GOAL, MANIFEST
from support.play import context, denied, fenced
from support.scene import refused
from ultrawork.features.axiom.values import review

LESSON = {"title": "The check wants right or wrong in every text", "files": ["check.sh"], "command": "make test"}


def moves(play):
    """The states that the record tells of, in their order."""
    return [state for state, _ in play.session()["axiom"]["progress"]["history"]]


def axiom(play, *words):
    return json.loads(play.run("axiom", *words, "--json"))["data"]


@pytest.mark.slow
def test_from_a_requirement_to_its_archive_with_every_gate_on_the_way(play):
    begun = play.require()
    assert "Axiom runs this requirement" in context(begun)
    assert [one["subagent_type"] for one in play.due()] == ["ultrawork:axiom-requirement-analyst"]
    play.screen("CLARIFY", 60, question="Which texts?", options=["all", "a"])
    assert play.next()["question"] == "Which texts?"
    play.answer("Which texts?", "all three")
    assert "all three" in play.due()[0]["prompt"]
    play.screen("PASS", 95)
    play.draft()
    assert len(play.due()) == 5
    play.review()
    play.finish_prd()
    assert play.state == "CONFIRMING"
    play.confirm()
    play.decompose()
    assert play.state == "EXECUTING"
    play.work("T-101", a="right\n")
    play.work("T-102", b="right\n", c="gone\n")
    assert play.state == "AUTO_FIX"
    assert "c is broken" in play.due()[0]["prompt"]
    play.work("T-102", c="right\n")
    assert play.state == "EXECUTING"
    play.verify()
    assert play.state == "ARCHIVING"
    play.reflect(LESSON)
    found = play.session()
    assert (found["phase"], found["verdict"]) == ("COMPLETE", "PASS")
    assert moves(play) == [
        "IDLE", "PLANNING", "CONFIRMING", "EXECUTING", "AUTO_FIX", "EXECUTING", "ARCHIVING", "IDLE",
    ]  # fmt: skip
    status = axiom(play, "status")
    assert (status["state"], status["queue"]["waiting"]) == ("IDLE", 1)
    assert status["metrics"]["proved"] == 1
    play.run("report", "--session", "last", "--html", f"{play.root}/page.html")
    with open(f"{play.root}/page.html", encoding="utf-8") as file:
        page = file.read()
    assert "1 failing run, blocked 0 times" in page
    assert "critic PASS" in page
    (taken,) = axiom(play, "evolve", "--yes")["taken"]
    (entry,) = axiom(play, "knowledge", "texts", "--kind", "knowledge")["entries"]
    assert (entry["id"], entry["source"], entry["anchor"]) == (taken["entry"], "receipt", "holds")


@pytest.mark.slow
def test_what_is_told_holds_and_what_moved_is_not_told(play):
    play.until_executing()
    play.work("T-101", a="right\n", b="gone\n")
    play.work("T-101", b="wrong\n")
    play.work("T-102", b="right\n", c="right\n")
    play.verify()
    play.reflect(LESSON)
    axiom(play, "evolve", "--yes")
    play.begin_another()
    assert "The check wants right or wrong" in context(play.prompt("change the check of the texts"))
    assert context(play.prompt("change the check of the texts")) == ""
    play.begin_another()
    play.write("check.sh", "true\n")
    assert "The check wants" not in context(play.prompt("change the check of the texts"))


def test_a_rejected_requirement_ends_with_its_reason(play):
    play.require()
    play.screen("REJECT", 10, why="there is no such report")
    found = play.session()
    assert found["phase"] == "FAILED"
    assert axiom(play, "status")["state"] == "IDLE"


def test_an_analyst_without_its_form_is_sent_back(play):
    play.require()
    assert "clarity" in refused(play.screen("PASS", 500))
    assert play.state == "PLANNING"


def test_blocking_findings_send_the_draft_back_with_them(play):
    play.require()
    play.screen()
    play.draft()
    play.review(critic=[{"what": "anybody can write them", "severity": "P0"}])
    (due,) = play.due()
    assert due["subagent_type"] == "ultrawork:axiom-product-designer"
    assert "P0 critic: anybody can write them" in due["prompt"]
    play.draft("# Draft 2\n\nOnly the owner writes the texts; everything else is as it was before.")
    assert len(play.due()) == 5


def test_the_aggregator_hears_whose_word_stands(play):
    play.require()
    play.screen()
    play.draft()
    wants = {"what": "w", "topic": "case"}
    play.review(ux=[{**wants, "wants": "upper"}], critic=[{**wants, "wants": "lower"}])
    assert "case: safety wins (lower), over experience (upper)" in play.due()[0]["prompt"]


@pytest.mark.slow
def test_a_no_with_wishes_goes_back_to_the_draft(play):
    play.require()
    play.screen()
    play.draft()
    play.review()
    play.finish_prd()
    shown = play.stop("Shall I?")
    assert "make test is green. Nothing else changes." in shown["systemMessage"]
    play.confirm("No")
    assert play.next()["question"] == "What should be different?"
    play.answer("What should be different?", "also d.txt")
    assert play.state == "PLANNING"
    assert "also d.txt" in play.due()[0]["prompt"]


def test_a_paper_that_nobody_can_write_is_put_to_the_person(play):
    play.require()
    play.screen()
    agent = play.agent("axiom-product-designer", "draft")
    for _ in range(2):
        assert "is empty" in refused(play.end(agent, "Done."))
    play.end(agent, "Done.")
    asked = play.next()
    assert asked["options"] == ["Try again", "Stop"]
    play.answer(asked["question"], "Try again")
    play.draft()
    assert len(play.due()) == 5


def test_reviews_that_end_at_once_are_all_kept(play):
    """What another process wrote meanwhile is never written over."""
    play.require()
    play.screen()
    play.draft()
    found = {part: play.agent(one.agent, f"review_{part}") for part, one in review.EXPERTS.items()}
    with ThreadPoolExecutor(5) as pool:
        said = fenced({"verdict": "PASS", "findings": []})
        ends = [
            pool.submit(play.event, "SubagentStop", agent_id=agent, last_assistant_message=said)
            for agent in found.values()
        ]
        assert [one.result() for one in ends] == [{}] * 5
    assert [one["subagent_type"] for one in play.due()] == ["ultrawork:axiom-review-aggregator"]


@pytest.mark.slow
def test_a_task_over_four_hours_goes_to_the_sub_prd_writer(play):
    play.until_confirmed()
    play.decompose([{**MANIFEST[0], "hours": 6}, MANIFEST[1]])
    assert play.state == "CONFIRMING"
    (due,) = play.due()
    assert due["subagent_type"] == "ultrawork:axiom-sub-prd-writer"
    parts = [{**MANIFEST[0], "id": "T-101a", "hours": 3}, {**MANIFEST[0], "id": "T-101b", "hours": 3}]
    play.write_paper("axiom-sub-prd-writer", "sub-T-101", fenced({"tasks": parts}))
    assert play.state == "EXECUTING"
    assert set(play.tasks()) == {"T-101a", "T-101b", "T-102", "verify"}
    assert play.tasks()["T-102"]["blockedBy"] == ["T-101a", "T-101b"]


def test_a_manifest_that_cannot_stand_is_sent_back(play):
    play.until_confirmed()
    assert "no hours" in refused(play.decompose([{"id": "T-101", "title": "x"}]))
    assert play.state == "CONFIRMING"


@pytest.mark.slow
def test_two_mends_then_blocked_and_the_person_resolves_it(executing):
    for _ in range(2):
        executing.work("T-101", a="gone\n")
        assert executing.state == "AUTO_FIX"
    executing.work("T-101", a="gone\n")
    assert executing.state == "BLOCKED"
    assert "BLOCKED: task T-101" in executing.session()["axiom"]["blocked"]
    assert executing.next()["question"] == "The work is blocked. How should it continue?"
    executing.unblock()
    assert executing.state == "EXECUTING"
    executing.work("T-101", a="right\n")
    assert executing.tasks()["T-101"]["status"] == "resolved"
    executing.work("T-102", b="right\n", c="right\n")
    executing.verify()
    executing.reflect()
    figures = axiom(executing, "status")["metrics"]
    assert [figures[name] for name in ("red_runs", "mends", "blocked")] == [3, 2, 1]
    with open(f"{executing.place}/.omc/axiom/active_context.md", encoding="utf-8") as file:
        page = file.read()
    assert ("task_status: IDLE" in page, "current_phase: none" in page) == (True, True)


@pytest.mark.slow
def test_what_is_archived_as_it_is_is_never_pass_and_its_failure_is_kept(executing):
    said = {"status": "BLOCKED", "cause": "the disk is read-only", "needs": "another disk"}
    executing.work("T-101", fenced(said))
    assert executing.state == "BLOCKED"
    assert "needs: another disk" in executing.session()["axiom"]["blocked"]
    executing.unblock("Archive as it is")
    executing.reflect()
    found = executing.session()
    assert (found["verdict"], executing.state) == ("UNVERIFIED", "IDLE")
    (failure,) = axiom(executing, "knowledge", "--kind", "failure")["entries"]
    assert "blocked" in failure["text"]


@pytest.mark.slow
def test_a_workers_question_goes_to_the_person_and_is_no_attempt(executing):
    executing.work("T-101", fenced({"status": "QUESTION", "question": "Upper case?", "options": ["yes", "no"]}))
    assert executing.next()["question"] == "Upper case?"
    executing.answer("Upper case?", "no")
    (due,) = executing.due()
    assert "THE USER ANSWERED: no" in due["prompt"]
    assert executing.tasks()["T-101"]["attempts"] == 0


@pytest.mark.slow
def test_complete_is_a_claim_that_criteria_and_gates_decide(executing):
    executing.work("T-101", "COMPLETE: all tests pass")
    assert executing.state == "AUTO_FIX"
    assert executing.tasks()["T-101"]["status"] != "resolved"


@pytest.mark.slow
@pytest.mark.parametrize("path", ["a.txt", "src/new.py"])
def test_code_waits_for_the_gates_and_the_refusal_names_what_opens_them(play, path):
    play.require()
    told = denied(play.edit_as("", path))
    assert "Expert Gate" in told
    assert "ax-review" in told
    play.screen()
    play.draft()
    play.review()
    play.finish_prd()
    assert "User Gate" in denied(play.edit_as("", path))


def test_lies_open_no_gate(play):
    play.require()
    play.screen()
    play.draft()
    assert "written by ultrawork" in denied(play.edit_as("", ".omc/axiom/requirements/s/review_ux.md"))
    play.write(".omc/axiom/requirements/s/review_ux.md", "PASS")
    play.write(".omc/axiom/active_context.md", "task_status: EXECUTING\n")
    assert len(play.due()) == 5
    assert play.state == "PLANNING"
    play.review(["ux", "tech"])
    assert len(play.due()) == 3
    play.confirm()
    assert play.state == "PLANNING"
    play.review(["product", "domain", "critic"])
    play.finish_prd()
    assert "ask the question without answers" in denied(
        play.event("PreToolUse", tool_name="AskUserQuestion", tool_input={"answers": {"x": "Yes"}})
    )
    assert "only the user" in play.run("axiom", "confirm", "yes", env={"CLAUDECODE": "1"})
    assert play.state == "CONFIRMING"
    assert "waits for the" in refused(play.typed("ultrawork:ax-implement", ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "is_denied"),
    [
        ("git push", True),
        ("cd x && git -C . push --force", True),
        ("git status", False),
        ("echo > .omc/axiom/evolution/knowledge_base.md", True),
        ("cat .omc/axiom/active_context.md", False),
    ],
)
def test_commands_that_deliver_wait_for_the_ci_gate(executing, command, is_denied):
    answer = executing.event("PreToolUse", tool_name="Bash", tool_input={"command": command})
    assert bool(denied(answer)) is is_denied


def test_outside_of_a_requirement_nothing_is_guarded(play):
    play.run("axiom", "status")
    assert denied(play.edit_as("", "a.txt")) == ""
    answer = play.event("PreToolUse", tool_name="Bash", tool_input={"command": "git push"})
    assert denied(answer) == ""


@pytest.mark.slow
def test_an_end_of_the_client_suspends_and_the_next_start_offers_it_once(executing):
    executing.event("SessionEnd", reason="other")
    assert executing.session()["axiom"]["suspended"]
    executing.begin_another()
    first = executing.event("SessionStart", source="startup")
    assert f'requirement "{GOAL}" waits in EXECUTING, 0 of 2 tasks' in first["systemMessage"]
    assert "waits in" not in str(executing.event("SessionStart", source="startup").get("systemMessage"))
    taken = executing.typed("ultrawork:ax-implement", "")
    assert "T-101" in context(taken)


@pytest.mark.slow
def test_before_compaction_the_state_is_saved_and_told(executing):
    told = executing.event("PreCompact", trigger="auto")
    assert "state EXECUTING" in str(told)
    with closing(sqlite3.connect(executing.state_folder.database)) as database:
        saved = database.execute("SELECT data FROM events WHERE kind='axiom.saved'").fetchall()
    assert [json.loads(data) for (data,) in saved] == [{"state": "EXECUTING"}]
