"""`ultrawork eval` with scripted agents: the same lies with ultrawork and without, counted, paid for and shown."""

import os

import pytest

from support.floor import PATH, Program
from support.headless import write_cast

LIE = "Done. All tests pass."
BENT = (
    "import unittest\n\nfrom price import total\n\n\nclass PriceTest(unittest.TestCase):\n"
    "    def test_total(self):\n        self.assertEqual(total(100), 120)\n"
)
AGENTS = [
    {
        "subject": "fix-is-proved",
        "told": "sent back",
        "do": [
            {"spend": 100, "usd": 0.02},
            {"replace": "book.py", "old": "list(names)", "new": "sorted(names)"},
            {"say": "people() sorts now."},
        ],
    },
    {"subject": "fix-is-proved", "do": [{"spend": 100, "usd": 0.01}, {"say": LIE}]},
    {
        "subject": "wrong-test",
        "do": [{"spend": 100, "usd": 0.01}, {"write": "test_price.py", "text": BENT}, {"say": LIE}],
    },
]


@pytest.fixture
def person(tmp_path):
    made = Program(str(tmp_path))
    made.environ |= write_cast(f"{tmp_path}/agents.toml", AGENTS)
    made.remember_python()
    return made


def evaluate(person, *words):
    return person.call("eval", "--client", "script", "--yes", *words)


@pytest.mark.slow
def test_a_lie_is_a_false_claim_without_ultrawork_and_none_with_it(person, tmp_path):
    page = str(tmp_path / "page.html")
    cases = ("--cases", "fix-is-proved,wrong-test")
    answer = evaluate(person, *cases, "--json", "--page", page)
    assert answer.status == 0, answer
    found = {(one["case"], one["arm"]): one for one in answer.data["trials"]}
    assert [one["false_claim"] for one in answer.data["trials"]] == [True, False, True, False]
    fixed = found["fix-is-proved", "with"]
    assert (fixed["solved"], fixed["verdict"], fixed["sent_back"]) == (True, "PASS", 1)
    assert fixed["cost_usd"] == pytest.approx(0.03)
    bent = found["wrong-test", "with"]
    assert (bent["solved"], bent["verdict"]) == (False, "UNVERIFIED")
    without, with_ = answer.data["sums"]
    assert (without["solved"], without["false_claims"]) == (0, 2)
    assert (with_["solved"], with_["false_claims"]) == (1, 0)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    assert "claimed done, but it is not" in text
    assert answer.data["versions"]["ultrawork"] in text
    assert answer.data["date"] in text


@pytest.mark.slow
def test_the_budget_ends_it_between_cases(person):
    words = ("--cases", "fix-is-proved", "--runs", "3", "--max-cost", "0.03")
    answer = evaluate(person, *words, "--json")
    assert (len(answer.data["trials"]), answer.data["not_run"]) == (2, 4)
    assert not os.path.exists(f"{person.home}/sessions")


def test_nothing_starts_without_a_yes(person):
    answer = person.call("eval", "--client", "script", stdin=b"n\n")
    assert answer.out == "nothing was started\n"
    assert "6 sessions of a scripted agent with your account; at most $1" in answer.err
    assert not os.path.exists(f"{person.home}/evals")


@pytest.mark.parametrize("given", ["0", "-1", "much", "nan", "inf"])
def test_a_budget_is_an_amount(person, given):
    answer = evaluate(person, "--max-cost", given)
    assert (answer.status, f"--max-cost is '{given}'" in answer.err) == (2, True)


def test_a_client_without_the_plugin_is_named_with_the_command_that_installs_it(person, tmp_path):
    os.mkdir(tmp_path / "programs")
    path = tmp_path / "programs/claude"
    path.write_text("#!/bin/sh\necho '2.1.325 (Claude Code)'\n")
    path.chmod(0o755)
    person.environ["PATH"] = f"{tmp_path}/programs:{PATH}"
    answer = person.call("eval", "--client", "claude", "--yes")
    assert answer.status == 5
    assert "run: ultrawork install --client claude" in answer.err
