"""Events of sessions in a swarm: who leads, who works, what each stop comes to."""

import json
import os
import sqlite3
import subprocess
import sys
import threading
from time import time

import pytest

from support.scene import QUICK, SESSION, Scene, refused
from ultrawork.features.swarm.store.board import Board
from ultrawork.features.swarm.store.worker import SwarmWorker, make_worker
from ultrawork.store.omc.folder import Omc

WORKER = {"agent_id": "a1", "agent_type": "ultrawork:worker"}


class Swarm(Scene):
    """A session in a project whose check is green, and the list of its swarm."""

    def __init__(self, root, **options):
        super().__init__(root, QUICK, **options)
        self._boards = []

    @property
    def board(self):
        self._boards.append(Board(Omc(self.place), create=True))
        return self._boards[-1]

    def close(self):
        for board in self._boards:
            board.close()

    def lead(self, words="2 write the files"):
        return self.typed("ultrawork:swarm", words)

    def add(self, *names):
        for name in names:
            self.run("swarm", "add", name, "--id", name, "--check", f"test -e {name}")

    def joined(self, *names):
        self.run("swarm", "start", "write the files")
        self.add(*names)
        return self.typed("ultrawork:swarm", "join")

    def agent(self, event, message="Done.", **more):
        return self.event(event, last_assistant_message=message, **WORKER, **more)

    def tasks(self):
        return {one.id: one.status for one in self.board.tasks()}


@pytest.fixture
def swarm(tmp_path):
    swarm = Swarm(str(tmp_path))
    yield swarm
    swarm.close()


@pytest.fixture
def alone(tmp_path):
    swarm = Swarm(str(tmp_path), attended=False)
    yield swarm
    swarm.close()


def context(answer):
    return answer["hookSpecificOutput"]["additionalContext"]


def test_a_leader_hears_how_to_add_tasks_and_start_agents(swarm):
    told = swarm.lead("4 agents write the files")
    assert told["systemMessage"].startswith("ultrawork: swarm on, 4 agents. Done means these pass: test")
    assert "Goal: write the files\n" in context(told)
    assert "call Agent 4 times" in context(told)
    assert len(context(told).encode()) <= 1500
    assert os.path.exists(f"{swarm.place}/.omc/state/swarm-active.marker")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("21 write", "a swarm can have 1 to 20 agents, not 21"),
        ("0 write", "a swarm can have 1 to 20 agents"),
        ("", "name a task, for example: /ultrawork:swarm 3"),
        ("join", "there is no swarm here"),
    ],
)
def test_what_cannot_begin_is_told_in_a_sentence_and_leaves_nothing_on(swarm, words, why):
    told = swarm.lead(words)
    assert why in told["systemMessage"]
    assert not swarm.is_on()
    assert swarm.run("mode", "list") == "no mode is active\n"


@pytest.mark.parametrize("prompt", ["$ultrawork:swarm 3 write the files", "use a swarm of 3 agents to write the files"])
def test_in_codex_a_swarm_is_refused_at_the_word_and_may_be_joined(swarm, prompt):
    turn = swarm.as_codex()
    answer = swarm.event("UserPromptSubmit", prompt=prompt, **turn)
    assert answer["decision"] == "block"
    told = answer["reason"]
    assert told.endswith("type $ultrawork:team GOAL, or $ultrawork:swarm join")
    assert max(map(len, told.splitlines())) <= 110
    assert not swarm.is_on()
    swarm.run("swarm", "start", "write the files")
    swarm.add("a")
    joined = swarm.event("UserPromptSubmit", prompt="$ultrawork:swarm join", **turn)
    assert "TASK_ID: a\n" in context(joined)


def test_a_rival_mode_keeps_a_swarm_from_beginning(swarm):
    swarm.run("mode", "write", "pipeline", "active=true", "--session", "other")
    assert "pipeline is on in session other" in swarm.lead()["systemMessage"]
    assert not swarm.is_on()


def test_the_same_prompt_by_two_events_begins_once(swarm):
    swarm.lead()
    swarm.add("a")
    swarm.prompts -= 1
    assert "hookSpecificOutput" not in swarm.lead()
    assert swarm.tasks() == {"a": "open"}


def test_a_leader_without_tasks_is_sent_back_twice_and_let_go(swarm):
    swarm.lead()
    assert [refused(swarm.stop())[:44] for _ in range(2)] == ["ultrawork: the swarm has no task yet.\nNext: "] * 2
    assert "UNVERIFIED. The swarm has no task" in swarm.stop()["systemMessage"]
    assert not swarm.is_on()


def test_a_leader_is_sent_back_while_nobody_works_and_progress_counts_anew(swarm):
    swarm.lead()
    swarm.add("a", "b")
    for name in ("a", "b"):
        for _ in range(2):
            assert " open and no agent is working" in refused(swarm.stop())
        task = swarm.board.claim(SwarmWorker("w"), 1.0)
        swarm.write(task.id, "")
        swarm.board.done(task.id, task.token, 1.0)
        assert task.id == name
    assert swarm.stop()["systemMessage"].startswith("ultrawork: PASS")


def test_adding_tasks_is_no_progress(swarm):
    swarm.lead()
    for name in ("a", "b"):
        swarm.add(name)
        assert refused(swarm.stop())
    swarm.add("c")
    assert "3 of 3 tasks are open and no agent is working" in swarm.stop()["systemMessage"]


def test_a_leader_waits_in_silence_while_somebody_works(swarm):
    swarm.lead()
    swarm.add("a")
    swarm.board.claim(SwarmWorker("w"), time())
    assert swarm.stop() == {}
    assert swarm.is_on()


def test_where_nobody_is_the_leader_waits_for_the_workers_and_has_the_verdict(alone):
    alone.lead()
    alone.add("a")
    alone.write("a", "")
    task = alone.board.claim(SwarmWorker("w"), time())
    later = threading.Timer(1.0, lambda: Board(Omc(alone.place)).done("a", task.token, time()))
    later.start()
    told = alone.stop()
    later.join()
    assert told["systemMessage"].startswith("ultrawork: PASS")


def test_the_dead_are_not_waited_for(alone):
    alone.lead()
    alone.add("a")
    child = subprocess.Popen([sys.executable, "-c", ""])
    alone.board.claim(make_worker("s2", pid=child.pid), time())
    child.wait()
    assert "1 task in the swarm is open" in refused(alone.stop())


def test_a_failed_task_is_named_and_costs_the_pass(swarm):
    swarm.lead()
    swarm.add("a")
    for _ in range(5):
        swarm.board.fail("a", swarm.board.claim(SwarmWorker("w"), 1.0).token, "red", 1.0)
    told = swarm.stop()["systemMessage"]
    assert told.startswith("ultrawork: UNVERIFIED. 1 of 1 tasks failed 5 times: a.")
    assert swarm.session()["verdict"] == "UNVERIFIED"


def test_a_blocked_leader_is_let_go(swarm):
    swarm.lead()
    swarm.add("a")
    assert "blocked:\n    no disk\n" in swarm.stop("BLOCKED: no disk")["systemMessage"]


def test_agents_of_the_leader_get_one_task_after_the_other(swarm):
    swarm.lead()
    swarm.add("a", "b")
    assert "TASK_ID: a\n" in context(swarm.agent("SubagentStart"))
    swarm.write("a", "")
    told = refused(swarm.agent("SubagentStop"))
    assert told.startswith("Task a is done (#1 green).\nultrawork: task b in the swarm is yours")
    swarm.write("b", "")
    assert swarm.agent("SubagentStop") == {}
    assert swarm.tasks() == {"a": "done", "b": "done"}


def test_other_agents_and_those_of_workers_get_none(swarm):
    swarm.lead()
    swarm.add("a")
    assert swarm.event("SubagentStart", agent_id="x", agent_type="Explore") == {}
    swarm.board.put(leader="another")
    assert swarm.agent("SubagentStart") == {}
    assert swarm.agent("SubagentStop") == {}
    assert swarm.tasks() == {"a": "open"}


def test_an_agent_that_vanished_loses_its_task_at_the_leaders_stop(swarm):
    swarm.lead()
    swarm.add("a")
    swarm.agent("SubagentStart")
    running = [{"id": "a1", "type": "subagent", "status": "running"}]
    assert swarm.stop(background_tasks=running) == {}
    assert swarm.tasks() == {"a": "claimed"}
    assert "no agent is working" in refused(swarm.stop())
    assert (swarm.board.task("a").status, swarm.board.task("a").tries) == ("open", 1)


def test_a_worker_gets_its_first_task_with_joining_and_the_next_at_each_stop(swarm):
    told = swarm.joined("a", "b")
    assert "TASK_ID: a\n" in context(told)
    swarm.tool("Bash", {"command": "touch a"})
    swarm.write("a", "")
    assert "TASK_ID: b\n" in refused(swarm.stop())
    swarm.write("b", "")
    assert swarm.stop()["systemMessage"].startswith("ultrawork: PASS")
    assert swarm.tasks() == {"a": "done", "b": "done"}


def test_what_began_in_a_terminal_is_over_when_the_last_worker_has_the_verdict(swarm):
    swarm.joined("a")
    assert swarm.run("mode", "list").split()[2:4] == ["swarm", "shared,"]
    swarm.write("a", "")
    assert swarm.stop()["systemMessage"].startswith("ultrawork: PASS")
    assert swarm.run("mode", "list") == "no mode is active\n"


@pytest.mark.parametrize("leads", [True, False])
def test_a_stopped_swarm_lets_its_sessions_go_without_a_pass(swarm, leads):
    if leads:
        swarm.lead()
        swarm.add("a", "b")
    else:
        swarm.joined("a", "b")
    swarm.write("a", "")
    swarm.run("swarm", "stop")
    assert "the swarm was stopped with" in swarm.stop()["systemMessage"].lower()
    assert swarm.session()["verdict"] == "UNVERIFIED"


def test_a_worker_that_says_blocked_gives_the_task_back_with_its_reason(swarm):
    swarm.joined("a")
    swarm.board.add([], 1.0)
    told = refused(swarm.stop("BLOCKED: no fixture"))
    assert "FAILED BEFORE (1 of 5 tries), most recently: the worker reports that it is blocked: no fixture" in told


def test_a_worker_that_does_nothing_is_let_go_and_holds_nothing(swarm):
    swarm.joined("a", "b", "c")
    told = [swarm.stop() for _ in range(6)]
    assert [bool(refused(one)) for one in told] == [True] * 5 + [False]
    assert "5 tasks were assigned, and none of them made progress" in told[-1]["systemMessage"]
    assert "claimed" not in swarm.tasks().values()
    assert not swarm.is_on()


def test_a_worker_ends_without_a_verdict_where_somebody_leads(swarm):
    swarm.run("swarm", "start", "x")
    swarm.board.put(leader="leads")
    swarm.board.join(make_worker("leads", pid=os.getpid()), 1.0)
    swarm.typed("ultrawork:swarm", "join")
    told = swarm.stop()["systemMessage"]
    assert "the leader of the swarm gets the verdict" in told
    assert (swarm.session()["verdict"], swarm.is_on()) == (None, False)


def test_a_worker_alone_waits_for_a_task_that_waits_for_another(alone):
    alone.joined("a")
    alone.write("a", "")
    alone.run("swarm", "add", "b", "--id", "b", "--priority", "5")
    alone.run("swarm", "add", "c", "--id", "c", "--needs", "b")
    held = alone.board.claim(SwarmWorker("w"), time())
    later = threading.Timer(1.0, lambda: Board(Omc(alone.place)).done("b", held.token, time()))
    later.start()
    told = refused(alone.stop())
    later.join()
    assert held.id == "b"
    assert "TASK_ID: c\n" in told


def test_a_worker_alone_takes_over_from_one_that_dies_with_the_last_task(alone):
    alone.joined("a")
    alone.write("a", "")
    alone.add("b")
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    alone.board.claim(make_worker("s2", pid=child.pid), time())

    def die():
        child.kill()
        child.wait()
        child.stdin.close()

    later = threading.Timer(1.0, die)
    later.start()
    told = refused(alone.stop())
    later.join()
    assert "TASK_ID: b\n" in told
    assert "FAILED BEFORE (1 of 5 tries), most recently: its worker ended" in told


def test_without_consent_the_agent_is_asked_once_and_then_the_task_goes_back(swarm):
    swarm.mode = "default"
    swarm.joined("a")
    assert "run `ultrawork swarm done a --token 1`" in refused(swarm.stop())
    told = refused(swarm.stop())
    assert told.startswith("Task a is not done: its check has not run.")
    assert swarm.run("evidence", "list").startswith("no receipt")


def test_a_beating_heart_moves_the_lease_at_most_every_half_minute(swarm):
    swarm.joined("a")
    before = swarm.board.task("a").expires_at
    swarm.tool("Bash", {"command": "ls"})
    assert swarm.board.task("a").expires_at == before
    swarm.board.database.rows("UPDATE workers SET seen_at = seen_at - 31")
    swarm.tool("Bash", {"command": "ls"})
    assert swarm.board.task("a").expires_at > before


@pytest.mark.parametrize("leave", ["end", "off", "cancel"])
def test_whoever_leaves_gives_its_task_back(swarm, leave):
    swarm.joined("a")
    if leave == "end":
        swarm.event("SessionEnd", reason="other")
    elif leave == "off":
        swarm.prompt("ulw off")
    else:
        swarm.run("cancel")
    assert (swarm.board.task("a").status, swarm.board.task("a").tries) == ("open", 0)


def test_after_compaction_a_worker_hears_its_task_again(swarm):
    swarm.joined("a")
    assert "TASK_ID: a\n" in context(swarm.event("SessionStart", source="compact"))


def test_after_compaction_a_leader_hears_how_far_all_are(swarm):
    swarm.lead()
    swarm.add("a")
    told = context(swarm.event("SessionStart", source="compact"))
    assert "You lead a swarm: 0 of 1 done." in told


def test_a_list_that_is_damaged_lets_the_session_go_aloud(swarm):
    swarm.joined("a")
    for name in ("", "-wal", "-shm"):
        path = f"{swarm.place}/.omc/state/swarm-state.db{name}"
        if os.path.exists(path):
            os.unlink(path)
    with open(f"{swarm.place}/.omc/state/swarm-state.db", "w") as file:
        file.write("nothing\n" * 2000)
    told = [swarm.stop()["systemMessage"] for _ in range(3)]
    assert all("is not a database. Move it away, then run: ultrawork swarm start" in one for one in told)
    assert not swarm.is_on()


def test_a_list_that_was_taken_away_lets_the_session_go_aloud(swarm):
    swarm.joined("a")
    for name in os.listdir(f"{swarm.place}/.omc/state"):
        os.unlink(f"{swarm.place}/.omc/state/{name}")
    assert "there is no swarm here" in swarm.stop()["systemMessage"]


def test_a_new_leader_takes_over_what_a_dead_one_left(swarm):
    child = subprocess.Popen([sys.executable, "-c", ""])
    swarm.run("swarm", "start", "write the files")
    swarm.add("a")
    swarm.board.put(leader="dead")
    swarm.board.join(make_worker("dead", pid=child.pid), 1.0)
    child.wait()
    told = context(swarm.lead("3"))
    assert "Goal: write the files\n1 task is open from earlier" in told
    assert swarm.board.get("leader") == SESSION


def test_a_second_leader_is_refused_while_the_first_lives(swarm):
    swarm.run("swarm", "start", "write the files")
    swarm.board.put(leader="first")
    swarm.board.join(make_worker("first", pid=os.getpid()), 1.0)
    assert "session first leads a swarm here; join it" in swarm.lead()["systemMessage"]


def test_switched_off_by_its_name_it_is_neither_begun_nor_asked(swarm):
    swarm.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run,swarm"
    assert "disabled by ULTRAWORK_SKIP_HOOKS" in swarm.joined("a")["systemMessage"]
    assert swarm.stop() == {}
    assert swarm.tasks() == {"a": "open"}


def test_status_tells_how_far_the_tasks_are(swarm):
    swarm.lead()
    swarm.add("a")
    data = json.loads(swarm.run("status", "--json"))["data"]
    assert "swarm working, 5e551040, 0 of 1 done" in json.dumps(data)


def test_an_agent_cannot_make_itself_done_by_writing_into_the_list(swarm):
    """The list is its own truth; the verdict is the gates'."""
    swarm.lead()
    swarm.add("a")
    swarm.write("app.txt", "wrong\n")
    with sqlite3.connect(f"{swarm.place}/.omc/state/swarm-state.db") as forged:
        forged.execute("UPDATE tasks SET status='done'")
    forged.close()
    assert "test fails" in refused(swarm.stop())


MATE = {"agent_id": "aresearcher-1", "agent_type": "researcher", "teammate_name": "researcher"}


def test_a_teammate_that_would_idle_gets_one_task_after_the_other(swarm):
    """Whatever its name: a teammate's type in events is its name."""
    swarm.lead()
    swarm.add("a", "b")
    assert "TASK_ID: a\n" in swarm.event("TeammateIdle", **MATE)["wake"]
    swarm.write("a", "")
    told = swarm.event("TeammateIdle", **MATE)["wake"]
    assert told.startswith("Task a is done (#1 green).\nultrawork: task b in the swarm is yours")
    swarm.write("b", "")
    assert swarm.event("TeammateIdle", **MATE) == {}
    assert swarm.tasks() == {"a": "done", "b": "done"}


def test_a_teammate_of_a_session_that_does_not_lead_idles(swarm):
    swarm.joined("a")
    assert swarm.event("TeammateIdle", **MATE) == {}


@pytest.mark.parametrize(
    "named", [{"task_subject": "a"}, {"task_subject": "x", "task_description": "TASK_ID: a\nmore"}]
)
def test_an_item_of_the_clients_list_that_names_a_task_is_completed_only_when_green(swarm, named):
    swarm.lead()
    swarm.add("a")
    told = swarm.event("TaskCompleted", task_id="1", **named)["wake"]
    assert told.startswith("ultrawork: task a is not done: red (#1): test -e a")
    swarm.write("a", "")
    assert swarm.event("TaskCompleted", task_id="1", **named) == {}
    other = {"task_subject": "look around", "task_description": "and think"}
    assert swarm.event("TaskCompleted", task_id="2", **other) == {}
