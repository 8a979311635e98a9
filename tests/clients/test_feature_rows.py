"""
Every behaviour of the feature layer through the real client, and the same session with it switched off.

A scene is one session in which several behaviours act. It runs once with all of them and once for each
group that is skipped by name; in each run exactly the others must be seen, so that a behaviour is known
by its own trace and not by that of its neighbours.
"""

import json
import os
import time
import uuid

import pytest

from support import ulw
from support.floor import PLUGIN
from support.hooks_page import FEATURES, find_test
from support.rows import is_at_work, left, standing, switch, until
from support.scene import QUICK
from support.ulw import OPEN, bodies, script, sh
from ultrawork.core.times import parse_iso
from ultrawork.features.notepad import store as notepad
from ultrawork.hooks.table import HANDLERS, list_rows
from ultrawork.store.omc import boulder, checkpoints, features, memory, states
from ultrawork.store.omc.folder import Omc

RICH = {
    **QUICK,
    "AGENTS.md": "Keep it plain.\n",
    "CLAUDE.md": "Own words.\n",
    "package.json": '{"scripts": {"build": "make"}}\n',
    "a.py": "x = 1\n",
    "web/AGENTS.md": "Use tabs in web.\n",
    "web/a.css": "a {}\n",
    ".cursor/rules/css.mdc": "---\nglobs: '**/*.css'\n---\nShort lines.\n",
    ".omc/plans/p.md": "- [x] one\n- [ ] two\n",
    ".omc/boulder.json": '{"active_plan": ".omc/plans/p.md"}',
    ".omc/skills/deploying.md": (
        "---\nname: Deploying\ndescription: d\ntriggers: [deploy]\n---\nUse the green script.\n"
    ),
}
ERROR = ".omc/state/sessions/*/last-tool-error.json"


class Outcome:
    """What is left to look at when a session is over."""

    def __init__(self, seat, project, run=None):
        self.seat = seat
        self.project = project
        self.run = run
        self.omc = Omc(str(project))

    def told(self, words):
        return words in bodies(self.seat)[-1]

    def sub(self, words):
        """Whether an agent was told."""
        found = [one["body"] for one in self.seat.model.requests if one.get("agent") == "sub"]
        return any(words in json.dumps(body) for body in found)

    def file(self, name, words):
        return words in (self.omc.read(f"{self.omc.root}/{name}") or "")

    def agents(self):
        text = self.omc.read(f"{self.omc.root}/state/subagent-tracking.json") or "{}"
        return json.loads(text).get("agents", [])


def use(name, **given):
    return {"tool": {"name": name, "input": given}}


def agent(prompt, kind="general-purpose", **more):
    return {"name": "Agent", "input": {"subagent_type": kind, "prompt": prompt, "description": "look", **more}}


def rich(claude, project, skip):
    """One agent alone with a project that has something for every behaviour."""
    ulw.make(str(project), RICH)
    omc, session = Omc(str(project)), str(uuid.uuid4())
    features.switch_on(ulw.state_folder(project), omc, [])
    notepad.set_priority(omc, "the port is 8081")
    states.write(omc, "ultraqa", {"active": True}, session=session, now=time.time())
    path = f"{project}/a.py"
    edit = {"old_string": "x = 1", "new_string": "# changed to two\nx = 2"}
    steps = [
        use("Read", file_path=f"{project}/web/a.css"),
        use("Read", file_path=path),
        sh("frobnicate_nothing"),
        use("Edit", file_path=path, **edit),
        sh("make test"),
        sh("python3 --version"),
        sh("echo \"Error: Cannot find module 'express'\" >&2; exit 1"),
        sh("false && pkill -f nothing_of_this_name || true"),
        *(sh(f"echo boom >&2; exit 3 # {number}") for number in range(5)),
        sh("true"),
        sh(f"ls {ERROR} 2>&1 && echo errors=$((4 + 4)) || echo errors=$((3 + 4))"),
        use("Read", file_path=f"{project}/.omc/plans/p.md"),
        use("Write", file_path=f"{project}/.omc/plans/p.md", content="- [x] one\n- [ ] two\nmore\n"),
        use("TaskCreate", subject="write the tests", description="d"),
        {"tool": agent("LOOK")},
    ]
    words = "Seen. <remember>the door is green</remember> <learning>the cache is cold</learning>"
    seat = claude(
        [{"match": {"agent": "sub"}, "reply": {"text": words}}, *script(steps, "Done.")],
        env={"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"},
    )
    run = seat.run(
        "réfléchissez et change the deploy name across multiple files. Never touch vendor.",
        plugins=[PLUGIN],
        mode=OPEN,
        env={"ULTRAWORK_SKIP_HOOKS": skip},
        flags=["--init", "--session-id", session],
    )
    return Outcome(seat, project, run)


def learned(outcome, category):
    notes = memory.get_section(memory.read(outcome.omc) or {}, "notes") or []
    return any(one["category"] == category for one in notes)


RICH_ROWS = {
    "context-injector": lambda o: o.told("Keep it plain."),
    "notepad": lambda o: o.told("Notepad, priority:"),
    "project-memory": lambda o: o.told("Known about this project:"),
    "boulder": lambda o: o.told("Active plan .omc/plans/p.md: 1 of 2 boxes done."),
    "think-mode": lambda o: o.told("The user asks for careful thought"),
    "learner": lambda o: o.told("Use the green script."),
    "delegation-rules": lambda o: o.told("this looks like work in several files. Delegate it to ultrawork:executor"),
    "directives": lambda o: o.file("project-memory.json", "never touch vendor"),
    "rules-injector": lambda o: o.told("Project rules for web/a.css:"),
    "directory-guides": lambda o: o.told("Use tabs in web."),
    "comment-checker": lambda o: o.told("comments in a.py describe the edit"),
    "PostToolUse memory-learner": lambda o: learned(o, "runtime"),
    "PostToolUseFailure memory-learner": lambda o: learned(o, "dependency"),
    "todo-list": lambda o: o.told("1 item open on your to-do list: write the tests"),
    "todo-continuation": lambda o: o.told("1 box open in the plan: two."),
    "error-log": lambda o: o.told("Bash has failed 5 times in the same way"),
    "error-over": lambda o: o.told("errors=7"),
    "recovery": lambda o: o.told("the program is not installed here"),
    "self-kill": lambda o: o.told("pkill -f would also kill this session"),
    "plans": lambda o: not o.file("plans/p.md", "more"),
    "remember": lambda o: o.file("notepad.md", "the door is green"),
    "plan-wisdom": lambda o: o.file("notepads/p/learnings.md", "the cache is cold"),
    "session-end": lambda o: o.file("project-memory.json", '"path": "a.py"'),
    "setup": lambda o: any("ultrawork doctor" in call.out for call in o.run.hooks_of("Setup")),
}


def crew(claude, project, skip):
    """Five agents in the background at once, two of them in one file, under strict delegation."""
    ulw.make(str(project), {**QUICK, "a.py": "x = 1\n"})
    features.switch_on(ulw.state_folder(project), Omc(str(project)), [])
    features.switch_on(ulw.state_folder(project), Omc(str(project)), ["delegation=strict"])
    shared, met, over = (f"{project}/{name}" for name in ("shared.txt", "met", "over"))
    ended = {"text": "Seen.", "wait_file": over}
    first = [use("Write", file_path=shared, content="one\n"), ended]
    second = [
        {**use("Read", file_path=shared), "wait_file": shared},
        use("Edit", file_path=shared, old_string="one", new_string="two"),
        sh(f"touch {met}"),
        ended,
    ]
    kinds = ("general-purpose", "general-purpose", *["ultrapower:explore"] * 3)
    names = ("ALPHA", "BETA", "GAMMA", "DELTA", "EPSILON")
    calls = [agent(name, kind, run_in_background=True) for name, kind in zip(names, kinds, strict=True)]
    steps = [
        {"tools": calls},
        {"tool": agent("ZETA", run_in_background=True), "wait_file": met},
        use("Read", file_path=f"{project}/a.py"),
        use("Edit", file_path=f"{project}/a.py", old_string="x = 1", new_string="x = 2"),
        use("Write", file_path=f"{project}/.omc/plans/next.md", content="- [ ] one\n"),
        sh(f'sed -i \'s/"started_at": "2/"started_at": "1/\' {project}/.omc/state/subagent-tracking.json'),
        sh(f"touch {over}"),
    ]
    seat = claude([
        {"match": {"agent": "sub", "first": "ALPHA"}, "replies": first},
        {"match": {"agent": "sub", "first": "BETA"}, "replies": second},
        {"match": {"agent": "sub"}, "reply": ended},
        *script(steps, "Done."),
    ])  # fmt: skip
    run = seat.run(
        "look at it",
        plugins=[PLUGIN, other_plugin(project.parent)],
        mode=OPEN,
        # What agents leave behind is looked at afterwards.
        # Found under any spelling, the other plugin's agent would be ours, which has its model.
        env={"ULTRAWORK_SKIP_HOOKS": f"session-end,agent-names,{skip}"},
    )
    return Outcome(seat, project, run)


def other_plugin(folder):
    """A plugin whose agent does not say what it runs on."""
    for name, text in {
        ".claude-plugin/plugin.json": '{"name": "ultrapower"}',
        "agents/explore.md": "---\nname: explore\ndescription: Use to look around.\n---\nLook.\n",
    }.items():
        path = folder / "ultrapower" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return f"{folder}/ultrapower"


def small(outcome):
    asked = [one for one in outcome.seat.model.requests if one.get("agent") == "sub"]
    models = {one["model"] for one in asked if "GAMMA" in json.dumps(one["body"])}
    return bool(models) and all("haiku" in model for model in models)


CREW_ROWS = {
    "delegation-enforcer": small,
    "orchestrator": lambda o: o.told("delegation is strict here. Let ultrawork:executor edit a.py"),
    "file-conflicts": lambda o: o.sub("is running and has changed shared.txt"),
    "background-limit": lambda o: o.told("5 agents run in the background"),
    "plan-written": lambda o: boulder.read(o.omc).get("active_plan") == ".omc/plans/next.md",
    "touched-files": lambda o: any("shared.txt" in one.get("files", ()) for one in o.agents()),
    "subagent-start": lambda o: len(o.agents()) >= 5,
    "stale-agents": lambda o: any("more than 5 minutes" in call.out for call in o.run.hooks_of("PostToolUse")),
    "subagent-stop": lambda o: any(one["status"] == "completed" for one in o.agents()),
}


def long_talk(claude, project, skip):
    """One conversation that is compacted, and later meets a limit; then somebody goes on by hand."""
    ulw.make(str(project), QUICK)
    omc = Omc(str(project))
    features.switch_on(ulw.state_folder(project), omc, [])
    notepad.set_priority(omc, "the port is 8081")
    env = {"CLAUDE_CODE_MAX_RETRIES": "0", "ULTRAWORK_SKIP_HOOKS": skip}
    seat = claude([LIMITED, {"match": {}, "reply": {"text": "I see."}}], env=env)
    outcome = Outcome(seat, project)
    with seat.live(plugins=[PLUGIN], mode=OPEN) as live:
        for words in ("one", "two", "three", "/compact", "what is next?", "look at it"):
            live.say(words)
        # The client keeps that hook beside the session: it has reported it before it has ended.
        until(lambda: live.hooks_of("StopFailure") and not is_at_work(seat.home, "StopFailure"))
        live.say("I go on by hand")
        outcome.limit = limit_of(omc)
    return outcome


LIMITED = {
    "match": {"agent": "main", "last": "look at it"},
    "reply": {"error": {"status": 429, "type": "rate_limit_error", "message": "try again in 2 hours"}},
}


def limit_of(omc):
    paths = [f"{omc.state_folder(name)}/rate-limit.json" for name in omc.sessions()]
    return "".join(omc.read(path) or "" for path in paths)


TALK_ROWS = {
    "pre-compact": lambda o: o.told("Keep in the summary:") or checkpoints.list_all(o.omc) != [],
    "restore": lambda o: o.told("State before the compaction:\nNotes: the port is 8081"),
    "rate-limit-wait": lambda o: '"until"' in o.limit,
    "limit-over": lambda o: '"resumed"' in o.limit,
}


def planned(claude, project, skip):
    """A planned session that stands is taken up; one of its tasks is done, then it is left."""
    ulw.make(str(project), {**QUICK, "a.txt": "wrong\n"})
    features.switch_on(ulw.state_folder(project), Omc(str(project)), ["boulder"])
    listed = sh("cat .omc/state/plans/*.md; rm -rf .omc/state/plans")
    worker = agent("TASK_ID: a", "ultrawork:worker", run_in_background=False)
    seat = claude([
        {"match": {"agent": "sub"}, "replies": [sh("echo right > a.txt"), {"text": "Done."}]},
        *script([{"tool": worker}, listed], "I leave it."),
    ])  # fmt: skip
    standing(f"{seat.home}/.claude/ultrawork", str(project))
    run = seat.run(
        "/ultrawork:ultrawork-exec --session last", plugins=[PLUGIN], mode=OPEN, env={"ULTRAWORK_SKIP_HOOKS": skip}
    )
    return Outcome(seat, project, run)


PLANNED_ROWS = {
    "SubagentStop plan-boxes": lambda o: o.told("- [x] a: Correct a\n- [ ] b: Correct b"),
    "Stop plan-boxes": lambda o: os.path.exists(f"{o.omc.root}/state/plans"),
}

# Each scene with what shows its behaviours, and those that are skipped together.
SCENES = {
    rich: (
        RICH_ROWS,
        (
            ("context-injector", "notepad", "think-mode", "rules-injector", "comment-checker", "memory-learner",
             "error-log", "self-kill", "remember", "todo-list", "delegation-rules"),
            ("project-memory", "boulder", "learner", "directives", "directory-guides", "todo-continuation",
             "error-over", "recovery", "plans", "plan-wisdom", "session-end", "setup"),
        ),
    ),
    crew: (
        CREW_ROWS,
        (
            ("delegation-enforcer", "orchestrator", "file-conflicts", "plan-written", "subagent-stop"),
            ("touched-files", "background-limit"),
            ("subagent-start",),
            ("stale-agents",),
        ),
    ),
    long_talk: (TALK_ROWS, (("restore", "limit-over"), ("pre-compact", "rate-limit-wait"))),
    planned: (PLANNED_ROWS, (("plan-boxes",),)),
}  # fmt: skip
# What a behaviour needs to have something to act on.
NEEDS = {
    "restore": ("pre-compact",),
    "limit-over": ("rate-limit-wait",),
    "todo-list": ("todo-continuation",),
    "file-conflicts": ("touched-files", "subagent-start"),
    "touched-files": ("subagent-start",),
    "subagent-stop": ("subagent-start",),
    "stale-agents": ("subagent-start",),
    "background-limit": ("subagent-start",),
}
# In process each is switched off by a fast test; one group of a kind shows here that the client's switch does it.
IN_CI = ("crew-delegation-enforcer",)
WITHOUT = [
    pytest.param(scene, group, id=name, marks=() if name in IN_CI else pytest.mark.release)
    for scene, (_, groups) in SCENES.items()
    for group in groups
    for name in [f"{scene.__name__}-{group[0]}"]
]


def seen(scene, outcome):
    return [row for row, is_seen in SCENES[scene][0].items() if is_seen(outcome)]


@pytest.mark.client
@pytest.mark.parametrize("scene", SCENES)
def test_every_behaviour_is_seen(claude, project, scene):
    assert seen(scene, scene(claude, project, "")) == list(SCENES[scene][0])


@pytest.mark.client
@pytest.mark.parametrize(("scene", "skipped"), WITHOUT)
def test_switched_off_a_behaviour_is_missed_and_the_others_are_seen(newest, project, scene, skipped):
    outcome = scene(newest, project, ",".join(skipped))
    assert seen(scene, outcome) == left(SCENES[scene][0], NEEDS, skipped)


@pytest.mark.client
def test_with_nobody_there_a_limit_is_only_written_down(claude, project):
    """No hook stays behind to wait for its end, and nothing is asked of the model again."""
    ulw.make(str(project), QUICK)
    omc = Omc(str(project))
    features.switch_on(ulw.state_folder(project), omc, ["limits"])
    seat = claude([LIMITED], env={"CLAUDE_CODE_MAX_RETRIES": "0"})
    with seat.live(plugins=[PLUGIN], mode=OPEN) as live:
        assert live.say("look at it")["is_error"]
        until(lambda: limit_of(omc))
        until(lambda: not is_at_work(seat.home, "StopFailure"))
        asked = len(seat.model.requests)
        kept = json.loads(limit_of(omc))
    assert 7_200 <= parse_iso(kept["until"]) - parse_iso(kept["at"]) <= 7_300
    assert kept["tries"] == 1
    assert len(live.results) == 1
    assert len(seat.model.requests) == asked


def test_every_feature_of_the_table_has_a_run_with_it_and_one_without():
    """A row that is added to the table without one fails here."""
    shown = {}
    for rows, groups in SCENES.values():
        shown |= {row: any(switch(row) in group for group in groups) for row in rows}
    table = [(event, row.name) for event in HANDLERS for row in list_rows(event) if find_test(row) == FEATURES]
    names = [name for _, name in table]
    wanted = {name if names.count(name) == 1 else f"{event} {name}" for event, name in table}
    assert wanted == set(shown)
    assert all(shown.values())
