"""`ultrawork with` around the real clients: their own command, the verdict as the last line and as the exit status."""

import json

import pytest

from support import clients, ulw
from support.codex import sh
from support.floor import REPOSITORY
from support.gemini import MODEL
from support.opencode import Opencode
from support.ulw import GOAL, OPEN, PYTHON, WORDS

pytestmark = pytest.mark.client


def test_a_lie_in_codex_exec_is_the_last_line_and_the_status_of_its_verdict(installed):
    """Alone Codex says "all tests pass", shows no word of a hook and exits with 0."""
    seat = installed([sh("touch notes.txt")])
    free = "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"
    done = ulw.run_with(seat, "exec", "--skip-git-repo-check", *free, f"ulw {GOAL}")
    assert WORDS in done.out
    assert done.out.splitlines()[-1] == (
        "ultrawork: UNVERIFIED. the agent still says that the checks pass; test fails, as before this change"
    )
    assert done.exit == 3


def test_an_honest_fix_in_claude_p_exits_with_its_pass(newest, project):
    ulw.make(str(project), PYTHON)
    seat = newest(ulw.script([ulw.FIX]))
    options = ["--plugin-dir", REPOSITORY, "--permission-mode", OPEN]
    done = ulw.run_with(seat, "-p", f"ulw {GOAL}", *options, ours=["--json"])
    data = json.loads(done.out.splitlines()[-1])["data"]
    assert (done.exit, data["verdict"], data["strength"]) == (0, "PASS", "proved")
    assert data["goal"] == GOAL


def mend(tool):
    """A model that says the same twice: the first time it only touches a file, then it mends the fault."""
    calls = (f"cat > book.py <<'END'\n{ulw.FIXED}END", "touch notes.txt")
    return [
        {
            "match": {"agent": "main", "first": words},
            "replies": [{"tool": {"name": tool, "input": {"command": call, "description": "as asked"}}}, {"text": WORDS}],
        }
        for words, call in zip((f"{GOAL} now", GOAL), calls, strict=True)
    ]  # fmt: skip


def see_files_decide(seat, *words):
    """Without hooks of ours there: the same last words, and the files decide."""
    for goal, line, status in ((GOAL, "FAIL", 1), (f"{GOAL} now", "PASS", 0)):
        done = ulw.run_with(seat, *words, goal)
        assert WORDS in done.out, done.err
        assert (done.exit, done.out.splitlines()[-1]) == (status, f"ultrawork: {line}")


@pytest.mark.release
def test_what_gemini_left_is_judged_by_its_files(gemini, project):
    ulw.make(str(project), PYTHON)
    seat = gemini(mend("run_shell_command"))
    see_files_decide(seat, "-m", MODEL, "--skip-trust", "--yolo", "-p")


@pytest.mark.release
def test_what_opencode_left_is_judged_by_its_files(seat_at, project):
    ulw.make(str(project), PYTHON)
    seat = seat_at(Opencode, clients.program(clients.OPENCODE), mend("bash"))
    see_files_decide(seat, "run")
