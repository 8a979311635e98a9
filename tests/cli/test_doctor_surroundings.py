"""What the doctor finds around ultrawork, each with its cure; `--fix` applies the safe ones."""

import json
import os

import pytest

from support.floor import PATH, Program
from ultrawork.cli.environment import VerbEnvironment
from ultrawork.cli.migration import list_findings
from ultrawork.cli.verbs import doctor_surroundings
from ultrawork.clients.installation import LINKS
from ultrawork.store import install_entries, install_record

OLD = {
    "version": "6.0", "session_id": "old-1", "goal": "sort it", "phase": "COMPLETE",
    "started_at": "2026-01-01T00:00:00Z",
}  # fmt: skip


@pytest.fixture
def person(tmp_path, monkeypatch):
    made = Program(str(tmp_path))
    made.environ = {"PATH": f"{tmp_path}/programs:{PATH}", "HOME": str(tmp_path)}
    made.home = f"{tmp_path}/.claude/ultrawork"
    monkeypatch.chdir(made.place)
    return made


def put(person, name, text, mode=0o644):
    path = f"{person.root}/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text if isinstance(text, str) else json.dumps(text))
    os.chmod(path, mode)
    return path


def look(person, **more):
    env = VerbEnvironment({**person.environ, **more})
    return {one.name: (one.value, one.mend) for one in doctor_surroundings.list_checks(env)}


def install_plugin(person, name, market="market"):
    folder = f"{person.root}/cache/{market}/{name}"
    hooks = {"Stop": [{"hooks": [{}, {}]}], "PreToolUse": [{"hooks": [{}]}]}
    put(person, f"cache/{market}/{name}/hooks/hooks.json", {"hooks": hooks})
    put(person, f"cache/{market}/{name}/skills/a/SKILL.md", "x")
    listed = {"plugins": {f"{name}@{market}": [{"installPath": folder}]}}
    put(person, ".claude/plugins/installed_plugins.json", listed)


def test_other_plugins_are_shown_with_what_they_cost_and_loops_with_a_cure(person):
    install_plugin(person, "notes")
    assert look(person)["plugin notes"] == ("3 hooks, at PreToolUse, Stop, 1 skill", "")
    install_plugin(person, "ralph-loop")
    assert look(person)["plugin ralph-loop"][1].endswith("claude plugin disable ralph-loop")


@pytest.mark.parametrize(
    ("said", "value", "cure"),
    [
        ('"loggedIn": false', "not logged in", "run claude once to log in"),
        ('"loggedIn": true', "logged in", ""),
        ("error: unknown command", "the client does not say", ""),
    ],
)
def test_whether_somebody_is_logged_in_is_asked_of_the_client(person, said, value, cure):
    put(person, "programs/claude", f"#!/bin/sh\necho '{said}'\n", 0o755)
    assert look(person)["claude login"] == (value, cure)


def test_a_key_in_the_environment_is_named_and_nobody_is_asked(person):
    put(person, "programs/claude", "#!/bin/sh\necho '\"loggedIn\": false'\n", 0o755)
    assert look(person, ANTHROPIC_API_KEY="x")["claude login"] == ("uses ANTHROPIC_API_KEY", "")


@pytest.mark.parametrize(
    ("plugin", "market", "told"),
    [
        ("ultrapower", "m", "ultrapower is installed"),
        ("oh-my-claudecode", "m", "oh-my-claudecode is installed"),
        ("ultrawork", "hardworker-marketplace", "hardworker-marketplace's ultrawork is installed"),
        ("ultrawork", "ultrawork", ""),
    ],
)
def test_an_earlier_system_beside_us_is_recognized(person, plugin, market, told):
    install_plugin(person, plugin, market)
    found = list_findings(VerbEnvironment(person.environ))
    assert [one.what.startswith(told) and one.is_conflict for one in found] == ([True] if told else [])


def test_what_its_installer_wrote_is_named_with_how_to_remove_it(person):
    put(person, ".claude/settings.json", {"hooks": {"Stop": "node persistent-mode.mjs"}})
    put(person, ".claude/CLAUDE.md", "mine\n<!-- OMC:START -->\nx\n")
    cures = [one.cure for one in list_findings(VerbEnvironment(person.environ))]
    assert cures == ["remove its entries under hooks", "delete the lines from OMC:START to OMC:END"]


def test_its_notes_and_plans_are_used_as_they_are(person):
    put(person, "project/.omc/notepad.md", "x")
    value, mend = look(person)["earlier 1"]
    assert "holds notepad.md of an earlier system; they are used as they are" in value
    assert (value.endswith("ultrawork features on"), mend) == (True, "")


def test_old_sessions_are_offered_and_taken_over(person):
    put(person, ".claude/ultrawork/sessions/old-1/session.json", {**OLD, "working_dir": person.place})
    assert look(person)["earlier 1"][0].startswith("1 session of hardworker's ultrawork")
    env = VerbEnvironment(person.environ)
    assert doctor_surroundings.fix(env) == ["fixed: imported session old-1"]
    assert person.done("session", "get", "--session", "old-1", "--field", "goal").out == "sort it\n"
    assert "earlier 1" not in look(person)


def test_markers_of_unknown_sessions_are_removed_and_those_of_known_ones_stay(person):
    person.done("session", "new", "--goal", "x")
    (name,) = os.listdir(f"{person.home}/sessions")
    lost = put(person, ".claude/ultrawork/active/unknown", "{}")
    known = put(person, f".claude/ultrawork/active/{name}", "{}")
    used = put(person, ".claude/ultrawork/programs/used/a", "")
    unused = put(person, ".claude/ultrawork/programs/unused/a", "")
    put(person, f".claude/ultrawork/program/{name}", f"{os.path.dirname(used)}\n")
    assert look(person)["leftover"][1] == "ultrawork doctor --fix removes them"
    doctor_surroundings.fix(VerbEnvironment(person.environ))
    assert [os.path.exists(path) for path in (lost, known, used, unused)] == [
        False, True, True, False,
    ]  # fmt: skip
    assert look(person)["leftover"] == ("none", "")


def test_a_link_that_leads_nowhere_is_named(person):
    env = VerbEnvironment(person.environ)
    path = f"{person.root}/ultrawork"
    os.symlink("/nowhere", path)
    made = install_entries.compare(LINKS, {}, install_entries.list_entries([path]))
    install_record.save(env.store.home, made)
    assert look(person)["ultrawork link"] == (path, "its program is gone; run ultrawork install again")


def test_a_damaged_record_of_the_installation_is_named_with_its_cure(person):
    path = put(person, ".claude/ultrawork/installed.json", '{"changes": [')
    value, cure = look(person)["installed changes"]
    assert value == "unknown"
    assert cure.endswith(f": mv {path} {path}.damaged")
