"""
The behaviours of armed and of planned sessions through the real client, and the same without each of them.

Scenes as in `test_feature_rows.py`. What needs a terminal, another client or many processes has a test of its own,
which is named here: a row of the table that has neither fails.
"""

import json
import os
import time

import pytest

from ultrawork.hooks.table import HANDLERS, JOBS
from ultrawork.store.paths import Home
from ultrawork.store.state import Store
from ultrawork.testing import clients, conformance, ulw
from ultrawork.testing.claude import Claude
from ultrawork.testing.floor import REPOSITORY
from ultrawork.testing.rows import is_at_work, left, standing, switch, until
from ultrawork.testing.scene import QUICK
from ultrawork.testing.ulw import OPEN, bodies, script, sh


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
        sh("echo wrong > app.txt"),
    ]
    seat = newest(script(steps, "Done."), env={"ULTRAWORK_SKIP_HOOKS": skip})
    with seat.live(plugins=[REPOSITORY], mode=OPEN) as live:
        live.say("ulw help")
        live.say("ulw change the words")
        # Work beside the session goes on for a moment.
        until(lambda: not is_at_work(seat.home, "BaseRun"))
    return Outcome(seat, live)


ARMED_ROWS = {
    "welcome": lambda o: "ultrawork is ready" in str(o.said("SessionStart", "systemMessage")),
    "free-words": lambda o: bool(o.said("UserPromptSubmit", "stopReason")),
    "trigger": lambda o: o.told("ultrawork is on. Goal: change the words"),
    "guard": lambda o: o.told("its own state is not edited by hand"),
    "PostToolUse observe": lambda o: o.traced("ok", True),
    "PostToolUseFailure observe": lambda o: o.traced("ok", False),
    "turn": lambda o: o.traced("turn"),
    "continuation": lambda o: o.told("ultrawork: sent back (1 of 8)"),
    "base-run": lambda o: bool(o.rows("SELECT 1 FROM receipts WHERE target='base'")),
}


def asking(newest, project, skip):
    """A typed skill in a session that asks before it runs anything."""
    ulw.make(str(project), QUICK)
    seat = newest(script([sh("ultrawork status")], "Done."))
    run = seat.run(
        "/ultrawork:ulw change the words",
        plugins=[REPOSITORY],
        mode="default",
        env={"ULTRAWORK_SKIP_HOOKS": skip},
    )
    return Outcome(seat, run)


ASKING_ROWS = {
    "skills": lambda o: o.told("ultrawork is on. Goal: change the words"),
    "permission-handler": lambda o: (
        "allow" in str(o.said("PermissionRequest", "hookSpecificOutput"))
    ),
}


def planned(newest, project, skip):
    """A plan that stands is taken up; its conductor edits, starts workers, is told things, and forgets them."""
    ulw.make(str(project), {**QUICK, "a.txt": "wrong\n"})
    stopped, over = f"{project}/.git/stopped", f"{project}/.git/over"
    steps = [
        {"text": "Not yet."},
        use("Read", file_path=f"{project}/a.txt"),
        use("Edit", file_path=f"{project}/a.txt", old_string="wrong", new_string="mine"),
        worker("a"),
        {"text": "I wait."},
        worker("b"),
    ]
    first = {"match": {"agent": "sub", "first": "TASK_ID: a"}, "replies": [sh("echo right > a.txt"), {"text": "Done.", "wait_file": stopped}]}  # fmt: skip
    second = {"match": {"agent": "sub"}, "reply": {"text": "Done.", "wait_file": over}}
    seat = newest([first, second, *script(steps, "I wait.")], env={"ULTRAWORK_SKIP_HOOKS": skip})
    standing(f"{seat.home}/.claude/ultrawork", str(project))
    with seat.live(plugins=[REPOSITORY], mode=OPEN) as live:
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
    "delegation": lambda o: o.told("during execution the orchestrator does not edit"),
    "agents": lambda o: any("grep -q right a.txt" in json.dumps(one["body"]) for one in o.seat.model.requests if one.get("agent") == "sub"),
    "agent-end": lambda o: o.rows("SELECT status FROM tasks WHERE id='a'") == [("resolved",)],
    "notified": lambda o: bool(o.said("UserPromptSubmit", "hookSpecificOutput")),
    "course": lambda o: bool(o.said("Stop", "decision")),
    "resumed": lambda o: "Goal: correct it" in str(o.said("SessionStart", "hookSpecificOutput")),
    "direct": lambda o: "delegation.lifted" in str(o.rows("SELECT kind FROM events")),
}  # fmt: skip

SCENES = {
    armed: (
        ARMED_ROWS,
        (
            ("welcome", "free-words", "guard", "observe", "turn", "base-run"),
            ("trigger",),
            ("continuation",),
        ),
    ),
    asking: (ASKING_ROWS, (("skills",), ("permission-handler",))),
    planned: (
        PLANNED_ROWS,
        (("sessions",), ("delegation", "resumed", "notified"), ("agents",), ("agent-end", "notified", "direct", "resumed"), ("course",)),
    ),
}  # fmt: skip
_ON = ("guard", "PostToolUse observe", "PostToolUseFailure observe", "turn", "continuation", "base-run")  # fmt: skip
NEEDS = {
    **dict.fromkeys(_ON, ("trigger",)),
    **dict.fromkeys([row for row in PLANNED_ROWS if row != "sessions"], ("sessions",)),
    "agent-end": ("sessions", "agents"),
}
# Behaviours that need more than one conversation without a terminal, and the test that shows each.
_SWARM = "system/test_modes_swarm.py::test_with_its_handler_off_a_worker_ends_after_one_answer"
_CODEX = "system/test_codex_sessions.py::test_a_planned_session_goes_from_its_goal_to_a_pass"
ELSEWHERE = {
    "brief": "system/test_ulw_life.py::test_after_compaction_the_model_gets_a_brief_of_a_kilobyte_and_nothing_else",
    "fork": "system/test_ulw_life.py::test_a_fork_starts_unarmed_and_says_so_once",
    "leave": "system/test_ulw_life.py::test_clearing_the_conversation_ends_it_unverified",
    "wake": "system/test_ulw_life.py::test_a_slow_gate_runs_in_the_background_and_wakes_the_agent_only_if_red",
    "typed": _CODEX,
    "briefed": _CODEX,
    "questions": "system/test_planning.py::test_approving_begins_the_execution",
    "answers": "system/test_planning.py::test_approving_begins_the_execution",
    "agent-started": "system/test_sessions.py::test_auto_goes_from_a_goal_to_complete_and_tries_a_failed_task_again",
    "shell-changes": "system/test_sessions.py::test_what_a_worker_writes_through_the_shell_is_put_down_to_its_task",
    "mode-words": "system/test_modes_words.py::test_the_same_lie_is_believed_where_the_words_are_switched_off",
    "mode-skills": "system/test_modes_light.py::test_without_ralph_the_open_stories_are_nobodys_business",
    **dict.fromkeys(("swarm-agent", "swarm-agent-end", "swarm-beat", "swarm-brief", "swarm-leave"), _SWARM),
    "watchdog": "core/test_watchdog.py::test_five_minutes_of_silence_are_asked_about_and_ten_end_it",
    "news": "hooks/test_background.py::test_a_green_run_in_the_background_is_told_with_the_next_prompt",
    "check": "hooks/test_background.py::test_without_a_process_of_the_client_one_of_ours_runs_it",
    "verify-later": "hooks/test_word_alone.py",
}  # fmt: skip


def seen(scene, outcome):
    return [row for row, is_seen in SCENES[scene][0].items() if is_seen(outcome)]


@pytest.fixture
def newest(seat_at):
    program = clients.program(clients.CLAUDE)
    return lambda script, **options: seat_at(Claude, program, script, **options)


@pytest.mark.client
@pytest.mark.parametrize("scene", SCENES)
def test_every_behaviour_is_seen(newest, project, scene):
    assert seen(scene, scene(newest, project, "")) == list(SCENES[scene][0])


WITHOUT = [
    pytest.param(scene, group, id=f"{scene.__name__}-{group[0]}")
    for scene, (_, groups) in SCENES.items()
    for group in groups
]


@pytest.mark.client
@pytest.mark.parametrize(("scene", "skipped"), WITHOUT)
def test_switched_off_a_behaviour_is_missed_and_the_others_are_seen(
    newest, project, scene, skipped
):
    outcome = scene(newest, project, ",".join(skipped))
    assert seen(scene, outcome) == left(SCENES[scene][0], NEEDS, skipped)


def test_every_row_of_the_table_is_shown_through_a_client_or_names_the_test_that_does():
    shown = {}
    for rows, groups in SCENES.values():
        shown |= {switch(row): any(switch(row) in group for group in groups) for row in rows}
    assert all(shown.values())
    others = {
        name
        for handlers in {**HANDLERS, **JOBS}.values()
        for name, target, _ in handlers
        if not target.startswith("features:")
    }
    assert others == {*shown, *ELSEWHERE}
    assert [name for name in ELSEWHERE.values() if not conformance.exists(f"tests/{name}")] == []
