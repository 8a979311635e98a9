"""However a session ended, each screen gives the same end, reason, count, time and id."""

import json
import re

import pytest

from support.scene import QUICK, SESSION, Scene

DONE = "Done. All tests pass."
REASON = "no access to the server"


def passed(scene):
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right and good\n")
    scene.stop(DONE)


def unverified(scene):
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "wrong\n")
    for _ in range(3):
        scene.stop(DONE)


def blocked(scene):
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right and good\n")
    scene.stop(f"I stop.\nBLOCKED: {REASON}")


def switched_off(scene):
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "wrong\n")
    scene.prompt("ulw off")


def accepted(scene):
    unverified(scene)
    scene.prompt("ulw accept good enough")


# The word on every screen, the reason where there is one, how often it was sent back.
ENDS = {
    passed: ("PASS", "", 0),
    unverified: ("UNVERIFIED", "sent back twice without progress", 2),
    blocked: ("UNVERIFIED", REASON, 0),
    switched_off: ("CANCELLED", "ulw off", 0),
    accepted: ("UNVERIFIED", "sent back twice without progress", 2),
}
SCREENS = ("status", "why", "evidence", "report")


@pytest.fixture(params=ENDS, ids=lambda end: end.__name__)
def ended(request, tmp_path):
    scene = Scene(str(tmp_path), QUICK)
    request.param(scene)
    return scene, ENDS[request.param]


def test_every_screen_gives_the_same_end_reason_and_count(ended):
    scene, (word, reason, count) = ended
    shown = {screen: scene.run(screen) for screen in SCREENS}
    shown |= {name: scene.run(*name.split()) for name in ("stats", "session list", "doctor")}
    for name, text in shown.items():
        assert word in text, name
    for name in ("status", "why", "report"):
        assert reason in shown[name], name
    assert SESSION in shown["report"]
    assert all(SESSION[:8] in shown[name] for name in ("status", "evidence", "session list", "doctor"))
    summaries = [json.loads(scene.run(name, "--json").splitlines()[0])["data"]["summary"] for name in SCREENS]
    assert [one["sent_back"] for one in summaries] == [count] * len(SCREENS)


def test_a_later_check_does_not_lengthen_the_session(tmp_path):
    scene = Scene(str(tmp_path), QUICK)
    passed(scene)
    before = read_seconds(scene)
    scene.run("verify")
    assert read_seconds(scene) == before


def read_seconds(scene):
    """How long it took, by the report and by the evidence."""
    report = re.search(r"Took +(.+)", scene.run("report"))[1]
    assert report in scene.run("evidence").splitlines()[0]
    return report


def test_a_session_without_a_plan_is_not_offered_its_execution(tmp_path):
    scene = Scene(str(tmp_path), QUICK)
    blocked(scene)
    assert "try again in the client: ulw <task>" in scene.run("report")
    assert REASON in scene.run("evidence"), "why it ended so, though its checks passed"


def test_the_strength_is_given_once(tmp_path):
    scene = Scene(str(tmp_path))
    scene.prompt("ulw sort names without regard to case")
    scene.fix()
    assert "PASS, proved" in scene.stop(DONE)["systemMessage"]
    assert scene.run("status").count("proved") == 1
