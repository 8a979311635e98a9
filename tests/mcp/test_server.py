"""The protocol: what a client may send, and what it gets."""

import json
import os
import signal
import threading
import time

import pytest

from support.rows import until
from support.toolbox import ALL_TOOLS
from ultrawork.core.toolbox import FINDER, SHORT
from ultrawork.mcp.environment import ToolEnvironment
from ultrawork.mcp.server import VERSIONS, Server
from ultrawork.mcp.table import GROUPS
from ultrawork.mcp.tool import Tool

ALL = [name for names in GROUPS.values() for name in names]


def error(answer):
    return answer["error"]["code"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_known_version_is_agreed_on(client, version):
    answer = client.ask("initialize", {"protocolVersion": version})
    assert answer["result"]["protocolVersion"] == version


@pytest.mark.parametrize("version", ["2099-01-01", None, 7])
def test_an_unknown_version_is_answered_with_our_newest(client, version):
    answer = client.ask("initialize", {"protocolVersion": version})
    assert answer["result"]["protocolVersion"] == VERSIONS[0]


def test_the_server_says_what_it_is_and_how_it_is_used(client):
    result = client.ask("initialize", {})["result"]
    assert result["serverInfo"]["name"] == "ultrawork"
    assert result["capabilities"] == {"tools": {}}
    assert 100 < len(result["instructions"]) < 600


def test_the_probe_of_newer_clients_is_declined_so_that_they_fall_back(client):
    assert error(client.ask("server/discover", {})) == -32601


def test_a_ping_is_answered(client):
    assert client.ask("ping")["result"] == {}


@pytest.mark.parametrize("method", ["resources/list", "prompts/list", "tools/nope", "", "x" * 10_000])
def test_an_unknown_method_is_declined(client, method):
    assert error(client.ask(method)) == -32601


def test_every_tool_of_the_table_is_listed_and_small(client):
    answer = client.ask("tools/list")
    tools = answer["result"]["tools"]
    assert [tool["name"] for tool in tools] == ALL
    assert len(json.dumps(answer)) <= 25_000
    for tool in tools:
        assert 10 <= len(tool["description"]) <= 300
        assert tool["inputSchema"]["type"] == "object"
        assert set(tool["inputSchema"].get("required", [])) <= set(tool["inputSchema"]["properties"])


def test_a_client_that_sends_tools_whole_is_told_of_few_and_reaches_all_through_one(serve):
    client = serve("codex-mcp-client")
    answer = client.ask("tools/list")
    assert [tool["name"] for tool in answer["result"]["tools"]] == list(SHORT)
    assert len(json.dumps(answer, separators=(",", ":"))) <= 5_000
    assert FINDER in client.ask("initialize", {})["result"]["instructions"]
    found = client.text(FINDER, words="rename a symbol everywhere")
    assert "\nlsp_rename: " in found
    assert '"newName"' in found
    assert client.text(FINDER, words="zzz").startswith('no tool matches "zzz"; available: lsp_hover,')
    note = {"content": "found and called"}
    client.text(FINDER, name="notepad_write_manual", arguments=note)
    assert "found and called" in client.text(FINDER, name="notepad_read", arguments='{"section": "manual"}')
    assert client.refusal(FINDER, name="notepad_prune", arguments={"daysOld": 0}) == (
        'daysOld is "0"; give a number from 1 to 365'
    )
    assert client.text(FINDER).startswith("describe what you need; available: lsp_hover")
    answer = client.ask("tools/call", {"name": FINDER, "arguments": {"name": "notepad_raed"}})
    assert answer["error"]["message"] == 'no tool "notepad_raed"; did you mean notepad_read?'


@pytest.mark.parametrize("name", ["python_repl", "mcp__t__python_repl"])
def test_what_runs_code_is_reached_under_its_own_name_alone(client, name):
    given = {"action": "execute", "code": "print(6 * 7)"}
    told = client.refusal(FINDER, name=name, arguments=given)
    assert told == f'"{name}" runs code; call it directly by its own name'
    assert "python_repl" not in client.text(FINDER, words="run python code")


def test_what_is_switched_off_is_not_found_either(serve):
    client = serve("another", ULTRAWORK_DISABLE_TOOLS="lsp,python")
    names = [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]
    off = {*GROUPS["lsp"], *GROUPS["python"]}
    assert names == [name for name in SHORT if name not in off]
    assert "lsp_" not in client.text(FINDER, words="rename symbol hover")
    answer = client.ask("tools/call", {"name": FINDER, "arguments": {"name": "lsp_servers"}})
    assert answer["error"]["message"] == "lsp_servers is disabled by ULTRAWORK_DISABLE_TOOLS"


def test_one_that_dies_costs_its_calls_and_the_next_message_starts_another(serve):
    """Its waiting calls are answered, the list stays as long as the client's name makes it, losses are said."""
    client = serve(ALL_TOOLS)
    client.text("python_repl", action="execute", researchSessionID="s", code="x = 5")
    waiting = {"id": 0, **_sleep("other", 60)}
    client.send(waiting)
    client.text("notepad_read")
    first = client.worker
    os.kill(first, signal.SIGKILL)
    told = client.wait(0)["result"]
    assert told["isError"]
    assert told["content"][0]["text"].startswith("the toolbox crashed during this call")
    tools = client.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == ALL
    assert client.worker != first
    again = {"action": "execute", "researchSessionID": "s"}
    assert client.text("python_repl", **again, code="'x' in globals()").startswith(
        "session s is empty: its process ended and its variables were lost\nFalse\n"
    )
    assert client.text("python_repl", **again, code="1").startswith("1\n")
    assert "the toolbox exited with -9; 1 calls had no answer" in _log(client)


def test_an_interpreter_that_ended_between_two_calls_is_told_of(client):
    again = {"action": "execute", "researchSessionID": "s"}
    pid = int(client.text("python_repl", **again, code="import os; os.getpid()").splitlines()[0])
    os.kill(pid, signal.SIGKILL)
    until(lambda: not _alive(pid))
    assert client.text("python_repl", **again, code="2").startswith("session s is empty")
    assert client.text("python_repl", **again, code="2").startswith("2\n")


@pytest.mark.slow
def test_a_conversation_that_is_taken_up_later_is_told_what_its_session_lost(serve):
    again = {"action": "execute", "researchSessionID": "s", "code": "1"}
    for told in ("1\n", "session s is empty"):
        client = serve(CLAUDE_CODE_SESSION_ID="c-1")
        assert client.text("python_repl", **again).startswith(told)
        client.text("python_repl", action="get_state", researchSessionID="s").startswith("Python")
        client.close()
    client = serve(CLAUDE_CODE_SESSION_ID="c-2")
    assert client.text("python_repl", **again).startswith("1\n")


def test_groups_are_switched_off_by_the_environment(serve):
    client = serve(ULTRAWORK_DISABLE_TOOLS="lsp, AST,python-repl,nonsense")
    names = [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]
    off = {*GROUPS["lsp"], *GROUPS["ast"], *GROUPS["python"]}
    assert names == [name for name in ALL if name not in off]
    answer = client.ask("tools/call", {"name": "lsp_servers"})
    assert answer["error"]["message"] == "lsp_servers is disabled by ULTRAWORK_DISABLE_TOOLS"


def test_an_unknown_tool_is_an_error_of_the_protocol_with_a_hint(client):
    answer = client.ask("tools/call", {"name": "notepad_raed"})
    assert error(answer) == -32602
    assert answer["error"]["message"] == 'no tool "notepad_raed"; did you mean notepad_read?'


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "content is missing"),
        ({"content": 5}, 'content is "5", not a string'),
        ({"content": None}, "content is missing"),
        ({"content": ""}, "the content is empty; add a few words"),
        ({"content": "x" * 4001}, "content has 4,001 characters; at most 4,000"),
        ({"conten": "x"}, 'there is no argument "conten"; did you mean content?'),
    ],
)
def test_wrong_arguments_are_an_answer_with_one_sentence(client, arguments, sentence):
    assert client.refusal("notepad_write_manual", **arguments) == sentence


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"daysOld": 0}, 'daysOld is "0"; give a number from 1 to 365'),
        ({"daysOld": True}, 'daysOld is "True", not a whole number'),
        ({"daysOld": 1.5}, 'daysOld is "1.5", not a whole number'),
    ],
)
def test_numbers_are_checked(client, arguments, sentence):
    assert client.refusal("notepad_prune", **arguments) == sentence


def test_choices_are_checked_and_listed(client):
    assert client.refusal("state_read", mode="nope").startswith('mode is "nope"; known: autopilot,')


@pytest.mark.parametrize("params", [None, [], "x", 5, {"name": 5}, {"name": "ping", "arguments": []}])
def test_a_call_without_a_tool_is_declined(client, params):
    client.send({"id": "odd", "method": "tools/call", "params": params})
    assert error(client.wait("odd")) == -32602


def test_arguments_that_are_no_object_count_as_none(client):
    answer = client.ask("tools/call", {"name": "notepad_read", "arguments": [1]})
    assert answer["result"]["content"][0]["text"] == "the notepad is empty"


def test_the_id_of_a_request_comes_back_as_it_was(client):
    for key in ("a text", 0, -5, 2**40):
        client.send({"id": key, "method": "ping"})
        assert client.wait(key)["result"] == {}


@pytest.mark.parametrize("key", [True, [], {}, 1.5])
def test_an_id_of_another_kind_is_refused(client, key):
    client.send({"id": key, "method": "ping"})
    assert error(client.strays.get(timeout=60)) == -32600


def test_answers_to_questions_we_never_asked_are_passed_over(client):
    client.send({"id": 77, "result": {}})
    assert client.ask("ping")["result"] == {}


def test_a_batch_is_refused(client):
    client.raw(b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n')
    assert error(client.strays.get(timeout=60)) == -32600


def test_a_line_that_is_no_json_is_refused_and_the_next_one_served(client):
    client.raw(b'{"jsonrpc": "2.0", "id"\n\n\xff\xfe\n')
    assert error(client.strays.get(timeout=60)) == -32700
    assert error(client.strays.get(timeout=60)) == -32700
    assert client.ask("ping")["result"] == {}


def test_a_message_too_long_is_refused_and_not_kept(client):
    client.raw(b'{"jsonrpc":"2.0","id":1,"method":"ping","x":"' + b"y" * 30_000_000 + b'"}\n')
    answer = client.strays.get(timeout=30)
    assert answer["error"]["message"] == "a message can have at most 4,000,000 bytes"
    assert client.ask("ping")["result"] == {}
    assert client.memory < 25


def test_a_message_nested_absurdly_deep_is_refused(client):
    client.raw(b'{"jsonrpc":"2.0","id":1,"method":"ping","x":' + b"[" * 100 + b"]" * 100 + b"}\n")
    answer = client.strays.get(timeout=60)
    assert answer["error"]["message"] == "a message can be nested at most 64 levels deep"
    assert client.ask("ping")["result"] == {}


def test_a_running_request_is_not_mixed_up_with_another_of_the_same_id(client):
    client.send({"id": "twin", **_sleep("s", 1)})
    client.send({"id": "twin", "method": "tools/call", "params": {"name": "notepad_read"}})
    assert error(client.wait("twin")) == -32600


def _log(client):
    with open(f"{os.path.dirname(client.place)}/state/logs/mcp.log") as file:
        return file.read()


def _sleep(session, seconds):
    arguments = {"action": "execute", "researchSessionID": session, "code": f"import time; time.sleep({seconds})"}
    return {"method": "tools/call", "params": {"name": "python_repl", "arguments": arguments}}


def test_a_cancelled_call_is_not_answered_and_its_work_is_stopped(client):
    client.text("python_repl", action="execute", researchSessionID="s", code="x = 5")
    client.send({"id": "long", **_sleep("s", 60)})
    time.sleep(0.5)
    client.send({"method": "notifications/cancelled", "params": {"requestId": "long"}})
    text = client.text("python_repl", action="execute", researchSessionID="s", code="x")
    assert text.startswith("5\n")
    assert "long" not in client.answers
    assert "Traceback" not in _log(client)


@pytest.mark.parametrize("key", ["unknown", None, [], 5.5, True])
def test_cancelling_what_does_not_run_does_no_harm(client, key):
    client.send({"method": "notifications/cancelled", "params": {"requestId": key}})
    client.send({"method": "notifications/cancelled"})
    assert client.ask("ping")["result"] == {}


def test_a_slow_call_does_not_hold_up_others(client):
    for number in range(12):
        client.send({"id": f"slow{number}", **_sleep(f"s{number % 4}", 50)})
    assert client.text("notepad_read") == "the notepad is empty"
    assert not [key for key in client.answers if str(key).startswith("slow")]


@pytest.mark.slow
def test_slow_calls_of_one_family_run_beside_each_other(client):
    """Each waits for the others to have begun."""
    meet = "while len(glob.glob('begun-*')) < 3: time.sleep(0.02)"
    calls = [
        client.start_call(
            "python_repl",
            action="execute",
            researchSessionID=name,
            code=f"import glob, time; open('begun-{name}', 'w').close()\n{meet}\n'met'",
        )
        for name in ("s1", "s2", "s3")
    ]
    for number in calls:
        assert client.wait(number)["result"]["content"][0]["text"].startswith("'met'")


@pytest.mark.slow
def test_a_long_call_tells_the_client_that_it_is_at_work(client):
    number = client.start_call(
        "python_repl",
        _meta={"progressToken": "p1"},
        action="execute",
        researchSessionID="s",
        code="import time; time.sleep(8)",
    )
    client.wait(number)
    assert client.told
    params = client.told[0]["params"]
    assert client.told[0]["method"] == "notifications/progress"
    assert params["progressToken"] == "p1"
    assert params["message"] == "python_repl is running"


def test_without_a_token_no_progress_is_told(client):
    client.text("python_repl", action="execute", researchSessionID="s", code="1")
    assert client.told == []


class Strange(BaseException):
    """Like the panic of a native library: no Exception at all."""


class NoTable:
    """Broken in a place where no tool is."""

    def list_tools(self, **_):
        raise LookupError("no tools")


def test_a_defect_of_the_server_costs_one_answer(tmp_path):
    source, ours = os.pipe()
    theirs, target = os.pipe()
    environment = ToolEnvironment({"ULTRAWORK_HOME": str(tmp_path / "home")}, str(tmp_path))
    server = Server(environment, "0", source=source, target=target, table=NoTable())
    thread = threading.Thread(target=server.serve)
    thread.start()
    os.write(ours, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    assert json.loads(os.read(theirs, 10_000))["error"]["code"] == -32603
    os.write(ours, b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
    assert json.loads(os.read(theirs, 10_000))["result"] == {}
    os.close(ours)
    thread.join(60)
    for end in (source, theirs, target):
        os.close(end)


class OneTool:
    def __init__(self, run):
        self.run = run

    def list_tools(self, **_):
        return [self.find("dies")]

    def find(self, name):
        return Tool(name, "dies in some way", self.run)


def dying(problem):
    def run(call):
        raise problem

    return run


@pytest.mark.parametrize(
    "problem",
    [ValueError("odd"), Strange("panic"), SystemExit(3), KeyboardInterrupt(), MemoryError()],
    ids=lambda problem: type(problem).__name__,
)
def test_a_tool_that_dies_of_anything_is_an_answer_and_the_rest_goes_on(problem, tmp_path):
    source, ours = os.pipe()
    theirs, target = os.pipe()
    environment = ToolEnvironment({"HOME": str(tmp_path), "ULTRAWORK_HOME": str(tmp_path / "home")}, str(tmp_path))
    server = Server(environment, "0", source=source, target=target, table=OneTool(dying(problem)))
    thread = threading.Thread(target=server.serve)
    thread.start()
    os.write(ours, b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dies"}}\n')
    answer = json.loads(os.read(theirs, 10_000))
    assert answer["result"]["isError"]
    assert type(problem).__name__ in answer["result"]["content"][0]["text"]
    assert "Traceback" in (tmp_path / "home" / "logs" / "mcp.log").read_text()
    os.write(ours, b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
    assert json.loads(os.read(theirs, 10_000)) == {"jsonrpc": "2.0", "id": 2, "result": {}}
    for end in (ours, theirs):
        os.close(end)
    thread.join(60)
    for end in (source, target):
        os.close(end)


def test_a_client_that_reads_no_more_does_not_keep_the_server(tmp_path):
    source, ours = os.pipe()
    theirs, target = os.pipe()
    os.close(theirs)
    environment = ToolEnvironment({"ULTRAWORK_HOME": str(tmp_path / "home")}, str(tmp_path))
    server = Server(environment, "0", source=source, target=target)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    os.write(ours, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    thread.join(60)
    assert not thread.is_alive()
    for end in (source, ours, target):
        os.close(end)


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "link/passwd", "a\0b"])
def test_a_path_outside_the_worktree_is_refused_by_every_family(client, path):
    os.symlink("/etc", os.path.join(client.place, "link"))
    calls = [
        ("lsp_document_symbols", {"file": path}),
        ("lsp_diagnostics_directory", {"directory": path}),
        ("ast_grep_search", {"path": path, "pattern": "f()", "language": "python"}),
        ("python_repl", {"projectDir": path, "action": "get_state", "researchSessionID": "s"}),
        ("notepad_read", {"workingDirectory": path}),
        ("state_write", {"workingDirectory": path, "mode": "ralph"}),
        ("project_memory_write", {"workingDirectory": path, "memory": {}}),
        ("list_omc_skills", {"projectRoot": path}),
    ]
    for name, arguments in calls:
        assert "is outside the worktree" in client.refusal(name, **arguments)


def test_the_server_leaves_when_the_client_closes_its_end(client):
    assert client.close() == 0


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks into /proc")
@pytest.mark.parametrize("how", ["kill", "terminate", "close"])
def test_nothing_survives_the_server(client, how):
    pid = int(
        client.text("python_repl", action="execute", researchSessionID="s", code="import os; os.getpid()").splitlines()[
            0
        ]
    )
    client.send({"id": "long", **_sleep("s", 60)})
    if how == "close":
        client.close()
    else:
        getattr(client.process, how)()
        client.process.wait(60)
    end = time.monotonic() + 50
    while _alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    assert not _alive(pid)


def _alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_calls_leave_a_line_in_the_sessions_trace(serve, tmp_path):
    client = serve(CLAUDE_CODE_SESSION_ID="s-1")
    (tmp_path / "state" / "sessions" / "s-1").mkdir(parents=True)
    client.text("notepad_read")
    client.refusal("notepad_write_manual", content="")
    text = client.text("trace_timeline")
    assert "notepad_read" in text
    assert "notepad_write_manual" in text
    assert "failed" in text.splitlines()[1]
    assert "3 tool calls, 1 failed" in client.text("trace_summary")


def test_the_older_name_of_the_variable_counts_too(serve):
    client = serve(OMC_DISABLE_TOOLS="lsp", ULTRAWORK_DISABLE_TOOLS="ast")
    names = [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]
    assert names == [name for name in ALL if name not in {*GROUPS["lsp"], *GROUPS["ast"]}]
