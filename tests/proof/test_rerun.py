"""What a run in a clean copy adds to a proof, or takes from it."""

from dataclasses import dataclass, field

import pytest

from ultrawork.core.verdict.verdict import FAIL, PASS, UNVERIFIED
from ultrawork.proof.checking import ProofAnswer
from ultrawork.proof.lost import LostTest, LostTests
from ultrawork.proof.policy import Definition, ProofPolicy
from ultrawork.proof.rerun import compare_runs

TEST = Definition("test", "make test", "d", required=True, conditional=False)


@dataclass
class Branch:
    """A baseline whose parts are given instead of read from git."""

    policy: ProofPolicy
    name: str = "origin/main"
    definitions: dict = field(default_factory=lambda: {"test": TEST})


def make_verdict(value=PASS, result="green", strength="proved", gates=None):
    told = {"test": {"result": result, "receipt": 1}} if gates is None else gates
    return {"verdict": value, "strength": strength, "gates": told, "noticed_by": [], "findings": []}


def make_proof(value=PASS, result="green"):
    check = {"name": "test", "result": result, "command": "make test", "tests": None}
    return {"verdict": value, "strength": "proved", "noticedBy": [], "checks": [check]}


UNDONE = LostTests("main", (LostTest("t", "tests/t.py", "gone", "abc", "Add t", undone=True),))


@pytest.mark.parametrize(
    ("proof", "verdict", "require", "lost", "value", "said"),
    [
        (make_proof(), make_verdict(), "pass", (), PASS, "same: PASS"),
        (None, make_verdict(), "pass", (), PASS, "there is no proof to compare with"),
        (make_proof(), make_verdict(FAIL, "red"), "pass", (), FAIL, 'the proof reports "PASS, proved", but this run reports "FAIL'),
        (make_proof(FAIL, "red"), make_verdict(), "pass", (), PASS, 'the proof reports "FAIL, proved", but this run reports "PASS'),
        (make_proof(), make_verdict(UNVERIFIED), "pass", (), UNVERIFIED, "differs"),
        (make_proof(), make_verdict(strength="not proved"), "proved", (), UNVERIFIED, "here it is not"),
        (make_proof(), make_verdict(strength="not proved"), "pass", (), PASS, "same"),
        (make_proof(), make_verdict(gates={}), "pass", (), UNVERIFIED, "of origin/main did not run"),
        (make_proof(), make_verdict(), "pass", UNDONE, UNVERIFIED, "same: PASS"),
    ],
)  # fmt: skip
def test_what_was_run_here_decides(*, proof, verdict, require, lost, value, said):
    branch = Branch(ProofPolicy(require, "signers"))
    answer = ProofAnswer("HEAD", "a" * 40, branch, lost or LostTests("main", ()), predicate=proof)
    compare_runs(answer, verdict)
    assert answer.value == value
    assert any(said in row.text for row in answer.rows)
