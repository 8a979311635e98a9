"""Which receipt of an earlier run still says something about these files; no program runs here."""

import os

import pytest

from ultrawork.core.session.session import Session
from ultrawork.core.verdict.gate import TEST, Gate
from ultrawork.gates.context import AGENT, HOOK, GateContext
from ultrawork.gates.run.receipt import BASE, FAULT, NEW, PLANTED, make_command_key
from ultrawork.gates.run.reuse import find_last_red, find_reusable, list_faults
from ultrawork.store import receipts, sessions
from ultrawork.store.paths import Home
from ultrawork.store.settings import Settings
from ultrawork.store.store import Store

GATE = Gate(name="test", kind=TEST, argv=["check"], command="check", source="", reason="")
OTHER = Gate(name="test", kind=TEST, argv=["check", "-x"], command="check -x", source="", reason="")
START = 1_000_000.0


class Past:
    """Two sessions in one checkout, their receipts, and a clock that the test moves."""

    def __init__(self, folder):
        self.now = START
        self.root = f"{folder}/shop"
        os.mkdir(self.root)
        self.store = Store(Home(f"{folder}/state"), actor="hook", clock=lambda: self.now)
        self.sessions = {}
        for name in ("s", "earlier"):
            value = Session(id=name, goal="g", working_dir=self.root, started_at=START)
            with self.store.change(name) as change:
                sessions.create(change, value)
            self.sessions[name] = value

    def mint(self, result="green", *, session="s", on=NEW, tree="tree", gate=GATE, **run):
        """A receipt as of a run that ended at this moment; gives its number."""
        document = {
            "schema": "ultrawork.receipt/1",
            "gate": {"name": gate.name, "kind": gate.kind, "command": gate.command},
            "run": {"by": HOOK, "on": on, "seconds": 1.0, "differing": [], **run},
            "result": result,
            "reason": "why it was so",
            "tree": {"before": tree, "after": tree, "wrote": []},
            "output": {"sha256": "", "bytes": 0},
            "tools": {},
        }
        report = {"outcomes": {"test_a": "passed"}, "ran": 1}
        with self.store.change(session) as change:
            kept = receipts.add(change, document, place=self.root, command=make_command_key(gate), report=report)
        return kept["id"]

    def context(self, **more):
        environ = {"PATH": "/nowhere", "ULTRAWORK_HOME": self.store.home.root}
        return GateContext(
            self.store, self.sessions["s"], root=self.root, settings=Settings({}, {}, ""),
            environ=environ, by=HOOK, seconds=60.0, **more,
        )  # fmt: skip

    def find(self, on=NEW, *, tree="tree", gate=GATE, after=0.0, **more):
        self.now += after
        return find_reusable(self.context(**more), gate, tree, on)


@pytest.fixture
def past(tmp_path):
    past = Past(tmp_path)
    yield past
    past.store.database.close()


def test_the_newest_receipt_for_exactly_these_files_is_used_again(past):
    past.mint("red")
    past.now += 1
    number = past.mint("green")
    past.mint("red", tree="another")
    past.mint("red", gate=OTHER)
    found = past.find()
    assert (found.number, found.reused) == (number, True)
    assert (found.result.colour, found.result.reason) == ("green", "why it was so")
    assert (found.result.receipt, found.result.report.outcomes) == (number, {"test_a": "passed"})


def test_without_one_there_is_none(past):
    assert past.find() is None
    assert past.find(BASE) is None


@pytest.mark.parametrize(
    ("took", "after", "held"),
    [
        (1.0, 0.0, True),
        (1.0, 300.0, True),
        (1.0, 300.5, False),
        (1.0, -0.5, False),
        (400.0, 800.0, True),
        (400.0, 800.5, False),
    ],
)
def test_it_holds_for_five_minutes_or_twice_its_own_time_and_never_from_the_future(past, took, after, held):
    past.mint(seconds=took)
    assert (past.find(after=after) is not None) is held


def test_what_base_was_stays_true_however_old_the_receipt_is(past):
    past.mint(on=BASE)
    assert past.find(BASE, after=1e6).result.colour == "green"


def test_one_from_before_the_agents_tools_ran_is_not_used_again(past):
    past.mint()
    assert past.find(trusted_since=START) is not None
    assert past.find(trusted_since=START + 1) is None


def test_of_these_files_only_this_sessions_own_run_counts(past):
    past.mint(session="earlier")
    assert past.find() is None


def test_what_base_was_is_told_by_any_session_and_by_a_run_on_the_same_files(past):
    past.mint("green", session="earlier")
    found = past.find(BASE)
    assert (found.result.colour, found.result.receipt) == ("green", None)
    past.mint("red", session="earlier", on=BASE)
    assert past.find(BASE).result.colour == "red", "a run on base itself comes first"


def test_a_run_of_another_kind_is_no_run_here(past):
    past.mint()
    assert past.find(PLANTED) is None


@pytest.mark.parametrize("result", ["broken", "flaky", "empty"])
def test_a_run_that_showed_neither_green_nor_red_is_made_again(past, result):
    past.mint(result)
    assert past.find() is None


@pytest.mark.parametrize(
    ("run", "held"),
    [
        ({"by": AGENT, "differing": []}, True),
        ({"by": AGENT, "differing": ["PYTHONPATH"]}, False),
        ({"by": HOOK, "differing": ["PYTHONPATH"]}, True),
    ],
)
def test_the_agents_own_run_in_other_surroundings_shows_nothing(past, run, held):
    past.mint(**run)
    assert (past.find() is not None) is held


def test_after_something_was_installed_everything_is_run_again(past):
    past.mint()
    os.mkdir(f"{past.root}/node_modules")
    os.utime(f"{past.root}/node_modules", (START, START))
    assert past.find() is not None
    os.utime(f"{past.root}/node_modules", (START + 1, START + 1))
    assert past.find() is None


def test_a_receipt_that_was_changed_after_it_was_written_is_not_believed(past):
    number = past.mint("red")
    past.store.database.rows(
        "UPDATE receipts SET document=replace(document, '\"red\"', '\"green\"') WHERE number=?", number
    )
    assert past.find() is None


def test_tools_of_another_version_are_other_tools(past):
    tooled = Gate(name="test", kind=TEST, argv=["make"], command="make", source="", reason="")
    programs = f"{past.root}/programs"
    os.mkdir(programs)
    with open(f"{programs}/make", "w") as file:
        file.write("#!/bin/sh\necho make 4.3\n")
    os.chmod(f"{programs}/make", 0o755)
    past.mint(gate=tooled)
    assert past.find(gate=tooled) is not None
    context = past.context()
    context.environ["PATH"] = programs
    assert find_reusable(context, tooled, "tree", NEW) is None


def test_what_it_printed_comes_from_its_log_up_to_a_limit(past):
    number = past.mint()
    assert past.find().result.output == ""
    folder = f"{past.store.home.session('s')}/evidence"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{number}.log", "w") as file:
        file.write("x" * 64_001)
    assert past.find().result.output == "x" * 64_000


def test_the_last_red_run_counts_only_where_it_was_green_too(past):
    def look():
        found = find_last_red(past.context(), GATE, "tree")
        return found and (found.number, found.reused)

    past.mint("green", tree="another")
    assert look() is None
    past.mint("red")
    assert look() is None, "never green on these files"
    past.mint("green")
    last = past.mint("red")
    past.mint("green", session="earlier")
    past.mint("broken")
    assert look() == (last, False)


def test_where_it_was_always_green_there_is_no_red_run(past):
    past.mint("green")
    assert find_last_red(past.context(), GATE, "tree") is None


def test_faults_are_those_of_the_last_trial_of_this_gate(past):
    for tree, result in [("t", "green"), ("t+1", "red"), ("u", "green"), ("u+1", "green")]:
        past.mint(result, on=FAULT, tree=tree)
        past.now += 1
    past.mint("red", on=FAULT, tree="u+2", gate=OTHER)
    assert list_faults(past.context(), GATE) == ["green"]
