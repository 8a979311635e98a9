"""The official clients as judges: every family called through mcp 1.x and 2.x."""

import json
import os
import subprocess

import pytest

from support.effort import rows_of
from support.toolbox import Seat
from support.toolchains import SDKS, sdk
from ultrawork.core.toolbox import SHORT
from ultrawork.mcp.server import VERSIONS

pytestmark = pytest.mark.slow

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = [
    ("notepad_write_manual", {"content": "kept"}),
    ("notepad_read", {"section": "manual"}),
    ("state_write", {"mode": "ralph", "active": True, "session_id": "s"}),
    ("state_list_active", {}),
    ("project_memory_add_note", {"category": "c", "content": "n"}),
    ("trace_timeline", {"sessionId": "s"}),
    ("list_omc_skills", {}),
    ("python_repl", {"action": "execute", "researchSessionID": "s", "code": "6 * 7"}),
    ("lsp_servers", {}),
    ("lsp_hover", {"file": "a.go", "line": 1, "character": 0}),
    ("ast_grep_search", {"pattern": "f($A)", "language": "cobol"}),
]


def judged(version, tmp_path, calls, **env):
    seat = Seat(str(tmp_path), env)
    given = {"argv": seat.argv, "env": seat.environ, "cwd": seat.place, "calls": calls}
    done = subprocess.run(
        [sdk(version), f"{HERE}/sdk_client.py"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("version", rows_of(SDKS, in_ci=["2"]))
def test_an_official_client_lists_and_calls_every_family(version, tmp_path):
    seen = judged(version, tmp_path, CALLS)
    assert seen["version"] in VERSIONS
    assert "Lines start at 1" in seen["instructions"]
    assert seen["tools"] == list(SHORT)
    texts = dict(zip((name for name, _ in CALLS), seen["results"], strict=True))
    assert texts["notepad_read"][0].endswith("kept")
    assert texts["state_list_active"] == ["ralph: s", False]
    assert texts["python_repl"][0].startswith("42\n")
    failed = [name for name, (_, wrong) in texts.items() if wrong]
    assert failed == ["lsp_hover", "ast_grep_search"]


@pytest.mark.parametrize("version", rows_of(SDKS, in_ci=["2"]))
def test_an_official_client_gets_progress_and_switched_off_groups_are_gone(version, tmp_path):
    code = "import time; time.sleep(8)"
    calls = [("python_repl", {"action": "execute", "researchSessionID": "s", "code": code})]
    seen = judged(version, tmp_path, calls, ULTRAWORK_DISABLE_TOOLS="lsp")
    assert seen["progress"][0][2] == "python_repl is running"
    assert not [name for name in seen["tools"] if name.startswith("lsp_")]
