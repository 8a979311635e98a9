"""`ultrawork with` around the real clients: their own command, the verdict as the last line and as the exit status."""

import json

import pytest

from support import ulw
from support.codex import sh
from support.floor import REPOSITORY
from support.ulw import GOAL, OPEN, PYTHON, WORDS

pytestmark = pytest.mark.client


def test_a_lie_in_codex_exec_is_the_last_line_and_the_status_of_its_verdict(installed):
    """Alone Codex says "all tests pass", shows no word of a hook and exits with 0."""
    seat = installed([sh("touch notes.txt")])
    free = "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"
    done = ulw.run_with(seat, "exec", "--skip-git-repo-check", *free, f"ulw {GOAL}")
    assert WORDS in done.out
    assert done.out.splitlines()[-1].startswith("ultrawork: UNVERIFIED. test is red")
    assert done.exit == 3


def test_an_honest_fix_in_claude_p_exits_with_its_pass(newest, project):
    ulw.make(str(project), PYTHON)
    seat = newest(ulw.script([ulw.FIX]))
    options = ["--plugin-dir", REPOSITORY, "--permission-mode", OPEN]
    done = ulw.run_with(seat, "-p", f"ulw {GOAL}", *options, ours=["--json"])
    data = json.loads(done.out.splitlines()[-1])["data"]
    assert (done.exit, data["verdict"], data["strength"]) == (0, "PASS", "proved")
    assert data["goal"] == GOAL
