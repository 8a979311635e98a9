"""The buttons of the live page: pause, cancel, retry and undo, confirmed, and what each of them answers."""

import json
import os
from time import time

import pytest

from support.chromium import Chromium
from support.dashboard import DashboardProcess
from support.headless import FIX, SHOW, Headless, end_started, task, worker
from support.play import Play
from support.process import end_all
from support.rows import until
from support.scene import QUICK, SESSION, Scene
from ultrawork.core.plan.task import FAILED, PENDING
from ultrawork.store import attempts, controls, sessions, tasks
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow
LIFE = "document.getElementById('life').textContent"
MESSAGE = "document.getElementById('message').textContent"


def order(page, act, subject="", session=SESSION, **more):
    """Return the status and the text of the answer to one button."""
    body = json.dumps({"act": act, "session": session, "subject": subject, **more})
    answer = page.ask("/api/act", method="POST", body=body)
    return answer.status, json.loads(answer.read())["text"]


def is_active(page):
    """Return whether the page's only session is still on, as the page shows it."""
    (row,) = page.read("/api/look")["sessions"]
    return row["ended_at"] is None


@pytest.fixture
def scene(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    return scene


def test_a_refused_act_says_why_and_changes_nothing(scene):
    with DashboardProcess(scene.home, environ=scene.person) as page:
        told = {act: order(page, act, confirmed=True) for act in ("pause", "retry", "undo")}
        assert {status for status, _ in told.values()} == {409}
        assert "has no engine to ask" in told["pause"][1]
        assert "runs in its client" in told["retry"][1]
        assert "choose a task to undo" in told["undo"][1]
        assert "not confirmed" in order(page, "cancel")[1]
        assert "the page cannot attach" in order(page, "attach")[1]
        assert order(page, "cancel", session="nobody", confirmed=True)[0] == 409
        garbled = page.ask("/api/act", method="POST", body="no json")
        assert "not a JSON object" in json.loads(garbled.read())["text"]
        assert is_active(page)


def test_another_page_cannot_act_even_if_it_knew_the_token(scene):
    with DashboardProcess(scene.home, environ=scene.person) as page:
        body = json.dumps({"act": "cancel", "session": SESSION, "confirmed": True})
        for how in ({"token": ""}, {"token": "b" * 48}, {"host": "evil.example"}):
            assert page.ask("/api/act", method="POST", body=body, **how).status in (401, 421)
        foreign = page.ask("/api/act", method="POST", body=body, origin="http://evil.example")
        assert foreign.status == 403
        assert page.ask("/api/act", body=body).status == 405
        assert is_active(page)
        own = f"http://127.0.0.1:{page.port}"
        assert page.ask("/api/act", method="POST", body=body, origin=own).status == 200
        assert not is_active(page)


def test_a_failed_task_goes_back_to_the_queue(tmp_path):
    played = Play(os.fspath(tmp_path))
    played.begin()
    played.planned()
    store = Store(played.state_folder, actor="person", clock=time)
    (name,) = [one.id for one in sessions.list_all(store.database)]
    with store.change(name) as change:
        tasks.claim(change, "engine", "a")
        tasks.update(change, "a", status=FAILED, reason="it is red")
    with DashboardProcess(played.home) as page:
        assert order(page, "retry", "a", name) == (200, "task a is back in the queue")
        assert order(page, "retry", "a", name)[0] == 409
    assert tasks.get(store.database, name, "a").status == PENDING
    store.database.close()


def test_a_merged_task_is_undone(tmp_path):
    run = Headless(os.fspath(tmp_path))
    note = {"write": "note.txt", "text": "a note\n"}
    run.cast(
        [task("fix"), task("note", criteria=["test -f note.txt => exit 0"])],
        worker("fix", FIX, SHOW),
        worker("note", note),
    )
    assert run.go().status == 0
    with DashboardProcess(run.home, environ=run.environ) as page:
        (row,) = page.read("/api/look")["sessions"]
        status, text = order(page, "undo", "note", row["session_id"], confirmed=True)
        assert (status, text.startswith("removed note from ")) == (200, True), text
        again = order(page, "undo", "note", row["session_id"], confirmed=True)
        assert again[0] == 409, again
    assert not os.path.exists(f"{run.place}/note.txt")
    assert "return a + b" in run.read("calc.py")


def test_a_run_is_paused_and_one_whose_engine_is_gone_is_resumed(tmp_path):
    run = Headless(os.fspath(tmp_path))
    run.cast([task("a", criteria=["true => exit 0"])], worker("a", {"hang": True}))
    engine = run.start("run", "--auto", "--backend", "script", "Fix the sum")
    store = Store(Home(run.home), actor="person", clock=time)
    try:
        until(lambda: sessions.list_all(store.database))
        name = sessions.list_all(store.database)[0].id
        until(lambda: [one for one in attempts.list_all(store.database, name) if one.subject == "a"])
        with DashboardProcess(run.home, environ=run.environ) as page:
            status, text = order(page, "pause", session=name)
            assert (status, "running agents finish first" in text) == (200, True)
            status, text = order(page, "retry", session=name)
            assert (status, "is running" in text) == (409, True)
            engine.kill()
            engine.wait()
            status, text = order(page, "retry", session=name)
            assert (status, text.startswith(f"resumed {name[:8]} in process")) == (200, True), text
            pid = int(text.split("process ")[1].split(";")[0])
        os.kill(pid, 0)  # it outlives the page
        with store.change(name) as change:
            controls.ask(change, controls.CANCEL)
    finally:
        store.database.close()
        end_started()
        end_all("HOME", run.environ["HOME"])


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Chromium(os.fspath(tmp_path_factory.mktemp("browser"))) as browser:
        yield browser


def click(page, name):
    page.evaluate(f"document.getElementById('{name}').click()")


def test_cancel_asks_first_in_a_dialog_that_keys_can_leave(browser, scene):
    serving = DashboardProcess(scene.home, beat=1.0, environ=scene.person)
    with browser.open_page() as page, serving as server:
        page.open(server.address)
        page.wait_for(f"{LIFE} === 'live'")
        page.wait_for("document.querySelector('#board button')?.dataset.key || ''")
        page.evaluate("document.querySelector('#board button').click()")
        page.wait_for("!document.getElementById('detail').hidden")
        click(page, "cancel")
        asked = page.wait_for("document.getElementById('confirm-text').innerText")
        assert asked == f"Cancel session {SESSION[:8]}?"
        for width in (1200, 375):
            page.resize(width, 740)
            assert page.list_accessibility_problems() == [], width
        assert page.evaluate("document.activeElement.id") == "confirm-no"
        page.press("Escape")
        page.wait_for(f"{MESSAGE} === 'Nothing done.'")
        assert not page.evaluate("document.getElementById('detail').hidden")
        assert is_active(server)
        click(page, "pause")
        page.wait_for(f"{MESSAGE}.includes('has no engine to ask')")
        assert not page.evaluate("document.getElementById('pause').disabled")
        click(page, "cancel")
        click(page, "confirm-yes")
        page.wait_for(f"{MESSAGE}.includes('off: session')", 20)
        assert not is_active(server)
        # The browser names the refused request, and nothing else is wrong.
        assert [one for one in page.complaints if "409 (Conflict)" not in one] == []


def test_the_buttons_of_a_task_are_named_for_it_and_say_what_it_refuses(browser, tmp_path):
    played = Play(os.fspath(tmp_path))
    played.begin()
    played.planned()
    with browser.open_page() as page, DashboardProcess(played.home, beat=1.0) as server:
        page.open(server.address)
        page.wait_for("document.querySelector('#board button')?.dataset.key || ''")
        page.evaluate("document.querySelector('#board button').click()")
        button = "document.querySelector('[data-key=\"act retry a\"]')"
        page.wait_for(f"{button} !== null")
        assert page.evaluate(f"{button}.getAttribute('aria-label')") == "Retry task a"
        page.evaluate(f"{button}.click()")
        page.wait_for(f"{MESSAGE}.includes('only one that failed can be retried')")
        for width in (1200, 375):
            page.resize(width, 740)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.list_accessibility_problems() == [], width
