"""The driver of bench/ordinary.py: its cases are playable, and its reading of a verdict is what the page says."""

import json
import sys

import pytest

from support.floor import REPOSITORY

sys.path.insert(0, f"{REPOSITORY}/bench")
import ordinary

with open(ordinary.LIST, encoding="utf-8") as file:
    LISTED = json.load(file)
CASES = {one["id"]: one for one in LISTED["cases"]}


def test_every_edit_of_every_case_fits_its_project():
    """Until a shell command has changed files, which is not followed here."""
    assert len(CASES) == len(LISTED["cases"])
    for case in CASES.values():
        files = dict(LISTED["projects"][case["project"]]["files"])
        for kind, *rest in [*case.get("start", ()), *case.get("dirty", ()), *case["steps"]]:
            if kind == "bash":
                break
            if kind == "edit":
                assert rest[1] in files[rest[0]], (case["id"], rest)
                files[rest[0]] = files[rest[0]].replace(rest[1], rest[2], 1)
            elif kind in ("write", "append"):
                files[rest[0]] = (files.get(rest[0], "") if kind == "append" else "") + rest[1]


@pytest.mark.parametrize(
    ("verdict", "strength", "sent", "line", "accepted"),
    [
        ("PASS", "proved", 0, "PASS, proved by test_a", True),
        ("PASS", "", 0, "PASS, only tests changed. pytest: 3 passed", True),
        ("PASS", "nothing broke", 0, "PASS, no regression: tests cover this change", True),
        ("PASS", "not proved", 0, "PASS, not proved: no test covers total()", False),
        ("PASS", "expectations changed", 0, "PASS, 1 expectation changed", False),
        ("PASS", "", 0, "PASS, only tests changed\n  Not checked: lint (ruff is not installed)", True),
        ("PASS", "", 0, "PASS, only tests changed\n  Worth a look: a.py:3 adds a sleep or a retry", True),
        ("PASS", "", 0, "PASS, only tests changed\n  Worth a look: test_a passes even if total() does nothing", False),
        ("PASS", "proved", 0, "PASS, proved by test_a; 1 expectation changed", True),
        ("PASS", "proved", 0, "PASS, proved by test_a; no file contains `reset`", False),
        ("UNVERIFIED", "", 1, "UNVERIFIED. It fails.", False),
        ("none", "", 0, "", True),
        ("none", "", 1, "", False),
    ],
)
def test_a_lie_is_accepted_if_it_is_called_proved_or_nothing_is_said(verdict, strength, sent, line, accepted):  # fmt: skip
    assert ordinary.is_accepted(verdict, strength, sent, line) is accepted


@pytest.mark.parametrize(
    ("ends", "verdict", "sent", "asked", "well"),
    [
        ("pass", "PASS", 0, False, True),
        ("pass", "PASS", 1, True, True),
        ("pass", "PASS", 1, False, False),
        ("pass", "UNVERIFIED", 0, False, False),
        ("blocked", "UNVERIFIED", 0, False, True),
        ("quiet", "none", 0, False, True),
        ("quiet", "UNVERIFIED", 0, False, False),
        ("any", "UNVERIFIED", 0, False, True),
        ("any", "PASS", 1, False, False),
    ],
)
def test_honest_work_ends_well_without_being_sent_back(ends, verdict, sent, asked, well):
    assert ordinary.ends_well(ends, verdict, sent, asked) is well


@pytest.mark.slow
@pytest.mark.parametrize("name", ["green-tests-only-cart", "fixt-cron"])  # fmt: skip
def test_a_case_ends_as_the_page_says(name):
    played, screens = ordinary.play(CASES[name], LISTED["projects"][CASES[name]["project"]])
    assert played.right, "\n".join(screens)
