import os
import sqlite3

from support.scene import SESSION

LIE = "Done. All tests pass."
AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}


def test_cancel_is_open_to_everybody_and_says_who_it_was(armed):
    armed.fix()
    assert armed.run("cancel", env=AGENT).startswith(f"off: session {SESSION[:8]}")
    assert (armed.session()["phase"], armed.session()["verdict"]) == ("CANCELLED", "UNVERIFIED")
    assert "ultrawork cancel by the agent" in armed.run("why", "--session", SESSION)
    assert "UNVERIFIED. ultrawork was turned off" in armed.stop(LIE)["systemMessage"]


def test_from_another_terminal_cancel_does_the_same_as_the_word(armed):
    armed.idle()
    armed.stop(LIE)
    assert armed.run("cancel") == (
        f'off: session {SESSION[:8]} "sort names without regard to case" (1 refusal, test red). Files are unchanged.\n'
    )
    assert armed.session()["phase"] == "CANCELLED"
    told = armed.stop(LIE)
    assert told == {
        "systemMessage": "ultrawork: UNVERIFIED. ultrawork was turned off, so nothing was verified. Why: ulw why"
    }
    assert armed.stop(LIE) == {}


def test_an_agent_that_sheds_its_environment_is_seen_doing_it(armed):
    armed.run("cancel")
    armed.tool("Bash", {"command": "env -i HOME=$HOME ultrawork cancel"})
    told = armed.run("why", "--session", SESSION)
    assert "ended with UNVERIFIED" in told
    assert "seen at that time: Bash env -i HOME=$HOME ultrawork cancel" in told
    assert armed.session()["verdict"] == "UNVERIFIED"


def test_a_switch_made_by_hand_ends_it_cancelled_with_the_command_that_was_seen(armed):
    os.makedirs(f"{armed.home}/off", exist_ok=True)
    with open(f"{armed.home}/off/{SESSION}", "w", encoding="utf-8"):
        pass
    armed.tool("Bash", {"command": "touch ~/.claude/ultrawork/off/x"})
    session = armed.session()
    assert (session["phase"], session["verdict"]) == ("CANCELLED", "UNVERIFIED")
    told = armed.run("why", "--session", SESSION)
    assert "another program removed its file; you did not turn it off; seen at that time: Bash touch" in told


def test_a_switch_that_nobody_saw_is_settled_by_whoever_asks(armed):
    os.makedirs(f"{armed.home}/off", exist_ok=True)
    with open(f"{armed.home}/off/{SESSION}", "w", encoding="utf-8"):
        pass
    assert "you did not turn it off" in armed.run("why", "--session", SESSION)
    assert armed.run("status", "--session", SESSION).startswith("CANCELLED")


def test_a_green_check_before_the_release_is_no_pass_of_the_session(armed):
    armed.fix()
    armed.run("verify", env=AGENT)
    armed.run("cancel")
    told = armed.run("evidence", "--session", SESSION)
    assert told.startswith("CANCELLED")
    assert "the session ended: ultrawork cancel in a terminal" in told


def test_a_session_whose_markers_are_long_gone_is_not_called_on(armed):
    os.unlink(f"{armed.home}/active/{SESSION}")
    assert armed.run("status", "--session", SESSION).startswith("on ")
    with sqlite3.connect(f"{armed.home}/ultrawork.db") as database:
        database.execute("UPDATE sessions SET updated_at = updated_at - 100")
    database.close()
    assert armed.run("status", "--session", SESSION).startswith("CANCELLED")
    assert "its marker files are gone" in armed.run("why", "--session", SESSION)
