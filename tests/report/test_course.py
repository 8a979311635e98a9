"""A session in words: plan, progress, ending."""

from support.play import PLAN, entry, fenced


def report(play):
    return play.run("report", "--session", "last")


def test_a_session_without_a_plan_says_so(play):
    play.begin()
    assert "No plan yet." in report(play)


def test_a_plan_is_a_table_with_waves_and_the_longest_chain(play):
    play.begin()
    play.planned([*PLAN, entry("d", "c", complexity="complex")])
    text = report(play)
    assert "| ID | Task | Complexity | Blocked By |" in text
    assert "| a | Correct a | standard | - |" in text
    assert "| d | Correct d | complex | c |" in text
    assert "- Wave 1: [a] can start immediately" in text
    assert "- Wave 2: [b, c] after wave 1" in text
    assert "[verify] after all" in text
    assert "**Longest chain:** a -> c -> d -> verify" in text


def test_progress_shows_marks_models_iteration_and_workers(play):
    play.begin("--auto --max-iterations 4 correct the three texts")
    play.planned([*PLAN, entry("d", "c", complexity="complex")])
    play.worked("a")
    play.agent("worker", "b")
    text = report(play)
    assert "**Iteration:** 1/4   **Phase:** EXECUTION" in text
    assert "| a | ✓ resolved | sonnet |" in text
    assert "| b | → running | sonnet |" in text
    assert "| c | ⏳ pending | sonnet |" in text
    assert "| d | ⏳ pending | opus |" in text
    assert "Active workers: 1" in text


def test_a_finished_session_tells_goal_rounds_tasks_and_evidence(finished):
    text = report(finished)
    assert "## Execution complete" in text
    assert "**Goal:** correct the three texts" in text
    assert "**Iterations:** 1/5" in text
    assert "**Result:** ✓ PASS" in text
    assert "**Tasks:** 4/4 resolved" in text
    assert "- a: grep -q right a.txt: met (#" in text


def test_a_failed_session_tells_what_failed_and_why(failed):
    text = report(failed)
    assert "## Execution ended" in text
    assert "**Result:** ✗ FAIL" in text
    assert "**Tasks:** 1/3 resolved" in text
    assert "| b | Correct b | failed: grep -q right b.txt: red" in text


def test_findings_of_the_verifier_are_told(play):
    play.begin("--auto --max-iterations 1 correct the three texts")
    play.planned()
    for name in "abc":
        play.worked(name)
    play.stop("Done.")
    found = {"verdict": "FAIL", "findings": [{"what": "b is | untested"}]}
    play.end(play.agent("verifier"), fenced(found))
    play.stop("Done.")
    assert "### Verification\n- b is \\| untested" in report(play)


def test_a_goal_with_bars_and_lines_stays_in_its_place(play):
    play.begin("--auto mend | the\n# table")
    assert report(play).startswith("# mend \\| the # table\n")


def test_the_patch_of_a_session_is_what_it_changed(finished):
    patch = finished.run("report", "--diff", "--session", "last")
    assert patch.count("diff --git") == 3
    assert "-wrong\n+right" in patch
