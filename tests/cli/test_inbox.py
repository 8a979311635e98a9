"""`ultrawork inbox` and `answer`: one list of what needs the person, and each question answered once."""

import json

import pytest

from support.floor import TERMINAL
from support.scene import Scene, refused
from ultrawork.store import sessions
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

DISPUTED = "test_sorts_without_regard_to_case"


@pytest.fixture
def planned(program):
    """A plan that waits for the user's yes."""
    program.done("session", "new", "--goal", "fix the login bug")
    program.done("task", "create", "--id", "1", "--subject", "x")
    program.done("session", "set", "--phase", "PLANNING_COMPLETE")
    return program


@pytest.fixture
def disputed(tmp_path):
    """An agent that ended because it calls a test wrong."""
    scene = Scene(str(tmp_path / "scene"))
    scene.prompt("ulw fix the sorting")
    scene.idle()
    refused(scene.stop("All tests pass."))
    scene.stop(f"BLOCKED: test {DISPUTED} is wrong: A comes before b")
    return scene


def items(program):
    return program.done("inbox", "--json").data["items"]


def test_a_plan_waits_in_the_inbox_with_its_question_first_and_the_command_to_type(planned):
    (item,) = items(planned)
    assert (item["rank"], item["question"]) == ("blocks you", "Go on with this plan?")
    head, question, _, command = planned.done("inbox").out.splitlines()
    assert (head, question) == ("blocks you (1)", "  Go on with this plan?")
    assert command.strip().startswith(f"ultrawork answer {item['id']} approve")


def test_an_answer_is_taken_once_and_a_second_one_hears_the_first(planned):
    (item,) = items(planned)
    assert "answered: Approve" in planned.done("answer", item["id"], "approve").out
    store = Store(Home(planned.home), actor="person", clock=lambda: 0.0)
    session = sessions.get(store.database, item["session_id"])
    store.database.close()
    assert session.plan["approved_by"] == f"you, at {TERMINAL}"
    again = planned.call("answer", item["id"], "cancel")
    assert again.status == 5
    assert "was already answered at" in again.err
    assert again.err.rstrip().endswith("Approve")
    assert [one["rank"] for one in items(planned)] == ["working"]


def test_an_answer_to_a_question_that_was_answered_elsewhere_is_refused(planned):
    (item,) = items(planned)
    planned.done("session", "set", "--plan-approved")
    late = planned.call("answer", item["id"], "approve")
    assert late.status == 5
    assert "is no longer open" in late.err


def test_other_words_to_a_plan_ask_for_another_plan(planned):
    (item,) = items(planned)
    planned.done("answer", item["id"], "split", "the", "first", "task")
    store = Store(Home(planned.home), actor="person", clock=lambda: 0.0)
    session = sessions.get(store.database, item["session_id"])
    store.database.close()
    assert session.state.plan_errors == ["split the first task"]


def test_an_unknown_item_is_named(program):
    found = program.call("answer", "12345678-abcd", "yes")
    assert found.status == 4
    assert "nothing in the inbox is called 12345678-abcd" in found.err


def test_an_agent_answers_nothing(planned):
    (item,) = items(planned)
    found = planned.call("answer", item["id"], "approve", env={"CLAUDECODE": "1"})
    assert found.status == 5


def test_a_disputed_test_is_accepted_from_the_inbox(disputed):
    shown = disputed.run("inbox")
    assert shown.startswith("blocks you (1)\n")
    assert f"the agent reports that test {DISPUTED} is wrong: A comes before b" in shown
    assertion = 'self.assertEqual([name for name, _ in self.book.sorted()], ["Ada", "bea", "Carl"])'
    assert [line.split(maxsplit=1) for line in shown.splitlines()[2:6]] == [
        ["at", "test_book.py:19"],
        ["assertion", assertion],
        ["expected", "['Ada', 'bea', 'Carl']"],
        ["got", "['Ada', 'Carl', 'bea']"],
    ]
    name = shown.splitlines()[6].split()[0]
    disputed.environ.pop("CLAUDE_CODE_SESSION_ID")
    assert f"{DISPUTED} may be changed" in disputed.run("answer", name, "accept")
    assert "was already answered" in disputed.run("answer", name, "deny", "it is right")


@pytest.mark.slow
def test_an_assertion_whose_file_has_moved_on_shows_only_what_the_run_printed(disputed):
    text = disputed.read("test_book.py")
    disputed.write("test_book.py", f"# a new line\n{text}")
    shown = disputed.run("inbox")
    assert "assertion" not in shown
    assert "failed with  AssertionError: Lists differ:" in shown


def test_a_denied_test_stays_and_the_result_is_listed_until_it_was_seen(disputed):
    shown = disputed.run("inbox", "--json").splitlines()[0]
    (item,) = [one for one in json.loads(shown)["data"]["items"] if one["test"]]
    name = item["id"]
    disputed.environ.pop("CLAUDE_CODE_SESSION_ID")
    assert "stays as it is" in disputed.run("answer", name, "deny", "it is right")
    assert "blocks you" not in disputed.run("inbox")


def test_what_is_done_is_listed_until_it_was_seen(tmp_path):
    scene = Scene(str(tmp_path), {"Makefile": "test:\n\t@echo 1 passed\n", "app.txt": "right\n"})
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right words\n")
    scene.stop("Done.")
    assert scene.run("inbox", "--seen").startswith("done (1)\n")
    assert scene.run("inbox").startswith("nothing needs you")
