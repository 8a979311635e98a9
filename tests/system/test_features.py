"""The features of a project through the real client, on the oldest supported version and on the newest."""

import json
import os

import pytest

from ultrawork.store.omc import features, notepad
from ultrawork.store.omc.place import Omc
from ultrawork.testing import ulw
from ultrawork.testing.floor import REPOSITORY
from ultrawork.testing.scene import QUICK
from ultrawork.testing.ulw import OPEN, bodies, script, sh

pytestmark = pytest.mark.client

RULE = "Short lines, please."
REMEMBER = "the port is 8081"
AGENT = {"subagent_type": "general-purpose", "prompt": "LOOK around", "description": "look"}


@pytest.fixture
def place(project):
    """A project in which a person switched everything on."""
    ulw.make(str(project), QUICK)
    features.switch_on(Omc(str(project)), [])
    return project


def call(agent=AGENT):
    return {"tool": {"name": "Agent", "input": agent}}


def with_agent(words, agent=AGENT):
    main = {
        "match": {"agent": "main"},
        "replies": [call(agent), {"text": "Done."}],
        "after": "repeat",
    }
    return [{"match": {"agent": "sub"}, "reply": {"text": words}}, main]


def go(seat, **options):
    return seat.run(
        "look at it", plugins=[REPOSITORY, *options.pop("more", [])], mode=OPEN, **options
    )


# What the model is told by each behaviour in one rich session, and what each leaves behind.
TOLD = {
    "context-injector": "Keep it plain.",
    "notepad": "Notepad, priority:",
    "project-memory": "Known of this project:",
    "boulder": "Active plan .omc/plans/p.md: 1 of 2 boxes done.",
    "think-mode": "The person asks for careful thought",
    "learner": "Use the green script.",
    "rules-injector": "Rules of this project for web/a.css:",
    "directory-guides": "Use tabs in web.",
    "comment-checker": "comments in a.py tell of the edit",
    "recovery": "the program is not installed here",
    "delegation-rules": "this looks like work in several files; let general-purpose do it",
    "todo-continuation": "1 boxes of the active plan are open: two.",
    "self-kill": "pkill -f also finds the command line of this session",
}
LEFT = {
    "directives": ("project-memory.json", "never touch vendor"),
    "memory-learner": ("project-memory.json", '"testCommand": "make test"'),
    "remember": ("notepad.md", "the door is green"),
    "plan-wisdom": ("notepads/p/learnings.md", "the cache is cold"),
    "session-end": ("project-memory.json", '"path": "a.py"'),
}
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


def use(name, **given):
    return {"tool": {"name": name, "input": given}}


def rich_steps(place):
    edit = {
        "file_path": f"{place}/a.py",
        "old_string": "x = 1",
        "new_string": "# changed to two\nx = 2",
    }
    return [
        use("Read", file_path=f"{place}/web/a.css"),
        use("Read", file_path=f"{place}/a.py"),
        sh("frobnicate_nothing"),
        use("Edit", **edit),
        sh("make test"),
        sh("false && pkill -f nothing_of_this_name || true"),
        call(),
    ]


@pytest.mark.parametrize("on", [True, False])
def test_each_behaviour_tells_or_leaves_what_it_is_there_for(claude, project, on):
    """With all of them each leaves its trace; skipped by name, none does."""
    ulw.make(str(project), RICH)
    omc = Omc(str(project))
    features.switch_on(omc, [])
    notepad.set_priority(omc, REMEMBER)
    words = "Seen. <remember>the door is green</remember> <learning>the cache is cold</learning>"
    agent = {"match": {"agent": "sub"}, "reply": {"text": words}}
    seat = claude([agent, *script(rich_steps(project), "Done.")])
    skip = "" if on else ",".join([*TOLD, *LEFT])
    prompt = "réfléchissez et deploy the site across multiple files. Never touch vendor."
    seat.run(prompt, plugins=[REPOSITORY], mode=OPEN, env={"ULTRAWORK_SKIP_HOOKS": skip})
    told = bodies(seat)[-1]
    assert [name for name, words in TOLD.items() if words in told] == (list(TOLD) if on else [])
    left = [
        name
        for name, (file, words) in LEFT.items()
        if words in (omc.read(f"{omc.root}/{file}") or "")
    ]
    assert left == (list(LEFT) if on else [])


@pytest.mark.parametrize(("skip", "text"), [("", "x = 1\n"), ("orchestrator", "x = 2\n")])
def test_strict_delegation_keeps_the_conductor_from_editing(claude, project, skip, text):
    ulw.make(str(project), {**QUICK, "a.py": "x = 1\n"})
    features.switch_on(Omc(str(project)), ["delegation=strict"])
    path = f"{project}/a.py"
    edit = use("Edit", file_path=path, old_string="x = 1", new_string="x = 2")
    seat = claude(script([use("Read", file_path=path), edit], "Done."))
    go(seat, env={"ULTRAWORK_SKIP_HOOKS": skip})
    assert (project / "a.py").read_text() == text
    assert ("let general-purpose edit a.py" in bodies(seat)[-1]) is not bool(skip)


def test_setting_a_project_up_asks_the_doctor(claude, place):
    seat = claude([{"match": {"agent": "main"}, "reply": {"text": "ok"}}])
    run = go(seat, flags=["--init"])
    said = [call.answer.get("systemMessage", "") for call in run.hooks_of("Setup")]
    assert said
    assert said[0].startswith("ultrawork doctor\n")


def models_of_agents(seat):
    return {one["body"]["model"] for one in seat.model.requests if one.get("agent") == "sub"}


@pytest.fixture
def other_plugin(tmp_path):
    """A plugin whose agent does not say what it runs on."""
    folder = tmp_path / "ultrapower"
    (folder / ".claude-plugin").mkdir(parents=True)
    (folder / ".claude-plugin" / "plugin.json").write_text('{"name": "ultrapower"}')
    (folder / "agents").mkdir()
    head = "---\nname: explore\ndescription: Use to look around.\n---\nLook around.\n"
    (folder / "agents" / "explore.md").write_text(head)
    return str(folder)


@pytest.mark.parametrize(("skip", "is_small"), [("", True), ("delegation-enforcer", False)])
def test_an_agent_runs_on_the_model_that_suits_it(claude, place, other_plugin, skip, is_small):
    agent = {**AGENT, "subagent_type": "ultrapower:explore"}
    seat = claude(with_agent("Found.", agent))
    go(seat, more=[other_plugin], env={"ULTRAWORK_SKIP_HOOKS": skip})
    assert models_of_agents(seat)
    assert all(("haiku" in model) is is_small for model in models_of_agents(seat))


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
    with seat.terminal(plugins=[REPOSITORY], mode="acceptEdits") as terminal:
        for words in ("one", "two", "three"):
            asked(terminal, seat, words)
        ulw.say(terminal, "/compact")
        terminal.wait_for("ompacted", 120)
        terminal.settle()
        for words in ("what is next?", "and then?"):
            asked(terminal, seat, words)
    told = bodies(seat)[-1]
    assert f"Before the compaction:\nNotes: {REMEMBER}" in told
    assert os.listdir(place / ".omc" / "state" / "checkpoints")


def asked(terminal, seat, text):
    before = len(bodies(seat))
    ulw.say(terminal, text)
    terminal.wait_until(lambda _: len(bodies(seat)) > before, "a request", 90)
    terminal.settle()


def test_after_a_limit_an_attended_session_is_woken(claude, place):
    error = {"status": 429, "type": "rate_limit_error", "message": "Limit; try again in 1 second"}
    limited = {"match": {"agent": "main", "last": "look at it"}, "reply": {"error": error}}
    woken = {
        "match": {"agent": "main", "any": "is over. Go on where you were"},
        "reply": {"text": "I go on."},
    }
    seat = claude([woken, limited, {"match": {"agent": "main"}, "reply": {"text": "I see."}}])
    with seat.terminal(plugins=[REPOSITORY], mode="acceptEdits") as terminal:
        ulw.say(terminal, "look at it")
        terminal.wait_for("I go on.", 180)
    sessions = Omc(str(place)).sessions()
    kept = [f"{place}/.omc/state/sessions/{name}/rate-limit.json" for name in sessions]
    assert any(os.path.exists(path) for path in kept)


def test_with_nobody_there_a_limit_is_only_written_down(claude, place):
    error = {"status": 429, "type": "rate_limit_error", "message": "Limit; try again in 2 hours"}
    seat = claude([{"match": {"agent": "main"}, "reply": {"error": error}}])
    with seat.live(plugins=[REPOSITORY], mode=OPEN) as live:
        live.say("look at it")
        live.say("and again")
    assert live.final["is_error"]


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
    found = [
        call.answer.get("hookSpecificOutput", {}).get("additionalContext", "") for call in calls
    ]
    assert "Keep it plain." in "".join(found)
    assert len("".join(found).encode()) <= 4_000
