"""The features of a project through the real client, on the oldest supported version and on the newest."""

import json
import os
import subprocess

import pytest

from support import ulw
from support.effort import NEWEST_FIRST, rows_of
from support.floor import PLUGIN
from support.scene import GIT, QUICK
from support.ulw import OPEN, bodies, script, sh
from ultrawork.features.notepad import store as notepad
from ultrawork.store.omc import features
from ultrawork.store.omc.folder import Omc

pytestmark = pytest.mark.client

RULE = "Short lines, please."
REMEMBER = "the port is 8081"
AGENT = {"subagent_type": "general-purpose", "prompt": "LOOK around", "description": "look"}


@pytest.fixture
def place(project):
    """A project in which a person switched everything on."""
    ulw.make(str(project), QUICK)
    features.switch_on(ulw.state_folder(project), Omc(str(project)), [])
    return project


def with_agent(words):
    call = {"tool": {"name": "Agent", "input": AGENT}}
    return [{"match": {"agent": "sub"}, "reply": {"text": words}}, *script([call], "Done.")]


def go(seat):
    return seat.run("look at it", plugins=[PLUGIN], mode=OPEN)


def test_rules_of_a_file_are_told_once(claude, place):
    rules = place / ".cursor" / "rules"
    rules.mkdir(parents=True)
    (rules / "lines.mdc").write_text(f"---\nglobs: '*.txt'\n---\n{RULE}\n")
    read = {"tool": {"name": "Read", "input": {"file_path": f"{place}/app.txt"}}}
    ranged = {"tool": {"name": "Read", "input": {"file_path": f"{place}/app.txt", "limit": 1}}}
    seat = claude(script([read, ranged], "Read."))
    go(seat)
    assert bodies(seat)[-1].count(RULE) == 1


def test_what_an_agent_asks_to_remember_is_in_the_notepad(claude, place):
    go(claude(with_agent(f"Found. <remember>{REMEMBER}</remember>")))
    assert REMEMBER in (notepad.read(Omc(str(place)), "working") or "")


def test_a_tool_that_fails_five_times_is_spoken_of_once(claude, place):
    seat = claude(script([sh(f"echo boom >&2; exit 3 # {number}") for number in range(6)], "Done."))
    go(seat)
    assert bodies(seat)[-1].count("Bash has failed 5 times in the same way") == 1


def test_what_was_on_before_a_compaction_is_told_after_it(claude, place):
    notepad.set_priority(Omc(str(place)), REMEMBER)
    seat = claude([{"match": {"agent": "main"}, "reply": {"text": "I see."}}])
    with seat.terminal(plugins=[PLUGIN], mode="acceptEdits") as terminal:
        for words in ("one", "two", "three"):
            asked(terminal, seat, words)
        ulw.say(terminal, "/compact")
        terminal.wait_for("ompacted", 120)
        terminal.settle()
        for words in ("what is next?", "and then?"):
            asked(terminal, seat, words)
    told = bodies(seat)[-1]
    assert f"State before the compaction:\nNotes: {REMEMBER}" in told
    assert os.listdir(place / ".omc" / "state" / "checkpoints")


def asked(terminal, seat, text):
    before = len(bodies(seat))
    ulw.say(terminal, text)
    terminal.wait_until(lambda _: len(bodies(seat)) > before, "a request", 90)
    terminal.settle()


@NEWEST_FIRST
def test_after_a_limit_an_attended_session_is_woken(claude, place):
    error = {"status": 429, "type": "rate_limit_error", "message": "Limit; try again in 1 second"}
    limited = {"match": {"agent": "main", "last": "look at it"}, "reply": {"error": error}}
    woken = {"match": {"agent": "main", "any": "is over. Continue where you stopped"}, "reply": {"text": "I go on."}}
    seat = claude([woken, limited, {"match": {"agent": "main"}, "reply": {"text": "I see."}}])
    with seat.terminal(plugins=[PLUGIN], mode="acceptEdits") as terminal:
        ulw.say(terminal, "look at it")
        terminal.wait_for("I go on.", 180)
    sessions = Omc(str(place)).sessions()
    kept = [f"{place}/.omc/state/sessions/{name}/rate-limit.json" for name in sessions]
    assert any(os.path.exists(path) for path in kept)


def test_the_end_of_a_session_is_tidied_up_in_the_time_the_client_gives(claude, place):
    go(claude(with_agent("Found.")))
    with open(place / ".omc" / "state" / "subagent-tracking.json", encoding="utf-8") as file:
        assert json.load(file)["agents"] == []


def test_the_first_request_grows_by_less_than_four_kilobytes(claude, place):
    notepad.set_priority(Omc(str(place)), "n" * 500)
    (place / "AGENTS.md").write_text("Keep it plain. " * 2_000)
    (place / "CLAUDE.md").write_text("Own words.\n")
    run = go(claude([{"match": {"agent": "main"}, "reply": {"text": "ok"}}]))
    calls = [*run.hooks_of("SessionStart"), *run.hooks_of("UserPromptSubmit")]
    found = [call.answer.get("hookSpecificOutput", {}).get("additionalContext", "") for call in calls]
    assert "Keep it plain." in "".join(found)
    assert len("".join(found).encode()) <= 4_000


@pytest.mark.parametrize("where", rows_of(["sub-folder", "worktree"], in_ci=["worktree"]))
def test_they_are_on_in_a_sub_folder_and_in_a_worktree(claude, place, where):
    """A person starts the client where they work, not always at the top."""
    folder = place / "web" if where == "sub-folder" else place.parent / "side"
    if where == "worktree":
        add = [*GIT, "worktree", "add", "-q", "-b", "side", str(folder)]
        subprocess.run(add, cwd=place, check=True, capture_output=True)
    folder.mkdir(exist_ok=True)
    seat = claude(script([sh("false && pkill -f nothing_of_this_name || true")], "Done."))
    seat.project = str(folder)
    go(seat)
    assert "pkill -f would also kill this session" in bodies(seat)[-1]
