"""The live page in a real browser: what it shows, when it is alive, for keys, phones and both color schemes."""

import os
import signal
from time import time

import pytest

from support.chromium import Chromium, read_axe
from support.dashboard import DashboardProcess
from support.floor import REPOSITORY
from support.scene import QUICK, SESSION, Scene
from ultrawork.core.plan.task import Task
from ultrawork.core.session.session import Session
from ultrawork.store import attempts, sessions, tasks
from ultrawork.store.store import Store

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow
HOSTILE = "ulw change <img src=x onerror=document.title='owned'> the words"
LIFE = "document.getElementById('life').textContent"
SILENCE = 4000
AGENTS = 200


@pytest.fixture
def scene(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt(HOSTILE)
    return scene


@pytest.fixture
def browser(tmp_path):
    with Chromium.find(os.fspath(tmp_path)) as browser:
        yield browser


@pytest.fixture
def page(scene):
    with DashboardProcess(scene.home, beat=1.0) as page:
        yield page


def open_page(browser, page):
    browser.open(f"{page.address}&silence={SILENCE}")
    browser.wait_for(f"{LIFE} === 'live'")


def test_the_page_shows_the_session_and_runs_nothing_of_its_text(browser, page):
    open_page(browser, page)
    shown = browser.wait_for("document.getElementById('board').innerText")
    assert "working" in shown
    assert "<img src=x" in shown
    assert browser.evaluate("document.title") == "ultrawork"
    assert browser.evaluate("document.querySelectorAll('#board img').length") == 0
    assert browser.messages == []


def test_the_page_follows_a_question_and_counts_it_in_its_title(browser, page, scene):
    open_page(browser, page)
    scene.event("Notification", notification_type="permission_prompt", message="Run make?")
    browser.wait_for("document.title === '(1) ultrawork'")
    assert "Run make?" in browser.evaluate("document.getElementById('items').innerText")


def test_a_server_that_was_killed_is_named_and_its_return_is_seen(browser, scene):
    with DashboardProcess(scene.home, beat=1.0) as first:
        open_page(browser, first)
        first.kill()
        browser.wait_for(f"{LIFE}.startsWith('the dashboard is not running')", 10)
        with DashboardProcess(scene.home, first.port, beat=1.0):
            browser.wait_for(f"{LIFE} === 'live'", 10)


def test_a_frozen_socket_is_never_called_live(browser, page):
    open_page(browser, page)
    page.send_signal(signal.SIGSTOP)
    try:
        browser.wait_for(f"{LIFE}.startsWith('nothing heard from ultrawork since')", 10)
    finally:
        page.send_signal(signal.SIGCONT)
    browser.wait_for(f"{LIFE} === 'live'", 15)


def test_a_wrong_token_is_explained(browser, page):
    browser.open(f"http://127.0.0.1:{page.port}/#wrong")
    browser.wait_for(f"{LIFE}.startsWith('this address has no valid token')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1200, 800), (360, 740)], ids=["desk", "phone"])
def test_nothing_is_wider_than_the_screen_and_axe_finds_nothing(browser, page, scheme, size, scene):
    browser.resize(*size)
    browser.choose_colors(scheme)
    open_page(browser, page)
    scene.event("Notification", notification_type="permission_prompt", message="Run make?")
    browser.wait_for("document.title === '(1) ultrawork'")
    browser.evaluate("document.querySelector('#board button').click()")
    browser.wait_for("!document.getElementById('detail').hidden")
    assert browser.evaluate("document.documentElement.scrollWidth") <= size[0]
    browser.evaluate(read_axe() + "; 0")
    found = browser.evaluate(
        "axe.run().then((told) => told.violations.map((one) => one.id + ': ' + one.help))"
    )
    assert found == []
    keep_picture(browser, f"dashboard-{scheme}-{'phone' if size[0] < 500 else 'desk'}")


def keep_picture(browser, name):
    """For the docs, where they are asked for."""
    if os.environ.get("ULTRAWORK_PICTURES"):
        browser.take_picture(f"{REPOSITORY}/docs/pictures/{name}.png")


def test_a_session_is_opened_by_keys_alone_and_the_focus_survives_a_redraw(browser, page, scene):
    open_page(browser, page)
    browser.wait_for("document.querySelector('#board button')?.dataset.key || ''")
    browser.press("Tab")
    key = browser.wait_for("document.activeElement.dataset.key || ''")
    assert key == f"row {SESSION}"
    scene.event("Notification", notification_type="permission_prompt", message="Run make?")
    browser.wait_for("document.title === '(1) ultrawork'")
    assert browser.evaluate("document.activeElement.dataset.key") == key
    browser.press("Enter")
    browser.wait_for("!document.getElementById('detail').hidden")


def test_two_hundred_agents_are_shown_within_a_second(browser, page, scene):
    store = Store(scene.state_folder, actor="person", clock=time)
    with store.change("run1", many=True) as change:
        sessions.create(change, Session("run1", "a goal", "/p", time()))
        tasks.create(change, [Task(str(one), "a task") for one in range(AGENTS)])
        for one in range(AGENTS):
            attempts.claim(change, str(one), "worker", folder="/a", backend="claude", is_task=True)
    store.database.close()
    open_page(browser, page)
    browser.wait_for("document.getElementById('board').innerText.includes('run1')")
    took = browser.evaluate(
        "(async () => { const began = performance.now(); await showParts('run1');"
        " document.body.offsetHeight; return performance.now() - began; })()"
    )
    assert browser.evaluate("document.querySelectorAll('#parts tr').length") >= AGENTS
    assert took < 1000
