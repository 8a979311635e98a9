"""What is proved, as people see it: the screens of the guide, the text for a pull request, and back."""

import os
import re

import pytest

from support.floor import Program
from ultrawork.core.errors import UsageError
from ultrawork.gates.session import proof
from ultrawork.report import evidence

SHORT = "5b0c" * 16


def receipt(number, name, command, result="green", on="new", **more):
    tests = more.pop("tests", None)
    return {
        "schema": "ultrawork.receipt/1",
        "id": number,
        "session": "7f3a51c2",
        "gate": {"name": name, "kind": "TEST", "from": "Makefile:1", "command": command},
        "run": {
            "argv": command.split(), "cwd": ".", "by": "hook", "on": on, "exit": 0, "signal": None,
            "started": "2026-11-15T14:02:11Z", "seconds": more.pop("seconds", 1.86),
        },
        "result": result,
        "reason": "",
        "tests": tests,
        "tree": {"before": "9c1f0a2e" * 5, "after": "9c1f0a2e" * 5, "wrote": []},
        "output": {"sha256": SHORT, "bytes": 312, "log": f"evidence/{number}.log"},
        "tools": {"make": "4.3", "python": "3.12.4"},
        "previous": "e1d9",
    }  # fmt: skip


def ran(number, *failed):
    return {"ran": number, "failed": list(failed), "failed_count": len(failed), "skipped": 0}


TEST = "tests/test_session.py::test_expired_token"
RECEIPTS = [
    receipt(9, "test", "make test", "red", tests=ran(3, TEST)),
    receipt(12, "test", "make test", tests=ran(4)),
    receipt(13, "lint", "ruff check .", seconds=0.3),
    receipt(14, "test", "make test", on="old-tests", seconds=1.8, tests=ran(3)),
    receipt(15, "test", "make test", "red", on="new-tests", tests=ran(4, TEST)),
]
VERDICT = {
    "schema": "ultrawork.verdict/1", "verdict": "PASS", "session": "7f3a51c2",
    "goal": "fix the login bug", "base": "51be77d0" * 5, "tree": "9c1f0a2e" * 5, "commit": None,
    "decided": "2026-11-15T14:02:14Z", "seconds": 341, "refusals": 1,
    "gates": {
        "test": {"result": "green", "receipt": 12}, "lint": {"result": "green", "receipt": 13},
    },
    "noticed_by": [TEST], "changed": {"files": 2, "added": 7, "removed": 1, "tests": 1},
    "findings": [
        {
            "rule": "gate-changed", "level": "note", "gate": "lint", "where": "pyproject.toml",
            "what": "`ruff check .` became `ruff check src tests`; green both ways", "receipt": 13,
            "clears": "nothing to do",
        },
    ],
    "not_checked": [], "accepted": [], "receipts": [12, 13, 14, 15],
}  # fmt: skip
REFUSALS = [{"at": "13:58", "what": 'sent back: said "all tests pass", but test_expired_token red'}]


def test_the_last_verdict_looks_as_in_the_guide():
    assert evidence.render(VERDICT, RECEIPTS, REFUSALS) == (
        "PASS     fix the login bug                      7f3a51c2  14:02  5 min 41 s, sent back once\n"
        "tree     9c1f0a2 not committed; baseline 51be77d; 2 files, +7 -1\n"
        "test     green   4 passed                   make test                1.9 s     hook    #12\n"
        "lint     green                              ruff check .             0.3 s     hook    #13\n"
        "         old tests on new code  green       3 passed                 1.8 s     hook    #14\n"
        "         new tests on old code  red         test_expired_token notices this change  #15\n"
        "note     lint: `ruff check .` became `ruff check src tests`; green both ways"
        "  pyproject.toml  #13\n"
        '13:58    sent back: said "all tests pass", but test_expired_token red'
    )


def test_a_pull_request_looks_as_in_the_guide():
    assert evidence.render_markdown(VERDICT, RECEIPTS, REFUSALS) == (
        "**ultrawork: PASS** for tree `9c1f0a2e9c1f`: fix the login bug\n"
        "\n"
        "| check | result | command | time |\n"
        "|---|---|---|---|\n"
        "| test | 4 passed | `make test` | 1.9 s |\n"
        "| lint | ok | `ruff check .` | 0.3 s |\n"
        "| original tests on this code | 3 passed |  | 1.8 s |\n"
        "\n"
        "Fails without this change: `test_expired_token`. Expectations changed: none."
        " Already failing before: none. Check changed: lint.\n"
        "<details><summary>4 receipts, 1 claim sent back</summary>\n"
        "\n"
        "`#12` test green `sha256:5b0c5b0c5b0c` · `#13` lint green `sha256:5b0c5b0c5b0c` ·"
        " `#14` test/old-tests green `sha256:5b0c5b0c5b0c` ·"
        " `#15` test/new-tests red `sha256:5b0c5b0c5b0c`\n"
        '13:58 sent back: said "all tests pass", but test_expired_token red\n'
        "</details>\n"
        "Check: `ultrawork evidence check -` with this text"
    )


def test_one_receipt_says_what_ran_where_and_how_it_ended():
    assert evidence.render_receipt(RECEIPTS[0]) == (
        "#9       test red  2 passed, 1 failed\n"
        "command  make test  (Makefile:1)\n"
        "run      2026-11-15T14:02:11Z  1.9 s  exit 0  by hook  on new\n"
        "tree     9c1f0a2\n"
        "output   312 bytes  sha256 5b0c5b0c5b0c  evidence/9.log\n"
        "tools    make 4.3, python 3.12.4\n"
        f"failed   {TEST}"
    )


def test_a_pull_request_reads_back_as_the_same_proof():
    found = proof.parse(evidence.render_markdown(VERDICT, RECEIPTS, REFUSALS))
    assert (found.verdict, found.tree) == ("PASS", "9c1f0a2e9c1f")
    assert found.gates == {"test": "green", "lint": "green"}


def test_a_command_with_a_pipe_does_not_break_the_table():
    piped = [receipt(12, "test", "make test | tee log", tests=ran(4)), RECEIPTS[2]]
    text = evidence.render_markdown(VERDICT, piped, [])
    assert "| test | 4 passed | `make test \\| tee log` | 1.9 s |" in text
    assert proof.parse(text).gates == {"test": "green", "lint": "green"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "contains no proof"),
        ("looks good to me", "contains no proof"),
        ("{", "not valid JSON"),
        ('{"data": 1}', "not a verdict of ultrawork"),
        ('{"data": {"schema": "ultrawork.verdict/1"}}', "not a verdict of ultrawork"),
        ('{"schema": "other", "gates": {}}', "not a verdict of ultrawork"),
    ],
)
def test_what_is_no_proof_is_said_in_one_sentence(text, said):
    with pytest.raises(UsageError, match=said):
        proof.parse(text)


def test_a_proof_that_claims_too_much_is_read_as_unverified():
    found = proof.parse('{"schema": "ultrawork.verdict/1", "verdict": "PASS", "gates": {}, "tree": "x"}')
    assert found.verdict == "UNVERIFIED"


@pytest.fixture
def desk(stage, tmp_path):
    """The program beside a checkout that was verified with something open."""
    program = Program(str(tmp_path))
    program.place, program.environ = stage.place, stage.environ
    return program


def columns(answer):
    return max(len(line) for line in answer.out.splitlines())


LONG = "test_" + "a_very_long_name_" * 12
MANY = (
    "import unittest\n\n\nclass ShopTest(unittest.TestCase):\n"
    + "".join(f"    def {LONG}{n}(self):\n        self.assertEqual({n}, -1, 'x' * 300)\n" for n in range(9))
)  # fmt: skip


class TestCommands:
    def test_no_verdict_yet_is_nothing_there(self, desk):
        answer = desk.call("evidence")
        assert answer.status == 4
        assert answer.err.count("\n") == 1

    @pytest.mark.slow
    def test_the_exit_status_is_the_verdicts(self, desk, stage):
        assert desk.call("verify").status == 0
        assert desk.call("evidence").status == 0
        stage.apply({"write": {"shop.py": "def total(prices):\n    return 0\n"}})
        assert desk.call("verify").status == 1
        assert desk.call("evidence").status == 1
        stage.apply(
            {"write": {"shop.py": "def total(prices):\n    return sum(prices)\n\n\ndef refund(price):\n    pass\n"}}
        )
        assert desk.call("verify").status == 3
        assert desk.call("evidence", "show").status == 3

    @pytest.mark.slow
    def test_why_explains_what_verify_came_to(self, desk, stage):
        stage.apply({"write": {"shop.py": "def total(prices):\n    return len(prices)\n"}})
        desk.call("verify")
        told = desk.call("why").out.splitlines()
        assert told[0].endswith("FAIL (ultrawork verify)")
        assert told[1:] == ["because    make test fails: test_total_adds", "next       get `test_total_adds` to pass"]
        assert desk.call("why", "--json").data["verdict"] == "FAIL"

    @pytest.mark.slow
    def test_a_verdict_of_verify_is_shown_where_no_session_is(self, desk):
        assert desk.call("status").status == 4
        assert "verdict " not in desk.call("here").out
        desk.call("verify")
        shown = desk.call("here").out
        assert "session  none yet\nverdict  PASS, " in shown
        assert " ago (ultrawork verify)\n" in shown
        assert "ultrawork why " in shown
        status = desk.call("status")
        assert status.out.startswith("no session in this checkout yet\nverdict    PASS, ")
        assert desk.call("status", "--json").data["verified"].endswith(" ago (ultrawork verify)")

    @pytest.mark.slow
    def test_verify_says_the_least_that_is_useful(self, desk, stage):
        stage.apply({"write": {"shop.py": "def total(prices):\n    return len(prices)\n"}})
        text = desk.call("verify").out
        assert re.sub(r"[\d.]+ s", "N s", text) == (
            "FAIL. make test fails: test_total_adds\n"
            "make test: exit 2 after N s, 0 passed, 1 failed\n"
            "  FAIL test_total_adds  test_shop.py:8  AssertionError: 2 != 3\n"
            "Next: get `test_total_adds` to pass\n"
            "Show: ultrawork evidence\n"
        )

    @pytest.mark.slow
    def test_nothing_is_wider_than_100_columns(self, desk, stage):
        stage.apply({"write": {"test_shop.py": MANY}})
        answers = [desk.call("verify", "--fresh"), desk.call("evidence"), desk.call("gates")]
        answers += [desk.call("evidence", "show", "1")]
        assert [one for one in answers if columns(one) > 100] == []
        assert "and 6 more" in answers[0].out

    @pytest.mark.slow
    def test_an_unchanged_checkout_is_answered_from_the_last_verdict(self, desk, stage):
        first = desk.call("verify", "--json").data
        again = desk.call("verify", "--json").data
        assert again == {**first, "reused": True}
        assert "Nothing changed since" in desk.call("verify").out
        stage.apply({"write": {"shop.py": "def total(prices):\n    return 0\n"}})
        assert desk.call("verify").status == 1

    def test_a_verdict_does_not_stand_when_the_branch_moved(self, desk, stage):
        desk.call("verify")
        stage.apply({"sh": "git commit -q --allow-empty -m more"})
        assert "reused" not in desk.call("verify", "--json").data

    def test_a_verdict_of_a_broken_gate_does_not_stand(self, desk, stage):
        stage.apply({"write": {"Makefile": "test:\n\t@no-such-runner\n"}, "sh": "git commit -qam x"})
        assert desk.call("verify").status == 3
        answer = desk.call("verify", "--json")
        assert "reused" not in answer.data
        assert answer.data["not_checked"] == ["test: no-such-runner is not installed"]

    def test_a_missing_runner_is_told_with_the_line_that_mends_it(self, desk, stage):
        stage.apply({"write": {"Makefile": "test:\n\t@no-such-runner\n"}, "sh": "git commit -qam x"})
        said = desk.call("verify").out
        assert "UNVERIFIED. test: no-such-runner is not installed" in said
        cure = 'install no-such-runner, or add this to ultrawork.toml: [gates] test = "COMMAND'
        assert f"Next: {cure}" in said

    def test_receipts_are_listed_and_shown_by_number(self, desk):
        desk.call("verify")
        assert desk.call("evidence", "list").out.splitlines()[1].split()[:4] == [
            "#1", "test", "green", "new"
        ]  # fmt: skip
        assert desk.call("evidence", "show", "#1").out.startswith("#1       test green  1 passed\n")
        assert desk.call("evidence", "show", "9").status == 4
        assert desk.call("evidence", "show", "nine").status == 2

    def test_a_proof_is_the_same_here_until_a_file_changes(self, desk, stage, tmp_path):
        desk.call("verify")
        for form in (("--markdown",), ("--json",)):
            path = tmp_path / "proof"
            path.write_text(desk.call("evidence", *form).out)
            assert desk.call("evidence", "check", str(path)).status == 0
        stage.apply({"write": {"shop.py": "def total(prices):\n    return sum(prices) \n"}})
        answer = desk.call("evidence", "check", str(path))
        assert answer.status == 1
        assert re.match(r"tree     differs: \w{12} in the proof, \w{12} here\n", answer.out)

    def test_a_proof_is_read_from_standard_input(self, desk):
        desk.call("verify")
        text = desk.call("evidence", "--markdown").out
        assert desk.call("evidence", "check", "-", stdin=text.encode()).status == 0

    @pytest.mark.slow
    def test_a_rerun_says_whether_it_comes_out_the_same(self, desk, tmp_path):
        desk.call("verify")
        path = tmp_path / "proof.md"
        path.write_text(desk.call("evidence", "--markdown").out)
        same = desk.call("evidence", "check", str(path), "--rerun")
        assert (same.status, "test     same: green" in same.out) == (0, True)
        path.write_text(path.read_text().replace("test green", "test red"))
        other = desk.call("evidence", "check", str(path), "--rerun")
        assert other.status == 1
        assert "test     differs: red in the proof, green here" in other.out

    @pytest.mark.parametrize(
        "words",
        [
            ("evidence", "check", "/nowhere/proof.md"),
            ("evidence", "check", "a", "b"),
            ("evidence", "--session", "${ID}"),
            ("verify", "--base", "nowhere"),
            ("verify", "--within", "soon"),
            ("verify", "now"),
            ("gates", "try", "nothing"),
            ("gates", "allow", "nothing"),
            ("accept",),
            ("accept", "because"),
        ],
    )
    def test_bad_input_is_answered_with_one_sentence(self, desk, words):
        answer = desk.call(*words)
        assert answer.status in (2, 4)
        assert re.fullmatch(r"ultrawork: .{10,180}\n", answer.err)
        assert answer.out == ""

    @pytest.mark.slow
    def test_accepting_is_the_persons_word_and_makes_no_red_gate_green(self, desk, stage):
        stage.apply({"write": {"shop.py": "def total(prices):\n    return 0\n"}})
        desk.call("verify")
        answer = desk.call("accept", "the", "test", "needs", "a", "licence")
        assert answer.status == 0
        assert desk.call("evidence", "--json").data["verdict"] == "UNVERIFIED"
        assert "accepted by you: the test needs a licence" in desk.call("evidence").out
        assert desk.call("accept", "x", env={"CLAUDECODE": "1"}).status == 5

    @pytest.mark.slow
    def test_accepting_an_open_finding_over_green_gates_is_shown_as_that_and_no_pass(self, desk, stage):
        stage.apply(
            {"write": {"shop.py": "def total(prices):\n    return sum(prices)\n\n\ndef refund(price):\n    pass\n"}}
        )
        assert desk.call("verify").status == 3
        desk.call("accept", "later")
        shown = desk.call("evidence")
        assert shown.status == 3
        assert "accepted by you: later" in shown.out

    def test_only_the_person_allows_gates(self, desk):
        assert desk.call("gates", "allow", env={"CLAUDECODE": "1"}).status == 5
        assert desk.call("gates", "allow").out == "allowed here: make test\n"
        assert "; hooks may run it" in desk.call("gates").out

    def test_gates_say_what_was_found_where_and_why(self, desk):
        lines = desk.call("gates").out.splitlines()
        assert lines[0] == "test     make test"
        assert lines[1] == "         Makefile:1: target test in Makefile; never run here yet"
        data = desk.call("gates", "list", "--json").data
        assert [one["name"] for one in data["gates"]] == ["test"]

    def test_the_files_that_people_read_hold_the_proof(self, desk, stage):
        desk.call("verify")
        folder = f"{stage.environ['ULTRAWORK_HOME']}/sessions"
        (session,) = os.listdir(folder)
        found = sorted(os.listdir(f"{folder}/{session}/evidence"))
        assert found == ["1.json", "1.log"]
        assert os.path.exists(f"{folder}/{session}/verdict.json")
