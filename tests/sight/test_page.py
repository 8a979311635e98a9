"""The live page in a real browser: what it shows, when it is alive, for keys, phones and both color schemes."""

import os
import signal
from time import time

import pytest

from support.chromium import Chromium
from support.dashboard import DashboardProcess
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
# Milliseconds; the address can shorten the 45 seconds of the page.
SILENCE = 3000
AGENTS = 200
WIDTHS = (1200, 375)


@pytest.fixture
def scene(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt(HOSTILE)
    return scene


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Chromium(os.fspath(tmp_path_factory.mktemp("browser"))) as browser:
        yield browser


@pytest.fixture
def page(browser):
    with browser.open_page() as page:
        yield page


@pytest.fixture
def server(scene):
    with DashboardProcess(scene.home, beat=1.0) as server:
        yield server


def open_live(page, server):
    page.open(f"{server.address}&silence={SILENCE}")
    page.wait_for(f"{LIFE} === 'live'")


def test_the_page_shows_the_session_and_runs_nothing_of_its_text(page, server):
    open_live(page, server)
    shown = page.wait_for("document.getElementById('board').innerText")
    assert "working" in shown
    assert "<img src=x" in shown
    assert page.evaluate("document.title") == "ultrawork"
    assert page.evaluate("document.querySelectorAll('#board img').length") == 0
    assert page.complaints == []


def test_the_page_follows_a_question_and_counts_it_in_its_title(page, server, scene):
    open_live(page, server)
    scene.event("Notification", notification_type="permission_prompt", message="Run make?")
    page.wait_for("document.title === '(1) ultrawork'")
    assert "Run make?" in page.evaluate("document.getElementById('items').innerText")


def test_a_server_that_was_killed_is_named_and_its_return_is_seen(page, scene):
    with DashboardProcess(scene.home, beat=1.0) as first:
        open_live(page, first)
        first.kill()
        page.wait_for(f"{LIFE}.startsWith('the dashboard is not running')", 10)
        with DashboardProcess(scene.home, first.port, beat=1.0):
            page.wait_for(f"{LIFE} === 'live'", 10)


def test_a_frozen_socket_is_never_called_live(page, server):
    open_live(page, server)
    server.send_signal(signal.SIGSTOP)
    try:
        page.wait_for(f"{LIFE}.startsWith('nothing heard from ultrawork since')", 10)
    finally:
        server.send_signal(signal.SIGCONT)
    page.wait_for(f"{LIFE} === 'live'", 15)


def test_a_wrong_token_is_explained(page, server):
    page.open(f"http://127.0.0.1:{server.port}/#wrong")
    page.wait_for(f"{LIFE}.startsWith('this address has no valid token')")


def test_nothing_is_wider_than_the_screen_and_axe_finds_no_problem(page, server, scene):
    open_live(page, server)
    scene.event("Notification", notification_type="permission_prompt", message="Run make?")
    page.wait_for("document.title === '(1) ultrawork'")
    page.evaluate("document.querySelector('#board button').click()")
    page.wait_for("!document.getElementById('detail').hidden")
    for width in WIDTHS:
        page.resize(width, 740)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for scheme in ("light", "dark"):
            page.choose_colors(scheme)
            assert page.list_accessibility_problems() == [], (width, scheme)


def test_a_session_is_opened_by_keys_alone_and_the_focus_survives_a_redraw(page, server, scene):
    open_live(page, server)
    page.wait_for("document.querySelector('#board button')?.dataset.key || ''")
    page.press("Tab")
    key = page.wait_for("document.activeElement.dataset.key || ''")
    assert key == f"row {SESSION}"
    scene.event("Notification", notification_type="permission_prompt", message="Run make?")
    page.wait_for("document.title === '(1) ultrawork'")
    assert page.evaluate("document.activeElement.dataset.key") == key
    page.press("Enter")
    page.wait_for("!document.getElementById('detail').hidden")
    page.wait_for("document.activeElement.id === 'detail-head'")
    page.press("Escape")
    page.wait_for("document.getElementById('detail').hidden")
    assert page.evaluate("document.activeElement.dataset.key") == key


def test_a_receipt_is_opened_by_keys_and_escape_goes_back_step_by_step(page, server, scene):
    scene.edit("app.txt", "right, <b>too</b>\n")
    scene.stop("Done.")
    open_live(page, server)
    page.wait_for("document.querySelector('#board button')?.dataset.key || ''")
    page.evaluate("document.querySelector('#board button').click()")
    page.wait_for("document.querySelector('#parts button')?.dataset.key || ''")
    page.evaluate("document.querySelector('#parts button').focus()")
    page.press("Enter")
    page.wait_for("document.activeElement.id === 'view-head'")
    assert "  1 passed" in page.evaluate("document.getElementById('view-text').textContent")
    for width in WIDTHS:
        page.resize(width, 740)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.list_accessibility_problems() == [], width
    page.press("Escape")
    page.wait_for("document.activeElement.dataset.key === 'part check test'")
    page.evaluate("document.getElementById('changes').click()")
    page.wait_for("document.getElementById('view-text').textContent.includes('+right, <b>too</b>')")
    page.press("Escape")
    page.press("Escape")
    page.wait_for("document.getElementById('detail').hidden")


def test_two_hundred_agents_are_shown_within_a_second(page, server, scene):
    store = Store(scene.state_folder, actor="person", clock=time)
    with store.change("run1", many=True) as change:
        sessions.create(change, Session("run1", "a goal", "/p", time()))
        tasks.create(change, [Task(str(number), "a task") for number in range(AGENTS)])
        for number in range(AGENTS):
            attempts.claim(change, str(number), "worker", folder="/a", backend="claude", is_task=True)
    store.database.close()
    open_live(page, server)
    page.wait_for("document.getElementById('board').innerText.includes('run1')")
    milliseconds = page.evaluate(
        "(async () => { const began = performance.now(); await showParts('run1');"
        " document.body.offsetHeight; return performance.now() - began; })()"
    )
    assert page.evaluate("document.querySelectorAll('#parts tr').length") >= AGENTS
    assert milliseconds < 1000


@pytest.fixture
def disputed(tmp_path):
    """A session whose agent ended with the claim that a test is wrong."""
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right, too\n")
    scene.stop("I stop here.\nBLOCKED: test check.sh is wrong: it looks for the wrong word")
    return scene


def test_a_question_is_answered_by_a_click_and_then_gone(page, disputed):
    with DashboardProcess(disputed.home, beat=1.0) as server:
        open_live(page, server)
        page.wait_for("document.title === '(1) ultrawork'")
        page.evaluate("window.prompt = () => null")
        page.evaluate("document.querySelectorAll('#items button')[1].click()")
        assert page.evaluate("document.title") == "(1) ultrawork"
        page.evaluate("document.querySelectorAll('#items button')[0].click()")
        page.wait_for("document.title === 'ultrawork'")
        assert page.evaluate("document.getElementById('message').textContent") != ""
    assert "accept" not in disputed.run("inbox")


def test_a_test_called_wrong_is_shown_with_its_assertion_and_both_values(page, tmp_path):
    scene = Scene(os.fspath(tmp_path))
    scene.prompt("ulw fix the sorting")
    scene.idle()
    scene.stop("BLOCKED: test test_sorts_without_regard_to_case is wrong: A comes <b>before</b> b")
    with DashboardProcess(scene.home, beat=1.0) as server:
        open_live(page, server)
        shown = page.wait_for("document.getElementById('items').innerText")
        assert "is wrong: A comes <b>before</b> b" in shown
        facts = page.evaluate("[...document.querySelectorAll('#items dd')].map(x => x.innerText)")
        assert facts[0] == "test_book.py:19"
        assert facts[2:] == ["['Ada', 'bea', 'Carl']", "['Ada', 'Carl', 'bea']"]
        assert page.evaluate("document.querySelectorAll('#items b').length") == 0
        for width in WIDTHS:
            page.resize(width, 740)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.list_accessibility_problems() == [], width


BADGE = "document.querySelector('.badge').textContent"
ROWS = "[...document.querySelectorAll({!r})].map(row => [...row.cells].slice(0, 5).map(x => x.textContent.trim()))"
PILLS = "[...document.querySelectorAll('.pill')].map(x => [x.textContent, x.className, getComputedStyle(x).color])"


def read_components(page, rows):
    """Return what both pages show of a session: verdict, rows with their classes, and runs of checks."""
    found = page.evaluate(ROWS.format(rows))
    tones = page.evaluate("[...document.querySelectorAll('td.mark')].map(x => x.classList.value)")
    return page.evaluate(BADGE), found, tones, page.evaluate(PILLS)


@pytest.mark.parametrize("words", ["Done.", "BLOCKED: I cannot do it."])
def test_the_report_page_and_the_live_page_show_the_same_components(browser, scene, words):
    scene.edit("app.txt", "right, <b>too</b>\n" if words == "Done." else "wrong\n")
    scene.stop(words)
    report = f"{scene.root}/report.html"
    scene.run("report", "--session", SESSION, "--html", report)
    with browser.open_page() as page:
        page.open(f"file://{report}")
        told = read_components(page, "h2 + .wide tr:not(.head)")
        for scheme in ("light", "dark"):
            page.choose_colors(scheme)
            assert page.list_accessibility_problems() == [], scheme
    with browser.open_page() as page, DashboardProcess(scene.home, beat=1.0) as server:
        page.open(server.address)
        page.wait_for("document.querySelector('#board button')?.dataset.key || ''")
        page.evaluate("document.querySelector('#board button').click()")
        page.wait_for("document.querySelectorAll('#runs .pill').length")
        shown = read_components(page, "#parts tr")
        for scheme in ("light", "dark"):
            page.choose_colors(scheme)
            assert page.list_accessibility_problems() == [], scheme
    assert (shown[0], shown[1]) == (told[0], told[1][: len(shown[1])])
    tones = [one.replace("fixed ", "").strip() for one in shown[2] if "fixed" in one]
    assert tones[-len(shown[1]) :] == [one.strip() for one in told[2]]
    assert list(reversed(shown[3])) == told[3], "the live page shows the newest first"


def pass_time(page, seconds):
    """Let the clock of the page jump, as after a machine slept."""
    page.evaluate(
        "window.clock ??= Date.now; window.later = (window.later ?? 0) + "
        f"{seconds * 1000}; Date.now = () => window.clock() + window.later"
    )


def test_a_tab_that_becomes_visible_asks_again_at_once(page, server):
    page.open(server.address)
    page.wait_for(f"{LIFE} === 'live'")
    server.send_signal(signal.SIGSTOP)
    try:
        before = page.evaluate("tried")
        pass_time(page, 30)
        assert page.evaluate("tried") == before
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        assert page.evaluate("tried") >= before + 30_000
    finally:
        server.send_signal(signal.SIGCONT)


def test_after_45_seconds_of_silence_the_page_is_no_longer_live_whatever_its_address_asks(page, server):
    page.open(f"{server.address}&silence=900000")
    page.wait_for(f"{LIFE} === 'live'")
    server.send_signal(signal.SIGSTOP)
    try:
        pass_time(page, 30)
        page.evaluate("watch()")
        assert page.evaluate(LIFE) == "live"
        pass_time(page, 16)
        page.wait_for(f"{LIFE}.startsWith('nothing heard from ultrawork since')", 5)
    finally:
        server.send_signal(signal.SIGCONT)
