"""Sessions of the documents' earlier layouts are taken in, whole, from wherever they lie."""

import json
import os
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.core.session.exploration import make_document
from ultrawork.store import database, legacy, sessions, tasks
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

STARTED = "2026-01-20T10:00:00Z"
OPTIONS = {"max_workers": 0, "max_iterations": 5, "skip_verify": False, "plan_only": False, "auto_mode": False}
FIRST = {
    "version": "5.0",
    "session_id": "first",
    "claude_session_id": "c1",
    "goal": "fix the login bug",
    "started_at": STARTED,
    "updated_at": "2026-01-20T11:00:00Z",
    "team": "core",
    "phase": "EXECUTION",
    "iteration": 2,
    "options": {**OPTIONS, "auto_mode": True},
    "plan": {"version": 1, "created_at": STARTED, "approved_at": STARTED},
    "cancelled_at": None,
}
SECOND = {
    "version": "5.0",
    "session_id": "37b6a60f-8e3e-4631-8f62-8eaf3d235642",
    "goal": "g",
    "started_at": STARTED,
    "phase": "PLANNING",
    "exploration_stage": "targeted",
    "iteration": 1,
    "options": OPTIONS,
    "plan": {"approved_at": None},
    "evidence_log": [{"type": "test_result", "passed": True}],
}
LAST = {
    "version": "7.0",
    "session_id": "last-one",
    "working_dir": "/p",
    "original_dir": "/p",
    "worktree": {"enabled": True, "branch": "ultrawork/x", "path": "/p/.worktrees/x"},
    "goal": "g",
    "goal_brief": "g",
    "started_at": STARTED,
    "updated_at": "2026-01-20T12:00:00Z",
    "phase": "COMPLETE",
    "exploration_stage": "complete",
    "iteration": "3",
    "options": {"max_workers": "3", "max_iterations": "10", "plan_only": False, "auto_mode": True},
    "plan": {"approved_at": STARTED, "design_doc": "docs/plans/x.md"},
    "verifier_passed": True,
    "documenter_completed": True,
}


def put(folder, session, tasks=(), context=None, reports=()):
    os.makedirs(f"{folder}/tasks")
    os.makedirs(f"{folder}/exploration")
    files = {"session.json": session, **{f"tasks/{task['id']}.json": task for task in tasks}}
    if context is not None:
        files["context.json"] = context
    for name, content in files.items():
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            json.dump(content, file)
    for name in reports:
        with open(f"{folder}/exploration/{name}.md", "w", encoding="utf-8") as file:
            file.write(f"# {name}\n")
    return str(folder)


def take(store, *folders, force=False):
    return legacy.import_all(store, folders, force=force)


def test_the_first_layout_with_a_team_folder_is_taken_in(store, tmp_path):
    plan = [
        {"id": "1", "subject": "A", "status": "resolved", "blockedBy": [], "complexity": "complex",
         "criteria": ["green"], "evidence": ["12 passed"], "retry_count": 1, "max_retry": 4},
        {"id": "verify", "subject": "[VERIFY]", "status": "open", "blockedBy": ["1"]},
    ]  # fmt: skip
    findings = {"files": "auth.py, session.py", "patterns": ["tokens"], "summary": "in auth"}
    context = {"explorers": [
        {"id": "exp-1", "hint": "auth", "findings": findings, "completed_at": STARTED}
    ]}  # fmt: skip
    put(tmp_path / "old/core/sessions/first", FIRST, plan, context)
    assert take(store, str(tmp_path / "old")) == (["first"], [])
    found = sessions.get(store.database, "first")
    assert (found.goal, found.phase, found.iteration) == ("fix the login bug", "EXECUTION", 2)
    assert found.options["auto_mode"] is True
    assert found.plan["approved_at"] == STARTED
    assert found.state == {"team": "core", "claude_session_id": "c1"}
    assert found.document()["started_at"] == STARTED
    one, verify = tasks.list_all(store.database, "first")
    assert (one.status, one.complexity, one.evidence) == ("resolved", "complex", ["12 passed"])
    assert (one.retry_count, one.max_retry) == (1, 4)
    assert (verify.status, verify.blocked_by) == ("pending", ["1"])
    shown = make_document(sessions.list_explorers(store.database, "first"))
    assert shown["key_files"] == ["auth.py", "session.py"]
    assert shown["explorers"][0]["summary"] == "in auth"
    assert shown["explorers"][0]["completed_at"] == STARTED


def test_the_second_layout_keeps_its_exploration_and_its_evidence(store, tmp_path):
    context = {
        "version": "2.1",
        "expected_explorers": ["overview", "exp-1"],
        "exploration_complete": False,
        "explorers": [{"id": "overview", "hint": "", "file": "x", "summary": "small"}],
        "key_files": ["a.py"],
        "patterns": ["p"],
        "constraints": ["c"],
    }
    put(tmp_path / "sessions/x", SECOND, context=context, reports=["overview"])
    name = SECOND["session_id"]
    assert take(store, str(tmp_path)) == ([name], [])
    assert sessions.get(store.database, name).exploration_stage == "targeted"
    shown = make_document(sessions.list_explorers(store.database, name))
    assert shown["expected_explorers"] == ["overview", "exp-1"]
    assert shown["exploration_complete"] is False
    assert (shown["key_files"], shown["constraints"]) == (["a.py"], ["c"])
    with open(f"{store.home.sessions}/{name}/exploration/overview.md", encoding="utf-8") as file:
        assert file.read() == "# overview\n"
    told = store.database.value("SELECT data FROM events WHERE kind='session.imported'")
    assert json.loads(told)["original"] == SECOND


def test_the_last_layout_is_taken_in_without_its_verdict(store, tmp_path):
    """Its flags were a model's word."""
    plan = [
        {"id": "1", "subject": "A", "status": "in_progress", "blocked_by": "2, 9"},
        {"id": "2", "subject": "B", "status": "blocked", "blocked_by": []},
    ]
    put(tmp_path / "sessions/last-one", LAST, plan)
    assert take(store, str(tmp_path)) == (["last-one"], [])
    found = sessions.get(store.database, "last-one")
    assert (found.phase, found.verdict, found.active) == ("COMPLETE", None, False)
    assert found.document()["ended_at"] == "2026-01-20T12:00:00Z"
    assert (found.options["max_workers"], found.options["max_iterations"]) == (3, 10)
    assert found.iteration == 3
    assert found.state["worktree"]["branch"] == "ultrawork/x"
    assert tasks.get(store.database, "last-one", "1").blocked_by == ["2"]


def test_a_session_folder_may_be_named_itself(store, tmp_path):
    assert take(store, put(tmp_path / "anywhere", FIRST)) == (["first"], [])


def test_what_was_taken_in_has_a_sound_record_and_files(store, tmp_path):
    take(store, put(tmp_path / "a", FIRST, [{"id": "1", "subject": "A"}]))
    assert database.find_broken_links(store.database, "first") == []
    assert os.path.exists(f"{store.home.sessions}/first/tasks/1.json")
    assert store.warnings == []


def test_taking_in_from_the_state_folder_itself_is_done_once(store, home):
    put(f"{home.sessions}/first", FIRST, [{"id": "1", "subject": "A"}])
    assert take(store, home.root) == (["first"], [])
    assert take(store, home.root) == ([], [])


def test_a_known_session_is_replaced_only_by_force(store, tmp_path):
    folder = put(tmp_path / "a", LAST)
    take(store, folder)
    taken, ((path, why),) = take(store, folder)
    assert (taken, path) == ([], folder)
    assert "already exists; replace it with --force" in why
    assert take(store, folder, force=True) == (["last-one"], [])


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"session.json": "{"}, "is not JSON"),
        ({"session.json": "[]"}, "is not a JSON object"),
        ({"session.json": '{"session_id": "../x"}'}, "is not a session id"),
        ({"session.json": '{"session_id": "a", "phase": "LOST"}'}, "is not a phase"),
        ({"session.json": '{"session_id": "a"}', "tasks/1.json": "nope"}, "is not JSON"),
        (
            {
                "session.json": '{"session_id": "a"}',
                "tasks/1.json": '{"id": "1", "blockedBy": ["2"]}',
                "tasks/2.json": '{"id": "2", "blockedBy": ["1"]}',
            },
            "in a circle",
        ),
    ],
)
def test_what_cannot_be_taken_in_is_left_out_with_the_reason(store, tmp_path, files, why):
    (tmp_path / "a/tasks").mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / "a" / name).write_text(text)
    taken, ((_, said),) = take(store, f"{tmp_path}/a")
    assert taken == []
    assert why in said
    assert sessions.list_all(store.database) == []


def test_a_task_that_cannot_be_read_keeps_its_session_out(store, tmp_path):
    folder = put(tmp_path / "a", FIRST)
    os.makedirs(f"{folder}/tasks/1.json")
    taken, ((_, why),) = take(store, folder)
    assert taken == []
    assert "tasks/1.json cannot be read" in why


def test_one_bad_session_does_not_keep_the_others_out(store, tmp_path):
    put(tmp_path / "sessions/good", FIRST)
    (tmp_path / "sessions/bad").mkdir()
    (tmp_path / "sessions/bad/session.json").write_text("{")
    taken, refused = take(store, str(tmp_path))
    assert taken == ["first"]
    assert len(refused) == 1


def test_a_folder_without_sessions_gives_none(store, tmp_path):
    assert take(store, f"{tmp_path}/nowhere", str(tmp_path)) == ([], [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
SESSION_KEYS = st.sampled_from(["session_id", "version", *LAST])
TASK_KEYS = st.sampled_from(
    ["id", "subject", "description", "status", "blockedBy", "blocked_by", "complexity", "criteria",
     "evidence", "retry_count", "max_retry", "created_at"]
)  # fmt: skip
CONTEXT_KEYS = st.sampled_from(["expected_explorers", "explorers", "key_files", "patterns", "constraints"])
EXPLORERS = st.lists(
    st.dictionaries(
        st.sampled_from(["id", "hint", "summary", "findings", "completed_at"]),
        JSON | st.dictionaries(CONTEXT_KEYS | st.just("files"), JSON),
    ),
    max_size=3,
)


@pytest.mark.slow
@settings(max_examples=amount(15, 60))
@given(
    st.dictionaries(SESSION_KEYS, JSON),
    st.dictionaries(TASK_KEYS, JSON),
    st.dictionaries(CONTEXT_KEYS, JSON | EXPLORERS),
)
def test_whatever_an_old_session_holds_it_is_taken_in_or_left_out(tmp_path, session, task, context):
    shutil.rmtree(tmp_path)
    folder = put(tmp_path / "old", {"session_id": "a", **session}, [{**task, "id": "1"}], context)
    store = Store(Home(f"{tmp_path}/state"), actor="person", clock=lambda: 1_000_000.0)
    taken, refused = take(store, folder)
    assert len(taken) + len(refused) == 1
    assert store.warnings == []
    store.database.close()
