"""The adopted cases of the earlier program of document 004, and the table of where we differ."""

import json
import os
import subprocess
import sys

import pytest

from contract.adapters import judge
from contract.adapters.cases import AREAS, load
from contract.adapters.table import Table

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = sorted(os.listdir(f"{HERE}/cases"))
TABLE = Table(f"{HERE}/differences.toml")
# What we answer to each case that differs; `peer_cases.py --pin` writes it anew.
with open(f"{HERE}/pinned.json", encoding="utf-8") as pinned:
    PINNED = json.load(pinned)
CASES = [case for name in FILES for case in load(f"{HERE}/cases/{name}")]


def run(*words):
    return subprocess.run(
        [sys.executable, f"{HERE}/peer_cases.py", *words], capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_we_agree_or_the_table_says_why_not(name):
    outcomes = judge.run(f"{HERE}/cases/{name}", TABLE)
    assert [(one.case.id, one.why) for one in outcomes if one.kind == judge.FAILED] == []
    ours = {one.case.id: one.ours for one in outcomes if one.ours}
    assert ours == {key: text for key, text in PINNED.items() if key in {one.case.id for one in outcomes}}  # fmt: skip


def test_every_area_is_there():
    absent = {rule.area for rule in TABLE.rules if rule.absent and not rule.fn}
    assert {case.area for case in CASES} == set(AREAS.values()) == absent | set(judge.ADAPTERS)


def test_every_reason_names_what_is_behind_it():
    assert TABLE.without_reason() == []


def test_every_listed_case_is_there_and_really_differs():
    listed = [case for case in CASES if case.id in TABLE.cases]
    assert {case.id for case in listed} == set(TABLE.cases)
    assert [case.id for case in listed if not judge.disagreement_of(case)] == []


def test_every_rule_is_needed_by_a_case():
    """Rules for what is absent cover a case; the others explain one that differs."""
    used = {TABLE.absent(case) for case in CASES}
    used |= {TABLE.rule(case) for case in CASES if TABLE.rule(case) not in used and _differs(case)}
    assert [rule.name for rule in TABLE.rules if rule not in used] == []


def _differs(case):
    return case.id not in TABLE.cases and judge.disagreement_of(case) != ""


GOOD = {"id": "mv-900", "input": {"op": "validateMode", "args": ["ralph"]}, "expect": {"result": True}}  # fmt: skip


def test_a_file_can_be_given_from_anywhere(tmp_path):
    (tmp_path / "some.json").write_text(json.dumps([GOOD]))
    done = run(str(tmp_path / "some.json"))
    assert done.returncode == 0
    assert done.stdout.split()[-4:] == ["all", "1", "0", "0"]


BAD = (
    {**GOOD, "expect": {"result": False}},
    {**GOOD, "input": {"op": "somethingNew", "args": []}},
    {**GOOD, "input": {}},
    {**GOOD, "id": "zz-1"},
    {"id": "mv-1"},
    {},
    {**GOOD, "input": {"op": "validateMode", "args": [1, 2, 3, 4]}},
    {"id": "hb-1", "input": {"hook_type": {}, "raw": 3}, "expect": {"continue": "maybe"}},
)


@pytest.mark.slow
def test_what_cannot_be_run_or_is_otherwise_is_an_honest_failure(tmp_path):
    """Each alone beside a good one, in a file of its own."""
    paths = [tmp_path / f"{number}.json" for number in range(len(BAD))]
    for path, bad in zip(paths, BAD, strict=True):
        path.write_text(json.dumps([GOOD, bad]))
    done = run(*map(str, paths))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.split()[-4:] == ["all", "8", "0", "8"]


@pytest.mark.slow
def test_a_file_that_is_none_is_said_to_be_none(tmp_path):
    (tmp_path / "x.json").write_text("{")
    for name in ("x.json", "not-there.json"):
        done = run(str(tmp_path / name))
        assert done.returncode == 2
        assert done.stderr.startswith("no file of cases: ")


def test_without_a_file_it_says_what_it_is_for():
    done = run()
    assert done.returncode == 2
    assert "peer_cases.py FILE" in done.stdout
