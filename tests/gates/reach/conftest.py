"""Little projects whose tests are traced, by the real runner and through a real receipt."""

import os

import pytest

from support import toolchains
from support.situations import SESSION, Stage, plain
from ultrawork.core.session.session import LIGHT, Session
from ultrawork.core.verdict.gate import TEST, Gate
from ultrawork.gates.context import GateContext
from ultrawork.gates.reach.trace import trace_tests
from ultrawork.store import sessions, settings


class Traced:
    """One traced run, asked in the words of a test."""

    def __init__(self, run):
        self.run = run
        self.reach = run.reach
        self.report = run.receipt.result.report

    def entered(self, test):
        """The names of the functions that a test entered, those of test files aside."""
        functions = self.reach.tests[test].functions
        return {one.name for one in functions if "test" not in one.path}


@pytest.fixture
def trace(tmp_path):
    """Writes files, runs a command over them, traced."""

    def run(files, command, runner="pytest", *, environ=None, packages=False, definition=""):
        stage = Stage(str(tmp_path), plain(files))
        stage.apply({"write": files})
        if packages:
            os.symlink(toolchains.node_modules("runners"), f"{stage.place}/node_modules")
        store = stage.store()
        session = Session(
            id=SESSION, goal="", working_dir=stage.place, kind=LIGHT, started_at=store.now()
        )
        with store.change(SESSION) as change:
            sessions.create(change, session)
        context = GateContext(
            store,
            session,
            root=stage.place,
            settings=settings.load(stage.environ, store.home, lambda _path: None),
            environ={**stage.environ, **(environ or {})},
            by="person",
            seconds=120,
        )
        gate = Gate(
            name="test",
            kind=TEST,
            argv=["sh", "-c", command],
            command=command,
            source="",
            reason="",
            runner=runner,
            definition=definition,
        )
        found = trace_tests(context, gate, stage.place, "tree")
        return None if found is None else Traced(found)

    return run
