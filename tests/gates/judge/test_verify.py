"""Verification as a whole: which receipts it trusts, what it keeps, what it says."""

import os
import sqlite3
import subprocess
import time

import pytest

from ultrawork.core.errors import Conflict, NotFound, UsageError
from ultrawork.gates.session import preparation
from ultrawork.store import pins, receipts
from ultrawork.store.codec import dumps, loads

BREAK = {"write": {"shop.py": "def total(prices):\n    return 0\n"}}
MEND = {"write": {"shop.py": "def total(prices):\n    return sum(list(prices))\n"}}


def minted(stage, on="new"):
    database = stage.store().database
    query = "SELECT document FROM receipts ORDER BY started_at, number"
    return [doc for (text,) in database.rows(query) if (doc := loads(text))["run"]["on"] == on]


def raw(stage):
    return sqlite3.connect(f"{stage.environ['ULTRAWORK_HOME']}/ultrawork.db", isolation_level=None)


def later(stage, seconds):
    return stage.store(clock=lambda: time.time() + seconds)


def test_the_same_files_are_not_run_again(stage):
    stage.verify()
    outcome = stage.verify()
    assert len(minted(stage)) == 1
    assert outcome.measured[0].now.reused


def test_fresh_runs_everything_again(stage):
    stage.verify()
    stage.verify(fresh=True)
    assert len(minted(stage)) == 2


@pytest.mark.slow
def test_a_receipt_does_not_hold_for_other_files(stage):
    stage.verify()
    stage.apply(BREAK)
    assert stage.verify().value == "FAIL"


@pytest.mark.slow
def test_files_that_are_as_they_were_are_proved_again_by_the_old_receipt(stage):
    stage.apply(MEND)
    stage.verify()
    stage.apply(BREAK)
    stage.verify()
    stage.apply(MEND)
    assert stage.verify().value == "PASS"
    assert [one["result"] for one in minted(stage)] == ["green", "red", "red"]


@pytest.mark.parametrize(("seconds", "runs"), [(290, 1), (310, 2), (-5, 2)])
def test_a_receipt_holds_for_five_minutes(stage, seconds, runs):
    stage.verify()
    stage.verify(store=later(stage, seconds))
    assert len(minted(stage)) == runs


def test_a_receipt_of_a_long_run_holds_twice_its_time(stage):
    stage.verify()
    _again_with(stage, seconds=400.0)
    stage.verify(store=later(stage, 700))
    assert len(minted(stage)) == 2
    stage.verify(store=later(stage, 900))
    assert len(minted(stage)) == 3


def _again_with(stage, **run):
    """The last receipt once more, as a run that went otherwise."""
    document = minted(stage)[-1]
    document["run"].update(run)
    store = stage.store()
    command, place = store.database.row("SELECT command, place FROM receipts LIMIT 1")
    with store.change(document["session"]) as change:
        return receipts.add(change, document, place=place, command=command, report=None)


def test_a_receipt_does_not_hold_for_another_version_of_a_tool(stage_of, shop, tmp_path):
    stage = stage_of({**shop, "ultrawork.toml": "[gates]\ntest = 'ruff check'\n"})
    os.makedirs(tmp_path / "bin")
    stage.environ["PATH"] = f"{tmp_path}/bin:{stage.environ['PATH']}"
    for version, runs in (("1.0", 1), ("1.0", 1), ("1.1", 2)):
        program = tmp_path / "bin" / "ruff"
        program.write_text(f"#!/bin/sh\necho ruff {version}\n")
        program.chmod(0o755)
        os.utime(program, ns=(0, int(version[-1]) * 10**9))
        stage.verify()
        assert len(minted(stage)) == runs


@pytest.mark.slow
@pytest.mark.parametrize("result", ["broken", "flaky"])
def test_what_did_not_really_run_is_tried_again(stage_of, shop, result):
    test = (
        "import os, unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        "        first = not os.path.exists('ran.txt')\n"
        "        open('ran.txt', 'w').close()\n        self.assertFalse(first)\n"
    )
    files = {"broken": {"Makefile": "test:\n\t@no-such-runner\n"}, "flaky": {"test_a.py": test}}
    stage = stage_of({**shop, ".gitignore": "ran.txt\n", **files[result]})
    first = stage.verify().measured[0]
    assert first.fact.result == result
    before = len(minted(stage))
    stage.verify()
    assert len(minted(stage)) > before


def test_a_receipt_of_another_checkout_proves_nothing_here(stage, tmp_path):
    stage.verify()
    os.rename(stage.place, f"{tmp_path}/elsewhere")
    stage.place = f"{tmp_path}/elsewhere"
    assert not stage.verify().measured[0].now.reused


class TestForgery:
    """What somebody writes into the database by hand is not in the chain: the gate runs again."""

    @pytest.fixture
    def red(self, stage_of, shop):
        stage = stage_of(shop, goal="count items")
        stage.verify()
        stage.apply(BREAK)
        assert stage.verify().value == "FAIL"
        return stage

    @pytest.mark.slow
    def test_a_result_that_was_changed_is_not_counted(self, red):
        for number, text in raw(red).execute("SELECT number, document FROM receipts").fetchall():
            document = {**loads(text), "result": "green"}
            raw(red).execute("UPDATE receipts SET document=?, result='green' WHERE number=?", (dumps(document), number))
        assert red.verify().value == "FAIL"

    @pytest.mark.slow
    def test_a_receipt_of_ones_own_is_not_counted(self, red):
        self._insert(red)
        assert red.verify().value == "FAIL"

    @pytest.mark.slow
    def test_an_event_that_hangs_in_the_air_does_not_help(self, red):
        number = self._insert(red)
        row = raw(red).execute("SELECT document, report FROM receipts WHERE number=?", (number,)).fetchone()
        data = dumps(receipts._minted(number, *row))
        raw(red).execute(
            "INSERT INTO events (session, actor, at, kind, data, previous, hash)"
            " VALUES ('s1', 'person', 1.0, 'receipt.minted', ?, 'x', 'y')",
            (data,),
        )
        assert red.verify().value == "FAIL"

    @pytest.mark.slow
    def test_a_verdict_of_ones_own_is_not_counted(self, red):
        text = raw(red).execute("SELECT document FROM verdicts ORDER BY number DESC LIMIT 1").fetchone()[0]
        document = {**loads(text), "verdict": "PASS", "findings": []}
        document["gates"] = {"test": {"result": "green", "receipt": self._insert(red)}}
        raw(red).execute(
            "INSERT INTO verdicts (session, number, verdict, tree, decided_at, document)"
            " VALUES ('s1', 99, 'PASS', ?, ?, ?)",
            (document["tree"], time.time(), dumps(document)),
        )
        assert red.verify().value == "FAIL"

    @pytest.mark.slow
    def test_what_base_was_cannot_be_rewritten(self, red):
        """A base that is said to be red already would excuse what is red now."""
        raw(red).execute(
            "UPDATE receipts SET report=? WHERE target='base' OR tree=(SELECT tree FROM pins)",
            (dumps({"outcomes": {"test_shop.ShopTest.test_total_adds": "failed"}}),),
        )
        raw(red).execute("UPDATE receipts SET result='red' WHERE target='base'")
        assert red.verify().value == "FAIL"

    @staticmethod
    def _insert(stage):
        database = raw(stage)
        columns = "place, gate, command, target, tree, minted_by, seconds, report"
        row = database.execute(
            f"SELECT {columns}, document FROM receipts WHERE target='new' ORDER BY number DESC"
        ).fetchone()
        document = dumps({**loads(row[-1]), "id": 77, "result": "green"})
        database.execute(
            f"INSERT INTO receipts ({columns}, document, session, number, result, started_at)"
            " VALUES (?,?,?,?,?,?,?,?,?,'s1',77,'green',?)",
            (*row[:-1], document, time.time()),
        )
        return 77


def test_the_expected_time_is_the_longest_of_the_last_three_runs(stage):
    stage.verify()
    for seconds in (90.0, 7.0, 8.0, 6.0):
        _again_with(stage, seconds=seconds)
    found = preparation.read(stage.store(), stage.environ, stage.place)
    assert found.usual == {"test": 8.0}
    assert "usually 8.0 s" in found.text()


@pytest.mark.slow
def test_a_slow_gate_is_not_needed_where_only_docs_changed(stage_of, shop):
    stage = stage_of(shop, goal="explain the shop better")
    stage.verify()
    _again_with(stage, seconds=40.0)
    _again_with(stage, seconds=40.0, on="base")
    stage.apply({"write": {"README.md": "A shop.\n", "docs/prices.rst": "Prices\n"}})
    outcome = stage.verify()
    assert (outcome.value, outcome.document["gates"]["test"]["result"]) == ("PASS", "not needed")
    assert outcome.document["not_checked"] == ["test: only docs changed"]
    stage.apply({"write": {"setup.cfg": "[metadata]\n"}})
    assert stage.verify().document["gates"]["test"]["result"] == "green"


@pytest.mark.slow
def test_a_page_that_a_test_reads_is_no_doc(stage_of, shop):
    shop = {**shop, "test_page.py": "import os\n\nPAGE = os.path.exists('README.md')\n", "README.md": "x\n"}
    stage = stage_of(shop, goal="explain the shop better")
    stage.verify()
    _again_with(stage, seconds=40.0)
    _again_with(stage, seconds=40.0, on="base")
    stage.apply({"write": {"README.md": "A shop.\n"}})
    assert stage.verify().document["gates"]["test"]["result"] == "green"


@pytest.mark.slow
def test_a_gate_that_shares_a_service_is_run_on_these_files_alone(stage_of, shop):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as service:
        port = service.getsockname()[1]
        needs = f'[gates.test]\nrun = "make test"\nneeds = ["tcp:127.0.0.1:{port}"]\n'
        stage = stage_of({**shop, "ultrawork.toml": needs}, goal="fix the sum")
        stage.apply(MEND)
        outcome = stage.verify()
    assert (outcome.value, outcome.document["strength"]) == ("PASS", "not measured")
    assert not minted(stage, "base")


@pytest.mark.slow
def test_without_a_session_base_is_the_last_commit(stage):
    stage.apply(BREAK)
    outcome = stage.verify()
    assert (outcome.value, outcome.document["changed"]["files"]) == ("FAIL", 1)


@pytest.mark.slow
def test_without_a_session_base_is_where_the_branch_left_its_upstream(stage):
    stage.apply({"sh": "git checkout -qb feature --track main 2>/dev/null"})
    stage.apply(BREAK)
    stage.apply({"sh": "git commit -qam broken"})
    outcome = stage.verify()
    assert (outcome.value, outcome.document["changed"]["files"]) == ("FAIL", 1)


@pytest.mark.slow
def test_a_given_base_is_the_one_to_compare_with(stage):
    stage.apply({"write": {"more.py": "A = 1\n"}, "sh": "git add -A; git commit -qm more"})
    assert stage.verify(base="HEAD~1").document["changed"]["files"] == 1
    with pytest.raises(UsageError, match=r"--base nowhere is not a commit or branch here"):
        stage.verify(base="nowhere")


@pytest.mark.slow
def test_commits_alone_change_nothing(stage):
    stage.apply(MEND)
    stage.verify()
    stage.apply({"sh": "git commit -qam mended"})
    outcome = stage.verify(base="HEAD~1")
    assert outcome.measured[0].now.reused
    assert len(outcome.document["commit"]) == 40


def test_work_that_no_file_shows_is_said_and_not_refused(stage_of, shop):
    stage = stage_of(shop, goal="tag the release")
    stage.apply({"sh": "git commit -q --allow-empty -m release"})
    outcome = stage.verify()
    (finding,) = outcome.verdict.facts.findings
    assert (outcome.value, finding.level) == ("UNVERIFIED", "note")
    assert finding.what.startswith("no file changed; the agent moved HEAD to ")


def test_a_session_that_is_named_but_not_there_is_said(stage):
    with pytest.raises(NotFound, match="no session"):
        stage.verify(session="nobody")


@pytest.mark.slow
def test_settings_count_from_the_next_start_on(stage_of, shop):
    stage = stage_of(shop, goal="count items")
    stage.apply(BREAK)
    stage.apply({"write": {"ultrawork.toml": "[gates]\ntest = false\n"}})
    assert stage.verify().value == "FAIL"


def test_a_gate_that_only_shows_does_not_decide(stage_of, shop):
    config = '[gates.extra]\nrun = "exit 3"\nrequired = false\n'
    outcome = stage_of({**shop, "ultrawork.toml": config}).verify()
    assert outcome.value == "PASS"
    assert outcome.document["gates"]["extra"] == {"result": "red", "receipt": 2, "required": False}


def test_the_agents_permitted_run_is_consent_for_exactly_its_gates(stage):
    stage.verify(by="agent")
    database = stage.store().database
    assert receipts.is_allowed(database, stage.place, "make test")
    assert not receipts.is_allowed(database, stage.place, "make all")


def test_what_may_not_be_run_is_not_run(stage):
    from ultrawork.gates.context import HOOK, GateContext
    from ultrawork.gates.judge.verify import verify
    from ultrawork.gates.session import pinning
    from ultrawork.gates.session.verification import choose_session

    store = stage.store()
    session, pin = choose_session(store, stage.environ, stage.place)
    settings = pinning.read_pinned_settings(stage.place, store, stage.environ, pin)
    work = GateContext(
        store, session, root=stage.place, settings=settings, environ=stage.environ, by=HOOK,
        seconds=60, may_run=lambda _command: False,
    )  # fmt: skip
    outcome = verify(work, pin)
    assert (outcome.value, minted(stage)) == ("UNVERIFIED", [])
    assert [one.rule for one in outcome.open_findings] == ["check-blocked"]


@pytest.mark.slow
def test_a_receipt_says_all_that_the_guide_asks_for(stage):
    stage.apply(BREAK)
    stage.verify()
    receipt = minted(stage)[0]
    assert receipt["schema"] == "ultrawork.receipt/1"
    assert receipt["gate"] == {
        "name": "test", "kind": "TEST", "from": "Makefile:1", "command": "make test",
        "definition": "now",
    }  # fmt: skip
    run = receipt["run"]
    assert (run["argv"], run["cwd"], run["by"], run["on"]) == (["make", "test"], ".", "person", "new")
    assert (run["exit"], run["signal"], receipt["result"]) == (2, None, "red")
    assert receipt["tests"]["failed"] == ["test_shop.ShopTest.test_total_adds"]
    assert receipt["tree"]["before"] == receipt["tree"]["after"]
    assert set(receipt["tools"]) == {"make", "python"}
    assert len(receipt["previous"]) == 64
    log = f"{stage.environ['ULTRAWORK_HOME']}/sessions/{receipt['session']}/{receipt['output']['log']}"
    with open(log, encoding="utf-8") as file:
        assert "AssertionError: 0 != 3" in file.read()


@pytest.mark.slow
def test_no_place_of_the_machine_stands_in_a_receipt_or_a_verdict(stage_of, shop):
    files = {
        **shop,
        "test_where.py": (
            "import os, unittest\n\n\nclass W(unittest.TestCase):\n    def test_where(self):\n"
            "        self.fail(os.path.abspath('here.txt'))\n"
        ),
    }
    stage = stage_of(files)
    stage.apply({"write": {"test_where.py": files["test_where.py"] + "        # more\n"}})
    stage.verify()
    rows = stage.store().database.rows("SELECT document, report FROM receipts")
    texts = [text for row in rows for text in row]
    texts += [row[0] for row in stage.store().database.rows("SELECT document FROM verdicts")]
    folder = os.path.dirname(stage.place)
    assert [text for text in texts if folder in text] == []


def test_the_tree_of_committed_files_is_the_commits_own(stage):
    outcome = stage.verify()
    command = ["git", "-C", stage.place, "rev-parse", "HEAD^{tree}", "HEAD"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert [outcome.document["tree"], outcome.document["commit"]] == told


def test_verify_within_a_gate_of_the_same_checkout_says_so(stage_of, shop):
    from ultrawork.gates.context import GateContext
    from ultrawork.gates.run.reuse import VerificationLock
    from ultrawork.system.process_tree import MARK

    stage = stage_of(shop)
    environ = {**stage.environ, MARK: "1.ab"}
    work = [
        GateContext(stage.store(), None, root=stage.place, settings=None, environ=environ, by="person",
             seconds=5)
        for _ in range(2)
    ]  # fmt: skip
    with (
        VerificationLock(work[0]),
        pytest.raises(Conflict, match="a check runs `ultrawork verify`"),
        VerificationLock(work[1]),
    ):
        pass


@pytest.mark.slow
def test_pins_of_the_checkouts_own_session_follow_its_base(stage):
    stage.verify()
    first = pins.get(stage.store().database, stage.verify().document["session"])
    stage.apply({"write": {"more.py": "A = 1\n"}, "sh": "git add -A; git commit -qm more"})
    outcome = stage.verify()
    second = pins.get(stage.store().database, outcome.document["session"])
    assert first.tree != second.tree == outcome.document["base"]


@pytest.mark.slow
def test_a_finding_about_a_changed_test_names_the_receipt_of_the_run_that_showed_it(stage):
    stage.apply(BREAK)
    text = stage.situation.files["test_shop.py"]
    away = text.replace("    def test_", "    @unittest.skip('later')\n    def test_")
    stage.apply({"write": {"test_shop.py": away}})
    outcome = stage.verify()
    found = [one for one in outcome.verdict.facts.findings if one.rule == "test-put-away"]
    runs = [run["id"] for run in minted(stage, "old-tests")]
    assert [one.receipt in runs for one in found] == [True]
