"""A planned session from its first word to its end, event by event."""

import json
import os

import pytest

from support.play import GOAL, PLAN, Play, context, denied, entry, fenced
from support.scene import SESSION, refused

PASS = {"verdict": "PASS", "findings": []}


def view(play, name):
    with open(f"{play.home}/sessions/{SESSION}/{name}", encoding="utf-8") as file:
        return json.load(file) if name.endswith(".json") else file.read()


def all_worked(play):
    for name in "abc":
        play.worked(name)


def verified(play, verdict=PASS):
    play.stop("All done.")
    play.end(play.agent("verifier"), fenced(verdict) if isinstance(verdict, dict) else verdict)


def test_the_session_exists_before_the_model_acts(play):
    told = play.begin(f"--auto --max-workers 2 --max-iterations 3 --skip-verify {GOAL}")
    session = play.session()
    assert session["goal"] == GOAL
    options = session["options"]
    assert (options["auto_mode"], options["max_workers"], options["max_iterations"]) == (True, 2, 3)
    assert options["skip_verify"] is True
    assert len(context(told).encode()) <= 1100


def test_in_codex_the_typed_words_begin_it(play):
    told = play.prompt(f"$ultrawork:ultrawork --auto {GOAL}", **play.as_codex())
    assert play.session()["goal"] == GOAL
    assert play.session()["options"]["auto_mode"] is True
    assert context(told)


def test_elsewhere_such_words_are_a_prompt_like_any_other(play):
    assert play.prompt(f"$ultrawork:ultrawork --auto {GOAL}") == {}
    assert not play.is_on()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--atuo x", "did you mean --auto?"),
        ("--max-workers many x", "max-workers"),
        ("--max-iterations 0 x", "max-iterations"),
        ("--max-workers", "requires a value"),
        ("--auto", "goal"),
    ],
)
def test_wrong_words_are_blocked_with_the_sentence_and_begin_nothing(play, words, why):
    told = play.begin(words)
    assert told["decision"] == "block"
    assert why in told["reason"]
    assert not play.is_on()


def test_help_is_shown_and_begins_nothing(play):
    assert "[--auto] [--max-workers N]" in play.begin("--help")["reason"]
    assert not play.is_on()


def test_a_goal_keeps_its_quotes_dollars_and_dashes(play):
    goal = "say \"hi\" $(rm -rf x) `y` -- '--auto' <goal>"
    play.begin(f"--auto {goal}")
    assert play.session()["goal"] == goal


def test_the_overview_is_the_programs_own_and_explorers_are_expected_before_they_start(play):
    play.begin()
    known = view(play, "context.json")
    assert known["expected_explorers"][0] == "overview"
    assert len(known["expected_explorers"]) > 1
    assert [one["id"] for one in known["explorers"] if one.get("completed_at")] == ["overview"]
    assert view(play, "exploration/overview.md").startswith("# Overview")
    assert known["exploration_complete"] is False


def test_an_explorers_last_words_become_its_report(play):
    play.begin()
    agent = play.agent("explorer", "exp-1")
    play.end(agent, "# The texts\n\nThey are a, b, c.")
    assert view(play, "exploration/exp-1.md") == "# The texts\n\nThey are a, b, c."
    found = {one["id"]: one for one in view(play, "context.json")["explorers"]}["exp-1"]
    assert found["summary"] == "The texts"
    assert found["completed_at"]


def test_explorers_are_told_session_id_hint_and_context(play):
    play.begin()
    due = play.due()[0]
    assert due["subagent_type"] == "ultrawork:explorer"
    assert due["model"] == "haiku"
    for key in ("SESSION_ID", "EXPLORER_ID: exp-1", "SEARCH_HINT", "CONTEXT"):
        assert key in due["prompt"]


def test_after_a_break_only_missing_explorers_are_due(play):
    play.begin("--auto add a login endpoint to the api")
    first = [one["prompt"] for one in play.due()]
    assert len(first) > 1
    play.end(play.agent("explorer", "exp-1"), "found")
    play.begin("", skill="ultrawork:ultrawork-exec")
    assert [one["prompt"] for one in play.due()] == first[1:]


def test_the_planner_gets_the_options_of_the_documents_and_the_strongest_model(play):
    play.begin(f"--auto --max-workers 3 {GOAL}")
    play.explored()
    (due,) = play.due()
    assert (due["subagent_type"], due["model"]) == ("ultrawork:planner", "opus")
    for line in ("require_success_criteria: true", "include_verify_task: true", "max_workers: 3"):
        assert line in due["prompt"]


def test_a_plan_that_cannot_stand_is_sent_back_with_the_reason(play):
    play.begin()
    play.explored()
    agent = play.agent("planner")
    told = play.end(agent, fenced({"tasks": [entry("a", "b"), entry("b", "a")]}))
    assert "the plan is not valid" in refused(told)
    assert play.end(agent, fenced({"tasks": list(PLAN)})) == {}
    assert set(play.tasks()) == {"a", "b", "c", "verify"}


def test_the_verify_task_is_last_and_waits_for_all(executing):
    task = executing.tasks()["verify"]
    assert task["subject"].startswith("[VERIFY]")
    assert task["blockedBy"] == ["a", "b", "c"]


def test_a_plan_only_session_ends_with_the_plan(play):
    play.begin(f"--auto --plan-only {GOAL}")
    play.planned()
    shown = play.stop("Planned.")["systemMessage"]
    assert "Wave 2: [b, c] after wave 1" in shown
    assert shown.endswith("To execute it: /ultrawork:ultrawork-exec")
    assert play.session()["phase"] == "PLANNING_COMPLETE"
    assert not play.is_on()


def test_a_plan_that_stands_is_executed_later(play):
    play.begin(f"--auto {GOAL}", skill="ultrawork:ultrawork-plan")
    play.planned()
    play.stop("Planned.")
    told = play.begin("--max-iterations 2", skill="ultrawork:ultrawork-exec")
    assert "TASK_ID: a" in context(told)
    session = play.session()
    assert (session["phase"], session["options"]["max_iterations"]) == ("EXECUTION", 2)
    assert session["plan"]["approved_at"]


def test_a_worker_gets_its_task_whole_whatever_the_model_wrote(executing):
    _, told = executing.ask("worker", "a", model="opus", description="x")
    given = told["hookSpecificOutput"]["updatedInput"]
    assert (given["subagent_type"], given["model"]) == ("ultrawork:worker", "sonnet")
    for part in ("SESSION_ID", "TASK_ID: a", "TASK: Correct a", "SUCCESS CRITERIA:\n- grep"):
        assert part in given["prompt"]
    assert "permissionDecision" not in told["hookSpecificOutput"]


def test_the_long_name_of_the_documents_is_rewritten(executing):
    _, told = executing.ask("worker:worker", "a", prompt="TASK_ID: a")
    assert told["hookSpecificOutput"]["updatedInput"]["subagent_type"] == "ultrawork:worker"


def test_a_task_is_in_progress_before_its_worker_starts(executing):
    call, _ = executing.ask("worker", "a")
    task = executing.tasks()["a"]
    assert (task["status"], task["owner"], task["attempts"]) == ("in_progress", call, 1)


def test_a_task_is_given_once(executing):
    executing.agent("worker", "a")
    _, told = executing.ask("worker", "a")
    assert "is not the next step" in denied(told)


@pytest.mark.parametrize("subject", ["b", "verify", "nobody", ""])
def test_a_task_that_is_not_ready_is_denied(executing, subject):
    _, told = executing.ask("worker", subject)
    assert "is not the next step" in denied(told)


def test_the_pool_is_refilled_as_workers_end(play):
    play.begin(f"--auto --max-workers 2 {GOAL}")
    play.planned([entry("a"), entry("b"), entry("c")])
    assert len(play.due()) == 2
    first = play.agent("worker", "a")
    play.agent("worker", "b")
    assert play.due() == []
    play.write("a.txt", "right\n")
    play.end(first, "Done.")
    assert ["TASK_ID: c" in one["prompt"] for one in play.due()] == [True]


def test_a_tasks_own_criteria_decide_and_a_word_does_not(executing):
    agent = executing.agent("worker", "a")
    told = executing.end(agent, "All done, every test passes. PASS.")
    assert "task a is not done: grep -q right a.txt: red" in refused(told)
    executing.end(agent, "All done.")
    task = executing.tasks()["a"]
    assert task["retry_count"] == 1
    assert "grep -q right a.txt" in task["reason"]
    assert task["status"] == "pending"


def test_in_a_sandboxed_client_the_hook_runs_no_criterion_itself(executing):
    folder = f"{executing.root}/.claude"
    os.makedirs(folder)
    with open(f"{folder}/settings.json", "w", encoding="utf-8") as file:
        json.dump({"sandbox": {"enabled": True}}, file)
    assert "these have not run: grep -q right a.txt" in refused(executing.worked("a"))


def test_a_retry_is_told_why_the_last_attempt_failed(executing):
    agent = executing.agent("worker", "a")
    executing.end(agent, "Done.")
    executing.end(agent, "Done.")
    assert "The last attempt failed: grep -q right a.txt" in executing.due()[0]["prompt"]


def test_the_third_attempt_has_the_strongest_model(executing):
    for _ in range(2):
        agent = executing.agent("worker", "a")
        executing.end(agent, "Done.")
        executing.end(agent, "Done.")
    assert executing.due()[0]["model"] == "opus"


def test_a_judged_task_is_not_resolved_by_a_hedge(play):
    play.begin()
    play.planned([entry("a", criteria=["judged: it reads well"])])
    play.end(play.agent("worker", "a"), "It should work.")
    assert play.tasks()["a"]["retry_count"] == 1


def test_beside_criteria_that_ran_a_hedge_is_noted_for_everyone_to_see(executing):
    """Zero tolerance: a cautious word does not undo what a check showed, and is not passed over either."""
    agent = executing.agent("worker", "a")
    executing.write("a.txt", "right\n")
    executing.end(agent, "This should work now. It is a basic implementation.")
    task = executing.tasks()["a"]
    assert task["status"] == "resolved"
    assert 'the worker wrote "should work", so only the criteria count' in task["evidence"]


def test_a_task_with_judged_criteria_alone_is_shown_so(play):
    play.begin()
    play.planned([entry("a", criteria=["judged: it reads well"])])
    play.end(play.agent("worker", "a"), "I read it twice and corrected the second line.")
    task = play.tasks()["a"]
    assert task["status"] == "resolved"
    assert task["evidence"] == ["judged: it reads well (to be judged)"]


def test_a_blocked_worker_fails_its_task_with_its_reason(executing):
    agent = executing.agent("worker", "a")
    executing.write("a.txt", "right\n")
    executing.end(agent, "I stop here.\n\nBLOCKED: the text is locked")
    assert "the text is locked" in executing.tasks()["a"]["reason"]


@pytest.mark.slow
def test_resolved_tasks_green_gates_and_a_clean_verifier_complete_it(executing):
    all_worked(executing)
    verified(executing)
    assert "PASS" in executing.stop("Done.")["systemMessage"]
    session = executing.session()
    assert (session["phase"], session["verdict"]) == ("COMPLETE", "PASS")
    assert executing.tasks()["verify"]["status"] == "resolved"
    assert os.path.exists(f"{executing.home}/sessions/{SESSION}/verdict.json")


@pytest.mark.slow
def test_the_verifier_gets_criteria_receipts_and_diff_and_no_claims(executing):
    all_worked(executing)
    executing.stop("CLAIMED BY THE MODEL")
    (due,) = executing.due()
    assert (due["subagent_type"], due["model"]) == ("ultrawork:verifier", "sonnet")
    assert "grep -q right b.txt" in due["prompt"]
    assert "test: green" in due["prompt"]
    assert "+right" in due["prompt"]
    assert "Done." not in due["prompt"]


def judge_twice(play, words):
    """A verifier that gives the same answer when it is asked once more; whether it was asked."""
    play.stop("Done.")
    agent = play.agent("verifier")
    asked = "decision" in play.end(agent, words)
    if asked:
        play.end(agent, words)
    play.stop("Done.")
    return asked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verdict", "asked"),
    [({"verdict": "PASS", "findings": ["b is untested"]}, False), ({"verdict": "FAIL", "findings": []}, True)],
)
def test_a_verdict_against_the_work_begins_another_round(executing, verdict, asked):
    all_worked(executing)
    assert judge_twice(executing, fenced(verdict)) == asked
    session = executing.session()
    assert (session["phase"], session["iteration"]) == ("EXECUTION", 2)
    assert executing.tasks()["mend-2"]["criteria"][0].startswith("judged: ")


@pytest.mark.slow
@pytest.mark.parametrize("words", ["It is a PASS.", "```json\nPASS\n```", fenced({"findings": []}), ""])
def test_what_is_no_verdict_is_asked_for_once_more_and_then_leaves_it_unverified(executing, words):
    all_worked(executing)
    assert judge_twice(executing, words)
    assert executing.session()["verdict"] == "UNVERIFIED"
    assert "mend-2" not in executing.tasks()


@pytest.mark.slow
def test_red_gates_become_a_task_of_the_next_round(executing):
    all_worked(executing)
    executing.write("check.sh", "grep -q fine d.txt && echo 1 passed\n")
    told = refused(executing.stop("Done."))
    assert "TASK_ID: mend-2" in told
    task = executing.tasks()["mend-2"]
    assert task["criteria"] == ["make test => exit 0"]
    assert "mend-2" in executing.tasks()["verify"]["blockedBy"]
    agent = executing.agent("worker", "mend-2")
    executing.write("d.txt", "fine\n")
    executing.end(agent, "Done.")
    assert "ultrawork: mend-2 resolved (4 of 4)" in executing.notified["systemMessage"]
    assert executing.tasks()["mend-2"]["status"] == "resolved"
    assert executing.session()["phase"] == "VERIFICATION"


@pytest.mark.slow
def test_a_verifier_is_not_due_while_the_gates_are_red(executing):
    all_worked(executing)
    executing.write("a.txt", "wrong again\n")
    executing.stop("Done.")
    _, told = executing.ask("verifier")
    assert "is not the next step" in denied(told)
    assert executing.session()["iteration"] == 2


@pytest.mark.slow
def test_files_that_move_after_the_gates_are_checked_again(executing):
    all_worked(executing)
    executing.stop("Done.")
    agent = executing.agent("verifier")
    executing.write("c.txt", "spoiled\n")
    executing.end(agent, fenced(PASS))
    executing.stop("Done.")
    assert executing.session()["phase"] != "COMPLETE"


def test_skipping_verification_is_unverified(play):
    play.begin(f"--auto --skip-verify {GOAL}")
    play.planned()
    all_worked(play)
    play.stop("Done.")
    session = play.session()
    assert (session["phase"], session["verdict"]) == ("EXECUTION", "UNVERIFIED")


def test_a_failed_session_goes_on_only_by_restart_with_a_new_run(alone):
    alone.begin(f"--auto --max-iterations 1 {GOAL}")
    alone.planned([entry("a", max_retry=0)])
    agent = alone.agent("worker", "a")
    alone.end(agent, "Done.")
    alone.end(agent, "Done.")
    alone.stop("Done.")
    assert alone.session()["phase"] == "FAILED"
    told = alone.begin("", skill="ultrawork:ultrawork-exec")
    assert "Run it again: ultrawork-exec --restart" in told["reason"]
    alone.begin("--restart", skill="ultrawork:ultrawork-exec")
    session = alone.session()
    assert (session["phase"], session["run"], session["iteration"]) == ("EXECUTION", 2, 1)


@pytest.mark.slow
def test_a_complete_session_is_not_executed_again(executing):
    all_worked(executing)
    verified(executing)
    executing.stop("Done.")
    told = executing.begin("", skill="ultrawork:ultrawork-exec")
    assert "this session is COMPLETE" in told["reason"]


def test_executing_what_is_not_there_is_said(play):
    assert play.begin("", skill="ultrawork:ultrawork-exec")["decision"] == "block"


def test_a_cancelled_session_refuses_nothing_and_starts_nothing(executing):
    executing.run("cancel", "--session", "last")
    assert refused(executing.stop("Stopping.")) == ""
    assert executing.next()["kind"] == "done"
    assert executing.session()["phase"] == "CANCELLED"


def test_the_retry_marker_starts_nothing_that_is_not_due(executing):
    """It is the model's word; a round that is due comes with or without it."""
    executing.agent("worker", "a")
    running = [{"type": "agent", "id": "x"}]
    assert executing.stop("__ULTRAWORK_RETRY__", background_tasks=running) == {}
    assert executing.session()["iteration"] == 1


@pytest.mark.slow
def test_a_round_that_is_due_is_fed_at_the_stop(executing):
    all_worked(executing)
    executing.write("a.txt", "wrong again\n")
    told = refused(executing.stop("The gates are red.\n__ULTRAWORK_RETRY__"))
    assert executing.session()["iteration"] == 2
    assert "ultrawork next" in told


MARK = "__ULTRAWORK_RETRY__"


@pytest.fixture
def failed_once(executing):
    """Task a has failed and is due again."""
    agent = executing.agent("worker", "a")
    executing.end(agent, "Done.")
    executing.end(agent, "Done.")
    assert executing.tasks()["a"]["retry_count"] == 1
    return executing


def rule(play):
    return json.loads(play.run("why", "--session", "last", "--json"))["data"]["rule"]


def test_the_retry_marker_as_the_last_line_asks_for_the_round_that_is_due(failed_once):
    """It is no refusal: a model that follows document 001 has as many stops left as before."""
    assert "TASK_ID: a" in refused(failed_once.stop(f"Again.\n{MARK}"))
    assert rule(failed_once) == "retry-asked-for"
    status = json.loads(failed_once.run("status", "--session", "last", "--json"))["data"]
    assert status["refusals"] == 0


def test_the_retry_marker_is_honoured_once_for_each_place(failed_once):
    rules = []
    for _ in range(4):
        failed_once.stop(MARK)
        rules.append(rule(failed_once))
    assert rules == ["retry-asked-for", "next", "next", "no-progress"]


@pytest.mark.parametrize("message", [f"{MARK}\nI stop here.", f"Print {MARK} to go on.", f"> {MARK}", "Done."])
def test_the_retry_marker_counts_as_the_last_line_only(failed_once, message):
    failed_once.stop(message)
    assert rule(failed_once) == "next"


def test_the_retry_marker_is_not_honoured_where_no_retry_is_due(executing):
    executing.stop(MARK)
    assert rule(executing) == "next"


def test_another_session_of_this_checkout_is_refused_with_the_way_out(executing):
    other = "5e551040-0000-4000-8000-000000000002"
    told = executing.event(
        "UserPromptExpansion", session_id=other, command_name="ultrawork:ultrawork", command_args=GOAL, prompt="x"
    )
    assert "git worktree add" in told["reason"]


def test_an_agent_that_is_gone_without_a_word_gives_its_task_back(executing):
    executing.agent("worker", "a")
    assert "TASK_ID: a" in refused(executing.stop("Waiting."))
    assert executing.tasks()["a"]["status"] == "pending"


def test_running_agents_defer_the_stop(executing):
    executing.agent("worker", "a")
    assert executing.stop("Waiting.", background_tasks=[{"type": "agent", "id": "x"}]) == {}


def test_how_often_it_is_sent_back_is_what_the_person_has_set(play):
    play.environ["ULTRAWORK_STOP_REPEATS"] = "1"
    play.begin()
    play.planned()
    told = [play.stop("All done. PASS.") for _ in range(2)]
    assert refused(told[0])
    assert "UNVERIFIED" in told[1]["systemMessage"]


def test_what_an_agent_writes_into_the_settings_changes_no_bound(executing):
    executing.write("ultrawork.toml", "[stop]\nrepeats = 1\n")
    told = [executing.stop("All done. PASS.") for _ in range(3)]
    assert [bool(refused(one)) for one in told] == [True, True, False]


def test_a_model_that_only_talks_is_let_go_unverified(executing):
    told = [executing.stop("All done. PASS.") for _ in range(3)]
    assert [bool(refused(one)) for one in told[:2]] == [True, True]
    assert "UNVERIFIED" in told[2]["systemMessage"]
    assert executing.session()["phase"] == "EXECUTION"


@pytest.mark.slow
def test_what_a_later_task_undid_goes_back_to_its_own_with_the_name_of_who_did_it(play):
    """The gates do not see it: only the criterion of a does, run again on what is delivered."""
    play.write("Makefile", "test:\n\t@grep -q right c.txt && echo 1 passed\n")
    play.begin()
    play.planned([entry("a"), entry("b", "a"), entry("c", "b")])
    play.worked("a")
    agent = play.agent("worker", "b")
    play.write("a.txt", "wrong\n")
    play.write("b.txt", "right\n")
    play.end(agent, "Done.")
    play.worked("c")
    told = refused(play.stop("Done."))
    assert "TASK_ID: a" in told
    assert play.session()["iteration"] == 2
    task = play.tasks()["a"]
    assert task["status"] == "pending"
    assert "since task b ended" in task["reason"]
    assert "mend-2" not in play.tasks()


NO_CHECK = {"a.txt": "wrong\n", "b.txt": "wrong\n"}


@pytest.mark.slow
def test_without_a_check_criteria_are_shown_and_prove_nothing(tmp_path):
    play = Play(str(tmp_path), NO_CHECK)
    play.begin()
    play.planned([entry("a", criteria=["grep -q right a.py", "grep -q fixed NOTES.md"])])
    agent = play.agent("worker", "a")
    play.write("a.py", "right = 1\n")
    play.write("NOTES.md", "fixed\n")
    play.end(agent, "Done.")
    told = " ".join(play.stop("Done.")["systemMessage"].split())
    assert play.session()["verdict"] == "UNVERIFIED"
    assert "and 2 of 2 criteria are met. Add a check: ulw gates draft" in told
    assert "NOTES.md` of task a is met, but proves nothing: it only checks NOTES.md, which this work wrote" in told
    assert "a.py` of task a is met, but" not in told


def test_an_ending_without_a_verdict_says_why(tmp_path):
    play = Play(str(tmp_path), NO_CHECK)
    play.begin()
    play.planned([entry("a", criteria=["true"])])
    play.worked("a")
    assert "this project has no checks" in play.stop("Done.")["systemMessage"]


@pytest.mark.slow
def test_without_a_check_a_criterion_that_a_person_approved_proves_nothing_either(tmp_path):
    play = Play(str(tmp_path), NO_CHECK)
    play.begin(f"--plan-only --auto {GOAL}")
    play.planned([entry("a", criteria=["test -f b.txt"])])
    play.stop("Planned.")
    play.begin("", skill="ultrawork:ultrawork-exec")
    play.worked("a")
    told = " ".join(play.stop("Done.")["systemMessage"].split())
    assert "this project has no checks" in told
    assert "b.txt` of task a is met, but proves nothing: it also passes without the change" in told
    assert play.session()["verdict"] == "UNVERIFIED"


@pytest.mark.slow
def test_a_note_of_the_verifier_blocks_nothing(executing):
    all_worked(executing)
    note = {"what": "the names could be shorter", "where": "a.txt:1", "severity": "P2"}
    verified(executing, {"verdict": "PASS", "findings": [note]})
    noted = "the names could be shorter (a.txt:1)"
    assert f"Notes of the verifier\n\n- {noted}" in executing.stop("Done.")["systemMessage"]
    assert executing.session()["phase"] == "COMPLETE"
    for verb in ("report", "evidence"):
        assert noted in executing.run(verb, "--session", "last")


@pytest.mark.slow
def test_what_the_verifier_found_is_mended_by_what_must_hold_and_the_next_one_hears_of_it(executing):
    all_worked(executing)
    first = {"what": "a has no end", "where": "a.txt:1", "severity": "P0", "shown_by": "grep -q end a.txt"}
    second = {"what": "b is dull", "where": "b.txt:1", "severity": "P1", "holds": "b is lively"}
    third = {"what": "c is long", "where": "c.txt:1", "severity": "P1"}
    note = {"what": "d", "severity": "P2"}
    verified(executing, {"verdict": "FAIL", "findings": [first, second, third, note]})
    assert executing.tasks()["mend-2"]["criteria"] == [
        "grep -q end a.txt => exit 0",
        "judged: b is lively (b.txt:1)",
        "judged: no longer so: c is long (c.txt:1)",
    ]
    agent = executing.agent("worker", "mend-2")
    executing.write("a.txt", "right, the end\n")
    assert refused(executing.end(agent, "Mended, and looked at.")) == ""
    executing.stop("Done.")
    (due,) = executing.due()
    assert "FOUND BEFORE" in due["prompt"]
    assert "- a has no end (a.txt:1)" in due["prompt"]
    verified(executing, {"verdict": "PASS", "findings": []})
    shown = executing.stop("Done.")["systemMessage"]
    assert ("(judged by the verifier)" in shown, "to be judged" in shown) == (True, False)


def test_help_of_exec_tells_its_own_flags(play):
    told = play.begin("--help", skill="ultrawork:ultrawork-exec")["reason"]
    assert "--session ID" in told
    assert "--restart" in told
    assert "--plan-only" not in told


def test_what_an_explorer_names_is_kept_as_its_findings(play):
    play.begin()
    told = "The texts are three.\n\nKey files:\n- `docs/a.txt:1` the first\n\nPatterns to follow:\n- one word a line\n"
    play.end(play.agent("explorer", "exp-1"), told)
    known = view(play, "context.json")
    found = {one["id"]: one for one in known["explorers"]}["exp-1"]["findings"]
    assert found == {"key_files": ["docs/a.txt"], "patterns": ["one word a line"]}
    assert "one word a line" in known["patterns"]


def test_an_explorer_that_says_nothing_is_asked_once_and_then_told_as_silent(play):
    play.begin()
    agent = play.agent("explorer", "exp-1")
    assert "your last message is empty" in refused(play.end(agent, " "))
    play.end(agent, "")
    found = {one["id"]: one for one in view(play, "context.json")["explorers"]}["exp-1"]
    assert found["summary"] == "not explored: exp-1 sent no report"


def test_a_plan_made_with_the_person_says_when(play):
    play.begin(GOAL)
    play.explored()
    plan = json.dumps({"tasks": [entry("a")]}).encode()
    play.run("task", "create", "--session", "last", "--from", "-", stdin=plan)
    assert play.session()["plan"]["created_at"]


def test_all_agents_of_a_round_are_named_whole_and_once(play):
    play.begin(f"--auto {GOAL}")
    names = [f"part-{number}" for number in range(12)]
    play.planned([entry(name, criteria=["test -f a.txt"]) for name in names])
    told = refused(play.stop("Go."))
    assert [name for name in names if f'TASK_ID: {name}"' in told] == names
    for name in names:
        call, answer = play.ask("worker", name)
        given = answer["hookSpecificOutput"]["updatedInput"]
        told = play.event(
            "PostToolUse",
            tool_name="Agent",
            tool_input=given,
            tool_use_id=call,
            tool_response={"isAsync": True, "agentId": f"agent-{call}"},
        )
        assert context(told) == "", name
