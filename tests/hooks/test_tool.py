import json
import os

import pytest

from support.scene import SESSION

OURS = "ultrawork: do not edit files in the ultrawork state folder. Use ultrawork session, task or context"


def asked(scene, path, tool="Write", key="file_path", **data):
    return denied(scene, tool, {key: path}, **data)


def denied(scene, tool, given, **data):
    told = scene.event("PreToolUse", tool_name=tool, tool_input=given, **data)
    specific = told.get("hookSpecificOutput", {})
    assert specific.get("permissionDecision") in (None, "deny")
    return specific.get("permissionDecisionReason", "")


@pytest.fixture
def homely(armed):
    """The state folder is below HOME, where `~` leads."""
    return armed


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
def test_our_state_folder_is_not_edited_by_hand(armed, tool):
    assert asked(armed, f"{armed.home}/off/{SESSION}", tool) == OURS


@pytest.mark.parametrize(
    "path",
    [
        "{home}/off/new/deep/file",
        "{home}",
        "{home}/../state/off/x",
        "../state/off/x",
        "~/state/active/x",
        "{data}/active/x",
        "{place}/link/off/x",
        "{place}/link",
    ],
)
def test_no_way_of_writing_the_path_leads_in(armed, path):
    os.symlink(armed.home, f"{armed.place}/link")
    given = path.format(home=armed.home, place=armed.place, data=armed.data)
    assert asked(armed, given) == OURS


def test_a_link_to_one_of_our_files_leads_in_as_well(armed):
    os.symlink(f"{armed.home}/ultrawork.db", f"{armed.place}/innocent.txt")
    assert asked(armed, "innocent.txt", "Edit") == OURS


def test_notebooks_and_tools_of_servers_are_looked_at_too(armed):
    assert asked(armed, f"{armed.home}/x.ipynb", "NotebookEdit", "notebook_path") == OURS
    assert asked(armed, f"{armed.home}/x", "mcp__files__write_file", "path") == OURS
    assert asked(armed, f"{armed.home}/x", "mcp__files__move_file", "destination") == OURS
    assert asked(armed, f"{armed.home}/x", "mcp__files__read_file", "path") == ""


def test_a_call_through_the_finder_of_the_toolbox_is_looked_at_as_the_one_it_means(armed):
    given = {"path": f"{armed.home}/x"}
    armed.environ.pop("CLAUDE_CODE_SESSION_ID")
    for name, told in (("ast_grep_replace", OURS), ("ast_grep_search", "")):
        meant = {"name": name, "arguments": given}
        assert denied(armed, "mcp__t__find_tool", meant, turn_id="t") == told


@pytest.mark.parametrize("path", ["Makefile", "test_book.py", "ultrawork.toml", "{root}/statement", ""])
def test_everything_else_may_be_edited_gate_definitions_too(armed, path):
    assert asked(armed, path.format(root=armed.root)) == ""


def test_reading_our_state_is_nobodys_business(armed):
    assert asked(armed, f"{armed.home}/ultrawork.db", "Read") == ""


@pytest.mark.parametrize("given", [None, 3, {"file_path": 3}, {"file_path": "a\0b"}, [], {"file_path": ["x"]}])
def test_an_odd_input_is_let_by(armed, given):
    assert armed.event("PreToolUse", tool_name="Write", tool_input=given) == {}


def entries(scene):
    with open(f"{scene.home}/sessions/{SESSION}/trace.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_what_tools_did_is_written_down(armed):
    armed.tool("Bash", {"command": "make test"})
    armed.tool("Bash", {"command": "false"}, ok=False, error="exit 1")
    armed.tool("Read", {"file_path": "/a/b.py"}, agent_id="a7")
    good, bad, read = entries(armed)[-3:]
    assert (good["tool"], good["what"], good["ok"], good["ms"]) == ("Bash", "make test", True, 5)
    assert (bad["ok"], bad["error"]) == (False, "exit 1")
    assert (read["what"], read["agent"]) == ("/a/b.py", "a7")


def test_secrets_and_length_stay_out_of_the_trace(armed):
    armed.environ["DEPLOY_TOKEN"] = "tok-0123456789abcdef"
    armed.tool("Bash", {"command": "curl -H tok-0123456789abcdef https://x " + "y" * 5000})
    what = entries(armed)[-1]["what"]
    assert "tok-0123456789abcdef" not in what
    assert len(what) <= 520


def test_a_secret_on_the_cut_is_not_kept_by_half(armed):
    armed.tool("Bash", {"command": "y" * 480 + " ghp_" + "a1B2" * 9})
    assert "ghp_" not in entries(armed)[-1]["what"]


def test_an_endless_input_is_kept_short(armed):
    armed.tool("TodoWrite", {"todos": [{"content": "x" * 10_000, "status": "pending"}] * 500})
    with open(f"{armed.home}/sessions/{SESSION}/trace.jsonl", "rb") as file:
        assert max(map(len, file.readlines())) < 5000


def test_without_a_session_nothing_is_written(scene):
    scene.tool("Bash", {"command": "ls"})
    assert not os.path.exists(f"{scene.home}/sessions")


def warning(answer):
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def test_the_same_call_five_times_in_a_row_gets_one_warning(armed):
    told = [warning(armed.tool("Bash", {"command": "make test"})) for _ in range(8)]
    assert [bool(one) for one in told] == [False] * 4 + [True] + [False] * 3
    assert told[4] == (
        "ultrawork: the same call ran five times in a row with the same input: Bash make test."
        " Try another approach, or end with BLOCKED: why."
    )


def test_a_round_of_calls_gone_four_times_gets_one_warning(armed):
    told = []
    for _ in range(6):
        told += [warning(armed.tool("Bash", {"command": name})) for name in ("ls", "pwd")]
    assert [place for place, one in enumerate(told) if one] == [7]


def test_agents_are_not_counted_together(armed):
    told = [warning(armed.tool("Bash", {"command": "make test"}, agent_id=f"a{number % 2}")) for number in range(8)]
    assert not any(told)
