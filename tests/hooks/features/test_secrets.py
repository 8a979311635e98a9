"""A secret that comes along in a session is kept nowhere in the project."""

import os
import pathlib

import pytest

from ultrawork.store.omc import boulder

SHAPED = "gh" + "p_" + "a1B2" * 9
OWN = "correct-horse-battery-staple"


@pytest.mark.parametrize("secret", [SHAPED, OWN])
def test_a_secret_is_kept_in_no_file_and_told_to_nobody_again(project, secret):
    project.environ |= {"DEPLOY_TOKEN": OWN, "CLAUDE_CODE_SESSION_ATTENDED": "0"}
    project.write(".omc/plans/p.md", "- [x] a\n- [ ] b\n")
    boulder.begin(project.omc, ".omc/plans/p.md", "s", 1.0)
    words = f"<remember>x {secret}</remember><remember priority>y {secret}</remember>"
    project.prompt(f"Always use the token {secret} here.")
    for _ in range(5):
        project.tool("Bash", {"command": f"curl -H {secret} x"}, ok=False, error=f"bad {secret}")
    project.tool("Bash", {"command": f"npm test --token={secret}"}, tool_response={"stdout": ""})
    project.agent("a1", event="SubagentStop", last_assistant_message=f"{words}<learning>{secret}</learning>")  # fmt: skip
    project.event("PreCompact", trigger="auto")
    told = str([project.start("compact"), project.stop("Done.")])
    files = [path for path in pathlib.Path(project.place, ".omc").rglob("*") if path.is_file()]
    kept = [os.path.relpath(path, project.place) for path in files if secret in path.read_text()]
    assert kept == []
    assert secret not in told
    assert "[redacted " in (project.omc.read(project.omc.notepad) or "")
    assert "[redacted " in (project.omc.read(project.omc.memory) or "")
