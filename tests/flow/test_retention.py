"""What is over is taken away by itself, within limits that the person sets; nothing that is on is touched."""

import os
import time

import pytest

from support.scene import QUICK, Scene
from ultrawork.core.session.session import COMPLETE, Session
from ultrawork.flow import retention
from ultrawork.flow.retention import KeptLimits
from ultrawork.store import codec, sessions
from ultrawork.store.paths import Home
from ultrawork.store.store import Store
from ultrawork.system import checkout as checkouts

DAY = 86_400.0
NOW = time.time()
NONE = KeptLimits(0.0, 0, 0, 0)


@pytest.fixture
def store(tmp_path):
    store = Store(Home(str(tmp_path / "state")), actor="person", clock=lambda: NOW)
    yield store
    store.database.close()


def begin(store, name, *, days=0.0, ended=True, run=False, place="/p"):
    """A session that was last touched so many days ago."""
    value = Session(id=name, goal="g", working_dir=place, started_at=NOW - days * DAY)
    if ended:
        value.phase, value.ended_at = COMPLETE, NOW - days * DAY
    if run:
        value.state.run = {"backend": "script"}
    with Store(store.home, actor="person", clock=lambda: NOW - days * DAY).change(name) as change:
        sessions.create(change, value)


def write(path, size=1000, days=0.0):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"x" * size)
    for one in (path, os.path.dirname(path)):
        os.utime(one, (NOW - days * DAY, NOW - days * DAY))


def names(store):
    return {one.id for one in sessions.list_all(store.database)}


def test_ended_sessions_go_with_their_files_when_they_are_old(store):
    begin(store, "old", days=40)
    begin(store, "young", days=20)
    begin(store, "open", days=40, ended=False)
    assert retention.take_away(store, KeptLimits(30 * DAY, 0, 0, 0)) == ["old"]
    assert names(store) == {"young", "open"}
    assert sorted(os.listdir(store.home.sessions)) == ["open", "young"]


def test_a_run_stays_for_one_who_can_take_away_its_refs(store):
    begin(store, "run", days=40, run=True)
    limits = KeptLimits(30 * DAY, 0, 0, 0)
    assert retention.take_away(store, limits) == []
    forgotten = []
    assert retention.take_away(store, limits, lambda one: forgotten.append(one.id)) == ["run"]
    assert forgotten == ["run"]


def test_folders_that_no_session_knows_go_when_they_are_old(store):
    write(f"{store.home.sessions}/stray/trace.jsonl", days=40)
    write(f"{store.home.sessions}/fresh/trace.jsonl", days=1)
    assert retention.take_away(store, KeptLimits(30 * DAY, 0, 0, 0)) == ["stray"]


def test_the_oldest_traces_go_until_the_rest_fits_but_none_of_what_is_on(store):
    begin(store, "on", ended=False)
    files = {name: f"{store.home.sessions}/{name}/trace.jsonl" for name in ("on", "a", "b", "c")}
    for days, path in zip((9, 8, 7, 6), files.values(), strict=True):
        write(path, 1000, days)
    assert retention.take_away(store, KeptLimits(0.0, 2000, 0, 0)) == [files["a"]]


def test_only_logs_that_were_turned_over_go(store):
    logs = store.home.logs
    write(f"{logs}/audit.jsonl", 5000, 30)
    write(f"{logs}/audit.jsonl.2", 3000, 20)
    write(f"{logs}/audit.jsonl.1", 3000, 10)
    assert retention.take_away(store, KeptLimits(0.0, 0, 4000, 0)) == [f"{logs}/audit.jsonl.2"]


def test_caches_of_repositories_go_unless_used_of_late_or_needed(store, tmp_path):
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    begin(store, "on", ended=False, place=str(tmp_path / "repo"))
    needed = codec.digest(checkouts.find(str(tmp_path / "repo")).common)[:16]
    cache = store.home.cache
    for name, days in ((needed, 90), ("a" * 16, 80), ("b" * 16, 70), ("c" * 16, 1)):
        write(f"{cache}/{name}/objects", 1000, days)
    for name in ("outside", "bytecode", "scratch"):
        write(f"{cache}/{name}/x", 1000, 90)
    assert retention.take_away(store, KeptLimits(0.0, 0, 0, 1)) == [f"{cache}/{'a' * 16}", f"{cache}/{'b' * 16}"]
    assert os.path.exists(f"{cache}/outside/x"), "a session that is on may need it"


def test_no_limit_takes_nothing(store):
    begin(store, "old", days=4000)
    write(f"{store.home.logs}/x.log.1", 10_000, 4000)
    assert retention.take_away(store, NONE) == []


def test_it_happens_once_a_day_by_the_persons_own_limits(store):
    begin(store, "old", days=4)
    environ = {"ULTRAWORK_KEEP_SESSIONS": "3d"}
    assert retention.sweep_when_due(store, {}) == []
    assert retention.sweep_when_due(store, environ) == [], "it was looked at today"
    tomorrow = Store(store.home, actor="person", clock=lambda: NOW + 1.1 * DAY)
    assert retention.sweep_when_due(tomorrow, environ) == ["old"]
    tomorrow.database.close()


def test_trouble_is_written_down_and_stops_nobody(store):
    begin(store, "old", days=4)
    assert retention.sweep_when_due(store, {"ULTRAWORK_KEEP_LOGS": "many"}) == []
    with open(f"{store.home.logs}/sweep.log", encoding="utf-8") as file:
        assert "keep.logs" in file.read()


def test_verifying_a_checkout_takes_away_what_is_over(program, store):
    """As `run` does."""
    with open(f"{program.place}/Makefile", "w", encoding="utf-8") as file:
        file.write("test:\n\t@true\n")
    begin(store, "old", days=40)
    program.call("verify")
    assert "old" not in names(store)


def test_what_ulw_starts_in_the_background_takes_away_what_is_over(tmp_path):
    scene = Scene(str(tmp_path), QUICK)
    store = Store(Home(scene.home), actor="person", clock=lambda: NOW)
    begin(store, "old", days=40)
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run"
    scene.prompt("ulw change the words")
    assert "old" in names(store)
    del scene.environ["ULTRAWORK_SKIP_HOOKS"]
    scene.event("BaseRun")
    assert "old" not in names(store)
    store.database.close()
