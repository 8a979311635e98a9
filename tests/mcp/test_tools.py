"""Each family of tools, asked through the server."""

import json
import os
import re

import pytest

from support import conformance
from ultrawork.codeintel import astgrep
from ultrawork.core.modes import modes
from ultrawork.features.notepad import tools as notepad
from ultrawork.features.notepad.store import TITLES
from ultrawork.mcp.call import THREADS
from ultrawork.mcp.table import GROUPS, ToolTable
from ultrawork.mcp.tools import ast, memory, trace
from ultrawork.report import timeline
from ultrawork.store import checkouts
from ultrawork.store.omc import memory as stored_memory
from ultrawork.store.paths import Home

DOCUMENTED = {"lsp": 12, "ast": 2, "python": 1, "notepad": 6, "state": 5, "memory": 4, "trace": 2, "skills": 3}


def test_the_35_tools_of_the_document_are_there():
    assert {group: len(GROUPS[group]) for group in DOCUMENTED} == DOCUMENTED
    assert sum(DOCUMENTED.values()) == 35


def test_every_tool_lives_in_the_family_and_queue_that_the_table_names():
    for tool in ToolTable(set()).list_tools():
        assert tool.queue in THREADS
        assert set(tool.other_names.values()) <= set(tool.properties)


def test_words_that_are_listed_twice_are_the_same():
    assert set(ast.LANGUAGES) == set(astgrep.LANGUAGES)
    assert set(memory.SECTIONS) - {"all"} == set(stored_memory.SECTIONS)
    assert memory.PRIORITIES == stored_memory.PRIORITIES
    assert set(notepad.SECTIONS) - {"all"} == set(TITLES)
    assert trace.FILTERS == timeline.FILTERS


def test_the_notepad_from_first_note_to_pruning(client):
    assert client.text("notepad_read") == "the notepad is empty"
    assert client.text("notepad_write_priority", content="look here") == "written"
    assert client.text("notepad_write_working", content="## tried\nthis") == "added to working"
    assert client.text("notepad_write_manual", content="keep") == "added to manual"
    assert client.text("notepad_read", section="priority") == "look here"
    assert client.text("notepad_read", section="working").endswith("## tried\nthis")
    assert "keep" in client.text("notepad_read")
    assert client.text("notepad_prune", daysOld=7) == "0 pruned, 1 remaining"
    stats = json.loads(client.text("notepad_stats"))
    assert (stats["prioritySize"], stats["workingMemoryEntries"]) == (9, 1)
    assert "shorten it to 500" in client.text("notepad_write_priority", content="x" * 501)


def test_the_state_of_a_mode_from_first_write_to_clearing(client):
    assert client.text("state_read", mode="ralph").startswith("no state of ralph")
    client.text("state_write", mode="ralph", active=True, session_id="a", state={"iteration": 1, "own": 2})
    client.text("state_write", mode="ralph", iteration=3, sessionId="a", data={"iteration": 9})
    text = client.text("state_read", mode="ralph", session_id="a")
    state = json.loads(text.partition("\n")[2])
    assert (state["active"], state["iteration"], state["own"]) == (True, 3, 2)
    assert client.text("state_list_active") == "ralph: a"
    assert client.text("state_list_active", session_id="b") == "no mode is active"
    assert client.text("state_get_status", mode="ralph", session_id="a").startswith("ralph: active in a; .omc/")
    assert len(client.text("state_get_status").splitlines()) == len(modes.ALL) - 1
    assert client.text("state_clear", mode="ralph", session_id="a") == "cleared state of ralph for session a"
    assert client.text("state_list_active") == "no mode is active"


def test_without_a_session_id_the_clients_own_session_is_meant(serve):
    client = serve(CLAUDE_CODE_SESSION_ID="mine")
    client.text("state_write", mode="team", active=True)
    assert client.text("state_list_active") == "team: mine"


def test_a_session_named_in_the_call_is_meant_before_that_of_the_environment(serve):
    client = serve(CLAUDE_CODE_SESSION_ID="mine")
    meta = {"x-codex-turn-metadata": {"session_id": "theirs"}}
    client.wait(client.start_call("state_write", _meta=meta, mode="team", active=True))
    assert client.text("state_list_active") == "team: theirs"


def test_a_state_that_all_sessions_see_is_said_so(client):
    assert "every session sees it" in client.text("state_write", mode="team", active=True)
    assert client.text("state_list_active") == "team: shared"


def test_the_project_memory_from_nothing_to_directives(client):
    assert client.text("project_memory_read") == "nothing is recorded for this project yet"
    client.text("project_memory_write", memory={"build": {"testCommand": "make test"}}, merge=True)
    client.text("project_memory_add_note", category="env", content="needs Docker")
    client.text("project_memory_add_directive", directive="no new dependencies", priority="high")
    assert json.loads(client.text("project_memory_read", section="build"))["testCommand"] == "make test"
    assert "needs Docker" in client.text("project_memory_read", section="notes")
    assert "no new dependencies" in client.text("project_memory_read", section="directives")


def test_skills_of_the_project_and_of_the_person(client):
    folder = os.path.join(client.place, ".omc", "skills")
    os.makedirs(folder)
    with open(os.path.join(folder, "a.md"), "w") as file:
        file.write("---\nname: Own Skill\ndescription: about it\ntriggers: [x]\n---\nbody\n")
    with open(os.path.join(folder, "b.md"), "w") as file:
        file.write("no head\n")
    text = client.text("load_omc_skills_local")
    assert text.startswith("own-skill (project) Own Skill: about it [x]")
    assert "unusable: Missing YAML frontmatter" in text
    assert client.text("list_omc_skills", projectRoot=client.place).startswith(text)
    assert client.text("list_omc_skills", name="Own Skill") == "body"
    assert client.text("load_omc_skills_local", name="own-skill") == "body"


def test_every_skill_and_agent_of_the_catalogue_is_listed_and_loaded_by_its_name(client):
    assert client.text("load_omc_skills_local") == "no skills"
    listed = client.text("list_omc_skills").splitlines()
    assert listed == client.text("load_omc_skills_global").splitlines()
    names = conformance.rows(conformance.CATALOGUE)
    wanted = {f"{name} ({kind[:-1]})" for kind in ("agents", "skills") for name in names[kind]}
    assert wanted <= {line.partition(":")[0] for line in listed}
    assert "a test that you saw fail first" in client.text("list_omc_skills", name="test-driven-development")
    assert client.text("load_omc_skills_global", name="ultrawork:architect")


def test_a_skill_that_is_not_there_is_refused_with_the_nearest(client):
    assert "did you mean deepsearch?" in client.refusal("list_omc_skills", name="deepserch")
    assert "call list_omc_skills to see all" in client.refusal("load_omc_skills_local", name="plan")


def test_a_trace_needs_a_session(client):
    assert client.refusal("trace_timeline") == "the client did not name a session; pass sessionId"
    assert client.text("trace_timeline", sessionId="s").startswith("this session has no trace")
    assert "is not a session id" in client.refusal("trace_summary", sessionId="../x")


def repl(client, action="execute", **more):
    return client.text("python_repl", action=action, researchSessionID="s", **more)


def test_a_python_session_keeps_its_state_until_it_is_reset(client):
    assert repl(client, code="x = 20\nx + 1").startswith("21\n(")
    assert repl(client, code="print('hi'); x").startswith("hi\n20\n(")
    assert "ZeroDivisionError" in repl(client, code="1 / 0")
    assert re.search(r"3 runs, 1 variables\nx: int = 20$", repl(client, "get_state"))
    assert repl(client, "interrupt") == "nothing is running"
    assert repl(client, "reset") == "session s is new"
    assert "NameError" in repl(client, code="x")


def test_a_python_session_is_stopped_at_its_limit_and_keeps_its_state(client):
    text = repl(client, code="x = 1\nwhile True: pass", executionTimeout=300)
    assert "stopped after 0.3 s; the state is kept" in text
    assert repl(client, code="x").startswith("1\n")


def test_an_interrupt_gets_through_while_every_thread_of_the_queue_is_busy(client):
    repl(client, code="x = 7")
    for _ in range(14):
        client.start_call(
            "python_repl",
            action="execute",
            researchSessionID="s",
            code="import time; time.sleep(60)",
            queueTimeout=600_000,
        )
    for _ in range(14):
        while not repl(client, "get_state").startswith("running"):
            pass
        assert repl(client, "interrupt") == "interrupted; the state is kept"
    assert repl(client, code="x").startswith("7\n")


def test_code_is_needed_to_execute(client):
    text = client.refusal("python_repl", action="execute", researchSessionID="s")
    assert text == "execute needs code; pass it as `code`"


def test_without_a_language_server_it_is_said_never_no_problems(client):
    for name in ("a.go", "b.go"):
        with open(os.path.join(client.place, name), "w") as file:
            file.write("package main\n")
    missing = "no Go language server is installed; install one: `go install golang.org/x/tools/gopls@latest`"
    place = {"file": "a.go", "line": 1, "character": 0}
    assert client.refusal("lsp_diagnostics", file="a.go") == missing
    assert client.refusal("lsp_hover", **place) == missing
    assert client.refusal("lsp_rename", newName="x", **place) == missing
    folder = client.refusal("lsp_diagnostics_directory", directory=".")
    assert folder == f"not checked: 2 files: {missing}"
    assert "Go: none; install with go install" in client.text("lsp_servers")


def test_without_ast_grep_it_is_said_how_to_get_it(client):
    text, failed = client.call("ast_grep_search", pattern="f($A)", language="python")
    if not failed:
        pytest.skip("ast-grep is installed beside this interpreter")
    assert re.search(r"-m pip install --target \S+/state/extras/3\.\d+ ast-grep-py$", text)


def test_a_program_of_the_checkout_is_run_only_once_the_person_said_so_and_never_confined(client):
    folder = os.path.join(client.place, ".venv", "bin")
    os.makedirs(folder)
    trap = os.path.join(folder, "pylsp")
    with open(trap, "w") as file:
        file.write(f"#!/bin/sh\ntouch {client.place}/ran\n")
    os.chmod(trap, 0o755)
    with open(os.path.join(client.place, "a.py"), "w") as file:
        file.write("x = 1\n")
    meta = {"x-codex-turn-metadata": {"sandbox_mode": "workspace-write"}}
    number = client.start_call("lsp_diagnostics", _meta=meta, file="a.py")
    text = client.wait(number)["result"]["content"][0]["text"]
    assert text.startswith("no Python language server is installed")
    assert not os.path.exists(f"{client.place}/ran")
    assert client.refusal("lsp_diagnostics", file="a.py") == (
        ".venv/bin/pylsp is part of this checkout, and starts only after the user allows it: ulw gates allow"
    )
    assert not os.path.exists(f"{client.place}/ran")
    state = Home(f"{os.path.dirname(client.place)}/state")
    checkouts.say(state, os.path.realpath(client.place), checkouts.KNOWN)
    client.refusal("lsp_diagnostics", file="a.py")
    assert os.path.exists(f"{client.place}/ran")
