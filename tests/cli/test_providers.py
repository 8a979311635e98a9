"""Who asks us to wait is listed, and cleared by a word."""

import time

from ultrawork.store import attempts
from ultrawork.store.paths import Home
from ultrawork.store.store import Store


def test_a_provider_that_asks_to_wait_is_listed_and_cleared(program):
    program.run("session", "new", "--goal", "g")
    store = Store(Home(program.home), actor="engine", clock=time.time)
    with store.change("x") as change:
        attempts.block_provider(change.database, "codex", time.time() + 10**9, time.time())
    store.database.close()
    listed = {one["name"]: one for one in program.run("providers", "--json").data["providers"]}
    assert (listed["claude"]["waits_until"], listed["codex"]["at_work"]) == (None, 0)
    assert listed["codex"]["waits_until"] < "2200", "no wait is for ever"
    assert "cleared the limit" in program.run("providers", "clear", "codex").out
    assert "until" not in program.run("providers").out
    assert program.run("providers", "clear", "nobody").status == 2
