"""What the person types while the model works: the client keeps it until the turn ends."""

import pytest

from support import ulw
from support.driving import ask
from support.floor import PLUGIN, REPOSITORY
from support.ulw import GOAL, PYTHON, WORDS

pytestmark = pytest.mark.client
OMO = f"{REPOSITORY}/plugins/omo"


@pytest.fixture
def slow(newest, project, home):
    """A model that breaks the code as soon as a gate is open and then claims to be done, again and again."""
    ulw.make(str(project), PYTHON)
    gate = home / "gate"
    steps = [
        {"wait_file": str(gate), "tool": {"name": "Bash", "input": {"command": "echo >> book.py"}}},
        *({"text": WORDS} for _ in range(20)),
    ]
    seat = newest([{"name": "work", "match": {"agent": "main"}, "replies": steps}])
    return seat, gate


def test_an_order_to_stop_that_waits_in_the_queue_is_heard_at_the_next_stop(slow):
    seat, gate = slow
    with seat.terminal(plugins=[PLUGIN, OMO], allowed=["Bash"]) as terminal:
        ulw.say(terminal, "ulw gates allow")
        terminal.wait_for("from now on I run these myself", 60)
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for("ultrawork: on. Done means th", 60)
        ulw.say(terminal, "/omo:stop-continuation")
        gate.touch()
        screen = terminal.wait_for("Stop says: ultrawork: off.", 60)
        assert "sent back" not in screen
        assert "UNVERIFIED" not in terminal.settle(timeout=5)
    assert ask(seat, "session", "get")["phase"] == "CANCELLED"
