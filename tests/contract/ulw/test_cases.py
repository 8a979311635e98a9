"""
What an earlier stop hook did, case by case, against ours.

Whether a stop, a tool or a prompt is let through is compared, and what is stored; words are not. A session that
the earlier program called `global` is the client's session here. `differences.toml` lists where we differ, and why.
"""

import os

import pytest

from support.cases import Cases
from support.play import context, denied
from support.scene import QUICK, SESSION, Scene, refused
from ultrawork.core.session.session import FULL, PLANNING
from ultrawork.core.stop import rules
from ultrawork.hooks.main import reply
from ultrawork.store import decisions, markers, sessions
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

CASES = Cases(os.path.dirname(os.path.abspath(__file__)))
STATE = ".agent-kit/state/runtime.local.json"
OTHER = "5e551040-0000-4000-8000-00000000000f"
WRONG = "wrong\n"


def stage(root, files):
    """The scene as the state of the earlier program tells it; a session that is on has red work in it."""
    scene = Scene(root, QUICK, attended=False)
    state = files.get(STATE)
    if state is None:
        return scene
    found = state if isinstance(state, dict) else {}
    for session in found.get("sessions", {"any": {"ulw": {"enabled": True}}}).values():
        put_on_stage(scene, session)
    if found.get("version") != 1:
        spoil(scene, found.get("version"))
    return scene


def put_on_stage(scene, session):
    if session.get("activePersona"):
        content = {"kind": FULL, "phase": PLANNING, "level": "strict"}
        markers.arm(Home(scene.home), scene.environ, SESSION, content)
    if session.get("ulw", {}).get("enabled"):
        scene.prompt("ulw change the words")
        scene.edit("app.txt", WRONG)
        refuse(scene, session["ulw"].get("stopBlocks", 0))
    if session.get("stopContinuation", {}).get("disabled"):
        scene.prompt("ulw off")


def refuse(scene, times):
    """Earlier refusals, each on other files."""
    store = Store(Home(scene.home), actor="hook", clock=scene_clock(scene))
    with store.change(SESSION) as change:
        for number in range(times):
            decision = rules.StopDecision(rules.REFUSE, "red", "test is red")
            decisions.add(change, decision, event="Stop", tree=f"tree-{number}")
        session = sessions.get(change.database, SESSION)
        session.state["ulw"]["stopBlocks"] = times
        sessions.save(change, session, "stop", {})
    store.database.close()


def scene_clock(scene):
    """After it was switched on, and longer ago than the cooldown."""
    armed = scene.session()["ulw"]["armedAt"]
    return lambda: armed + 0.001


def spoil(scene, version):
    """State that cannot be read, or that a later program wrote."""
    path = f"{scene.home}/ultrawork.db"
    if version is None:
        for name in (path, f"{path}-wal", f"{path}-shm"):
            with open(name, "w", encoding="utf-8") as file:
                file.write("not json")
        return
    store = Store(Home(scene.home), actor="hook", clock=lambda: 0.0)
    store.database.rows("PRAGMA user_version = 1000000")
    store.database.close()


def sent(scene, payload, known):
    """One event of the earlier program in the client's own form."""
    if isinstance(payload, str):
        return {"plain": reply("", payload.encode(), scene.environ)[0]}
    given = dict(payload)
    name = given.pop("event", "") or given.pop("hook_event_name")
    session = given.pop("session_id", "global")
    words = given.pop("command", "")
    if words:
        key = "command" if given["tool_name"] == "Bash" else "file_path"
        path = words if key == "command" else f"{scene.place}/{words}"
        given["tool_input"] = {key: path}
    given["session_id"] = SESSION if session in known or not known else OTHER
    return scene.event(name, **given)


def wrong(scene, answer, expect):
    held = bool(refused(answer) or denied(answer)) and not context_of_a_prompt(answer)
    wanted = expect.get("stop") or expect.get("decision")
    if wanted and held != (wanted == "block"):
        yield f"answered {answer}"
    told = "stdout_contains" in expect
    if (told or "stdout_lacks" in expect) and bool(context_of_a_prompt(answer)) != told:
        yield f"injected {answer}"
    for path, value in expect.get("state", {}).items():
        *_, group, key = path.split(".")
        if scene.session()[group][key] != value:
            yield f"{path} is {scene.session()[group][key]}"


def context_of_a_prompt(answer):
    specific = answer.get("hookSpecificOutput") or {}
    return context(answer) if specific.get("hookEventName") == "UserPromptSubmit" else ""


def tried(root, case):
    given = case["input"]
    files = given.get("fixture", {}).get("files", {})
    scene = stage(root, files)
    state = files.get(STATE)
    known = set(state["sessions"]) if isinstance(state, dict) else set()
    for payload in given["py000"]:
        answer = sent(scene, payload, known)
    return list(wrong(scene, answer, case["expect"]))


def described(root, given):
    """A case that only says how things stand."""
    scene = Scene(root, QUICK, attended=False)
    if "command" in given:
        scene.typed(given["command"].removeprefix("/"), "change the words")
        return {"enabled": scene.session()["ulw"]["enabled"]}
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right again\n" if given.get("work_complete") else WRONG)
    if "state_file" in given:
        spoil(scene, None)
    if given.get("verification") == "not run":
        scene.mode = "default"  # nobody allowed us to run it
    return scene.stop("All is done.")


def disagreements(root, case):
    if "py000" in case["input"]:
        return tried(root, case)
    answer = described(root, case["input"])
    if "command" in case["input"]:
        return [] if answer["enabled"] else ["not switched on"]
    wanted = case["expect"]["decision"] == "block"
    return [] if bool(refused(answer)) == wanted else [f"answered {answer}"]


@pytest.mark.parametrize("case", CASES.all, ids=lambda case: case["id"])
def test_we_agree_or_say_why_not(tmp_path, case):
    CASES.judged(case, disagreements(str(tmp_path), case))


def test_the_table_of_differences_is_true_and_gives_reasons():
    assert CASES.wrong_table() == []
