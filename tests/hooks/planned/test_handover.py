"""A planned session that several conversations have had, and a PASS on files that changed afterwards."""

import os
import time

import pytest

from support.play import denied, fenced
from support.scene import SESSION
from ultrawork.core.caller import Caller
from ultrawork.core.errors import Conflict
from ultrawork.flow import planned_mode
from ultrawork.store import sessions
from ultrawork.store.store import Store
from ultrawork.system import ancestry

EXEC = "ultrawork:ultrawork-exec"
OTHER = "5e551040-0000-4000-8000-000000000009"


def of_process(pid):
    """Events of a client with this process."""
    return lambda: Caller(pid, ancestry.read_start(pid))


def elsewhere(play, words=""):
    """Typed in a conversation of another process; the test's own parent stands for it."""
    mine, play.find_caller = play.find_caller, of_process(os.getppid())
    try:
        return play.event("UserPromptExpansion", session_id=OTHER, command_name=EXEC, command_args=words)
    finally:
        play.find_caller = mine


@pytest.mark.slow
def test_a_pass_is_withdrawn_by_the_next_event_when_its_files_changed(executing):
    for name in "abc":
        executing.worked(name)
    data = {"session_id": OTHER, "command_name": EXEC, "command_args": ""}
    executing.event("UserPromptExpansion", **data)
    executing.stop("Done.")
    executing.end(executing.agent("verifier"), fenced({"verdict": "PASS", "findings": []}))
    assert "ultrawork: PASS" in executing.stop("Done.")["systemMessage"]
    executing.write("a.txt", "broken\n")
    told = executing.stop("Done.", session_id=OTHER)["systemMessage"]
    assert told.startswith("ultrawork: UNVERIFIED")
    assert "files changed after PASS" in told
    assert executing.session()["verdict"] == "UNVERIFIED"
    assert executing.status("evidence") == 3


def test_another_process_is_offered_what_it_can_do(executing):
    executing.agent("worker", "a")
    told = elsewhere(executing)["reason"]
    assert "is running in another client, 1 agent working" in told
    assert executing.tasks()["a"]["status"] == "in_progress"


def test_agents_that_do_not_end_keep_their_session(executing):
    """The other client is asked, and the person told what still runs there."""
    executing.agent("worker", "a")
    store = Store(executing.state_folder, actor="hook", clock=time.time)
    session = sessions.get(store.database, SESSION)
    with pytest.raises(Conflict, match="its agents are still running: a"):
        planned_mode.await_handover(store, session, [SESSION], patience=0.3)
    assert executing.tasks()["a"]["status"] == "in_progress"
    assert "continues in another client" in denied(executing.ask("worker", "b")[1])
