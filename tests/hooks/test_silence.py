"""Never silent: markers taken away, checks skipped or cut off, a client that is gone. Somebody hears UNVERIFIED, once."""

import os
import subprocess
import sys

import pytest
from tests.hooks.test_caller import STARTER, Client

from support.floor import PLUGIN
from support.scene import SESSION, refused

LAUNCHER = f"{PLUGIN}/bin/ultrawork-hook"
LIE = "Done. All tests pass."


@pytest.fixture
def on(quick):
    quick.prompt("ulw change the words")
    quick.edit("app.txt", "wrong\n")
    return quick


def take_markers(scene):
    for folder in (scene.home, scene.data):
        os.unlink(f"{folder}/active/{SESSION}")


def message(answer):
    return answer.get("systemMessage", "")


@pytest.mark.parametrize("event", ["Stop", "SessionEnd"])
def test_without_markers_the_launcher_still_tells_it_once(on, event):
    take_markers(on)
    client = Client(on)
    more = {"reason": "other", "last_assistant_message": "Done."}
    assert "UNVERIFIED. Another program removed its marker files" in message(client.send(event, **more))
    assert client.send(event, **more) == {}


def test_without_markers_and_record_the_folder_still_tells_it_once(on):
    take_markers(on)
    for end in ("", "-wal", "-shm"):
        if os.path.exists(f"{on.home}/ultrawork.db{end}"):
            os.unlink(f"{on.home}/ultrawork.db{end}")
    client = Client(on)
    more = {"last_assistant_message": LIE}
    assert "UNVERIFIED. Another program removed the record of this session" in message(client.send("Stop", **more))
    assert client.send("Stop", **more) == {}


@pytest.mark.parametrize(
    ("event", "data"), [("UserPromptSubmit", {"prompt": "and now the colours"}), ("SessionStart", {"source": "resume"})]
)
def test_any_event_that_comes_tells_it_once(on, event, data):
    take_markers(on)
    assert "UNVERIFIED. Another program removed its marker files" in message(on.event(event, **data))
    assert message(on.event(event, **data)) == ""
    assert on.session()["verdict"] == "UNVERIFIED"


def test_what_an_agent_skips_later_is_not_skipped(on):
    on.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run,continuation,observe"
    assert "test fails" in refused(on.stop())


def test_what_the_person_skips_from_the_start_is(quick):
    quick.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run,continuation"
    quick.prompt("ulw change the words")
    quick.edit("app.txt", "wrong\n")
    assert quick.stop() == {}


def test_a_check_that_was_cut_off_is_told_with_the_next_prompt(on):
    os.makedirs(f"{on.home}/deciding", exist_ok=True)
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    with open(f"{on.home}/deciding/{SESSION}", "w", encoding="utf-8") as file:
        file.write(f'{{"process": [{gone.pid}, "1", false]}}')
    said = message(on.prompt("what now?"))
    assert said.startswith("ultrawork: UNVERIFIED. The check of the last stop was interrupted")
    assert message(on.prompt("what now?")) == ""


def test_a_killed_hook_leaves_what_it_was_at(on):
    """The gate kills the process that runs it, as a test can do that knows where it runs."""
    on.write("check.sh", "kill -9 $(ps -o ppid= -p $PPID); sleep 5\n")
    client = Client(on)
    ours = {"last_assistant_message": "Done."}
    with pytest.raises(subprocess.CalledProcessError):
        client.send("Stop", **ours)
    assert os.path.exists(f"{on.home}/deciding/{SESSION}")


def test_it_ends_while_on_and_says_so(on):
    assert "ended before it was verified" in message(on.event("SessionEnd", reason="other"))
    assert on.is_on()


def test_the_next_start_in_the_checkout_tells_of_a_client_that_is_gone(quick):
    client = Client(quick)
    env = {**quick.environ, "EVENT": client.event("UserPromptSubmit")}
    subprocess.run([sys.executable, "-c", STARTER, LAUNCHER], env=env, cwd=quick.root, check=True)
    other = {"session_id": "another", "source": "startup"}
    said = message(quick.event("SessionStart", **other))
    assert 'UNVERIFIED. Session 5e551040 "change the words" ended without a verdict.' in said
    assert "UNVERIFIED" not in message(quick.event("SessionStart", **other))


def test_a_start_beside_a_session_that_goes_on_says_nothing(on):
    other = {"session_id": "another", "source": "startup"}
    assert "UNVERIFIED" not in message(on.event("SessionStart", **other))


def test_after_a_verdict_there_is_nothing_to_tell(quick):
    quick.prompt("ulw change the words")
    quick.edit("app.txt", "right, too\n")
    assert "PASS" in message(quick.stop())
    assert quick.event("SessionEnd", reason="other") == {}
    assert "UNVERIFIED" not in message(quick.event("SessionStart", session_id="b", source="startup"))


def damage(scene):
    """What should be the database is none; gives the way back."""
    whole, aside = f"{scene.home}/ultrawork.db", f"{scene.home}/aside"
    parts = [end for end in ("", "-wal", "-shm") if os.path.exists(whole + end)]
    for end in parts:
        os.rename(whole + end, aside + end)
    with open(whole, "wb") as file:
        file.write(b"no database " * 1000)

    def repair():
        for end in parts:
            os.replace(aside + end, whole + end)

    return repair


def test_a_stop_that_fails_once_says_so_and_stays_on(armed):
    repair = damage(armed)
    assert "UNVERIFIED" in armed.stop(LIE)["systemMessage"]
    assert armed.is_on()
    repair()
    assert "sent back" in refused(armed.stop(LIE))


def test_stops_that_keep_failing_switch_it_off_at_the_third(armed):
    damage(armed)
    told = [armed.stop(LIE)["systemMessage"] for _ in range(3)]
    assert all("UNVERIFIED. " in one and "is not a database" in one for one in told)
    assert ["stays on" in one for one in told] == [True, True, False]
    assert not armed.is_on()
    assert armed.stop(LIE) == {}


def test_the_word_that_fails_is_answered(scene):
    scene.prompt("ulw change the words")
    damage(scene)
    told = scene.prompt("ulw change more words")
    assert told["systemMessage"].startswith("ultrawork: not on. ")


def block(scene, folder):
    """No marker of this kind can be written."""
    with open(f"{scene.home}/{folder}", "w", encoding="utf-8"):
        pass


def test_what_nobody_foresaw_at_a_stop_is_said_and_it_stays_on(armed):
    block(armed, "deciding")
    told = armed.stop(LIE)["systemMessage"]
    assert told.startswith("ultrawork: UNVERIFIED. ultrawork had an internal error. Log: ")
    assert armed.is_on()
    os.unlink(f"{armed.home}/deciding")
    assert "sent back" in refused(armed.stop(LIE))


def test_what_nobody_foresaw_at_the_word_is_said(scene):
    block(scene, "active")
    told = scene.prompt("ulw change the words")["systemMessage"]
    assert told.startswith("ultrawork: not on. ultrawork had an internal error. Log: ")
