"""The live page over a real socket: who may ask, what it answers, and that it follows the store."""

import json
import os

import pytest

from support.dashboard import TOKEN, DashboardProcess
from support.scene import QUICK, SESSION, Scene

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow
HOSTILE = "ulw change <img src=x onerror=alert(1)> the words"


@pytest.fixture
def page(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt(HOSTILE)
    with DashboardProcess(scene.home) as page:
        page.scene = scene
        yield page


def test_nothing_is_shown_without_the_token_or_under_another_name(page):
    assert page.address.endswith(f"/#{TOKEN}")
    views = [f"/api/view/{level}/{SESSION}/all" for level in ("agent", "receipt", "diff")]
    for path in ("/events", "/api/look", f"/api/parts/{SESSION}", *views):
        assert page.ask(path, token="").status == 401
        assert page.ask(path, token="b" * 48).status == 401
        assert page.ask(path, host="evil.example").status == 421
    for path in ("/api/answer", "/api/seen"):
        assert page.ask(path, token="", method="POST", body="{}").status == 401
    assert page.ask("/", host=f"evil.example:{page.port}").status == 421


def test_the_page_loads_nothing_from_elsewhere_and_runs_no_script_of_a_session(page):
    answer = page.ask("/", token="")
    text = answer.read().decode()
    policy = answer.getheader("Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in text
    assert "<script>" not in text
    script = page.ask("/app.js", token="").read().decode()
    for unsafe in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert unsafe not in script


def test_the_page_shows_what_the_status_shows_and_follows_it(page):
    events = page.ask("/events")
    first = json.loads(events.readline().decode().removeprefix("data: "))
    assert first["sessions"][0]["state"]["word"] == "working"
    page.scene.event("Notification", notification_type="permission_prompt", message="Run make?")
    assert events.readline() == b"\n"
    second = json.loads(events.readline().decode().removeprefix("data: "))
    shown = json.loads(page.scene.run("status", "--json").splitlines()[0])["data"]["state"]
    assert second["sessions"][0]["state"] == shown
    assert (second["blocking"], shown["word"]) == (1, "needs you")
    assert second["version"] == first["version"] + 1
    parts = page.read(f"/api/parts/{SESSION}")["parts"]
    assert [part["name"] for part in parts] == ["test"]


def test_a_question_of_the_client_is_not_answered_from_the_page(page):
    page.scene.event("Notification", notification_type="permission_prompt", message="Run make?")
    (item,) = page.read("/api/look")["items"]
    refused = page.ask("/api/answer", method="POST", body=json.dumps({"id": item["id"], "words": "yes"}))
    assert refused.status == 409
    assert "a question of the client itself" in json.loads(refused.read())["text"]


def test_a_check_opens_its_receipt_and_a_session_its_changes(page):
    page.scene.edit("app.txt", "right, <b>too</b>\n")
    page.scene.stop("Done.")
    (part,) = page.read(f"/api/parts/{SESSION}")["parts"]
    receipt = page.read(f"/api/view/receipt/{SESSION}/{part['receipt']}")
    assert receipt["head"] == f"{SESSION[:8]}  receipt #{part['receipt']}"
    assert "  1 passed" in receipt["lines"]
    assert "+right, <b>too</b>" in page.read(f"/api/view/diff/{SESSION}/all")["lines"]
    for level in ("sessions", "receipt"):
        assert page.ask(f"/api/view/{level}/{SESSION}/all").status == 404


def test_a_result_is_marked_as_seen_on_the_page_once(page):
    page.scene.run("cancel", "--session", SESSION)
    (item,) = page.read("/api/look")["items"]
    body = json.dumps({"id": item["id"]})
    told = [page.read("/api/seen", method="POST", body=body)["text"] for _ in range(2)]
    assert told == ["marked as seen", "it is no longer listed"]
    assert page.read("/api/look")["items"] == []


def test_an_answer_that_comes_after_another_is_refused_with_what_was_answered(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right, too\n")
    scene.stop("I stop here.\nBLOCKED: test check.sh is wrong: it looks for the wrong word")
    with DashboardProcess(scene.home) as page:
        (item,) = page.read("/api/look")["items"]
        assert "stays as it is" in scene.run("answer", item["id"], "deny", "the task says so")
        late = page.ask("/api/answer", method="POST", body=json.dumps({"id": item["id"], "words": "accept"}))
        assert late.status == 409
        told = json.loads(late.read())["text"]
        assert "was already answered at" in told
        assert "deny the task says so" in told
