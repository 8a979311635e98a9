"""The contract of an adapter, over every client: what the rest of the program may rely on."""

import inspect
import json
import os
import re
import time

import pytest

from support.floor import PLUGIN
from support.hook_files import FILES, WAKING
from ultrawork.clients.client import ClientAdapter
from ultrawork.clients.confinement import Confinement
from ultrawork.clients.find import NAMES, find_client, find_run_client, get_client
from ultrawork.clients.headless import table
from ultrawork.hooks.caller import find_self
from ultrawork.hooks.event import Event
from ultrawork.hooks.table import HANDLERS, WRITERS

SOURCE = f"{PLUGIN}/src/ultrawork"
# An event of each client, by what it is known by.
EVENTS = {
    "claude": ("Stop", {"session_id": "s", "transcript_path": "/x/t.jsonl"}, {"CLAUDE_CODE_SESSION_ID": "s"}),
    "codex": ("Stop", {"session_id": "s", "turn_id": "t"}, {}),
    "gemini": ("AfterAgent", {"session_id": "s", "hook_event_name": "AfterAgent"}, {}),
}  # fmt: skip
# Modules that name a client outside of `clients`, each with its reason.
NAMED = {
    "cli/headless/driver.py": "an example of --workers",
    "cli/help.py": "examples of programs, and the servers that ask Codex and Gemini",
    "cli/migration.py": "what plugins for Claude Code that came before us left there",
    "cli/verbs/doctor_context.py": "measures plugins in the one client that loads all their parts",
    "cli/verbs/doctor_surroundings.py": "the command that disables another plugin",
    "cli/verbs/here.py": "where to type the first task",
    "cli/verbs/install.py": "an example",
    "cli/verbs/mcp.py": "the servers that ask Codex and Gemini are called so",
    "cli/verbs/providers.py": "an example",
    "cli/verbs/review.py": "an example",
    "cli/verbs/session.py": "an example with the state folder",
    "cli/verbs/uninstall.py": "the folder that Claude Code keeps for each worktree",
    "cli/verbs/with_.py": "an example",
    "cli/verbs/worker.py": "examples of crews",
    "content/library.py": "folders in which people keep agents and skills",
    "core/agent_variables.py": "the table of variables that no program of a project gets; below all clients",
    "core/caller.py": "the table of programs that are agents; below all clients, and hot",
    "core/course/roles.py": "a prefix of names that older plugins used",
    "core/prompt/mode_request.py": "words that people type",
    "core/prompt/order_words.py": "words that people type",
    "core/routing/agent_calls.py": "files that the main agent may edit itself",
    "core/routing/catalogue_words.py": "words that people type",
    "core/registry.py": "the servers that ask Codex and Gemini are called so",
    "core/settings.py": "settings of these helpers",
    "core/reviews.py": "folders that a reviewer's probe may not name",
    "features/helpers/tools.py": "tools that ask Codex and Gemini",
    "features/helpers/values/helpers.py": "which helper is asked for what: Codex, Gemini",
    "hooks/prompt/handlers.py": "names of skills that older plugins used",
    "store/legacy.py": "a key of older sessions",
    "store/omc/skills.py": "a folder of the .omc format",
    "store/paths.py": "the state folder, variables of sessions and plugins, our manifest; below all clients, and hot",
}  # fmt: skip


def make_event(name, tmp_path, **more):
    event, data, environ = EVENTS[name]
    home = {"HOME": str(tmp_path), "ULTRAWORK_HOME": str(tmp_path / "state")}
    given = {"cwd": str(tmp_path), **data, **more}
    return Event(event, given, {**environ, **home}, time.time, find_self)


def test_no_module_outside_of_clients_names_one_without_a_reason():
    found = set()
    for folder, _, names in os.walk(SOURCE):
        for name in names:
            path = os.path.relpath(f"{folder}/{name}", SOURCE)
            if name.endswith(".py") and not path.startswith("clients/"):
                with open(f"{SOURCE}/{path}", encoding="utf-8") as file:
                    if re.search("claude|codex|gemini|opencode", file.read(), re.IGNORECASE):
                        found.add(path)
    assert found == set(NAMED)


@pytest.mark.parametrize("name", NAMES)
def test_each_client_has_an_adapter_and_a_headless_program_of_the_same_name(name):
    adapter = get_client(name)
    assert adapter.name == name
    assert table.get(name).name == name
    assert table.get(name).title == adapter.title
    assert adapter.one_shot.split()[0] == table.get(name).program
    assert find_run_client(f"/usr/bin/{name}") is adapter


@pytest.mark.parametrize("name", NAMES)
def test_an_adapter_changes_only_what_the_contract_has(name):
    contract = {one for one in dir(ClientAdapter) if not one.startswith("_")}
    own = {one for one in vars(type(get_client(name))) if not one.startswith("_")}
    assert own <= contract
    for one in own:
        meant, made = (getattr(adapter, one) for adapter in (ClientAdapter(), get_client(name)))
        if callable(meant):
            shapes = (len(inspect.signature(each).parameters) for each in (meant, made))
            assert len(set(shapes)) == 1, one


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_finds_its_client_and_has_our_name(name, tmp_path):
    event, data, environ = EVENTS[name]
    assert find_client(event, data, environ).name == name
    assert make_event(name, tmp_path).name == "Stop"


@pytest.mark.parametrize("name", EVENTS)
def test_the_names_of_events_lead_to_ours(name):
    assert set(get_client(name).events.values()) <= set(HANDLERS)


@pytest.mark.parametrize("name", EVENTS)
def test_every_question_has_an_answer_where_nothing_is_known(name, tmp_path):
    """No record, no settings: whoever asks gets the careful answer and no exception."""
    event = make_event(name, tmp_path)
    adapter, record = event.adapter, "/no/such/record"
    assert list(adapter.list_requests(record)) == []
    assert list(adapter.list_scheduled(record)) == []
    assert list(adapter.list_queued(record)) == []
    assert adapter.find_other_loop(record, str(tmp_path)) == ""
    assert adapter.read_agent_path(record) == ""
    assert adapter.list_ruled(event, ["make test"]) == []
    assert adapter.list_refusing(event) == []
    assert adapter.is_refused(event, "make test") is False
    assert adapter.is_attended(event) is False
    assert adapter.is_from_tool({}) is False
    assert adapter.read_mode(event)[1] is False
    assert adapter.find_way(event)
    held = adapter.find_confinement(event)
    assert adapter.is_sandboxed(event) is (held is not None)
    assert held is None or not held.program


# A command and a patch as each client reports them.
CALLS = {
    "claude": (("Bash", {"command": "make"}), ("Write", {"file_path": "a.py"})),
    "codex": (("Bash", {"command": "make"}), ("apply_patch", {"command": "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"})),
    "gemini": (("run_shell_command", {"command": "make"}), ("write_file", {"file_path": "a.py"})),
}  # fmt: skip


@pytest.mark.parametrize("name", EVENTS)
def test_what_runs_a_command_and_what_edits_a_file_are_known_under_our_names(name):
    shell, edit = (
        get_client(name).translate_call(data, json.dumps(data).encode())
        for data in ({"turn_id": "t", "tool_name": tool, "tool_input": given} for tool, given in CALLS[name])
    )
    assert (shell["tool_name"], shell["tool_input"]["command"]) == ("Bash", "make")
    assert edit["tool_name"] in WRITERS
    assert edit["tool_input"]["file_path"] == "a.py"


@pytest.mark.parametrize("name", EVENTS)
def test_a_refused_stop_stays_one(name, tmp_path):
    event = make_event(name, tmp_path)
    specific = {"hookEventName": "Stop", "additionalContext": "not yet"}
    output = event.adapter.fit_answer({"hookSpecificOutput": specific}, event)
    assert "not yet" in json.dumps(output)
    assert event.adapter.fit_answer({"decision": "block", "reason": "x"}, event)["decision"] == "block"  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_advice_can_be_typed(name):
    adapter = get_client(name)
    assert adapter.name_skill("ultrawork-exec") == f"{adapter.skill_sign}ultrawork:ultrawork-exec"


def test_codex_gets_advice_as_it_is_typed_there(tmp_path):
    event = make_event("codex", tmp_path)
    given = {"systemMessage": "resume it: /ultrawork:ultrawork-exec"}
    output = event.adapter.fit_answer(given, event)
    assert output == {"systemMessage": "resume it: $ultrawork:ultrawork-exec"}


@pytest.mark.parametrize("path", FILES)
def test_a_hook_file_is_as_it_ships_and_names_only_events_that_we_handle(path):
    with open(f"{PLUGIN}/{path}", encoding="utf-8") as file:
        assert json.load(file) == FILES[path]
    assert set(FILES[path]["hooks"]) <= {*HANDLERS, *WAKING}


TURN = "01a1ebfe"
STARTED = {"type": "event_msg", "payload": {"type": "task_started", "turn_id": TURN}}
OLD = {"type": "event_msg", "payload": {"type": "user_message", "message": "ulw sort names"}}
NEW = {"type": "event_msg", "payload": {"type": "item_completed", "turn_id": TURN, "item": {"type": "UserMessage", "content": [{"type": "text", "text": "ulw sort names"}]}}}  # fmt: skip
ENDS = {"continue": False, "stopReason": "on"}


@pytest.mark.parametrize("prompt", [OLD, NEW])
def test_an_answer_ends_a_turn_of_codex_only_before_its_first_prompt(tmp_path, prompt):
    """The second prompt of a turn was typed while the agent worked; to refuse it would end that work."""
    record = tmp_path / "rollout-1.jsonl"
    event = make_event("codex", tmp_path, turn_id=TURN, transcript_path=str(record))
    event.name = "UserPromptSubmit"
    record.write_text(f"{json.dumps(prompt)}\n{json.dumps(STARTED)}\n")
    assert event.adapter.fit_answer(dict(ENDS), event) == ENDS
    record.write_text(f"{json.dumps(STARTED)}\n{json.dumps(prompt)}\n")
    answer = event.adapter.fit_answer(dict(ENDS), event)
    assert "continue" not in answer
    assert answer["systemMessage"] == "on"
    assert "continue the work" in answer["hookSpecificOutput"]["additionalContext"]
    assert list(event.adapter.list_requests(str(record))) == ["ulw sort names"]


def test_a_run_of_codex_is_held_to_the_narrowest_sandbox_that_it_recorded(tmp_path):
    folder = tmp_path / ".codex/sessions/2026/11/18"
    folder.mkdir(parents=True)
    environ, adapter = {"HOME": str(tmp_path), "PATH": os.defpath}, get_client("codex")

    def find(*words):
        return adapter.find_run_confinement(["codex", "exec", *words], environ, str(tmp_path), 0.0)

    def note(name, kind):
        context = {"cwd": str(tmp_path), "sandbox_policy": {"type": kind}}
        line = json.dumps({"type": "turn_context", "payload": context})
        (folder / f"rollout-{name}.jsonl").write_text(line)

    assert find() == Confinement("codex", "read-only")
    assert find("--dangerously-bypass-approvals-and-sandbox") is None
    note(1, "danger-full-access")
    assert find() is None
    assert find("--ephemeral") == Confinement("codex", "read-only")
    note(2, "read-only")
    assert find().kind == "read-only"
    assert find().no_edits.startswith("Codex's read-only sandbox forbids edits; use codex")
