"""The live page over a real socket: who may ask, what it answers, and that it follows the store."""

import http.client
import json
import os
import subprocess
import sys

import pytest

from support.floor import PLUGIN
from support.scene import QUICK, SESSION, Scene

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow
TOKEN = "a" * 48
SERVE = """
import sys
from time import time
sys.path.insert(0, sys.argv[1])
from ultrawork.sight.dashboard import serve_dashboard
from ultrawork.store.paths import Home
from ultrawork.store.store import Store
serve_dashboard(Store(Home(sys.argv[2]), actor="person", clock=time), sys.argv[3], 0, lambda line: print(line, flush=True))
"""
HOSTILE = "ulw change <img src=x onerror=alert(1)> the words"


class Page:
    """The dashboard of a scene, in a process of its own."""

    def __init__(self, scene, process):
        self.scene = scene
        self.opened = []
        self.address = process.stdout.readline().strip()
        self.port = int(self.address.split(":")[2].partition("/")[0])

    def ask(self, path, *, token=TOKEN, method="GET", host=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if host:
            headers["Host"] = host
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        self.opened += [answer, connection]
        return answer

    def read(self, path, **given):
        return json.loads(self.ask(path, **given).read())


@pytest.fixture
def page(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt(HOSTILE)
    words = ["timeout", "60", sys.executable, "-c", SERVE, f"{PLUGIN}/src", scene.home, TOKEN]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        page = Page(scene, process)
        yield page
        for one in page.opened:
            one.close()
        process.terminate()


def test_nothing_is_shown_without_the_token_or_under_another_name(page):
    assert page.address.endswith(f"/#{TOKEN}")
    for path in ("/events", "/api/look", f"/api/parts/{SESSION}"):
        assert page.ask(path, token="").status == 401
        assert page.ask(path, token="b" * 48).status == 401
        assert page.ask(path, host="evil.example").status == 421
    assert page.ask("/api/answer", token="", method="POST", body="{}").status == 401
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
    refused = page.ask(
        "/api/answer", method="POST", body=json.dumps({"id": item["id"], "words": "yes"})
    )
    assert refused.status == 409
    assert "a question of the client itself" in json.loads(refused.read())["text"]
