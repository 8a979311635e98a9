"""Each behaviour of the feature layer makes a difference: with it something happens that does not without."""

import os
from time import time

import pytest

from support.hooks_page import FEATURES, find_test
from support.play import Play
from support.scene import SESSION
from ultrawork.features.notepad import store as notepad
from ultrawork.hooks.table import HANDLERS, list_rows
from ultrawork.store.omc import agent_tracking, features, states
from ultrawork.store.omc.folder import Omc

CALL = {"subagent_type": "executor", "prompt": "p", "description": "d"}
RULE = "---\nglobs: '*.txt'\n---\nWrite short lines.\n"
SKILL = "---\nname: Deploying\ndescription: d\ntriggers: [deploy]\n---\nUse the green script.\n"
LIMIT = {"error": "rate_limit", "last_assistant_message": "Limit reached; try again in 1 second"}


def model(scene):
    return scene.before("Agent", CALL)


def delegated(scene):
    scene.only("delegation=strict")
    return scene.before("Edit", scene.file("app.py"))


def asked(scene):
    scene.only("delegation")
    return scene.prompt("Refactor the parser across multiple files")


def plan_edited(scene):
    states.write(scene.omc, "ralph", {"active": True}, session=SESSION, now=time())
    scene.write(".omc/plans/p.md", "- [ ] a\n")
    return scene.before("Write", {**scene.file(".omc/plans/p.md"), "content": "new"})


def met(scene):
    for name in ("a1", "a2"):
        scene.agent(name)
    scene.tool("Edit", scene.file("app.txt"), agent_id="a1", agent_type="executor")
    return scene.before("Edit", scene.file("app.txt"), agent_id="a2", agent_type="executor")


def crowded(scene):
    for number in range(5):
        scene.agent(f"a{number}")
    return scene.before("Agent", {**CALL, "model": "haiku", "run_in_background": True})


def kills(scene):
    return scene.before("Bash", {"command": "sleep 1; pkill -9 -f node"})


def ruled(scene):
    scene.write(".cursor/rules/short.mdc", RULE)
    return scene.tool("Read", scene.file("app.txt"))


def guided(scene):
    scene.write("CLAUDE.md", "Own words.\n")
    scene.write("web/AGENTS.md", "Use tabs in web.\n")
    scene.write("web/a.css", "")
    return scene.tool("Read", scene.file("web/a.css"))


def learned(scene):
    given = {"command": "make test"}
    scene.tool("Bash", given, tool_response={"stdout": "", "stderr": ""})
    return os.path.exists(scene.omc.memory)


def learned_from_failure(scene):
    scene.only("memory")
    scene.tool("Bash", {"command": "node x.js"}, ok=False, error="Cannot find module 'express'")
    return os.path.exists(scene.omc.memory)


def commented(scene):
    given = {**scene.file("a.py"), "old_string": "x = 1", "new_string": "# changed to 2\nx = 2"}
    return scene.tool("Edit", given)


def tracked(scene):
    scene.agent("a1")
    return os.path.exists(f"{scene.place}/.omc/state/subagent-tracking.json")


def todo(scene):
    items = [{"content": "write the tests", "status": "pending"}]
    scene.tool("TodoWrite", {"todos": items})
    return scene.stop("I am done.")


def repeated(scene):
    answers = [scene.tool("Bash", {"command": "./x"}, ok=False, error="exit 1: boom") for _ in range(5)]
    return answers[-1]


def recovered(scene):
    return scene.tool("Edit", scene.file("a"), ok=False, error="String to replace not found in file.")


def forgotten(scene):
    for _ in range(2):
        scene.tool("Bash", {"command": "./x"}, ok=False, error="boom")
    scene.tool("Bash", {"command": "./y"}, tool_response={})
    return os.path.exists(f"{scene.omc.state_folder(SESSION)}/last-tool-error.json")


def began(scene):
    scene.write("AGENTS.md", "Keep it plain.\n")
    scene.write("CLAUDE.md", "Own words.\n")
    scene.only("context")
    return scene.start()


def noted(scene):
    notepad.set_priority(scene.omc, "the port is 8081")
    scene.only("notepad")
    return scene.start()


def known(scene):
    scene.only("memory")
    scene.write("package.json", '{"scripts": {"test": "vitest"}}')
    return scene.start()


def rolled(scene):
    scene.write(".omc/plans/p.md", "- [x] a\n- [ ] second box\n")
    scene.write(".omc/boulder.json", '{"active_plan": ".omc/plans/p.md"}')
    scene.only("boulder")
    return scene.start()


def checkpointed(scene):
    scene.tool("TodoWrite", {"todos": [{"content": "write the tests", "status": "pending"}]})
    return scene.event("PreCompact", trigger="auto")


def restored(scene):
    checkpointed(scene)
    return scene.start("compact")


def wished(scene):
    scene.prompt("Always use tabs in this project.")
    return os.path.exists(scene.omc.memory)


def thought(scene):
    return scene.prompt("réfléchissez à cela")


def skilled(scene):
    scene.write(".omc/skills/deploying.md", SKILL)
    return scene.prompt("please deploy the site")


def ended(scene):
    scene.agent("a1")
    scene.agent("a1", event="SubagentStop", last_assistant_message="done")
    return scene.state("state/subagent-tracking.json")["agents"][0]["status"]


def remembered(scene):
    words = "Done. <remember>the port is 8081</remember>"
    scene.agent("a1", event="SubagentStop", last_assistant_message=words)
    return notepad.read(scene.omc, "working")


def wise(scene):
    scene.write(".omc/plans/p.md", "- [ ] a\n")
    scene.write(".omc/boulder.json", '{"active_plan": ".omc/plans/p.md"}')
    words = "Done. <learning>the cache is cold at first</learning>"
    scene.agent("a1", event="SubagentStop", last_assistant_message=words)
    return os.path.exists(f"{scene.place}/.omc/notepads/p/learnings.md")


def limited(scene):
    scene.environ["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
    scene.event("StopFailure", **LIMIT)
    return os.path.exists(f"{scene.omc.state_folder(SESSION)}/rate-limit.json")


def went_on(scene):
    limited(scene)
    scene.prompt("go on")
    return "resumed" in scene.state(f"state/sessions/{SESSION}/rate-limit.json")


def cleaned(scene):
    scene.agent("a1")
    scene.event("SessionEnd", reason="other")
    path = f"{scene.place}/.omc/state/subagent-tracking.json"
    return os.path.exists(path) and scene.state("state/subagent-tracking.json")["agents"]


def planned(scene):
    path = scene.write(".omc/plans/p.md", "- [ ] a\n")
    scene.tool("Write", {"file_path": path, "content": "- [ ] a\n"})
    return os.path.exists(f"{scene.place}/.omc/boulder.json")


def played(scene):
    """A planned session with its plan, as far as its first task."""
    play = Play(f"{scene.root}/played")
    play.environ["ULTRAWORK_SKIP_HOOKS"] = scene.environ["ULTRAWORK_SKIP_HOOKS"]
    features.switch_on(play.state_folder, Omc(play.place), ["boulder"])
    play.begin()
    play.planned()
    return play


def boxed_at_a_stop(scene):
    play = played(scene)
    play.stop("Started.")
    return os.path.exists(f"{play.place}/.omc/state/plans")


def boxed_at_the_end_of_an_agent(scene):
    play = played(scene)
    play.worked("a")
    return os.path.exists(f"{play.place}/.omc/state/plans")


def named_stale(scene):
    agent_tracking.mark_started(Omc(scene.place), "old", "debugger", SESSION, time() - 400)
    return scene.tool("Bash", {"command": "ls"}).get("systemMessage")


def set_up(scene):
    return bool(scene.event("Setup", trigger="init").get("systemMessage"))


ROWS = {
    "features.delegation:choose_model": model,
    "features.delegation:check_direct_edit": delegated,
    "features.delegation:advise_agent": asked,
    "features.plan_files:guard_plan": plan_edited,
    "features.running_agents:warn_of_conflict": met,
    "features.running_agents:limit_background": crowded,
    "features.tool_advice:warn_of_kill": kills,
    "features.file_rules:tell_rules": ruled,
    "features.file_rules:tell_guides": guided,
    "PostToolUse features.memory_learner:learn": learned,
    "PostToolUseFailure features.memory_learner:learn": learned_from_failure,
    "features.file_rules:name_comments": commented,
    "features.plan_files:activate_plan": planned,
    "Stop features.plans:renew_checklist": boxed_at_a_stop,
    "SubagentStop features.plans:renew_checklist": boxed_at_the_end_of_an_agent,
    "features.running_agents:note_file": met,
    "tool:note_items": todo,
    "features.failures:forget_failure": forgotten,
    "features.failures:note_failure": repeated,
    "features.tool_advice:advise_after_failure": recovered,
    "features.session_start:tell_guide": began,
    "ultrawork.features.notepad.hooks:tell_notes": noted,
    "features.session_start:tell_memory": known,
    "features.session_start:tell_plan": rolled,
    "features.compaction:restore": restored,
    "features.compaction:write_checkpoint": checkpointed,
    "features.prompts:keep_wishes": wished,
    "features.prompts:ask_for_thought": thought,
    "features.prompts:find_skills": skilled,
    "features.plans:send_back_open": todo,
    "features.running_agents:note_start": tracked,
    "features.running_agents:name_stale": named_stale,
    "features.running_agents:note_end": ended,
    "ultrawork.features.notepad.hooks:keep_notes": remembered,
    "features.running_agents:keep_wisdom": wise,
    "features.failures:wait_for_limit": limited,
    "features.failures:note_resumed": went_on,
    "features.session_end:clean_up": cleaned,
    "setup:set_up": set_up,
}


def rows():
    found = [
        (event, row.name, row.target) for event in HANDLERS for row in list_rows(event) if find_test(row) == FEATURES
    ]
    assert len(found) > 25
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("event", "name", "target"), rows())
def test_each_row_makes_a_difference(project, without, event, name, target):
    act = ROWS.get(target) or ROWS[f"{event} {target}"]
    assert act(project) != act(without(name))


def test_nothing_happens_where_nobody_switched_features_on(project):
    os.unlink(f"{project.place}/.omc/features")
    project.environ["ULTRAWORK_SKIP_HOOKS"] = "skill-words"
    quiet = (kills, ruled, guided, commented, recovered, todo, thought, skilled, repeated)
    assert [act(project) for act in quiet] == [{}] * len(quiet)
