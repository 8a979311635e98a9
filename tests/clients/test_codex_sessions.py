"""Planned sessions in the real Codex CLI: the same course, with the agents that Codex has."""

import json
import os
import re

import pytest

from support import ulw
from support.codex import CODE_MODE, INPUT, js, sh
from support.follower import CODEX_AGENTS, EXPLORER, IDLE_WORKER, PLANNER, VERIFIER, follow_in_codex, writes
from support.play import entry
from support.ulw import GOAL

pytestmark = pytest.mark.client

SEVEN = tuple("abcdefg")
FIX = sh(f"cat > book.py <<'END_OF_FILE'\n{ulw.FIXED}END_OF_FILE")
PLAN = {
    "tasks": [
        {"id": "sort", "subject": "Sort", "criteria": ["make test"], "blockedBy": []},
        {"id": "note", "subject": "Note it", "criteria": ["grep -q sorted NOTES"], "blockedBy": ["sort"]},
    ]
}  # fmt: skip
AGENT = {"agent": "sub"}


def fenced(value):
    return {"text": f"Here it is:\n```json\n{json.dumps(value)}\n```"}


def told_as(role):
    """The instructions of a role reach the agent as a developer's message, its task beneath them."""
    return {**AGENT, "first": f"AGENT: ultrawork:{role}"}


FOLLOWER = [
    {"match": told_as("explorer"), "reply": {"text": "The sorting is in book.py."}},
    {"match": told_as("planner"), "reply": fenced(PLAN)},
    {"match": {**told_as("worker"), "first": "TASK_ID: sort"}, "replies": [FIX, {"text": "Done."}], "after": "repeat"},
    {"match": {**told_as("worker"), "first": "TASK_ID: note"}, "replies": [sh("echo sorted > NOTES"), {"text": "Done."}], "after": "repeat"},
    {"match": told_as("verifier"), "reply": fenced({"verdict": "PASS", "findings": []})},
    {"match": {"agent": "main", "last": r"^\{\"agent_id\""}, "reply": {"tool": {"name": "multi_agent_v1.wait_agent", "input": {"targets": ['{{last:"agent_id":"([^"]+)}}'], "timeout_ms": 60000}}}},
    {"match": {"agent": "main", "last": "Call spawn_agent"}, "reply": {"tool": {"name": "multi_agent_v1.spawn_agent", "input": {"message": '{{last:- message "([^"]+)"}}'}}}},
    {"match": {"agent": "main"}, "reply": {"text": "What is next?"}},
]  # fmt: skip


def two():
    check = "grep -q right a.txt && grep -q right b.txt && echo 2 passed\n"
    files = {"Makefile": "test:\n\t@sh check.sh\n", "check.sh": check}
    return {**files, "a.txt": "wrong\n", "b.txt": "wrong\n"}


def seven():
    check = f"for f in {' '.join(SEVEN)}; do grep -q right $f.txt || exit 1; done; echo 7 passed\n"
    files = {"Makefile": "test:\n\t@sh check.sh\n", "check.sh": check}
    return {**files, **{f"{name}.txt": "wrong\n" for name in SEVEN}}


def test_seven_tasks_are_done_in_waves_that_fit_and_each_agent_is_closed_when_it_has_ended(with_plugin, project):
    ulw.make(str(project), seven())
    plan = [entry(name, files=[f"{name}.txt"]) for name in SEVEN]
    planner = {**PLANNER, "reply": fenced({"tasks": plan})}
    workers = [*map(writes, SEVEN), IDLE_WORKER]
    seat = with_plugin(follow_in_codex(planner, VERIFIER, *workers, EXPLORER))
    session = ulw.Told(seat, seat.run(f"$ultrawork:ultrawork --auto {GOAL}")).session
    assert (session["goal"], session["options"]["auto_mode"]) == (GOAL, True)
    assert (session["phase"], session["verdict"]) == ("COMPLETE", "PASS")
    worker = next(one for one in seat.model.requests if "TASK_ID: a" in one["last"] and one["agent"] == "sub")  # fmt: skip
    assert "SUCCESS CRITERIA" in worker["system"]
    told = [one["last"] for one in seat.model.requests if one["agent"] == "main"]
    assert not any("thread limit" in one for one in told)
    assert max(one.count("- message ") for one in told) == CODEX_AGENTS
    assert sum(one.count('"previous_status"') for one in told) == 1 + 1 + len(SEVEN)


def hears(words):
    """The newer tools give an agent no prompt of its own: what it is told when it begins is all it hears."""
    return {**AGENT, "system": words}


def starts(count):
    """Whoever it is told to start, by the names that it is told."""
    line = r'\n- message "[^"]*" task_name "[^"]*"'
    head = r"Call spawn_agent[^\n]*"
    names = [f'{{{{last:{head}{line * place}\\n- message "[^"]*" task_name "([^"]*)"}}}}' for place in range(count)]
    given = [{"message": "gAAAAAB sealed", "fork_turns": "none", "task_name": name} for name in names]
    calls = [{"name": "collaboration.spawn_agent", "input": one} for one in given]
    return {"match": {"agent": "main", "last": head + line * count}, "reply": {"tools": calls}}


def mends(name):
    """With a patch, as a model there does."""
    patch = f"*** Begin Patch\n*** Update File: {name}.txt\n@@\n-wrong\n+right\n*** End Patch\n"
    steps = [js("apply_patch", patch), {"text": "Done."}]
    return {"match": hears(rf"TASK_ID: {name}\b"), "replies": steps, "after": "repeat"}


MEDDLING = js("apply_patch", "*** Begin Patch\n*** Add File: h.txt\n+x\n*** End Patch\n")
WAIT = {"tool": {"name": "collaboration.wait_agent", "input": {"timeout_ms": 60000}}}
NEWER = [
    {"match": hears("DIFF:"), "reply": fenced({"verdict": "PASS", "findings": []})},
    *map(mends, SEVEN),
    {"match": hears("FINDINGS:"), "reply": fenced({"tasks": [entry(name, files=[f"{name}.txt"]) for name in SEVEN]})},
    {"match": hears("EXPLORER_ID: exp"), "reply": {"text": "The words are in text files."}},
    {"match": {"agent": "main", "last": r"\"task_name\""}, "reply": WAIT},
    {"match": {"agent": "main", "last": "TASK_ID: a"}, "reply": MEDDLING, "times": 1},
    *map(starts, range(len(SEVEN), 0, -1)),
    {"match": {"agent": "main", "last": "wait_agent until"}, "reply": WAIT},
    {"match": {"agent": "main"}, "reply": {"text": "What is next?"}},
]  # fmt: skip


@pytest.mark.release
def test_with_a_model_that_writes_code_and_sealed_messages_seven_tasks_go_to_a_pass_too(with_plugin, project):
    """In waves of three; patches of workers are their work, one of the main agent's is refused."""
    ulw.make(str(project), seven())
    seat = with_plugin(NEWER)
    told = ulw.Told(seat, seat.run(f"$ultrawork:ultrawork --auto {GOAL}", flags=CODE_MODE))
    assert (told.session["phase"], told.session["verdict"]) == ("COMPLETE", "PASS")
    heard = [one["last"] for one in seat.model.requests if one["agent"] == "main"]
    assert not any("thread limit" in one for one in heard)
    assert any("the orchestrator does not edit" in one for one in heard)
    assert not (project / "h.txt").exists()
    assert "Traceback" not in told.logs


@pytest.mark.release
def test_without_typed_what_the_person_typed_begins_nothing(installed):
    seat = installed([], rules=FOLLOWER)
    seat.env["ULTRAWORK_SKIP_HOOKS"] = "typed"
    told = ulw.Told(seat, seat.run(f"$ultrawork:ultrawork --auto {GOAL}"))
    assert not os.path.exists(f"{told.state}/sessions")
    assert not any("Call spawn_agent" in one["last"] for one in seat.model.requests)


@pytest.mark.release
def test_without_briefed_an_agent_hears_the_name_of_its_task_and_no_more(installed):
    """These agents know what to do by themselves; nobody tells them when it is done."""
    seat = installed([], rules=FOLLOWER)
    seat.env["ULTRAWORK_SKIP_HOOKS"] = "briefed"
    seat.run(f"$ultrawork:ultrawork --auto {GOAL}")
    agents = [str(one["body"]) for one in seat.model.requests if one["agent"] == "sub"]
    assert any("TASK_ID: sort" in one for one in agents)
    assert not any("SUCCESS CRITERIA" in one for one in agents)


def test_a_planned_session_whose_model_starts_no_agents_is_let_go(installed):
    seat = installed([], "It is sorted.")
    told = ulw.Told(seat, seat.run(f"$ultrawork:ultrawork --auto {GOAL}"))
    asked = [one for one in seat.model.requests if "Call spawn_agent" in one["last"]]
    assert len(asked) == 2
    assert told.session["verdict"] == "UNVERIFIED"


HANGS = "[ -e {0} ] || {{ touch {1}; sleep 300; }}; echo right > b.txt"


def test_after_a_kill_every_screen_says_that_the_client_is_gone_and_resuming_goes_on(with_plugin, project, home):
    """Terminal and daemon are killed while a worker is busy; nobody waits for that worker again."""
    ulw.make(str(project), two())
    gate, began = home / "gate", home / "began"
    planner = {**PLANNER, "reply": fenced({"tasks": [entry(n, files=[f"{n}.txt"]) for n in "ab"]})}
    hangs = writes("b")
    hangs["reply"]["tool"]["input"]["command"] = HANGS.format(gate, began)
    workers = [writes("a"), hangs, IDLE_WORKER]
    seat = with_plugin(follow_in_codex(planner, VERIFIER, *workers, EXPLORER))
    with seat.open_as_people_do() as terminal:
        ulw.say(terminal, f"$ultrawork:ultrawork --auto {GOAL}", INPUT)
        terminal.wait_until(lambda _: began.exists(), "a busy worker", 120)
    thread = next(one["id"] for one in seat.list_records() if one["originator"] == "codex-tui" and isinstance(one["source"], str))  # fmt: skip
    told = ulw.Told(seat, None)
    shown = told.ask("status").stdout
    assert shown.startswith(f"lost       {GOAL}")
    assert re.search("; interrupted (a, )?b", shown)
    assert "Continue: resume it in the client. End it: ultrawork cancel" in shown
    with seat.open_as_people_do(again=True, columns=160) as terminal:
        ulw.say(terminal, "ulw help", INPUT)
        terminal.wait_for("ended without a verdict. Resume it: $ultrawork:ultrawork-exec", 60)
    gate.touch()
    with seat.open_as_people_do(flags=["resume", thread], again=True) as terminal:
        ulw.say(terminal, "go on", INPUT)
        screen = terminal.wait_for("ultrawork: PASS", 120)
    assert "UNVERIFIED" not in screen
