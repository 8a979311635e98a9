"""Gates that no stop can wait for. The time a stop may wait is set to less than a second, so that a second is slow."""

import json
import os
import re
import time

import pytest

from support.scene import QUICK, SESSION, Scene, refused
from ultrawork.store.atomic import Lock
from ultrawork.system.ancestry import read_start

LIE = "Done. All tests pass."
SLOW = {
    **QUICK,
    "check.sh": "sleep 0.8; grep -q right app.txt && echo 1 passed\n",
    "ultrawork.toml": '[stop]\nbudget = "0.6s"\n',
}


def slow(tmp_path, *, attended=True):
    scene = Scene(str(tmp_path), SLOW, attended=attended)
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run,check"
    return scene


@pytest.fixture
def known(tmp_path):
    """A person is there, and the check is known to be slow from an earlier run."""
    scene = slow(tmp_path)
    scene.run("verify")
    scene.prompt("ulw change the words")
    return scene


def wake(scene, message=LIE):
    return scene.event("Wake", last_assistant_message=message).get("wake", "")


def stop(scene):
    """As in the client, whose waking process has begun by then: without one a stop waits for it."""
    os.makedirs(f"{scene.home}/background", exist_ok=True)
    with Lock(f"{scene.home}/background/{SESSION}.lock", patience=0):
        return scene.stop(LIE)


def receipts(scene):
    return scene.run("evidence", "list", "--session", SESSION)


def test_a_slow_check_lets_the_stop_pass_and_says_so_once(known):
    known.edit("app.txt", "right and good\n")
    told = stop(known)
    assert re.fullmatch(
        r"ultrawork: not verified yet\. make test runs in the background, 1 test, about \d\.\d s left\.\n"
        r"  I will report the result, pass or fail\. Progress: ulw status",
        told["systemMessage"],
    )
    assert known.is_on()
    assert stop(known) == {}
    assert "checks run in the background" in known.run("why", "--session", SESSION)


@pytest.mark.slow
@pytest.mark.parametrize("is_base_known", [True, False])
def test_a_stop_counts_the_run_on_base_where_nobody_has_made_it(tmp_path, is_base_known):
    """One run fits into the time of a stop, two do not."""
    scene = slow(tmp_path)
    scene.write("ultrawork.toml", '[stop]\nbudget = "2s"\n')
    scene.write("check.sh", SLOW["check.sh"].replace("0.8", "1.4"))
    scene.run("verify")
    if not is_base_known:
        scene.write("app.txt", "right, and not seen by anybody\n")
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right and good\n")
    told = stop(scene)["systemMessage"]
    assert told.startswith(
        "ultrawork: PASS" if is_base_known else "ultrawork: not verified yet. make test runs in the background"
    )


def test_a_red_run_in_the_background_wakes_the_agent_with_the_facts(known):
    known.edit("app.txt", "wrong\n")
    stop(known)
    text = wake(known)
    assert text.startswith('ultrawork: sent back (1 of 8). You said "All tests pass", but make test fails.')
    assert "make test: exit 2" in text
    assert known.is_on()


def test_a_green_run_in_the_background_is_told_with_the_next_prompt(known):
    known.edit("app.txt", "right and good\n")
    stop(known)
    assert wake(known) == ""
    assert (known.session()["phase"], known.session()["verdict"]) == ("COMPLETE", "PASS")
    told = known.prompt("thanks")["systemMessage"]
    assert told.startswith("ultrawork: PASS")
    status = json.dumps({"session_id": SESSION})
    assert _statusline(known, status).startswith("ulw PASS")


def _statusline(scene, given):
    import subprocess

    from support.floor import PLUGIN

    return subprocess.run(
        [f"{PLUGIN}/bin/ultrawork", "statusline"],
        env=scene.person, cwd=scene.place, input=given, capture_output=True, text=True, timeout=30, check=True,
    ).stdout.strip()  # fmt: skip


@pytest.mark.slow
def test_a_background_run_is_refused_twice_in_a_row_at_most(known):
    known.edit("app.txt", "wrong\n")
    stop(known)
    assert "sent back" in wake(known)
    # What was found a moment ago is not run again: the second stop is refused at once.
    assert "The failure is the same as in the last attempt." in refused(stop(known))
    told = stop(known)["systemMessage"]
    assert told.startswith("ultrawork: UNVERIFIED. Sent back twice without progress, so the agent was allowed to stop.")


def test_what_moved_meanwhile_is_checked_once_more(known):
    known.edit("app.txt", "wrong\n")
    stop(known)
    known.edit("app.txt", "right again\n")
    assert wake(known) == ""
    assert known.session()["verdict"] == "PASS"


def test_a_stop_that_needs_no_run_leaves_the_waking_job_idle(known):
    known.stop("Which one do you want?")
    assert wake(known, "Which one do you want?") == ""
    assert "no receipt yet" in receipts(known)


def test_switched_off_meanwhile_nothing_is_said(known):
    known.edit("app.txt", "wrong\n")
    stop(known)
    known.prompt("ulw off")
    assert wake(known) == ""


@pytest.mark.slow
def test_without_a_process_of_the_client_one_of_ours_runs_it(tmp_path):
    scene = slow(tmp_path)
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run"
    scene.run("verify")
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "wrong\n")
    scene.stop(LIE)
    path = f"{scene.home}/news/{SESSION}"
    deadline = time.monotonic() + 60
    while not os.path.exists(path) and time.monotonic() < deadline:
        time.sleep(0.1)
    told = scene.prompt("and?")
    assert "sent back (1 of 8)" in told["systemMessage"]
    assert "sent back (1 of 8)" in told["hookSpecificOutput"]["additionalContext"]


@pytest.mark.slow
def test_a_check_that_nobody_timed_is_tried_and_then_left_to_the_background(tmp_path):
    scene = slow(tmp_path)
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "wrong\n")
    told = stop(scene)
    assert told["systemMessage"].startswith("ultrawork: not verified yet. make test runs in the background")
    assert "sent back" in wake(scene)


def test_alone_a_slow_check_is_asked_for_once(tmp_path):
    scene = slow(tmp_path, attended=False)
    scene.run("verify")
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right and good\n")
    text = refused(scene.stop(LIE))
    assert re.search(r"make test takes about \d\.\d s, longer than a stop can wait", text)
    assert "Next: run `ultrawork verify`, then stop again." in text
    told = scene.stop(LIE)
    assert told["stopReason"].startswith("ultrawork: UNVERIFIED. make test takes about ")


@pytest.mark.slow
def test_alone_the_agents_own_verify_counts_for_what_no_stop_can_wait_for(tmp_path):
    scene = slow(tmp_path, attended=False)
    scene.run("verify")
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right and good\n")
    scene.stop(LIE)
    started = time.time()
    agent = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}
    assert "PASS" in scene.run("verify", env=agent)
    took = int((time.time() - started) * 1000)
    scene.event("PostToolUse", tool_name="Bash", tool_input={"command": "ultrawork verify"}, duration_ms=took)
    assert "PASS" in scene.stop(LIE)["systemMessage"]
    assert re.search(r"agent +#", scene.run("evidence", "--session", SESSION))


@pytest.mark.slow
def test_alone_a_tool_after_that_verify_makes_it_worthless(tmp_path):
    scene = slow(tmp_path, attended=False)
    scene.run("verify")
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right and good\n")
    agent = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}
    scene.run("verify", env=agent)
    time.sleep(0.1)
    scene.tool("Bash", {"command": "pip install evil"})
    assert "longer than a stop can wait" in refused(scene.stop(LIE))


def test_a_check_that_was_cut_off_is_not_tried_in_a_stop_again(tmp_path):
    scene = slow(tmp_path, attended=False)
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right and good\n")
    assert "did not finish in 1 s" in refused(scene.stop(LIE))
    scene.edit("app.txt", "right and better\n")
    before = receipts(scene)
    scene.stop(LIE)
    assert receipts(scene) == before


def test_all_checks_that_nobody_has_timed_are_tried_in_the_first_stop(tmp_path):
    checks = {"lint": "make lint", "types": "make types", "smoke": "grep -q smoke app.txt"}
    files = {
        **QUICK,
        "Makefile": QUICK["Makefile"] + "\nlint:\n\t@true\n\ntypes:\n\t@true\n",
        "ultrawork.toml": "".join(f'[gates.{name}]\nrun = "{run}"\n' for name, run in checks.items()),
    }
    scene = Scene(str(tmp_path), files, attended=False)
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run"
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right and good\n")
    assert "smoke fails, as it did before" in refused(scene.stop(LIE))


def test_while_a_gate_runs_the_status_line_says_which(known):
    from ultrawork.store import markers, paths

    home = paths.find_home(known.environ)
    ours = [os.getpid(), read_start(os.getpid()), False]
    content = {"gate": "test", "began": time.time() - 40, "usual": 120.0, "process": ours}
    markers.put(home, markers.RUNNING, SESSION, content)
    line = _statusline(known, json.dumps({"session_id": SESSION}))
    assert re.fullmatch(r"ulw checking test [4-9]\d s of ~2 min", line)


def test_base_results_are_made_quietly_from_the_first_edit_on(tmp_path):
    scene = Scene(str(tmp_path), QUICK)
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = ""
    scene.prompt("ulw change the words")
    scene.tool("Bash", {"command": "ls"})
    scene.tool("Write", {"file_path": f"{scene.root}/notes.txt"})
    time.sleep(1.0)
    assert "no receipt yet" in receipts(scene), "no file of the checkout has changed"
    scene.edit("app.txt", "right and good\n")
    deadline = time.monotonic() + 60
    while "base" not in receipts(scene):
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_base_results_are_not_made_where_nothing_may_be_run(tmp_path):
    scene = Scene(str(tmp_path), QUICK)
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = ""
    scene.mode = "default"
    scene.prompt("ulw gates deny")
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right and good\n")
    time.sleep(1.5)
    assert "no receipt yet" in receipts(scene)


def test_the_waking_job_is_told_which_files_to_check(known):
    """Also where none was at work yet when the stop was decided."""
    known.edit("app.txt", "right and good\n")
    known.stop(LIE)
    with open(f"{known.home}/background/{SESSION}", encoding="utf-8") as file:
        told = json.load(file)
    assert told["wanted"]
    assert told["stop"]


TESTED = {
    "Makefile": "test:\n\t@python3 -m unittest -q\n",
    "app.py": "def add(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n",
    "test_add.py": (
        "import unittest\nfrom app import add\n\n\nclass Add(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n"
    ),
    "test_rest.py": (
        "import time\nimport unittest\nfrom app import mul\n\n\nclass Rest(unittest.TestCase):\n"
        "    def test_mul(self):\n        time.sleep(5)\n        self.assertEqual(mul(2, 3), 6)\n"
    ),
    "ultrawork.toml": '[stop]\nbudget = "4s"\n',
}
RIGHT = TESTED["app.py"].replace("a - b", "a + b")


@pytest.fixture
def tested(tmp_path):
    scene = Scene(str(tmp_path), TESTED)
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "program-copy,check"
    return scene


@pytest.mark.slow
def test_tests_that_reach_the_change_run_first_and_a_failure_is_sent_back_at_once(tested):
    tested.environ["ULTRAWORK_SKIP_HOOKS"] += ",base-run"
    tested.run("verify")
    tested.prompt("ulw fix add")
    tested.edit("app.py", TESTED["app.py"].replace("a - b", "a + b + 1"))
    began = time.monotonic()
    text = refused(stop(tested))
    assert 'You said "All tests pass", but ' in text
    assert "FAIL test_add" in text
    assert "AssertionError: 4 != 3" in text
    assert time.monotonic() - began < 5, "the whole suite takes longer"
    tested.edit("app.py", RIGHT)
    told = stop(tested)["systemMessage"]
    assert "  1 test that covers this change passes. I will report the result, pass or fail." in told
    assert [line.split()[3] for line in receipts(tested).splitlines()[1:]] == ["related"] * 2


@pytest.mark.slow
def test_of_a_slow_suite_only_the_failed_tests_run_again(tested):
    """Without that, whoever broke a suite of ten minutes would hear of it after twenty."""
    tested.write(
        "test_style.py",
        "import unittest\n\n\nclass Style(unittest.TestCase):\n    def test_todo(self):\n"
        "        self.assertNotIn('TODO', open('app.py').read())\n",
    )
    tested.commit()
    tested.prompt("ulw fix add")
    tested.edit("app.py", RIGHT.replace("a + b", "a + b  # TODO"))
    assert "1 test that covers this change passes" in stop(tested)["systemMessage"]
    assert "FAIL test_todo" in wake(tested)
    runs = [line.split() for line in receipts(tested).splitlines()[1:]]
    red = [float(run[4]) for run in runs if run[2:4] == ["red", "new"]]
    whole, alone = red
    assert whole > 5
    assert alone < 2
    assert "last run   test red" in tested.run("status")


@pytest.mark.slow
def test_tests_that_are_the_whole_suite_are_not_started_before_it(tested):
    """The change reaches both test files, and there is no other."""
    tested.environ["ULTRAWORK_SKIP_HOOKS"] += ",base-run"
    tested.run("verify")
    tested.prompt("ulw fix add and mul")
    tested.edit("app.py", RIGHT.replace("a * b", "b * a"))
    told = stop(tested)["systemMessage"]
    assert "make test runs in the background" in told
    assert "that covers this change" not in told
    assert "no receipt yet" in receipts(tested)


@pytest.mark.slow
def test_a_check_that_nobody_timed_is_timed_on_the_baseline_and_runs_once_on_the_new_files(tested):
    tested.prompt("ulw fix add")
    tested.edit("app.py", RIGHT)
    told = stop(tested)["systemMessage"]
    assert re.search(r"in the background, expected to take more than \d\.\d s\.", told)
    shown = tested.run("status")
    assert "running    the baseline " in shown
    assert wake(tested) == ""
    assert tested.prompt("and?")["systemMessage"].startswith("ultrawork: PASS, proved by test_add")
    runs = [line.split()[3] for line in receipts(tested).splitlines()[1:]]
    whole = [one for one in runs if one != "related"]
    assert whole[:2] == ["base", "new"], "and single tests after them"
    assert runs.count("base") == 1


def test_a_background_check_that_was_killed_is_reported_by_the_next_prompt(known):
    import subprocess

    from ultrawork.store import markers, paths

    with subprocess.Popen(["sleep", "60"]) as process:
        gone = [process.pid, read_start(process.pid), False]
        process.kill()
    home = paths.find_home(known.environ)
    markers.put(home, markers.BACKGROUND, SESSION, {"wanted": "tree", "process": gone})
    told = known.prompt("and?")["systemMessage"]
    assert told == ("ultrawork: UNVERIFIED. The background check was interrupted. Check again: ulw verify")
    assert "systemMessage" not in known.prompt("and now?")


LINTED = {
    **QUICK,
    "shop.py": "import os\n",
    "ultrawork.toml": '[gates.lint]\nrun = "sh lint.sh"\n',
    "lint.sh": "echo 1 unused import; false\n",
}


@pytest.fixture
def linted(tmp_path):
    """The tests pass, and a linter has failed since before the agent came."""
    scene = Scene(str(tmp_path), LINTED, attended=False)
    scene.prompt("ulw change the words")
    scene.edit("shop.py", "import os\n\nNAME = 'shop'\n")
    return scene


def test_that_tests_pass_is_true_beside_a_linter_that_failed_before(linted):
    answer = linted.stop(LIE)
    assert refused(answer) == ""
    assert answer["systemMessage"].startswith("ultrawork: PASS")


def test_that_all_checks_pass_is_not(linted):
    assert "lint.sh fails, as it did before" in refused(linted.stop("Done. All checks pass."))
