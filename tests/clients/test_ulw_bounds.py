"""It is never in the way for long, and never when something is wrong with itself. On the newest client."""

import os
import sys

import pytest

from support import clients, ulw
from support.claude import Claude
from support.effort import rows_of
from support.scene import QUICK
from support.ulw import FIX, GOAL, OPEN, PYTHON, WORDS, put, script, sh

pytestmark = pytest.mark.client

IMPATIENT = {**QUICK, "ultrawork.toml": "[stop]\ncooldown = 0\n[tests]\nflaky_reruns = 0\n"}
UNUSABLE = {
    "without Python": {"ULTRAWORK_PYTHON": "/nowhere/python"},
    "a home that cannot be written": {"ULTRAWORK_HOME": "/proc/1/ultrawork"},
}
DEFECTS = ["hooks/stop/handlers.py", "hooks/main.py", "core/stop/rules.py"]
GROWN = """\
import glob, json, os
line = json.dumps({"type": "user", "text": "x" * 100_000}) + "\\n"
for path in glob.glob(os.path.expanduser("~/.claude/projects/*/*.jsonl")):
    with open(path, "a") as file:
        for _ in range(2000):
            file.write(line)
"""


@pytest.fixture
def client(seat_at):
    program = clients.program(clients.CLAUDE)
    return lambda rules, **options: seat_at(Claude, program, rules, **options)


@pytest.fixture
def python(project):
    ulw.make(str(project), PYTHON)
    return project


@pytest.mark.release
def test_it_is_never_sent_back_more_than_eight_times(client, project):
    ulw.make(str(project), IMPATIENT)
    wrong = (put("app.txt", f"wrong {number}\n") for number in range(12))
    replies = [step for one in wrong for step in (one, {"text": WORDS})]
    told = ulw.go(client([{"match": {"agent": "main"}, "replies": replies, "after": "repeat"}]), "ulw change the words")
    assert len(told.refusals) == 8
    assert told.verdict.startswith("ultrawork: UNVERIFIED. Sent back 8 times, so the agent was allowed to stop.")


@pytest.mark.parametrize("name", UNUSABLE)
def test_where_it_cannot_work_it_says_so_and_the_session_goes_on(client, python, name):
    told = ulw.go(client(script([FIX])), env=UNUSABLE[name])
    assert (told.run.exit, told.run.result) == (0, WORDS)
    said = [call.answer.get("systemMessage", "") for call in told.run.hooks_of("UserPromptSubmit")]
    assert said[0].startswith("ultrawork: not on. ")
    assert told.answers == []


@pytest.mark.parametrize("module", rows_of(DEFECTS, in_ci=["core/stop/rules.py"]))
def test_a_hook_with_a_defect_lets_the_session_go_on(client, python, tmp_path, module):
    plugin = ulw.release(f"{tmp_path}/plugin")
    with open(f"{plugin}/src/ultrawork/{module}", "w", encoding="utf-8") as file:
        file.write("raise RuntimeError('a defect')\n")
    run = client(script([])).run(f"ulw {GOAL}", plugins=[plugin], mode=OPEN)
    assert (run.exit, run.result) == (0, WORDS)
    assert not any(call.answer.get("decision") for call in run.hooks_of("Stop"))


def test_a_huge_transcript_is_no_obstacle(client, python):
    told = ulw.go(client(script([sh(f"python3 - <<'END'\n{GROWN}END"), FIX])))
    assert told.refusals == []
    assert told.verdict.startswith("ultrawork: PASS")


def test_without_git_it_still_verifies(client, python, tmp_path):
    told = ulw.go(client(script([FIX]), env={"PATH": without_git(tmp_path / "programs")}))
    assert told.refusals == []
    assert told.verdict.startswith("ultrawork: PASS")


def without_git(folder):
    """Every program of this machine but git."""
    folder.mkdir()
    os.symlink(os.path.realpath(sys.executable), folder / "python3")
    for place in os.environ["PATH"].split(":"):
        for name in os.listdir(place) if os.path.isdir(place) else ():
            if not name.startswith(("git", "python")) and not os.path.lexists(folder / name):
                os.symlink(f"{place}/{name}", folder / name)
    return str(folder)
