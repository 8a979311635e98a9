"""
What the earlier toolbox did, case by case, against ours.

Decisions, files and values are compared, words are not. `differences.toml` lists where we differ, and
why; a case that is listed there and agrees after all fails, so that the list stays true.
"""

import json
import os
import re
import time
import tomllib

import pytest

from ultrawork.core.errors import UltraworkError
from ultrawork.mcp import table
from ultrawork.mcp import tool as mcp_tool
from ultrawork.mcp.call import ToolCall
from ultrawork.mcp.environment import ToolEnvironment
from ultrawork.store.omc import states
from ultrawork.store.omc.folder import Omc

HERE = os.path.dirname(os.path.abspath(__file__))
REASON = re.compile(r"^(law [1-8]|document (00\d|on \w+)|defect): .{20,}")


def load(area):
    with open(f"{HERE}/cases/{area}", encoding="utf-8") as file:
        return [{**case, "area": area.removesuffix(".json")} for case in json.load(file)]


with open(f"{HERE}/differences.toml", "rb") as file:
    TABLE = tomllib.load(file)
DIFFERENT = TABLE["differences"]
CASES = [case for area in sorted(os.listdir(f"{HERE}/cases")) for case in load(area)]


class Folder:
    """A worktree with the files of a case; placeholders of time and place are filled in."""

    def __init__(self, path, now):
        self.path = path
        self.now = now
        self.environment = ToolEnvironment({"HOME": str(path), "ULTRAWORK_HOME": f"{path}/.home"}, str(path))
        self.omc = Omc(str(path))

    def filled(self, value):
        if isinstance(value, dict):
            return {key: self.filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if value == "<NOW_MS>":
            return round(self.now * 1000)
        return self.text(value) if isinstance(value, str) else value

    def text(self, value):
        value = value.replace("<DIR>", str(self.path)).replace("<TMPDIR>", str(self.path))
        stamp = time.strftime("%Y-%m-%d %H:%M", time.gmtime(self.now))
        old = time.strftime("%Y-%m-%d %H:%M", time.gmtime(self.now - 10 * 86400))
        return value.replace("<NOW_MINUTE-10d>", old).replace("<NOW_MINUTE>", stamp)

    def write(self, files):
        for name, content in self.filled(files).items():
            path = os.path.join(self.path, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content if isinstance(content, str) else json.dumps(content))

    def read(self, name):
        path = os.path.join(self.path, name)
        if not os.path.exists(path):
            return "<deleted>"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        return json.loads(text) if name.endswith(".json") else text


def group_case(case, folder):
    if case["fn"] == "parseDisabledGroups":
        words = case["args"][0] if case["args"] else "lsp,ast"
        return sorted(table.parse_disabled(words)) == sorted(case["expect"])
    given = case["args"][0] if case["args"] else {}
    off = {name.removeprefix("include").lower() for name, on in given.items() if not on}
    off |= set(table.GROUPS) - set(DOCUMENTED)
    return {tool.name for tool in table.ToolTable(off).list_tools()} == set(case["expect"])


DOCUMENTED = ("lsp", "ast", "python", "notepad", "state", "memory", "trace", "skills")


def called(folder, name, given):
    tool = table.ToolTable(set()).find(name)
    call = ToolCall(name, given, folder.environment)
    call.arguments = mcp_tool.check_arguments(given, tool.properties, tool.required, tool.other_names)
    return tool.run(call)


def state_case(case, folder):
    expect = case["expect"]
    if case["fn"] == "state_write twice":
        for given in case["args"]:
            called(folder, "state_write", given)
        state = states.read(folder.omc, "team")
        return all(key not in state for key in expect["second_write_loses"])
    try:
        text = called(folder, case["fn"], folder.filled(case["args"][0]))
    except UltraworkError:
        return expect["error"]
    shown = text.partition("\n")[2]
    return (
        not expect["error"]
        and all(same_state(folder.read(n), folder.filled(v)) for n, v in expect["changed"].items())
        and ("state" not in expect or json.loads(shown) == expect["state"])
        and ("modes" not in expect or re.findall(r"^(\w+):", text, re.MULTILINE) == expect["modes"])
        and ("active" not in expect or ("active in shared" in text) is expect["active"])
    )


def same_state(ours, theirs):
    """Ours says in the state whose it is, and when in our form of time."""
    if not isinstance(ours, dict) or not isinstance(theirs, dict):
        return ours == theirs
    ours = {key: value for key, value in ours.items() if key != "session_id" or key in theirs}
    times = {"updatedAt": None}
    return {**ours, "_meta": {**ours["_meta"], **times}} == {**theirs, "_meta": {**theirs["_meta"], **times}}


AREAS = {"tool_groups": group_case, "state_tools": state_case}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_we_agree_with_the_earlier_toolbox_or_say_why_not(case, tmp_path):
    folder = Folder(tmp_path, time.time())
    folder.write(case.get("files", {}))
    assert AREAS[case["area"]](case, folder) is not bool(case["id"] in DIFFERENT)


def test_every_difference_has_a_reason_and_a_case():
    known = {case["id"] for case in CASES}
    assert [name for name in DIFFERENT if name not in known] == []
    assert [name for name, why in DIFFERENT.items() if not REASON.match(why)] == []
