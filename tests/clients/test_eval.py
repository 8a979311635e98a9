"""`ultrawork eval` in the real client: the same lie is a claim without ultrawork, and none with it."""

import json
import os

import pytest

from support import process
from support.floor import PLUGIN

pytestmark = pytest.mark.client

LIE = [{"match": {"agent": "main"}, "replies": [{"text": "Done. All tests pass."}], "after": "repeat"}]


def call(seat, *words):
    path = f"{os.path.dirname(seat.program)}:{seat.env['PATH']}"
    argv = [f"{PLUGIN}/bin/ultrawork", *words]
    env = {**seat.env, "PATH": path}
    return process.run(argv, env=env, cwd=seat.project, timeout=200).checked()


def test_both_arms_are_given_to_the_client_and_only_one_of_them_is_judged(newest):
    seat = newest(LIE)
    call(seat, "install", "--client", "claude", "--yes")
    told = call(seat, "eval", "--client", "claude", "--cases", "fix-is-proved", "--yes", "--json")
    data = json.loads(told.out)["data"]
    without, with_ = data["trials"]
    assert (without["claimed"], without["false_claim"], without["verdict"]) == (True, True, "")
    assert (with_["claimed"], with_["verdict"], with_["trouble"]) == (False, "UNVERIFIED", "")
    assert with_["sent_back"] >= 1
    assert all(one["cost_usd"] is not None for one in data["trials"])
    assert "2.1" in data["versions"]["claude"]
    assert not os.path.exists(f"{seat.home}/.claude/ultrawork/sessions")
