"""ralph and ultraqa without a client: events go straight into the hooks."""

import json
import os
import subprocess
import sys

import pytest

from support.floor import PLUGIN
from support.scene import GOAL, NO_CHECK, QUICK, SESSION, Scene, refused

AT_ONCE = {"ultrawork.toml": "[stop]\ncooldown = 0\n"}
LINTED = {
    **QUICK, **AT_ONCE, "Makefile": "test:\n\t@sh check.sh\n\nlint:\n\t@! grep -Hn bad app.txt\n",
}  # fmt: skip


def prd(*done):
    stories = [
        {
            "id": name,
            "title": f"Say {name}",
            "acceptanceCriteria": [f"it says {name}"],
            "priority": number,
            "passes": name in done,
        }
        for number, name in enumerate("abc", 1)
    ]
    return json.dumps({"description": "three words", "userStories": stories})


@pytest.fixture
def stories(tmp_path):
    return Scene(str(tmp_path), {**QUICK, **AT_ONCE, "prd.json": prd()})


@pytest.fixture
def linted(tmp_path):
    return Scene(str(tmp_path), LINTED)


@pytest.fixture
def plain(tmp_path):
    return Scene(str(tmp_path), {**QUICK, **AT_ONCE})


def ralph(scene, words="say it"):
    return scene.typed("ultrawork:ralph", words)


def ultraqa(scene, words="--lint"):
    return scene.typed("ultrawork:ultraqa", words)


def mode(scene, name):
    return scene.session()["modes"][name]


def rounds(scene):
    return mode(scene, "ralph")["counts"]["iteration"]


def head(answer):
    return refused(answer).partition("\n")[0]


def work(scene, *done, line="right"):
    scene.edit("app.txt", f"{line} {' '.join(done)}\n")
    scene.edit("prd.json", prd(*done))


def test_ralph_says_what_done_means_and_shows_itself(stories):
    told = ralph(stories)
    assert told["systemMessage"] == (
        "ultrawork: ralph, 10 rounds at most. Must pass: 3 stories, make test. Turn off: ulw off"
    )
    context = told["hookSpecificOutput"]["additionalContext"]
    assert context.startswith("ultrawork is on. Goal: say it\n")
    assert "Stories (prd.json): 0 of 3 stories pass.\nNext:\n  a Say a\n    - it says a" in context
    assert len(context.encode()) <= 2000
    assert max(map(len, context.splitlines()[-8:])) <= 100
    path = f"{stories.place}/.omc/state/sessions/{SESSION}/ralph-state.json"
    with open(path, encoding="utf-8") as file:
        state = json.load(file)
    assert (state["active"], state["iteration"], state["max_iterations"]) == (True, 1, 10)
    assert state["current_story_id"] == "a"
    assert mode(stories, "ultrawork")["active"] is True


def test_without_words_the_goal_is_what_the_stories_are_about(stories):
    ralph(stories, "")
    assert stories.session()["goal"] == "three words"


def test_without_words_and_stories_it_does_not_begin(plain):
    assert ralph(plain, "")["systemMessage"] == (
        "ultrawork: ralph is not on: add a task, for example: ralph fix the login bug"
    )
    assert not plain.is_on()


def test_a_malformed_file_gets_one_sentence_and_nothing_begins(stories):
    stories.write("prd.json", '{"userStories": [{"id": "a"}]}')
    assert ralph(stories)["systemMessage"] == (
        "ultrawork: ralph is not on: story 1 of prd.json has no title; give it one"
    )
    assert not stories.is_on()


@pytest.mark.slow
def test_a_file_that_is_broken_on_the_way_is_to_be_mended(stories):
    ralph(stories)
    work(stories, "a", "b", "c")
    stories.write("prd.json", "{")
    text = refused(stories.stop("All there."))
    assert "prd.json does not parse" in text.splitlines()[0]
    stories.write("prd.json", prd("a", "b", "c"))
    assert "PASS" in stories.stop("All there.")["systemMessage"]


def test_one_prompt_that_comes_by_two_events_begins_it_once(stories):
    ralph(stories)
    stories.prompts -= 1
    assert ralph(stories) == {}


@pytest.mark.slow
def test_stories_are_worked_off_by_priority_until_all_pass(stories):
    ralph(stories)
    work(stories, "a")
    assert head(stories.stop("a is there")) == ("ultrawork: sent back (round 2 of 10). 2 of 3 stories are open.")
    work(stories, "a", "b", line="wrong")
    assert "test fails" in head(stories.stop("All tests pass."))
    work(stories, "a", "b", "c")
    said = stories.stop("All there.")["systemMessage"]
    assert said.endswith("; 3 of 3 stories. Details: ulw evidence")
    assert stories.session()["phase"] == "COMPLETE"
    assert (mode(stories, "ralph")["phase"], rounds(stories)) == ("complete", 3)


@pytest.mark.slow
def test_what_is_told_of_a_story_is_not_told_twice(stories):
    ralph(stories)
    work(stories, "a")
    assert "it says b" in refused(stories.stop("a is there"))
    again = refused(stories.stop("a is there"))
    assert "it says b" not in again
    assert "finish b Say b, set its passes to true in prd.json" in again
    told = stories.stop("a is there")["systemMessage"].splitlines()
    assert told[0] == ("ultrawork: UNVERIFIED. Sent back twice without progress, and 2 of 3 stories are open.")
    assert "  open      b Say b" in told


def test_the_log_of_the_rounds_is_part_of_no_tree(stories):
    ralph(stories)
    work(stories, "a")
    stories.stop("First.\nPATTERN: words are in app.txt")
    log = stories.read(".omc/progress.txt")
    assert "\n- words are in app.txt\n" in log
    assert "] - a\n" in log
    assert '- said: "First."\n- sent back: 2 of 3 stories are open\n' in log
    assert "**Files changed:**\n- app.txt\n- prd.json\n" in log
    status = ["git", "status", "--porcelain", "--untracked-files=all"]
    shown = subprocess.run(status, cwd=stories.place, capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["M", "app.txt", "M", "prd.json"]


@pytest.mark.slow
@pytest.mark.parametrize("ignore", ["", "old.txt\n"])
def test_the_log_counts_as_no_progress_also_where_git_would_show_it(stories, ignore):
    """A folder with a list of an earlier version, or of the person's own."""
    stories.write(".omc/.gitignore", ignore)
    ralph(stories)
    work(stories, "a")
    answers = [stories.stop("a is there") for _ in range(3)]
    assert "without progress" in answers[2]["systemMessage"]


def test_without_git_the_files_of_the_mode_are_no_progress_either(tmp_path):
    scene = Scene(str(tmp_path), {**QUICK, **AT_ONCE, "prd.json": prd()})
    subprocess.run(["rm", "-rf", f"{scene.place}/.git"], check=True)
    ralph(scene)
    work(scene, "a")
    answers = [scene.stop("a is there") for _ in range(3)]
    assert [head(one)[:31] for one in answers[:2]] == ["ultrawork: sent back (round 2 o", "ultrawork: sent back (round 3 o"]  # fmt: skip
    assert "without progress" in answers[2]["systemMessage"]


@pytest.mark.slow
def test_an_ignored_file_of_stories_that_moves_is_progress(tmp_path):
    scene = Scene(str(tmp_path), {**QUICK, **AT_ONCE, ".gitignore": "prd.json\n"})
    scene.write("prd.json", prd())
    ralph(scene)
    scene.edit("app.txt", "right now\n")
    assert [bool(refused(scene.stop("more"))) for _ in range(2)] == [True, True]
    scene.edit("prd.json", prd("a"))
    assert "2 of 3 stories are open" in head(scene.stop("more"))


@pytest.mark.slow
def test_only_the_persons_word_gives_more_rounds(stories):
    ralph(stories, "--max-iterations 3 say it")
    for number in range(2):
        stories.edit("app.txt", f"right {number}\n")
        stories.stop("more")
    assert rounds(stories) == 3
    ralph(stories, "--max-iterations 5 and more")
    assert (rounds(stories), mode(stories, "ralph")["limits"]["iteration"]) == (1, 5)
    assert mode(stories, "ralph")["facts"]["stories"] == {"a": "Say a", "b": "Say b", "c": "Say c"}


@pytest.mark.parametrize("given", ["0", "101", "many", ""])
def test_a_number_of_rounds_that_is_none_is_refused(stories, given):
    told = ralph(stories, f"--max-iterations {given}")["systemMessage"]
    assert told == "ultrawork: ralph is not on: --max-iterations must be a number from 1 to 100"


GIVE_WAY = {
    "plan mode": {"permission_mode": "plan"},
    "agents at work": {"background_tasks": [{"type": "subagent"}]},
    "a question": {"message": "Which word comes first?"},
    "no room": {"message": "Prompt is too long"},
}


@pytest.mark.parametrize("case", GIVE_WAY)
def test_it_gives_way_as_a_plain_session_does(stories, case):
    ralph(stories)
    work(stories, "a")
    answer = stories.stop(**{"message": "a is there", **GIVE_WAY[case]})
    assert refused(answer) == ""
    assert rounds(stories) == 1


def test_another_loop_plugin_decides_and_it_ends(stories):
    ralph(stories)
    stories.write(".claude/ralph-loop.local.md", "x")
    assert "ultrawork turned itself off" in stories.stop("more")["systemMessage"]
    assert mode(stories, "ralph")["active"] is False


def test_blocked_ends_it_at_once(stories):
    ralph(stories)
    work(stories, "a")
    stories.stop("a is there")
    assert "blocked:\n    no more words\n" in stories.stop("BLOCKED: no more words")["systemMessage"]
    assert mode(stories, "ralph")["phase"] == "failed"


@pytest.mark.slow
def test_alone_the_last_refusal_asks_for_the_verdict(tmp_path):
    scene = Scene(str(tmp_path), {**QUICK, **AT_ONCE, "prd.json": prd()}, attended=False)
    ralph(scene)
    work(scene, "a")
    scene.stop("a is there")
    assert refused(scene.stop("a is there")).splitlines()[-1] == ("ultrawork: UNVERIFIED. 2 of 3 stories are open.")
    assert scene.stop("a is there")["continue"] is False


def test_without_a_check_no_story_counts(tmp_path):
    scene = Scene(str(tmp_path), {**NO_CHECK, **AT_ONCE, "prd.json": prd()})
    assert ralph(scene)["systemMessage"] == (
        "ultrawork: ralph mode is on, but I found no checks, so nothing can be verified. Add one: ulw gates draft"
    )
    scene.edit("report.py", "print(1)\n")
    assert "3 of 3 stories are open" in head(scene.stop("done"))
    scene.edit("prd.json", prd("a", "b", "c"))
    assert scene.stop("done")["systemMessage"].startswith("ultrawork: UNVERIFIED. I found no checks")


def test_switched_off_by_its_name_it_is_not_asked_at_a_stop(stories):
    ralph(stories)
    work(stories, "a")
    stories.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run,ralph"
    assert "PASS" in stories.stop("a is there")["systemMessage"]
    assert mode(stories, "ralph")["active"] is False


def test_the_two_exclude_each_other(linted):
    ultraqa(linted)
    assert "ralph is not on: ultraqa is on" in ralph(linted)["systemMessage"]
    assert mode(linted, "ultraqa")["active"] is True
    assert linted.session()["goal"] == "is lint green?"
    assert linted.is_on()


def test_a_refused_mode_switches_nothing_on(linted):
    path = f".omc/state/sessions/{SESSION}/ultraqa-state.json"
    linted.write(path, json.dumps({"active": True, "session_id": SESSION}))
    assert "ralph is not on" in ralph(linted)["systemMessage"]
    assert not linted.is_on()


def test_off_ends_it_and_keeps_where_it_was(stories):
    ralph(stories)
    stories.prompt("ulw off")
    assert mode(stories, "ralph")["active"] is False
    assert not stories.is_on()


def test_ultraqa_without_a_check_of_the_kind_says_so_and_does_not_begin(plain):
    assert ultraqa(plain, "--lint")["systemMessage"] == (
        "ultrawork: ultraqa is not on: I found no lint check in this project. Add one: ulw gates draft"
    )
    assert not plain.is_on()


def test_ultraqa_passes_when_what_it_is_about_is_green_already(linted):
    told = ultraqa(linted)
    assert told["systemMessage"] == ("ultrawork: ultraqa, 5 cycles at most. Must pass: make lint. Turn off: ulw off")
    assert linted.stop("It is clean.")["systemMessage"].startswith("ultrawork: PASS")


@pytest.mark.slow
def test_ultraqa_insists_on_what_was_red_at_the_start(tmp_path):
    scene = Scene(str(tmp_path), {**LINTED, "app.txt": "right bad\n"})
    ultraqa(scene, "--lint keep it clean")
    scene.edit("other.txt", "x\n")
    assert head(scene.stop("done")) in (
        "ultrawork: sent back (round 2 of 5). lint fails as it did at the start.",
        "ultrawork: sent back (round 2 of 5). lint fails.",
    )
    scene.edit("app.txt", "right good\n")
    assert "PASS" in scene.stop("done")["systemMessage"]


@pytest.mark.slow
def test_ralph_insists_on_what_failed_at_the_start(tmp_path):
    """A plain session lets that be; ralph said that done means it passes."""
    scene = Scene(str(tmp_path), {**QUICK, **AT_ONCE, "app.txt": "wrong\n"})
    ralph(scene, "write a note")
    scene.edit("note.md", "x\n")
    assert "test fails as it did at the start" in head(scene.stop("The note is written."))
    scene.edit("app.txt", "right\n")
    assert "PASS" in scene.stop("done")["systemMessage"]


def test_ultraqa_does_not_let_other_checks_get_worse(linted):
    ultraqa(linted, "--lint fix it")
    linted.edit("app.txt", "wrong\n")
    assert "test fails" in head(linted.stop("Lint is clean."))


def test_a_custom_command_that_a_person_typed_is_consented_to(plain):
    plain.mode = "default"
    ultraqa(plain, '--custom "test -e made"')
    plain.write("made", "x\n")
    assert "custom: ok" in plain.stop("done")["systemMessage"]


def test_with_nobody_there_a_custom_command_needs_consent_like_any_gate(plain):
    plain.mode = "default"
    plain.environ["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
    ultraqa(plain, '--custom "test -e made"')
    plain.write("made", "x\n")
    asked = refused(plain.stop("done"))
    assert "has not run: I have no permission to start it" in asked
    assert "`ultrawork verify`" in asked
    plain.tool("Bash", {"command": "test -e made"})
    plain.tool("Bash", {"command": "make test"})
    assert "custom: ok" in plain.stop("done")["systemMessage"]


@pytest.mark.slow
def test_a_custom_command_is_part_of_what_verify_runs(plain):
    ultraqa(plain, '--custom "test -e made" make it')
    plain.edit("app.txt", "right now\n")
    assert plain.run("verify", "--session", SESSION).startswith("FAIL. custom fails")
    plain.write("made", "x\n")
    assert "PASS" in plain.run("verify", "--session", SESSION)


@pytest.mark.slow
def test_a_plain_session_loads_nothing_of_this(plain):
    plain.prompt(f"ulw {GOAL}")
    given = {"session_id": SESSION, "cwd": plain.place, "last_assistant_message": "Done."}
    code = (
        "import os, sys; from ultrawork.hooks.main import find_parent, reply;"
        f"reply('Stop', {json.dumps(given).encode()!r}, os.environ, find_parent);"
        "print(*[name for name in sys.modules if name.startswith('ultrawork')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**plain.environ, "PYTHONPATH": f"{PLUGIN}/src"},
        capture_output=True,
        text=True,
        check=True,
        cwd=plain.place,
    )
    loaded = done.stdout.split()
    assert "ultrawork.hooks.stop.decide" in loaded
    ours = ("ultrawork.hooks.modes", "ultrawork.core.modes")
    assert [name for name in loaded if name.startswith(ours)] == []


def test_what_cannot_be_written_holds_nothing_up(stories):
    ralph(stories)
    work(stories, "a")
    os.mkdir(f"{stories.place}/.omc/progress.txt")
    assert "2 of 3 stories are open" in head(stories.stop("a is there"))
    with open(f"{stories.home}/logs/hooks.log", encoding="utf-8") as file:
        assert "ralph: .omc/progress.txt cannot be read" in file.read()


def test_status_shows_the_plain_mode_and_what_is_left_of_it(plain):
    plain.prompt("ulw change the word")
    shown = plain.run("status", "--session", SESSION)
    assert shown.startswith("on         change the word  5e551040\n")
    assert "sent back  0 of at most 8 times" in shown


def test_status_counts_rounds_while_a_loop_is_on(stories):
    ralph(stories)
    work(stories, "a")
    stories.stop("a is there")
    shown = stories.run("status", "--session", SESSION).splitlines()
    assert "round      ralph 2 of 10" in shown
    assert "mode       ralph working, 5e551040, left: iteration 8 of 10, with ultrawork" in shown
