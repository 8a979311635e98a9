"""What the person types while Codex works."""

import pytest

from support import ulw
from support.codex import INPUT, sh
from support.ulw import GOAL, bodies

pytestmark = pytest.mark.client

FIX = sh(f"cat > book.py <<'END_OF_FILE'\n{ulw.FIXED}END_OF_FILE")


def test_a_command_typed_while_the_agent_works_is_answered_and_ends_no_turn(installed, home):
    """Codex passes it on after the next tool call, as part of the same turn."""
    gate = home / "gate"
    seat = installed([sh(f"until [ -e {gate} ]; do sleep 0.1; done"), FIX])
    with seat.open_as_people_do(flags=["--sandbox", "danger-full-access"]) as terminal:
        ulw.say(terminal, f"ulw {GOAL}", INPUT)
        terminal.wait_for("ultrawork: on. Done means th", 60)
        terminal.wait_until(lambda _: len(bodies(seat)) == 1, "the first request", 60)
        ulw.say(terminal, "ulw status", INPUT)
        gate.touch()
        terminal.wait_for("sent back  0 of at most 8 times", 60)
        screen = terminal.wait_for("ultrawork: PASS, proved by test_sorts", 90)
    assert "Hook stopped" not in screen
    assert "already answered this message" in "".join(bodies(seat))
