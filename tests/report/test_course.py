"""A session in words: plan, progress, ending; plain on every screen, Markdown for whoever asks for it."""

import json

import pytest

from support.play import PLAN, entry, fenced


def report(play, *words):
    return play.run("report", "--session", "last", *words)


def lines(text):
    """Without the blanks that align columns."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_a_session_without_a_plan_says_so(play):
    play.begin()
    assert "No plan yet." in report(play)


def test_a_plan_is_a_table_with_waves_and_the_longest_chain(play):
    play.begin()
    play.planned([*PLAN, entry("d", "c", complexity="complex")])
    text = report(play, "--markdown")
    assert "| ID | Task | Complexity | Blocked By | Done means |" in text
    assert "| a | Correct a | standard | - | grep -q right a.txt |" in text
    assert "| d | Correct d | complex | c | grep -q right d.txt |" in text
    assert r"- Wave 1: \[a\] can start immediately" in text
    assert r"- Wave 2: \[b, c\] after wave 1" in text
    assert r"\[verify\] after all" in text
    assert "**Longest chain:** a -&gt; c -&gt; d -&gt; verify" in text


def test_in_a_terminal_the_plan_has_no_marks_and_says_when_a_task_is_done(play):
    play.begin()
    play.planned([entry("a", criteria=["make test => 3 passed", "test -s a"])])
    text = report(play)
    assert "a Correct a standard - make test => 3 passed; test -s a" in lines(text)
    assert "ID Task Complexity Blocked By Done means" in lines(text)
    assert "- Wave 1: [a] can start immediately" in lines(text)
    assert not any(mark in text for mark in ("**", "|", "##"))
    assert max(map(len, text.splitlines())) <= 100


def test_a_long_criterion_goes_on_below_itself_and_is_not_cut(play):
    play.begin()
    criterion = f"sh -c '{' && '.join(f'grep -q right {n}.txt' for n in 'abc')}' => {'x' * 60}"
    play.planned([entry("a", subject="Correct " + "very " * 12, criteria=[criterion])])
    text = report(play)
    words = " ".join(line[50:] for line in text.splitlines())
    assert all(word in words for word in criterion.split())


def test_progress_shows_marks_models_iteration_and_workers(play):
    play.begin("--auto --max-iterations 4 correct the three texts")
    play.planned([*PLAN, entry("d", "c", complexity="complex")])
    play.worked("a")
    play.agent("worker", "b")
    shown = lines(report(play))
    assert "Iteration 1 of 4" in shown
    assert "Phase EXECUTION" in shown
    assert "a ✓ resolved sonnet Correct a" in shown
    assert "b → running sonnet Correct b" in shown
    assert "c ⏳ pending sonnet Correct c" in shown
    assert "d ⏳ pending opus Correct d" in shown
    assert "Active workers 1" in shown
    assert "| b | → running | sonnet | Correct b |" in report(play, "--markdown")


@pytest.mark.slow
def test_a_finished_session_tells_goal_rounds_tasks_evidence_files_and_what_next(finished):
    text = report(finished, "--markdown")
    assert "## Execution complete" in text
    assert "**Goal:** correct the three texts" in text
    assert "**Rounds:** 1 of 5" in text
    assert "**Result:** ✓ PASS" in text
    assert "**Tasks:** 3 of 3 resolved" in text
    assert "**Files changed:** 3, +3 -3 lines" in text
    assert f"**Work:** {finished.place}" in text
    assert "- a: grep -q right a.txt: met (#" in text
    assert "| +1 -1 | b.txt |" in text
    assert "### Next steps\n\n- review the change: ultrawork report --diff" in text


def test_a_failed_session_tells_what_failed_and_why_before_anything_else(failed):
    text = report(failed, "--markdown")
    assert text.index("## Execution ended") < text.index("## Ultrawork plan")
    assert "**Result:** ✗ FAILED" in text
    assert "**Because:** tasks are not resolved: b, and all iterations are used up" in text
    assert "**Tasks:** 1 of 2 resolved" in text
    assert "| b | Correct b | failed: grep -q right b.txt: red" in text
    assert "- try again: ultrawork exec --restart" in text


@pytest.mark.slow
def test_findings_of_the_verifier_are_told(play):
    play.begin("--auto --max-iterations 1 correct the three texts")
    play.planned()
    for name in "abc":
        play.worked(name)
    play.stop("Done.")
    found = {"verdict": "FAIL", "findings": [{"what": "b is | untested"}]}
    play.end(play.agent("verifier"), fenced(found))
    play.stop("Done.")
    assert "### Verification\n\n- b is \\| untested" in report(play, "--markdown")
    assert "- b is | untested" in report(play)


def test_a_goal_with_bars_and_lines_stays_in_its_place(play):
    play.begin("--auto mend | the\n# table")
    assert report(play, "--markdown").startswith("# mend \\| the # table\n")
    assert report(play).startswith("mend | the # table\n")


@pytest.mark.slow
def test_programs_get_the_outcome_and_the_markdown(finished):
    data = json.loads(report(finished, "--json"))["data"]
    assert (data["verdict"], data["ending"], data["phase"]) == ("PASS", "PASS", "COMPLETE")
    assert data["markdown"].startswith("# correct the three texts")


@pytest.mark.slow
def test_the_patch_of_a_session_is_what_it_changed(finished):
    patch = finished.run("report", "--diff", "--session", "last")
    assert patch.count("diff --git") == 3
    assert "-wrong\n+right" in patch


@pytest.mark.slow
@pytest.mark.parametrize("name", ["finished", "failed"])
def test_no_line_is_wider_than_a_screen(name, request):
    text = report(request.getfixturevalue(name))
    assert max(len(line) for line in text.splitlines() if "/" not in line) <= 100


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("tasks are not resolved: a", "ultrawork: tasks failed, round 1 of 5: tasks are not"),
        ("test fails", "ultrawork: verification failed, round 1 of 5: test fails"),
    ],
)
def test_a_round_names_a_verification_only_where_one_ran(why, words):
    from ultrawork.core.session.session import Session
    from ultrawork.report.plan import render_round

    made = Session("5e551040", "g", "/x", 0.0)
    assert render_round(made, why).startswith(words)
