"""`ultrawork notify`: to a receiver on this machine, with the state of each notification in the store."""

import json
import os
from importlib.util import find_spec
from time import time

import pytest

from support.receiver import Receiver
from support.rows import is_at_work, until
from support.scene import QUICK, SESSION, Scene
from ultrawork.flow import notices
from ultrawork.store.settings import load_at
from ultrawork.store.store import Store


@pytest.fixture
def receiver():
    with Receiver() as server:
        yield server


@pytest.fixture
def scene(tmp_path, receiver):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.environ["ULTRAWORK_SKIP_HOOKS"] += ",notices"
    with open(f"{scene.home}/config.toml", "w", encoding="utf-8") as file:
        file.write(f'[notify]\nurl = "{receiver.url}"\nterminal = "osc9"\n')
    scene.prompt("ulw change the secret words")
    return scene


def ask(scene, text="Run make?"):
    return scene.event("Notification", notification_type="permission_prompt", message=text)


def test_a_question_goes_out_once_after_a_silent_first_look_and_holds_no_words_of_the_session(scene, receiver):
    scene.run("notify", "send")
    assert receiver.bodies == []
    ask(scene, "Run make with SECRET?")
    assert scene.run("notify", "send") == "webhook: 1 sent\n"
    assert scene.run("notify", "send") == "webhook: 0 sent\n"
    (body,) = receiver.bodies
    assert body["text"] == f"project ({SESSION[:8]}) needs you: ultrawork inbox"
    assert "secret" not in json.dumps(body).lower()


def test_what_a_minute_holds_back_is_sent_without_another_event(scene, receiver):
    scene.run("notify", "send")
    ask(scene)
    scene.run("notify", "send")
    ask(scene, "Run make again?")
    passed = [time()]
    store = Store(scene.state_folder, actor="person", clock=lambda: passed[0])
    settings = load_at(scene.environ, store.home, scene.place)

    def sleep(seconds):
        assert len(receiver.bodies) == 1
        passed[0] += seconds

    notices.send_all(store, settings, sleep)
    store.database.close()
    assert len(receiver.bodies) == 2
    assert 50 < passed[0] - time() <= 60


def test_a_message_to_ntfy_is_plain_text():
    body, headers = notices.make_body("https://ntfy.sh/topic", "ultrawork", "shop needs you")
    assert (body, headers["Title"]) == (b"shop needs you", "ultrawork")
    assert headers["Content-Type"].startswith("text/plain")


def test_what_could_not_be_delivered_is_kept_with_its_reason(scene, receiver):
    scene.run("notify", "test")
    ask(scene)
    receiver.status = 500
    scene.run("notify", "send")
    rows = json.loads(scene.run("notify", "--json"))["data"]["notices"]
    (failed,) = [one for one in rows if one["state"] == "failed"]
    assert "Internal Server Error" in failed["why"]


def test_the_client_s_terminal_is_told_of_a_question_and_of_the_end(scene):
    assert ask(scene)["terminalSequence"] == "\x1b]9;project needs you\a"
    idle = scene.event("Notification", notification_type="idle_prompt", message="waiting")
    assert "terminalSequence" not in idle
    scene.edit("app.txt", "right, too\n")
    assert scene.stop("Done.")["terminalSequence"] == "\x1b]9;project has ended\a"


def test_without_rings_the_terminal_stays_silent(scene):
    scene.environ["ULTRAWORK_SKIP_HOOKS"] += ",rings"
    assert "terminalSequence" not in ask(scene)


@pytest.mark.parametrize("is_on", [True, False])
def test_the_hook_sends_a_question_by_itself_unless_that_is_off(scene, receiver, is_on):
    scene.run("notify", "send")
    if is_on:
        skipped = scene.environ["ULTRAWORK_SKIP_HOOKS"]
        scene.environ["ULTRAWORK_SKIP_HOOKS"] = skipped.removesuffix(",notices")
    ask(scene)
    until(lambda: receiver.bodies or not (is_on or is_at_work(scene.root, "Notify")))
    assert len(receiver.bodies) == is_on


def test_the_test_reaches_every_channel(scene, receiver):
    with open(f"{scene.home}/config.toml", "w", encoding="utf-8") as file:
        file.write(f'[notify]\nurl = "{receiver.url}"\n')
    assert scene.run("notify", "test") == "webhook: sent\n"
    assert receiver.bodies[0]["text"] == "This is a test."


def test_without_a_channel_the_setting_is_named(program):
    found = program.call("notify", "test")
    assert found.status == 4
    assert "set notify.url in config.toml" in found.err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of libraries that Apprise loads
def test_apprise_delivers_to_its_services_or_says_what_to_install(scene, receiver):
    address = receiver.url.replace("http://", "json://")
    with open(f"{scene.home}/config.toml", "w", encoding="utf-8") as file:
        file.write(f'[notify]\napprise = ["{address}"]\n')
    status, told = scene.status_and_text("notify", "test")
    if find_spec("apprise") is None:
        assert "apprise: Apprise is not installed; run pip install apprise" in told
    else:
        assert (status, told) == (0, "apprise: sent\n")
        assert receiver.bodies[0]["message"] == "This is a test."
