"""
What earlier hooks and scripts of planned sessions did, case by case, against ours.

Whether a tool or a stop is let through is compared, and what is stored; words are not.
`differences.toml` lists where we differ, and why.
"""

import json
import os

import pytest

from support.cases import Cases, filled
from support.play import Play, denied
from support.scene import SESSION, refused
from ultrawork.core.plan import evidence, task
from ultrawork.core.plan.task import Task
from ultrawork.core.session.session import FULL, PLANNING, TERMINAL, Session
from ultrawork.store import markers, sessions, tasks
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

CASES = Cases(os.path.dirname(os.path.abspath(__file__)))
EVENTS = {
    "gate-enforcement": "PreToolUse",
    "stop-hook": "Stop",
    "post-tool-use-evidence": "PostToolUse",
    "subagent-stop-tracking": "SubagentStop",
}


def stage(root, fixture):
    """A session in the phase of the case, with its tasks, in a project of its own."""
    play = Play(root, attended=False)
    home = Home(play.home)
    store = Store(home, actor="person", clock=lambda: 1_000_000.0)
    given = [*fixture.get("other_sessions", [])]
    if "session" in fixture:
        given.append({**fixture["session"], "session_id": SESSION})
    for one in given:
        create(store, play.place, one, fixture.get("tasks", {}) if one["session_id"] == SESSION else {})  # fmt: skip
    phase = fixture.get("session", {}).get("phase", PLANNING)
    if "session" in fixture and phase not in TERMINAL:
        content = {"kind": FULL, "session": SESSION, "phase": phase, "level": "strict"}
        markers.arm(home, play.environ, SESSION, content)
    store.database.close()
    return play


def create(store, place, given, plan):
    phase = given.get("phase", PLANNING)
    session = Session(
        id=given["session_id"],
        goal="Test goal",
        working_dir=place,
        started_at=1_000_000.0,
        phase=phase,
        options=given.get("options") or {},
        exploration_stage=given.get("exploration_stage", "not_started"),
        ended_at=1_000_000.0 if phase in TERMINAL else None,
    )
    with store.change(session.id) as change:
        sessions.create(change, session)
        tasks.create(change, [made(name, one) for name, one in plan.items()])


def made(name, given):
    return Task(
        id=name,
        subject=given.get("subject", f"Task {name}"),
        status=task.parse(given.get("status", "open")),
        criteria=["true"],
        evidence=given.get("evidence") or [],
        approach=given.get("approach", "standard"),
    )


def sent(play, step):
    """What we answer to the event; a text that is no JSON reaches the hook as it is."""
    name, stdin = EVENTS[step["hook"]], step["stdin"]
    if isinstance(stdin, str):
        from ultrawork.hooks.main import reply

        out, _ = reply(name, stdin.encode(), play.environ)
        return json.loads(out) if out else {}
    data = {"session_id": "", **stdin}
    if name == "SubagentStop":
        data["last_assistant_message"] = str(data.pop("output", ""))
    return play.event(name, background_tasks=[], **data)


def wrong_hook(expect, play, steps):
    for step in steps:
        answer = sent(play, step)
    wanted = expect.get("stdout_json", {})
    decision = wanted.get("hookSpecificOutput.decision") or wanted.get("decision")
    if "stdout_json_exact" in expect:
        decision = "allow"
    stopped = bool(denied(answer) or refused(answer))
    if decision and stopped != (decision == "block"):
        yield f"answered {answer}"
    if "evidence_count" in expect and observed(play) != expect["evidence_count"]:
        yield f"{observed(play)} observations"
    if "evidence_last" in expect and not observed(play):
        yield "nothing was observed"


def observed(play):
    path = f"{play.home}/sessions/{SESSION}/trace.jsonl"
    if not os.path.exists(path):
        return 0
    with open(path, encoding="utf-8") as file:
        return len(file.readlines())


def wrong_phrases(expect, call, args):
    text = args[0] if call == "scanForBlockedPatterns" else last_outputs(args[0])
    found = evidence.find_hedges(text or "")
    # A warning of the earlier program stopped nothing.
    errors = '"error"' in str(expect.get("value_contains"))
    wanted = errors if "length" in expect else expect["value"] is not None
    if bool(found) != wanted:
        yield f"found {found}"


def last_outputs(entries):
    return "\n".join(str(one.get("output_preview", "")) for one in entries[-5:])


def wrong_cleaning(expect, play, steps):
    for step in steps:
        told = play.run("session", "clean", *step["args"], "--json")
    answer = json.loads(told)
    if (answer["status"] == "error") != bool(expect["exit"]):
        yield f"said {told}"
    wanted = expect.get("stdout_json", {}).get("deleted_count")
    if wanted is not None and len((answer["data"] or {}).get("removed", [])) != wanted:
        yield f"said {told}"
    yield from (f"{path} is gone" for path in expect.get("exists", []) if not os.path.exists(path))
    yield from (f"{path} is there" for path in expect.get("not_exists", []) if os.path.exists(path))


def disagreements(case, root):
    if "call" in case["input"]:
        return list(wrong_phrases(case["expect"], case["input"]["call"], case["input"]["args"]))
    play = stage(root, case["input"].get("fixture", {}))
    places = {
        "session": SESSION,
        "sdir": f"{play.home}/sessions/{SESSION}",
        "base": play.home,
        "home": play.root,
        "project": play.place,
    }
    text = json.dumps(case, ensure_ascii=False).replace('"/project/', '"{project}/')
    whole = filled(json.loads(text), places)
    steps, expect = whole["input"]["steps"], whole["expect"]
    wrong = wrong_hook if "hook" in steps[0] else wrong_cleaning
    return list(wrong(expect, play, steps))


@pytest.mark.parametrize("case", CASES.all, ids=lambda case: case["id"])
def test_we_agree_or_say_why_not(tmp_path, case):
    CASES.judged(case, disagreements(case, str(tmp_path)))


def test_the_table_of_differences_is_true_and_gives_reasons():
    assert CASES.wrong_table() == []
