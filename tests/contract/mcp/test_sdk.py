"""The official clients as judges: every family called through mcp 1.x and 2.x."""

import fcntl
import json
import os
import shutil
import subprocess
import sys

import pytest

from ultrawork.cli.verbs_table import VERBS
from ultrawork.mcp.server import VERSIONS
from ultrawork.mcp.table import GROUPS
from ultrawork.testing.clients import tools_folder
from ultrawork.testing.floor import PATH, REPOSITORY

pytestmark = pytest.mark.slow

HERE = os.path.dirname(os.path.abspath(__file__))
SDKS = {"1": "mcp>=1.30,<2", "2": "mcp>=2.3,<3"}
DIRECT = f"""
import os, sys
sys.path.insert(0, {REPOSITORY + "/src"!r})
from ultrawork.mcp.room import Room
from ultrawork.mcp.server import Server
Server(Room(os.environ, os.getcwd()), "0").serve()
os._exit(0)
"""
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


def interpreter(version):
    """The Python of a scratch environment that holds this SDK."""
    folder = os.path.join(tools_folder(), "mcp", f"sdk{version}")
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(f"{folder}/ready"):
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=120)
            pip = [f"{folder}/bin/pip", "install", "-q", SDKS[version]]
            subprocess.run(pip, check=True, timeout=600, capture_output=True)
            with open(f"{folder}/ready", "w"):
                pass
    return f"{folder}/bin/python"


def judged(version, tmp_path, calls, **env):
    top = tmp_path / "project"
    (top / ".git").mkdir(parents=True)
    home = tmp_path / "state" / "cache"
    home.mkdir(parents=True)
    (home / "python").write_text(f"{sys.executable}\n")
    direct = [sys.executable, "-I", "-S", "-c", DIRECT]
    given = {
        "argv": [f"{REPOSITORY}/bin/ultrawork", "mcp"] if "mcp" in VERBS else direct,
        "env": {
            "PATH": PATH,
            "HOME": str(tmp_path),
            "ULTRAWORK_HOME": str(tmp_path / "state"),
            **env,
        },
        "cwd": str(top),
        "calls": calls,
    }
    done = subprocess.run(
        [interpreter(version), f"{HERE}/sdk_client.py"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("version", SDKS)
def test_an_official_client_lists_and_calls_every_family(version, tmp_path):
    seen = judged(version, tmp_path, CALLS)
    assert seen["version"] in VERSIONS
    assert "Lines count from 1" in seen["instructions"]
    assert seen["tools"] == [name for names in GROUPS.values() for name in names]
    texts = dict(zip((name for name, _ in CALLS), seen["results"], strict=True))
    assert texts["notepad_read"][0].endswith("kept")
    assert texts["state_list_active"] == ["ralph: s", False]
    assert texts["python_repl"][0].startswith("42\n")
    failed = [name for name, (_, wrong) in texts.items() if wrong]
    assert failed == ["lsp_hover", "ast_grep_search"]


@pytest.mark.parametrize("version", SDKS)
def test_an_official_client_gets_progress_and_switched_off_groups_are_gone(version, tmp_path):
    code = "import time; time.sleep(5.5)"
    calls = [("python_repl", {"action": "execute", "researchSessionID": "s", "code": code})]
    seen = judged(version, tmp_path, calls, ULTRAWORK_DISABLE_TOOLS="lsp")
    assert seen["progress"][0][2] == "python_repl is at work"
    assert not [name for name in seen["tools"] if name.startswith("lsp_")]
