"""Modes of several sessions in one worktree, in any order: what excludes itself is never on together."""

import json
import os
import tempfile
from time import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.core.errors import UltraworkError
from ultrawork.core.modes import modes, record, tables
from ultrawork.core.session.session import FULL, LIGHT, Session
from ultrawork.flow import modes as flow
from ultrawork.store import ending, sessions
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

SESSIONS = {"a": FULL, "b": FULL, "c": LIGHT}
EXCLUSIVE = {"autopilot", "ultrapilot", "swarm", "pipeline"}
PLANNED = {"autopilot", "ultrapilot", "team", "pipeline"}
ENDS = (tables.COMPLETE, tables.FAILED, tables.CANCELLED)
NAMES, MODES = st.sampled_from("abc"), st.sampled_from(modes.ALL)
BEGIN = st.tuples(st.just("begin"), NAMES, MODES, st.lists(MODES, max_size=1))
EVENTS = st.one_of(
    BEGIN,
    BEGIN,
    BEGIN,
    st.tuples(st.just("end"), NAMES, MODES, st.sampled_from(ENDS)),
    st.tuples(st.just("resume"), NAMES, MODES, st.none()),
    st.tuples(st.just("off"), NAMES, st.none(), st.none()),
    st.tuples(st.just("wait"), st.none(), st.none(), st.sampled_from([1, 301, 3601, 7201])),
)


class World:
    def __init__(self, root):
        self.now = time()
        self.place = f"{root}/project"
        os.makedirs(self.place)
        self.store = Store(Home(f"{root}/state"), actor="hook", clock=lambda: self.now)
        for name, kind in SESSIONS.items():
            self.create(name, kind)

    def create(self, name, kind):
        value = Session(id=name, goal="g", working_dir=self.place, kind=kind, started_at=self.now)
        with self.store.change(name) as change:
            sessions.create(change, value)

    def happen(self, what, name, mode, more):
        if what == "begin":
            flow.begin(self.store, self.place, name, mode, linked=more, now=self.now)
        elif what == "end":
            flow.end(self.store, name, mode, more, now=self.now)
        elif what == "resume":
            flow.resume(self.store, self.place, name, mode, now=self.now)
        elif what == "off":
            ending.release(self.store, name, how="ulw off")
            self.create(name, SESSIONS[name])
        else:
            self.now += more

    def on(self):
        return {name: list(record.read_active(sessions.get(self.store.database, name))) for name in SESSIONS}

    def file_says(self, name, mode):
        path = f"{self.place}/.omc/state/sessions/{name}/{mode}-state.json"
        if not os.path.exists(path):
            return False
        with open(path, encoding="utf-8") as file:
            return json.load(file)["active"]


def check(world):
    on = world.on()
    exclusive = {mode for found in on.values() for mode in found if mode in EXCLUSIVE}
    assert len(exclusive) <= 1, on
    for name, found in on.items():
        assert len([mode for mode in found if mode in PLANNED]) <= 1, on
        assert not {"ralph", "ultraqa"} <= set(found), on
        assert SESSIONS[name] == FULL or not set(found) & PLANNED, on
        for mode in modes.ALL:
            if mode != modes.SWARM:
                assert world.file_says(name, mode) == (mode in found), (name, mode)


@pytest.mark.slow
@settings(max_examples=amount(10, 30))
@given(st.lists(EVENTS, min_size=10, max_size=25))
def test_what_excludes_itself_is_never_on_together(events):
    with tempfile.TemporaryDirectory(prefix="ultrawork-modes-") as root:
        world = World(root)
        try:
            for event in events:
                try:
                    world.happen(*event)
                except UltraworkError:
                    pass
                check(world)
        finally:
            world.store.database.close()
