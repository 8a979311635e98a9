"""`ultrawork with` around the real clients: their own command, the verdict as the last line and as the exit status."""

import json
import shlex

import pytest

from support import clients, ulw
from support.codex import sh
from support.effort import rows_of
from support.floor import PLUGIN, REPOSITORY
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
        "ultrawork: UNVERIFIED. The agent still claims success, but make test fails, as it did before"
    )
    assert done.exit == 3


def test_an_honest_fix_in_claude_p_exits_with_its_pass(newest, project):
    ulw.make(str(project), PYTHON)
    seat = newest(ulw.script([ulw.FIX]))
    options = ["--plugin-dir", PLUGIN, "--permission-mode", OPEN]
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


ESCAPES = f"""{ulw.FIXED}
try:
    open(__import__("os").path.expanduser("~/escaped"), "w")
except OSError:
    pass
"""
FIX = sh(f"cat > book.py <<'END_OF_FILE'\n{ulw.FIXED}END_OF_FILE")
ESCAPING = sh(f"cat > book.py <<'END_OF_FILE'\n{ESCAPES}END_OF_FILE")
# Test folders lie below /tmp, which Codex would let its shell write.
TIGHT = (
    "-c", "sandbox_workspace_write.exclude_slash_tmp=true",
    "-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true",
)  # fmt: skip


@pytest.mark.parametrize("goal", rows_of([GOAL, f"ulw {GOAL}"], in_ci=[f"ulw {GOAL}"]))
def test_what_codex_wrote_is_checked_in_the_sandbox_that_the_command_asked_for(installed, home, goal):
    """Whether or not a session was switched on: hooks that nobody trusted are skipped without a word."""
    seat = installed([ESCAPING])
    done = ulw.run_with(seat, "exec", "--sandbox", "workspace-write", *TIGHT, goal)
    assert (done.exit, done.out.splitlines()[-1]) == (0, "ultrawork: PASS")
    assert not (home / "escaped").exists()


def test_a_run_of_codex_that_leaves_no_record_is_held_to_the_strictest_sandbox(installed, home):
    seat = installed([ESCAPING])
    argv = ["exec", "--ephemeral", "--sandbox", "workspace-write", *TIGHT]
    done = ulw.run_with(seat, *argv, GOAL)
    assert done.exit == 3
    assert "Codex's read-only sandbox" in done.out
    assert not (home / "escaped").exists()


def read_unattended_example():
    """The command that the page shows for unattended runs, word by word."""
    with open(f"{REPOSITORY}/docs/how-to/codex.md", encoding="utf-8") as file:
        section = file.read().partition("## Unattended")[2]
    line = next(one for one in section.splitlines() if one.startswith("ultrawork with codex"))
    return shlex.split(line)[3:]


@pytest.mark.parametrize("trust", [[], pytest.param(["--dangerously-bypass-hook-trust"], marks=pytest.mark.release)])
def test_the_unattended_example_of_the_page_works_with_the_defaults_of_codex(installed, trust):
    first, *rest = read_unattended_example()
    done = ulw.run_with(installed([FIX]), first, *trust, *rest)
    assert (done.exit, done.out.splitlines()[-1]) == (0, "ultrawork: PASS")


FORBIDS = "Codex's read-only sandbox forbids edits; use codex --sandbox workspace-write"
TRUSTED = "--dangerously-bypass-hook-trust"


@pytest.mark.parametrize("trust", [[], pytest.param([TRUSTED], marks=pytest.mark.release)])
def test_in_the_default_sandbox_of_codex_exec_the_last_line_names_it(installed, trust):
    """And nothing is sent back: what the agent is asked for it cannot do there."""
    seat = installed([FIX])
    done = ulw.run_with(seat, "exec", *trust, f"ulw {GOAL}")
    assert (done.exit, done.out.splitlines()[-1]) == (3, f"ultrawork: UNVERIFIED. {FORBIDS}")
    assert not any("ultrawork: sent back" in one["last"] for one in seat.model.requests)


def test_an_agent_that_may_write_nothing_may_say_that_it_is_blocked(installed):
    seat = installed([], "I can write no file.\nBLOCKED: the folder is read-only")
    done = ulw.run_with(seat, "exec", TRUSTED, f"ulw {GOAL}")
    why = "The agent reports that it is blocked: the folder is read-only"
    assert (done.exit, done.out.splitlines()[-1]) == (3, f"ultrawork: UNVERIFIED. {why}")
    assert len(seat.model.requests) == 1
