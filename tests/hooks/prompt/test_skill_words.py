"""A prompt that orders a way of working brings its page along; one that only speaks of it does not."""

import pytest

from support.floor import REPOSITORY
from support.prompts import library
from support.scene import QUICK, SESSION, Scene
from ultrawork.report.timeline import render_lines
from ultrawork.store import trace
from ultrawork.store.paths import Home

REAL = library.load(REPOSITORY)


@pytest.fixture
def scene(tmp_path):
    return Scene(str(tmp_path), QUICK)


def told(answer):
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def loaded(scene, prompt, **data):
    """The names of the pages that a prompt brings."""
    text = told(scene.prompt(prompt, **data))
    return [name for name, one in REAL.skills.items() if REAL.body(one) and REAL.body(one) in text]


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("plan this change", ["plan"]),
        ("Please review my changes", ["code-review"]),
        ("ask codex what it thinks of it", ["ccg"]),
        ("deepsearch where tokens are checked", ["deepsearch"]),
        ("we follow the plan the team made", []),
        ("what is tdd?", []),
        ("say hello", []),
        ("/ultrawork:plan this", []),
        ("<task-notification> plan this", []),
    ],
)
def test_the_page_of_what_is_ordered_is_told(scene, prompt, names):
    assert loaded(scene, prompt) == names


@pytest.mark.parametrize(
    ("prompt", "line"),
    [
        ("plan this change", 'ultrawork: loaded the skill plan ("plan this")'),
        ("there is a bug in checkout, the total is wrong", 'ultrawork: loaded the skill systematic-debugging ("there is a bug")'),
        ("set up CI", 'ultrawork: suggested the agent devops-engineer ("set up CI")'),
        ("say hello", None),
    ],
)  # fmt: skip
def test_the_person_sees_which_page_was_loaded(scene, prompt, line):
    assert scene.prompt(prompt).get("systemMessage") == line


def test_an_everyday_request_loads_its_page_once_a_session(scene):
    bug = "there is a bug in checkout, the total is wrong"
    assert loaded(scene, bug) == ["systematic-debugging"]
    assert loaded(scene, bug) == []
    assert loaded(scene, bug, session_id="5e551040-0000-4000-8000-0000000000aa") == ["systematic-debugging"]  # fmt: skip


def test_while_a_session_is_on_only_what_is_ordered_is_loaded(scene):
    scene.prompt("ulw fix the login")
    assert loaded(scene, "there is a bug in checkout, the total is wrong") == []
    assert loaded(scene, "now review my changes") == ["code-review"]


def test_with_plain_text_the_person_sees_no_line(scene):
    scene.environ["ULTRAWORK_TRIGGER_PLAIN"] = "true"
    assert "systemMessage" not in scene.prompt("plan this change")


def test_parts_that_are_named_together_bring_exactly_their_pages(scene):
    found = loaded(scene, "ulw tdd git-master security-review fix the login")
    assert set(found) == {"test-driven-development", "git-master", "security-review"}


def test_switched_off_nothing_is_told(scene):
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "skill-words"
    assert loaded(scene, "plan this change") == []


def test_while_on_the_trace_keeps_which_words_did_it(scene):
    scene.prompt("ulw tdd fix the login")
    scene.prompt("now review my changes")
    lines = render_lines(trace.read_all(Home(scene.home), SESSION), "keywords")
    assert [line.partition("  ")[2] for line in lines] == [
        "keywords tdd: test-driven-development",
        "keywords review my changes: code-review",
    ]


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("/ultrapower:ralph fix it", "ultrawork: /ultrapower:ralph did not start. Type /ultrawork:ralph instead."),
        ("/ultrapower:nothing fix it", None),
    ],
)  # fmt: skip
def test_a_skill_under_its_old_prefix_is_named(scene, typed, line):
    assert scene.prompt(typed).get("systemMessage") == line
