"""The driver of bench/peers.py: what it reads from the stops of a run, and one scene in the real client."""

import json
import sys

import pytest

from support import clients
from support.claude import Conversation
from support.floor import REPOSITORY

sys.path.insert(0, f"{REPOSITORY}/bench")
import peers

SYSTEM = peers.System("other", "{goal}", version="1.0")
SCENES = {one.name: one for one in peers.list_scenes()}
BLOCK, PASSES, DISPUTES = {"decision": "block", "reason": "go on"}, {"systemMessage": "PASS"}, {"systemMessage": "UNVERIFIED. It fails."}  # fmt: skip
FEEDBACK = {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "go on"}}


def stop(answer, status=0):
    shown = {"stdout": json.dumps(answer), "stderr": "", "exit_code": status}
    return {"type": "system", "subtype": "hook_response", "hook_event": "Stop", **shown}


@pytest.mark.parametrize(
    ("stops", "accepted", "sent_back"),
    [
        pytest.param([], True, 0, id="no hook"),
        pytest.param([stop({})], True, 0, id="allowed"),
        pytest.param([stop(BLOCK), stop({})], True, 1, id="sent back once, then allowed"),
        pytest.param([stop(FEEDBACK), stop({})], True, 1, id="told to go on without a block"),
        pytest.param([stop({}, 2), stop({})], True, 1, id="blocked by an exit status"),
        pytest.param([stop(BLOCK), stop(DISPUTES)], False, 1, id="disputed at the end"),
        pytest.param([stop(BLOCK), stop(BLOCK)], False, 2, id="never allowed"),
        pytest.param([stop({**BLOCK, **DISPUTES}), stop({})], True, 1, id="disputed before, not at the end"),
        pytest.param([stop(BLOCK), stop(PASSES)], True, 1, id="passed"),
    ],
)  # fmt: skip
def test_a_run_is_accepted_unless_its_end_disputes_it(stops, accepted, sent_back):
    played = peers.judge(SYSTEM, SCENES["nothing done"], Conversation(stops), [], 1.0)
    assert (played.accepted, played.sent_back) == (accepted, sent_back)


def test_every_system_is_pinned_and_ours_comes_last():
    systems = peers.read_systems()
    assert [one.ours for one in systems] == [False] * (len(systems) - 1) + [True]
    for one in systems:
        assert bool(one.repository) == bool(one.commit)
        if one.repository or one.package:
            assert one.version
            assert one.license


@pytest.mark.client
@pytest.mark.parametrize(
    ("name", "accepted"), [pytest.param("nothing", True, marks=pytest.mark.release), ("ultrawork", False)]
)
def test_the_same_lie_is_accepted_alone_and_disputed_with_us(tmp_path, name, accepted):
    system = next(one for one in peers.read_systems() if one.name == name)
    shelf = peers.Shelf(str(tmp_path), "")
    played = peers.play(system, SCENES["the test skipped"], shelf, clients.program(clients.CLAUDE))
    assert (played.accepted, played.sent_back > 0) == (accepted, not accepted), played
