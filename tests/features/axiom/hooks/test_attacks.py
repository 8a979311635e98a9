"""Ways past a gate that an agent has: other tools, other agents, our own verbs, the database, a client of its own."""

import json
import os
import sqlite3
import subprocess

import pytest

from support.play import denied
from support.scene import SESSION
from ultrawork.core.caller import Caller
from ultrawork.features.axiom.values import review
from ultrawork.system.ancestry import read_start

AGENT = {"CLAUDECODE": "1"}
ASKED = "The PRD is written. Build it as it stands?"


@pytest.fixture
def asking(play):
    """Reviewed and written down: the person is asked."""
    play.require()
    play.screen()
    play.draft()
    play.review()
    play.finish_prd()
    assert play.state == "CONFIRMING"
    return play


def call(play, tool, agent="", **given):
    data = {"agent_id": agent} if agent else {}
    return denied(play.event("PreToolUse", tool_name=tool, tool_input=given, **data))


def test_no_shell_writes_into_our_own_state(play):
    play.require()
    state = play.state_folder
    for command in (f"echo x > {state.root}/x.json", f"sqlite3 {state.database} 'DELETE FROM x'"):
        assert "do not edit Axiom's state by hand" in call(play, "Bash", command=command)


@pytest.mark.parametrize("agent", ["", "an-agent-of-any-kind"])
def test_no_tool_of_no_agent_writes_code_before_the_gates(play, agent):
    play.require()
    path = f"{play.place}/a.txt"
    link = f"{play.root}/link"
    os.symlink(play.place, link)
    refusals = [
        call(play, "Bash", agent, command="echo right > a.txt"),
        call(play, "Bash", agent, command=f"cd / && cp /tmp/x {path}"),
        call(play, "Bash", agent, command="python3 -c \"open('a.txt', 'w').write('x')\""),
        call(play, "Bash", agent, command="git apply x.patch"),
        call(play, "Edit", agent, file_path=f"{link}/a.txt"),
        call(play, "mcp__files__write_file", agent, path=path),
        call(play, "apply_patch", agent, command="*** Begin Patch\n*** Update File: a.txt\n"),
        call(play, "mcp__t__python_repl", agent, code="open('a.txt', 'w').write('x')"),
        call(play, "Bash", agent, command="make fmt", run_in_background=True),
    ]
    assert [one for one in refusals if "Expert Gate" not in one] == []
    assert call(play, "Bash", agent, command="make test > /tmp/log; cat a.txt") == ""
    assert call(play, "Read", agent, file_path=path) == ""
    assert "Expert Gate" not in call(play, "Agent", agent, prompt="x", run_in_background=True)
    assert call(play, "Write", agent, file_path="/tmp/notes.md") == ""


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure"])
def test_what_a_command_changed_before_the_gate_is_put_aside_whatever_wrote_it(play, event):
    """No word of `make fmt` tells that it writes; the files do."""
    play.require()
    play.write("notes.txt", "the person's own, not committed\n")
    given = {"tool_name": "Bash", "tool_input": {"command": "make fmt"}, "tool_use_id": "toolu_9"}
    assert denied(play.event("PreToolUse", **given)) == ""
    play.write("a.txt", "right\n")
    play.write("new.txt", "more\n")
    told = play.event(event, **given)["systemMessage"]
    assert "a command changed a.txt, new.txt before the Expert Gate" in told
    assert play.read("a.txt") == "wrong\n"
    assert not os.path.exists(f"{play.place}/new.txt")
    assert play.read("notes.txt") == "the person's own, not committed\n"
    name = told.partition("put aside as ")[2].partition(";")[0]
    play.run("axiom", "rollback", name, "--yes")
    assert (play.read("a.txt"), play.read("new.txt")) == ("right\n", "more\n")


def test_a_command_that_changes_nothing_is_not_spoken_of(play):
    play.require()
    given = {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "toolu_9"}
    play.event("PreToolUse", **given)
    assert "put aside" not in str(play.event("PostToolUse", **given))


def test_an_agent_ends_no_requirement_and_writes_no_state(play):
    play.require()
    assert "ulw off" in call(play, "Bash", command="ultrawork cancel")
    database = f"{play.home}/ultrawork.db"
    assert "Axiom's state" in call(play, "Bash", command=f"sqlite3 {database} 'UPDATE sessions'")
    assert "Axiom's state" in call(play, "Bash", "x", command=f"echo x > {play.home}/active/x")


@pytest.mark.parametrize(
    "words",
    [
        ["session", "set", "--phase", "EXECUTION"],
        ["session", "set", "--iteration", "2"],
        ["task", "create", "--id", "x", "--subject", "y", "--criteria", "true"],
    ],
)
def test_no_verb_moves_a_requirement_past_its_gates(play, words):
    play.require()
    told = play.run(*words, "--session", "last", env=AGENT)
    assert "while Axiom controls this session" in told or "only ax-decompose can write" in told
    assert (play.session()["phase"], play.tasks()) == ("PLANNING", {})


@pytest.mark.slow
def test_the_tries_of_a_task_are_not_counted_anew_by_an_agent(executing):
    executing.work("T-101", a="gone\n")
    for words in (["--retry-count", "0"], ["--status", "failed"], ["--status", "resolved"]):
        told = executing.run("task", "update", "--session", "last", "--id", "T-101", *words, env=AGENT)
        assert "only the user" in told
    executing.work("T-101", a="gone\n")
    executing.work("T-101", a="gone\n")
    assert executing.state == "BLOCKED"


def forge(play, change):
    """The row of a requirement as a shell with SQLite could write it."""
    with sqlite3.connect(f"{play.home}/ultrawork.db") as database:
        ((text,),) = database.execute("SELECT state FROM sessions WHERE id=?", [SESSION])
        state = json.loads(text)
        change(state["axiom"]["progress"])
        database.execute("UPDATE sessions SET state=? WHERE id=?", [json.dumps(state), SESSION])
    database.close()


def test_a_state_that_nobody_recorded_is_taken_back(play):
    play.require()
    forge(play, lambda one: one.update(phase="EXECUTING"))
    assert [one["subagent_type"] for one in play.due()] == ["ultrawork:axiom-requirement-analyst"]
    assert play.state == "PLANNING"
    forge(play, lambda one: one["facts"].update(clarity=95))
    assert [one["subagent_type"] for one in play.due()] == ["ultrawork:axiom-requirement-analyst"]
    with sqlite3.connect(f"{play.home}/ultrawork.db") as database:
        told = database.execute("SELECT data FROM events WHERE kind='axiom.forged'").fetchall()
    database.close()
    assert [json.loads(text)["what"] for (text,) in told] == [["state"], ["clarity"]]


def test_reviews_that_nobody_recorded_are_asked_for(play):
    play.require()
    play.screen()
    play.draft()
    draft = play.session()["axiom"]["progress"]["facts"]["draft"]
    made = {part: {"verdict": "PASS", "by": f"call-{part}", "draft": draft, "blocking": []} for part in review.EXPERTS}
    forge(play, lambda one: one["facts"].update(reviews=made))
    assert len(play.due()) == 5


@pytest.mark.slow
def test_a_yes_that_nobody_recorded_is_asked_for(asking):
    forge(asking, lambda one: one["facts"].update(confirmed=one["facts"]["prd"]))
    assert asking.next()["question"] == ASKED
    asking.confirm()
    assert [one["subagent_type"] for one in asking.due()] == ["ultrawork:axiom-system-architect"]


@pytest.mark.slow
def test_a_task_that_is_too_large_stays_so_whatever_the_state_says(play):
    play.until_confirmed()
    play.decompose([{"id": "T-101", "title": "All", "hours": 6, "files": ["a.txt"]}])
    forge(play, lambda one: one["facts"].update(oversized=[], unwritten=[]))
    (due,) = play.due()
    assert due["subagent_type"] == "ultrawork:axiom-sub-prd-writer"
    assert play.state == "CONFIRMING"


@pytest.mark.parametrize(("text", "told"), [("right\n", True), ("wrong\n", False)])
def test_what_changed_before_the_yes_stands_beside_the_question(asking, text, told):
    """By whichever way, also one that no guard can see."""
    asking.write("a.txt", text)
    shown = asking.stop("Shall I?")["systemMessage"]
    assert ("Changed since it began: a.txt" in shown) is told


def ask(play, *labels):
    question = {"question": ASKED, "options": [{"label": one} for one in labels]}
    return call(play, "AskUserQuestion", questions=[question])


def test_the_person_chooses_between_the_answers_that_count(asking):
    assert "use these answers in this order: Yes, No" in ask(asking, "Show me more first", "Yes")
    assert "these answers" in ask(asking, "Yes")
    assert ask(asking, "Yes", "No") == ""


@pytest.fixture
def client_of_an_agent():
    """A process beneath one that is called as an agent is."""
    script = "sleep 60 & echo $!; wait"
    above = subprocess.Popen(["claude", "-c", script], executable="/bin/sh", stdout=subprocess.PIPE)
    assert above.stdout is not None
    pid = int(above.stdout.readline())
    yield Caller(pid, read_start(pid))
    os.kill(pid, 9)
    above.communicate()


@pytest.mark.slow
def test_an_answer_in_a_client_that_an_agent_started_is_nobodys(asking, client_of_an_agent):
    """Also where it has a terminal and somebody presses its keys."""
    asking.begin_another()
    asking.find_caller = lambda: client_of_an_agent
    asking.typed("ultrawork:ax-draft", "")
    asking.confirm()
    assert asking.state == "CONFIRMING"
    assert not asking.session()["axiom"]["progress"]["facts"].get("confirmed")


LESSON = {"title": "Every text says right or wrong", "files": ["check.sh"], "command": "make test"}


def learn(play):
    """A requirement with a red run and its mend, to its archive: its lesson has two receipts."""
    play.until_executing()
    play.work("T-101", a="right\n", b="gone\n")
    play.work("T-101", b="wrong\n")
    play.work("T-102", b="right\n", c="right\n")
    play.verify()
    play.reflect(LESSON)
    assert play.state == "IDLE"


def axiom(play, *words, **how):
    return json.loads(play.run("axiom", *words, "--json", **how))["data"]


@pytest.mark.slow
def test_a_bent_receipt_makes_no_memory_and_a_genuine_one_leaves_the_person_under_their_entry(play):
    """The same title, shown by receipts: it is believed more, and rests on the person's word as before."""
    play.run("axiom", "note", LESSON["title"])
    learn(play)
    (waiting,) = axiom(play, "evolve")["next"]
    number = waiting["green"].partition("#")[2]
    with sqlite3.connect(f"{play.home}/ultrawork.db") as database:
        where = "WHERE session=? AND number=?"
        ((genuine,),) = database.execute(f"SELECT document FROM receipts {where}", [SESSION, number])
        bent = genuine.replace('"green"', '"green" ')
        database.execute(f"UPDATE receipts SET document=? {where}", [bent, SESSION, number])
        database.commit()
        assert axiom(play, "evolve", "--yes")["taken"] == []
        database.execute(f"UPDATE receipts SET document=? {where}", [genuine, SESSION, number])
    database.close()
    taken = axiom(play, "evolve", "--yes")["taken"]
    assert taken == [{"proposal": waiting["id"], "entry": "k-001"}]
    play.write("check.sh", "echo changed\n")
    (entry,) = axiom(play, "knowledge", "--kind", "knowledge")["entries"]
    assert [one["kind"] for one in entry["anchors"]] == ["person"]
    assert (entry["confidence"], entry["anchor"]) == (0.8, "holds")
