"""
The behaviours of armed and of planned sessions through the real client, and the same without each of them.

Scenes as in `test_feature_rows.py`. What needs a terminal or another client has a test of its own that switches
it off, which `support/hooks_page.py` names: a row of the table that has neither fails.
"""

import json
import os
import sqlite3
import sys
import time
from contextlib import closing

import pytest

from support import conformance, ulw
from support.floor import PLUGIN
from support.hooks_page import ELSEWHERE, FEATURES, find_test
from support.rows import is_at_work, left, standing, switch, until
from support.scene import QUICK
from support.ulw import OPEN, bodies, script, sh
from ultrawork.features.swarm.store.board import Board
from ultrawork.hooks.table import HANDLERS, JOBS, list_rows
from ultrawork.store.omc.folder import Omc
from ultrawork.store.paths import Home
from ultrawork.store.store import Store


class Outcome:
    """What a session was told, and what it left in the state folder."""

    def __init__(self, seat, live):
        self.seat = seat
        self.live = live
        self.state = f"{seat.home}/.claude/ultrawork"

    def told(self, words):
        return any(words in body for body in bodies(self.seat))

    def said(self, event, key):
        return [call.answer[key] for call in self.live.hooks_of(event) if call.answer.get(key)]

    def traced(self, key, value=None):
        path = f"{self.state}/sessions/{self.live.session}/trace.jsonl"
        if not os.path.exists(path):
            return False
        with open(path, encoding="utf-8") as file:
            entries = [json.loads(line) for line in file]
        return any(key in one and value in (None, one[key]) for one in entries)

    def rows(self, sql):
        store = Store(Home(self.state), actor="person", clock=time.time)
        try:
            return store.database.rows(sql)
        finally:
            store.database.close()


def use(name, **given):
    return {"tool": {"name": name, "input": given}}


def armed(newest, project, skip):
    """A goal whose check is red at the end: sent back twice, then let go."""
    ulw.make(str(project), QUICK)
    state = project.parent / "home" / ".claude" / "ultrawork"
    steps = [
        use("Write", file_path=f"{state}/notes.txt", content="mine"),
        sh("exit 3"),
        *ulw.write(project, "app.txt", "wrong\n"),
    ]
    seat = newest(script(steps, "Done."), env={"ULTRAWORK_SKIP_HOOKS": skip})
    with seat.live(plugins=[PLUGIN], mode=OPEN) as live:
        live.say("ulw help")
        live.say("ulw change the words")
        # Work beside the session goes on for a moment.
        until(lambda: not is_at_work(seat.home, "BaseRun"))
    return Outcome(seat, live)


ARMED_ROWS = {
    "welcome": lambda o: "ultrawork is ready" in str(o.said("SessionStart", "systemMessage")),
    "free-words": lambda o: bool(o.said("UserPromptSubmit", "stopReason")),
    "trigger": lambda o: o.told("ultrawork is on. Goal: change the words"),
    "guard": lambda o: o.told("do not edit files in the ultrawork state folder"),
    "PostToolUse observe": lambda o: o.traced("ok", True),
    "PostToolUseFailure observe": lambda o: o.traced("ok", False),
    "turn": lambda o: o.traced("turn"),
    "begun": lambda o: o.traced("begun"),
    "program-copy": lambda o: os.path.isdir(f"{o.state}/programs"),
    "continuation": lambda o: o.told("ultrawork: sent back (1 of 8)"),
    "base-run": lambda o: bool(o.rows("SELECT 1 FROM receipts WHERE target='base'")),
}


def asking(newest, project, skip):
    """A typed skill in a session that asks before it runs anything."""
    ulw.make(str(project), QUICK)
    seat = newest(script([sh("ultrawork status")], "Done."))
    run = seat.run(
        "/ultrawork:ulw change the words", plugins=[PLUGIN], mode="default", env={"ULTRAWORK_SKIP_HOOKS": skip}
    )
    return Outcome(seat, run)


ASKING_ROWS = {
    "skills": lambda o: o.told("ultrawork is on. Goal: change the words"),
    "permission-handler": lambda o: "allow" in str(o.said("PermissionRequest", "hookSpecificOutput")),
}


def planned(newest, project, skip):
    """A plan that stands is taken up; its conductor edits, starts workers, is told things, and forgets them."""
    ulw.make(str(project), {**QUICK, "a.txt": "wrong\n"})
    stopped, over = f"{project}/.git/stopped", f"{project}/.git/over"
    steps = [
        {"text": "Not yet."},
        use("Read", file_path=f"{project}/a.txt"),
        use("Edit", file_path=f"{project}/a.txt", old_string="wrong", new_string="mine"),
        sh("echo mine > mine.txt"),
        worker("a"),
        {"text": "I wait."},
        worker("b"),
    ]
    first = {"match": {"agent": "sub", "first": "TASK_ID: a"}, "replies": [sh("echo right > a.txt"), {"text": "Done.", "wait_file": stopped}]}  # fmt: skip
    second = {"match": {"agent": "sub"}, "reply": {"text": "Done.", "wait_file": over}}
    seat = newest([first, second, *script(steps, "I wait.")], env={"ULTRAWORK_SKIP_HOOKS": skip})
    standing(f"{seat.home}/.claude/ultrawork", str(project))
    with seat.live(plugins=[PLUGIN], mode=OPEN) as live:
        live.say("/ultrawork:ultrawork-exec --session last")
        if len(bodies(seat)) == 1:
            live.say("go on")
        # The first worker ends only when its conductor waits for it.
        with open(stopped, "w", encoding="utf-8"):
            pass
        until(lambda: "TASK_ID: b" in bodies(seat)[-1])
        for words in ("do it directly", "/compact", "what is next?"):
            live.say(words)
    return Outcome(seat, live)


def worker(name):
    given = {"prompt": f"TASK_ID: {name}", "description": name, "run_in_background": True}
    return use("Agent", subagent_type="ultrawork:worker", **given)


PLANNED_ROWS = {
    "sessions": lambda o: bool(o.said("UserPromptExpansion", "hookSpecificOutput")),
    "delegation": lambda o: o.told("the orchestrator does not edit files during execution"),
    "shell-delegation": lambda o: not os.path.exists(f"{o.seat.project}/mine.txt"),
    "agents": lambda o: any("grep -q right a.txt" in json.dumps(one["body"]) for one in o.seat.model.requests if one.get("agent") == "sub"),
    "agent-end": lambda o: o.rows("SELECT status FROM tasks WHERE id='a'") == [("resolved",)],
    "notified": lambda o: bool(o.said("UserPromptSubmit", "hookSpecificOutput")),
    "course": lambda o: bool(o.said("Stop", "hookSpecificOutput")),
    "resumed": lambda o: "Goal: correct it" in str(o.said("SessionStart", "hookSpecificOutput")),
    "direct": lambda o: "delegation.lifted" in str(o.rows("SELECT kind FROM events")),
    "agent-started": lambda o: bool(o.rows("SELECT 1 FROM agents WHERE subject='b' AND started_at IS NOT NULL")),
    "shell-changes": lambda o: '"a.txt"' in str(o.rows("SELECT entry FROM evidence WHERE task='a'")),
}  # fmt: skip


def later(newest, project, skip):
    """`ulw verify` where the checks are known to take a minute: the result comes with the next prompt."""
    ulw.make(str(project), QUICK)
    seat = newest(script([], "I see."), env={"ULTRAWORK_SKIP_HOOKS": skip})
    ulw.Told(seat, None).ask("verify")
    path = f"{seat.home}/.claude/ultrawork/ultrawork.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE receipts SET seconds=60")
    with seat.live(plugins=[PLUGIN], mode=OPEN) as live:
        live.say("ulw verify")
        until(lambda: not is_at_work(seat.home, "Verify"))
        live.say("and?")
    return Outcome(seat, live)


def passed(outcome):
    return "ultrawork: PASS" in str(outcome.said("UserPromptSubmit", "systemMessage"))


def untold(outcome):
    folder = f"{outcome.state}/news"
    return os.path.isdir(folder) and os.listdir(folder) != []


LATER_ROWS = {"verify-later": lambda o: passed(o) or untold(o), "news": passed}

# The worker was last seen long ago: that is put into what is stored, nobody waits for it.
SILENT = "import sqlite3 as s; d = s.connect('.omc/state/swarm-state.db'); d.execute('UPDATE workers SET seen_at = 1'); d.commit()"  # fmt: skip
DIES = {"error": {"status": 400, "type": "invalid_request_error", "message": "no"}}


def joined(newest, project, skip):
    """A worker of a swarm that was silent for long; its turn dies in the middle of a task, and it is resumed."""
    ulw.make(str(project), QUICK)
    seat = newest([
        {"match": {"agent": "main", "last": "go on"}, "reply": DIES},
        {"match": {"agent": "main", "last": "TASK_ID: a"}, "reply": sh(f'{sys.executable} -c "{SILENT}"')},
        {"match": {"agent": "main"}, "reply": DIES},
    ], env={"ULTRAWORK_SKIP_HOOKS": skip})  # fmt: skip
    person = ulw.Told(seat, None)
    person.ask("swarm", "start", "write the files")
    person.ask("swarm", "add", "write a", "--id", "a", "--check", "test -s a")
    first = seat.run("/ultrawork:swarm join", plugins=[PLUGIN], mode=OPEN)
    with closing(Board(Omc(str(project)))) as board:
        task, (worker,) = board.task("a"), board.workers()
    again = seat.run("go on", plugins=[PLUGIN], mode=OPEN, resume=first.session)
    outcome = Outcome(seat, again)
    outcome.task, outcome.seen_at = task, worker["seen_at"]
    return outcome


JOINED_ROWS = {
    "swarm-beat": lambda o: o.seen_at > 1,
    "swarm-leave": lambda o: o.task.status == "open",
    "swarm-brief": lambda o: any("swarm status" in one["additionalContext"] or "TASK_ID: a" in one["additionalContext"] for one in o.said("SessionStart", "hookSpecificOutput")),
}  # fmt: skip


def led(newest, project, skip):
    """The leader of a swarm starts one agent, which is handed one task after the other."""
    ulw.make(str(project), QUICK)
    add = "; ".join(f'ultrawork swarm add "{n}" --id {n} --check "test -s {n}"' for n in "ab")
    agent = use("Agent", description="work", subagent_type="ultrawork:worker", prompt="Work.")
    seat = newest([
        {"match": {"agent": "sub", "last": "TASK_ID: "}, "reply": sh(r"echo x > {{last:TASK_ID: (\S+)}}")},
        {"match": {"agent": "sub"}, "reply": {"text": "Done."}},
        *script([sh(add), agent], "Done."),
    ], env={"ULTRAWORK_SKIP_HOOKS": skip})  # fmt: skip
    run = seat.run("/ultrawork:swarm 1 write the files", plugins=[PLUGIN], mode=OPEN)
    outcome = Outcome(seat, run)
    outcome.agent = [json.dumps(one["body"]) for one in seat.model.requests if one.get("agent") == "sub"]  # fmt: skip
    with closing(Board(Omc(str(project)))) as board:
        outcome.done = [one.id for one in board.tasks() if one.status == "done"]
    return outcome


LED_ROWS = {"swarm-agent": lambda o: "TASK_ID: a" in o.agent[0], "swarm-agent-end": lambda o: o.done == ["a", "b"]}

SCENES = {
    armed: (
        ARMED_ROWS,
        (
            ("welcome", "free-words", "guard", "observe", "turn", "begun", "program-copy", "base-run"),
            ("trigger",),
            ("continuation",),
        ),
    ),
    asking: (ASKING_ROWS, (("skills",), ("permission-handler",))),
    planned: (
        PLANNED_ROWS,
        (("sessions",), ("delegation", "shell-delegation", "resumed", "notified", "agent-started", "shell-changes"), ("agents",), ("agent-end", "notified", "direct", "resumed"), ("course",)),
    ),
    later: (LATER_ROWS, (("verify-later",), ("news",))),
    joined: (JOINED_ROWS, (("swarm-beat",), ("swarm-leave",), ("swarm-brief",))),
    led: (LED_ROWS, (("swarm-agent",), ("swarm-agent-end",))),
}  # fmt: skip
_ON = ("guard", "PostToolUse observe", "PostToolUseFailure observe", "turn", "begun", "program-copy", "continuation", "base-run")  # fmt: skip
NEEDS = {
    **dict.fromkeys(_ON, ("trigger",)),
    **dict.fromkeys([row for row in PLANNED_ROWS if row != "sessions"], ("sessions",)),
    "agent-end": ("sessions", "agents"),
    "agent-started": ("sessions", "agents", "agent-end"),
    "shell-changes": ("sessions", "agents"),
    "news": ("verify-later",),
}


def seen(scene, outcome):
    return [row for row, is_seen in SCENES[scene][0].items() if is_seen(outcome)]


@pytest.mark.client
@pytest.mark.parametrize("scene", SCENES)
def test_every_behaviour_is_seen(newest, project, scene):
    assert seen(scene, scene(newest, project, "")) == list(SCENES[scene][0])


# In process each is switched off by a fast test; one group of a kind shows here that the client's switch does it.
IN_CI = ("armed-welcome",)
WITHOUT = [
    pytest.param(scene, group, id=name, marks=() if name in IN_CI else pytest.mark.release)
    for scene, (_, groups) in SCENES.items()
    for group in groups
    for name in [f"{scene.__name__}-{group[0]}"]
]


@pytest.mark.client
@pytest.mark.parametrize(("scene", "skipped"), WITHOUT)
def test_switched_off_a_behaviour_is_missed_and_the_others_are_seen(newest, project, scene, skipped):
    outcome = scene(newest, project, ",".join(skipped))
    assert seen(scene, outcome) == left(SCENES[scene][0], NEEDS, skipped)


def test_every_row_of_the_table_is_shown_through_a_client_or_names_the_test_that_does():
    shown = {}
    for rows, groups in SCENES.values():
        shown |= {switch(row): any(switch(row) in group for group in groups) for row in rows}
    assert all(shown.values())
    others = {row.name for event in (*HANDLERS, *JOBS) for row in list_rows(event) if find_test(row) != FEATURES}
    assert others == {*shown, *ELSEWHERE}
    assert set(shown).isdisjoint(ELSEWHERE)
    assert [name for name in ELSEWHERE.values() if not conformance.exists(f"tests/{name}")] == []
