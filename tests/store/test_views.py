"""The files people read: made from the database after each commit, never read back."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from support.floor import PLUGIN
from ultrawork.core.plan.task import Task
from ultrawork.core.session.exploration import Explorer
from ultrawork.store import sessions, tasks, views
from ultrawork.store.paths import Home
from ultrawork.store.store import Store


def read(home, path):
    with open(f"{home.sessions}/s/{path}", encoding="utf-8") as file:
        return file.read()


def listing(home):
    return sorted(
        os.path.relpath(f"{folder}/{name}", f"{home.sessions}/s")
        for folder, _, names in os.walk(f"{home.sessions}/s")
        for name in names
    )


@pytest.fixture
def full(store, begin):
    """A session with one of everything that has a view."""
    begin(plan=("a", "b"))
    with store.change("s") as change:
        value = sessions.get(store.database, "s")
        value.design = "# Design\n"
        sessions.save(change, value, "session.changed", {})
        change.touch("design")
        sessions.take_report(change, Explorer(id="exp-1", summary="found", report="# Report\n"))
    return store


def rebuild(store):
    store.warnings += views.refresh(store.database, store.home, "s", views.list_names(store.database, "s"))


def test_a_session_has_the_folder_of_the_documents(full, home):
    assert listing(home) == [
        "context.json",
        "design.md",
        "exploration/exp-1.md",
        "session.json",
        "tasks/a.json",
        "tasks/b.json",
    ]
    assert os.path.isdir(f"{home.sessions}/s/evidence")
    assert read(home, "design.md") == "# Design\n"
    assert read(home, "exploration/exp-1.md") == "# Report\n"
    assert json.loads(read(home, "context.json"))["explorers"][0]["summary"] == "found"
    assert json.loads(read(home, "session.json"))["session_id"] == "s"


def test_a_view_follows_each_change(full, home):
    with full.change("s") as change:
        tasks.update(change, "a", status="in_progress", evidence=["seen"])
    shown = json.loads(read(home, "tasks/a.json"))
    assert (shown["status"], shown["evidence"]) == ("in_progress", ["seen"])


def test_only_the_owner_may_read_the_files(full, home):
    names = ["", "/tasks", "/session.json", "/tasks/a.json"]
    paths = [home.database, home.database + "-wal", *(f"{home.sessions}/s{name}" for name in names)]
    assert [path for path in paths if os.stat(path).st_mode & 0o077] == []


def test_rebuilding_restores_every_file(full, home):
    before = {path: read(home, path) for path in listing(home)}
    shutil.rmtree(home.sessions)
    rebuild(full)
    assert {path: read(home, path) for path in listing(home)} == before
    assert full.warnings == []


def test_what_was_written_into_a_view_is_no_truth(full, home):
    with open(f"{home.sessions}/s/tasks/a.json", "w", encoding="utf-8") as file:
        file.write('{"id": "a", "status": "resolved"}')
    assert tasks.get(full.database, "s", "a").status == "pending"
    rebuild(full)
    assert json.loads(read(home, "tasks/a.json"))["status"] == "pending"


def test_a_view_of_what_is_gone_is_nothing(full):
    assert views.render(full.database, "s", ["task:gone", "explorer:gone", "nothing"]) == {}


def test_a_plan_of_many_tasks_is_written_whole(store, begin, home):
    begin(plan=[f"t{number}" for number in range(40)])
    assert len(os.listdir(f"{home.sessions}/s/tasks")) == 40
    assert json.loads(read(home, "tasks/t39.json"))["subject"] == "do t39"


def test_a_new_session_of_the_same_id_shows_nothing_of_the_old_one(full, home, begin):
    with full.change("s") as change:
        value = sessions.get(full.database, "s")
        value.phase = "FAILED"
        sessions.save(change, value, "session.changed", {})
    open(f"{home.sessions}/s/evidence/1.log", "w", encoding="utf-8").close()
    begin()
    assert listing(home) == ["context.json", "session.json"]


def test_rebuilding_removes_what_a_killed_writer_left(full, home):
    old, young = (f"{home.sessions}/s/tasks/.{name}.json.1.tmp" for name in ("old", "young"))
    for path in (old, young):
        open(path, "w", encoding="utf-8").close()
    os.utime(old, (time.time() - 3600,) * 2)
    rebuild(full)
    assert os.path.exists(young)
    assert not os.path.exists(old)


WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from ultrawork.store import atomic
for number in range(100_000):
    atomic.write(f"{sys.argv[2]}/{number % 50}.txt", "{}", sync=False)
"""


def test_rebuilding_does_not_stumble_over_those_who_write_meanwhile(full, home):
    words = [sys.executable, "-c", WRITER, f"{PLUGIN}/src", f"{home.sessions}/s/tasks"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as writer:
        while not os.path.exists(f"{home.sessions}/s/tasks/49.txt"):
            time.sleep(0.02)
        told = [views.refresh(full.database, home, "s", [views.LEFTOVERS]) for _ in range(60)]
        writer.kill()
    assert told == [[]] * 60


def test_a_folder_that_cannot_be_written_keeps_the_truth_and_says_so(full, home):
    """A file in its place: permissions mean nothing to root."""
    shutil.rmtree(f"{home.sessions}/s")
    with open(f"{home.sessions}/s", "w", encoding="utf-8") as file:
        file.write("in the way")
    with full.change("s") as change:
        tasks.update(change, "a", status="in_progress")
    assert tasks.get(full.database, "s", "a").status == "in_progress"
    (warning,) = full.warnings
    assert "could not be written" in warning
    assert "ultrawork session rebuild" in warning
    os.unlink(f"{home.sessions}/s")
    rebuild(full)
    assert json.loads(read(home, "tasks/a.json"))["status"] == "in_progress"


def test_a_folder_made_immutable_keeps_the_truth_and_says_so(full, home):
    folder = f"{home.sessions}/s/tasks"
    if os.getuid() != 0 or subprocess.run(["chattr", "+i", folder], check=False).returncode:
        os.chmod(folder, 0o500)
    try:
        with full.change("s") as change:
            tasks.update(change, "a", status="in_progress")
    finally:
        subprocess.run(["chattr", "-i", folder], check=False, stderr=subprocess.DEVNULL)
        os.chmod(folder, 0o700)
    assert tasks.get(full.database, "s", "a").status == "in_progress"
    if full.warnings == []:
        pytest.skip("this file system knows neither attributes nor permissions for root")
    assert json.loads(read(home, "tasks/a.json"))["status"] == "pending"
    assert "could not be written" in full.warnings[0]


@pytest.mark.parametrize("folder", ["tasks", "exploration", "evidence"])
def test_nothing_is_written_through_a_linked_folder(full, home, tmp_path, folder):
    away = tmp_path / "away"
    away.mkdir()
    shutil.rmtree(f"{home.sessions}/s/{folder}")
    os.symlink(away, f"{home.sessions}/s/{folder}")
    with full.change("s") as change:
        tasks.update(change, "a", status="in_progress")
        sessions.take_report(change, Explorer(id="exp-2", report="# Report\n"))
    assert list(away.iterdir()) == []
    assert "is a symbolic link" in full.warnings[0]
    assert tasks.get(full.database, "s", "a").status == "in_progress"


def test_a_link_in_place_of_a_view_is_replaced_not_followed(full, home, tmp_path):
    target = tmp_path / "precious"
    target.write_text("mine")
    os.unlink(f"{home.sessions}/s/tasks/a.json")
    os.symlink(target, f"{home.sessions}/s/tasks/a.json")
    with full.change("s") as change:
        tasks.update(change, "a", status="in_progress")
    assert target.read_text() == "mine"
    assert json.loads(read(home, "tasks/a.json"))["status"] == "in_progress"


class Overtaken:
    """A database in which another program commits, and writes its views, right after the first look."""

    def __init__(self, database, meanwhile):
        self._database = database
        self._meanwhile = meanwhile

    def row(self, sql, *values):
        found = self.rows(sql, *values)
        return found[0] if found else None

    def value(self, sql, *values):
        return self._database.value(sql, *values)

    def rows(self, sql, *values):
        found = self._database.rows(sql, *values)
        if "FROM evidence" in sql and self._meanwhile:
            meanwhile, self._meanwhile = self._meanwhile, None
            meanwhile()
        return found


def test_a_writer_that_is_overtaken_settles_on_the_newest_text(full, home):
    other = Store(Home(home.root), actor="person", clock=lambda: 2_000_000.0)

    def commit():
        with other.change("s") as change:
            tasks.update(change, "a", status="in_progress")

    assert views.refresh(Overtaken(full.database, commit), home, "s", ["task:a"]) == []
    assert json.loads(read(home, "tasks/a.json"))["status"] == "in_progress"
    other.database.close()


def test_views_that_many_programs_write_at_once_settle_on_the_newest(full, home):
    def write(number):
        store = Store(Home(home.root), actor="person", clock=time.time)
        for turn in range(10):
            with store.change("s") as change:
                tasks.update(change, "a", evidence=[f"{number}.{turn}"])
        os._exit(0 if store.warnings == [] else 1)

    children = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            write(number)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    truth = tasks.get(full.database, "s", "a").document()
    assert len(truth["evidence"]) == 40
    assert json.loads(read(home, "tasks/a.json")) == truth


class KilledWriter(Store):
    """Dies right after its commit, with no view written."""

    def _show(self, *_):
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def behind(full, home):
    """A writer was killed after it had made three tasks."""
    child = os.fork()
    if child == 0:
        with KilledWriter(home, actor="agent", clock=time.time).change("s") as change:
            tasks.create(change, [Task(id=name, subject="do") for name in ("c", "d", "e")])
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert not os.path.exists(f"{home.sessions}/s/tasks/c.json")
    return full


def test_views_that_a_killed_writer_owed_are_written_by_the_next_change(behind, home):
    with behind.change("s") as change:
        tasks.update(change, "a", evidence=["seen"])
    assert [name for name in listing(home) if name.startswith("tasks/")] == [f"tasks/{name}.json" for name in "abcde"]
    assert not [name for name in listing(home) if name.startswith("views-behind")]


def test_views_that_a_killed_writer_owed_are_written_when_somebody_asks(behind, home):
    behind.catch_up("s")
    assert json.loads(read(home, "tasks/e.json"))["id"] == "e"
    os.unlink(f"{home.sessions}/s/tasks/e.json")
    behind.catch_up("s")
    assert not os.path.exists(f"{home.sessions}/s/tasks/e.json"), "nothing is owed any more"


def test_the_mark_of_a_writer_at_work_is_left_alone(full, home):
    views.mark_behind(home, "s", 1)
    with full.change("s") as change:
        tasks.update(change, "a", evidence=["seen"])
    assert [name for name in listing(home) if name.startswith("views-behind")] == [f"views-behind.1.{os.getpid()}"]


def test_only_what_a_killed_writer_owed_is_written_anew(behind, home):
    os.unlink(f"{home.sessions}/s/tasks/a.json")
    behind.catch_up("s")
    assert os.path.exists(f"{home.sessions}/s/tasks/c.json")
    assert not os.path.exists(f"{home.sessions}/s/tasks/a.json"), "nobody owed it"


@pytest.mark.parametrize(("told", "owes"), [(b"*\n", True), (b"\xff", True), (b"", False)])
def test_a_mark_may_owe_everything_or_nothing(behind, home, told, owes):
    """Garbled it may be anything; empty, its writer was killed before it could commit."""
    for name in listing(home):
        if name.startswith("views-behind"):
            with open(f"{home.sessions}/s/{name}", "wb") as file:
                file.write(told)
    os.unlink(f"{home.sessions}/s/tasks/a.json")
    behind.catch_up("s")
    assert os.path.exists(f"{home.sessions}/s/tasks/a.json") is owes
