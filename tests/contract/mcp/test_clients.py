"""The real agent CLIs: a scripted model calls tools of each family and sees their answers."""

import json
import os
import shutil
import subprocess

import pytest

from support import clients, template, toolchains, ulw
from support.claude import Claude
from support.codex import Codex
from support.effort import rows_of
from support.floor import PLUGIN
from support.scripted_model import ScriptedModel
from ultrawork.core.toolbox import FINDER, SHORT

pytestmark = pytest.mark.client

PARTS = (
    ".claude-plugin",
    ".codex-plugin",
    ".mcp.json",
    "agents",
    "bin",
    "content",
    "hooks",
    "plugins",
    "skills",
    "src",
)
OURS = "mcp__plugin_ultrawork_t__"
LOST = "session k is empty: its process ended and its variables were lost"
CALLS = [
    ("notepad_write_manual", {"content": "from the client"}, "added to manual"),
    ("notepad_read", {"section": "manual"}, "from the client"),
    ("state_write", {"mode": "ralph", "active": True}, '"active": true'),
    ("state_list_active", {}, "ralph: "),
    ("project_memory_add_note", {"category": "env", "content": "needs Docker"}, "noted"),
    ("project_memory_read", {"section": "notes"}, "needs Docker"),
    ("list_omc_skills", {}, "deepsearch (skill): "),
    ("trace_summary", {}, "trace"),
    ("python_repl", {"action": "execute", "researchSessionID": "s", "code": "6 * 7"}, "42"),
    ("lsp_servers", {}, "Swift: "),
    ("lsp_hover", {"file": "a.py", "line": 1, "character": 0}, "int"),
    ("lsp_diagnostics", {"file": "a.py"}, "a.py:2:12 error"),
    ("ast_grep_search", {"pattern": "len($A)", "language": "python"}, "1 matches in 1 files"),
    ("lsp_document_symbols", {"file": "../outside.py"}, "is outside the worktree"),
]


@pytest.fixture
def plugin(tmp_path):
    """The plugin's own files, as a marketplace would copy them, without the checkout around them."""
    folder = tmp_path / "plugin"
    for part in PARTS:
        source = os.path.join(PLUGIN, part)
        if os.path.isdir(source):
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        elif os.path.exists(source):
            os.makedirs(folder, exist_ok=True)
            shutil.copy(source, folder / part)
    return str(folder)


@pytest.fixture
def places(tmp_path, monkeypatch):
    home, project = tmp_path / "home", tmp_path / "project"
    template.prepare_cache(f"{home}/.claude/ultrawork")
    extras = home / ".claude" / "ultrawork" / "extras"
    extras.mkdir()
    (extras / toolchains.VERSION).symlink_to(toolchains.extras())
    project.mkdir()
    (project / "a.py").write_text("number = len('word')\ntext: str = number\n")
    monkeypatch.setenv("PATH", f"{toolchains.python_servers()}:{os.environ['PATH']}")
    subprocess.run(["git", "init", "-q", project], check=True)
    return str(home), str(project)


DIES = "import os; x = 5; print('served by', os.getppid())"


def killing(prefix, shell, command):
    """A session in the toolbox gets a variable, its process is killed, the variable is asked for."""
    code = {"action": "execute", "researchSessionID": "k"}
    repl = prefix + "python_repl"
    return [
        {"tool": {"name": repl, "input": {**code, "code": DIES}}},
        {"tool": {"name": shell, "input": {command: "kill -9 {{last:served by ([0-9]+)}}"}}},
        {"tool": {"name": repl, "input": {**code, "code": "'x' in globals()"}}},
    ]


def script(replies):
    main = {"name": "main", "match": {"agent": "main"}, "after": "repeat"}
    return [{**main, "replies": [*replies, {"text": "all done"}]}]


def called(prefix, *, listed=None):
    """Each call by its name, or through the finder where the client is not told of it."""
    for name, given, _ in CALLS:
        if listed is None or name in listed:
            yield {"tool": {"name": prefix + name, "input": given}}
        else:
            asked = {"name": name, "arguments": given}
            yield {"tool": {"name": prefix + FINDER, "input": asked}}


def bodies(model):
    return [json.dumps(request.get("body") or {}, ensure_ascii=False) for request in model.requests]


def seen_next(model, wanted):
    """Whether a request of the client holds this text, escaped as JSON has it."""
    return any(
        json.dumps(wanted)[1:-1] in body or json.dumps(json.dumps(wanted)[1:-1])[1:-1] in body for body in bodies(model)
    )


@pytest.mark.parametrize("version", rows_of([clients.OLDEST_CLAUDE, clients.NEWEST], in_ci=[clients.NEWEST]))
def test_claude_code_calls_every_family_and_sees_the_answers(version, plugin, places):
    home, project = places
    program = clients.program(clients.CLAUDE, version)
    with ScriptedModel(script([*called(OURS), *killing(OURS, "Bash", "command")]), log_bodies=True) as model:
        seat = Claude(program, home=home, project=project, model=model)
        ran = seat.run("go", plugins=[plugin], allowed=["mcp__plugin_ultrawork_t", "Bash"])
    servers = next(event["mcp_servers"] for event in ran.events if event.get("subtype") == "init")
    assert {server["name"] for server in servers} == {f"plugin:ultrawork:{name}" for name in ("t", "x", "g")}
    # On a busy machine the client lists its servers before each has answered; the calls below need them all the same.
    assert {server["status"] for server in servers} <= {"connected", "pending"}
    assert ran.result == "all done"
    assert [wanted for _, _, wanted in CALLS if not seen_next(model, wanted)] == []
    with open(f"{project}/.omc/notepad.md") as file:
        assert "from the client" in file.read()
    assert os.listdir(f"{project}/.omc/state/sessions") == [ran.session]
    assert seen_next(model, LOST)


def told_of(model):
    """The tools of our toolbox and their size in a request: Codex sends each tool whole, under its server's name.
    On a busy machine its first requests go out before a server has answered."""
    bodies = [request["body"] for request in model.requests if request.get("body")]
    sent = [[tool for tool in body["tools"] if tool.get("name") == "mcp__t"] for body in bodies]
    own = next(tools for tools in sent if tools)
    return [tool["name"] for tool in own[0]["tools"]], len(json.dumps(own, separators=(",", ":")))


def test_codex_is_told_of_few_tools_calls_all_in_the_project_and_outlives_one_killed(places, tmp_path):
    home, project = places
    replies = [
        # Codex asks its model before a server has answered; by then ours has.
        {"tool": {"name": "exec_command", "input": {"cmd": "sleep 2"}}},
        {"tool": {"name": "mcp__t.find_tool", "input": {"words": "rename a symbol"}}},
        *called("mcp__t.", listed=SHORT),
        *killing("mcp__t.", "exec_command", "cmd"),
    ]
    with ScriptedModel(script(replies), log_bodies=True) as model:
        seat = Codex(clients.program(clients.CODEX), home=home, project=project, model=model)
        seat.install(ulw.marketplace(f"{tmp_path}/clone"), "ultrawork@ultrawork")
        ran = seat.run("go")
    assert ran.result == "all done"
    assert [wanted for _, _, wanted in CALLS if not seen_next(model, wanted)] == []
    with open(f"{project}/.omc/notepad.md") as file:
        assert "from the client" in file.read()
    assert len(os.listdir(f"{project}/.omc/state/sessions")) == 1
    names, size = told_of(model)
    assert sorted(names) == sorted(SHORT)
    assert size <= 6_000
    assert seen_next(model, "lsp_rename: ")
    assert seen_next(model, LOST)
    assert not seen_next(model, "Transport closed")
