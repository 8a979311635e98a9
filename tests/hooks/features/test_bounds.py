"""A link in `.omc` that leads out of the worktree: nothing outside is written, removed or told."""

import os
import shutil

import pytest

from support.scene import SESSION
from ultrawork.features.notepad import store as notepad

LINKS = (
    ".omc/state",
    ".omc/state/sessions",
    f".omc/state/sessions/{SESSION}",
    ".omc/state/sessions/other",
    ".omc/state/checkpoints",
    ".omc/state/plans",
    ".omc/logs",
    ".omc/notepads",
    ".omc/plans",
    ".omc/skills",
    ".omc/rules",
)
FILES = (
    ".omc/notepad.md",
    ".omc/project-memory.json",
    ".omc/boulder.json",
    ".omc/state/subagent-tracking.json",
    ".omc/state/ralph-state.json",
    f".omc/state/sessions/{SESSION}/told",
    f".omc/state/sessions/{SESSION}/rate-limit.json",
    f".omc/state/sessions/{SESSION}/last-tool-error.json",
    ".omc/logs/errors.jsonl",
    ".omc/rules/all.md",
    "AGENTS.md",
)
SECRET = "the-secret-of-somebody-else"


@pytest.fixture
def outside(tmp_path):
    """A folder of somebody else, with files of the names that are cleaned up, all of them old."""
    top = tmp_path / "outside"
    for folder in ("", "old", SESSION, "other"):
        (top / folder).mkdir(parents=True, exist_ok=True)
        for name in ("x.tmp", "told", "rate-limit.json", "checkpoint-1.json", "all.md", "p.md"):
            (top / folder / name).write_text(SECRET)
            os.utime(top / folder / name, (1, 1))
    (top / "empty").mkdir()
    return top


def tree(folder):
    return {str(path): path.is_file() and path.read_bytes() for path in folder.rglob("*")}


def lived(project):
    """Everything that a session can do; all that the model was told."""
    given = {"tool_response": {"stdout": "Python 3.11", "stderr": ""}}
    answers = [
        project.start(),
        project.prompt("Always use tabs. deploy across multiple files"),
        project.tool("Bash", {"command": "make test"}, **given),
        project.tool("Bash", {"command": "./x"}, ok=False, error="command not found"),
        project.tool("Read", project.file("app.txt")),
        project.before("Edit", project.file("app.txt")),
        project.tool("Edit", {**project.file("app.txt"), "new_string": "# now x\ny"}),
        project.tool("Write", {**project.file(".omc/plans/p.md"), "content": "- [ ] a\n"}),
        project.agent("a1"),
        project.tool("Edit", project.file("app.txt"), agent_id="a1", agent_type="executor"),
        project.agent("a1", event="SubagentStop", last_assistant_message="<remember>x</remember><learning>y</learning>"),
        project.event("StopFailure", error="rate_limit", last_assistant_message="try again in 2 hours"),
        project.event("PreCompact", trigger="auto"),
        project.start("compact"),
        project.stop("Done."),
        project.event("SessionEnd", reason="other"),
    ]  # fmt: skip
    return str(answers)


@pytest.fixture
def alone(project):
    project.environ["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
    project.write("CLAUDE.md", "Own words.\n")
    return project


@pytest.mark.parametrize("name", LINKS)
def test_a_folder_that_leads_out_is_left_alone(alone, outside, name):
    path = f"{alone.place}/{name}"
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(outside, path)
    before = tree(outside)
    assert SECRET not in lived(alone)
    assert tree(outside) == before


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_leads_out_is_left_alone(alone, outside, name):
    path = f"{alone.place}/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(outside / "all.md", path)
    before = tree(outside)
    assert SECRET not in lived(alone)
    assert tree(outside) == before


def test_the_folder_itself_may_not_lead_out(alone, outside):
    shutil.move(f"{alone.place}/.omc/features", outside / "features")
    shutil.rmtree(f"{alone.place}/.omc")
    os.symlink(outside, f"{alone.place}/.omc")
    before = tree(outside)
    lived(alone)
    assert tree(outside) == before


def test_links_inside_the_worktree_are_followed(alone):
    os.makedirs(f"{alone.place}/kept")
    os.symlink(f"{alone.place}/kept", f"{alone.place}/.omc/notepads")
    notepad.set_priority(alone.omc, "the port is 8081")
    assert "the port is 8081" in lived(alone)
