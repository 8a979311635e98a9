"""Skills that are named together: what is loaded, what the brief says, and what evidence shows of each part."""

import json

import pytest

from support import sample
from support.floor import REPOSITORY
from support.prompts import library
from support.scene import QUICK, Scene, refused

REAL = library.load(REPOSITORY)
WORDS = f"ulw ralph tdd git-master {sample.GOAL}"


@pytest.fixture
def quick(tmp_path):
    return Scene(str(tmp_path), QUICK)


def told(answer):
    return (answer.get("hookSpecificOutput") or {}).get("additionalContext", "")


def pages(text):
    return {name for name, one in REAL.skills.items() if REAL.body(one) and REAL.body(one) in text}


@pytest.mark.parametrize(
    ("prompt", "parts", "loaded"),
    [
        (WORDS, "default + ultrawork + tdd + git-master + ralph", {"test-driven-development", "git-master"}),
        ("ulw tdd fix it", "default + ultrawork + tdd", {"test-driven-development"}),
        ("ralph security-review fix it", "default + security-review + ralph", {"security-review"}),
    ],
)  # fmt: skip
def test_exactly_what_is_named_is_loaded_and_stands_in_the_brief(quick, prompt, parts, loaded):
    text = told(quick.prompt(prompt))
    assert f"Composed of {parts}:" in text
    assert all(f"- {part}: " in text for part in parts.split(" + "))
    assert pages(text) == loaded
    kept = quick.session()["composition"]
    found = [kept["execution"], *kept["enhancements"], *filter(None, [kept["guarantee"]])]
    assert found == parts.split(" + ")


def test_a_prompt_that_names_one_thing_is_composed_of_nothing(quick):
    assert "Composed of" not in told(quick.prompt("ulw fix it"))
    assert "composition" not in quick.session()


def judged(scene):
    found = json.loads(scene.run("evidence", "--json"))["data"]["composition"]
    return {one["name"]: (one["layer"], one["state"]) for one in found}


@pytest.mark.slow
def test_the_guarantee_holds_the_session_until_the_checks_are_green_and_evidence_shows_each_part(quick):  # fmt: skip
    quick.commit()
    quick.prompt("ulw ralph tdd git-master change the words")
    quick.edit("app.txt", "wrong\n")
    assert "test fails" in refused(quick.stop("All done."))
    quick.edit("app.txt", "right words\n")
    assert refused(quick.stop("All done.")) == ""
    assert judged(quick) == {
        "default": ("execution", "not checked"),
        "ultrawork": ("enhancement", "not checked"),
        "tdd": ("enhancement", "not kept"),
        "git-master": ("enhancement", "not kept"),
        "ralph": ("guarantee", "kept"),
    }
    shown = quick.run("evidence")
    assert "composed ralph (guarantee): kept, the checks pass on the final files" in shown
    assert "composed git-master (enhancement): not kept, the files are not committed" in shown
    assert "ralph (guarantee): kept" in quick.run("evidence", "show", "--markdown")


def test_a_guarantee_that_did_not_hold_is_not_called_kept(quick):
    quick.commit()
    quick.prompt("ralph tdd change the words")
    quick.edit("app.txt", "wrong\n")
    for _ in range(12):
        if not refused(quick.stop("I cannot.\nBLOCKED: it is too hard")):
            break
    assert judged(quick)["ralph"] == ("guarantee", "not kept")


@pytest.mark.slow
def test_a_proved_and_committed_change_keeps_its_enhancements(tmp_path):
    scene = Scene(str(tmp_path), sample.FILES)
    scene.commit()
    scene.prompt(WORDS)
    scene.fix()
    scene.commit()
    assert refused(scene.stop("Done.")) == ""
    found = judged(scene)
    assert (found["tdd"][1], found["git-master"][1], found["ralph"][1]) == ("kept", "kept", "kept")
