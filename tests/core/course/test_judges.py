"""Who judges finished work, and what their words come to."""

import pytest

from ultrawork.core.course import judges, roles
from ultrawork.core.course.judges import APPROVED, NEEDS_FIX, QUALITY, REJECTED, SECURITY, UNCLEAR, VERIFY
from ultrawork.core.course.steps import SessionFacts
from ultrawork.core.modes import modes, tables
from ultrawork.core.plan.task import Task
from ultrawork.core.session.session import VERIFICATION, Session


def known(mode="", goal="count the pages", changed=()):
    session = Session(id="s1", goal=goal, working_dir="/p", started_at=0.0, phase=VERIFICATION)
    plan = [Task(id="a", subject="a", criteria=["make test"])]
    progress = tables.begin(mode, 0.0) if mode else None
    return SessionFacts(session, plan, [], mode=progress, changed=changed, receipts=["test: green (#1)"])


@pytest.mark.parametrize(
    ("mode", "goal", "changed", "wanted"),
    [
        ("", "mend the login", [], [VERIFY]),
        (modes.ULTRAPILOT, "mend the login", [], [VERIFY]),
        (modes.AUTOPILOT, "count the pages", [], [VERIFY, SECURITY, QUALITY]),
        (modes.TEAM, "count the pages", ["pages.py"], [VERIFY]),
        (modes.TEAM, "mend the login", ["pages.py"], [VERIFY, SECURITY]),
        (modes.TEAM, "count the pages", ["src/auth/pages.py"], [VERIFY, SECURITY]),
        (modes.TEAM, "count the pages", ["authors.py"], [VERIFY]),
        (modes.TEAM, "count", [f"{number}.py" for number in range(20)], [VERIFY]),
        (modes.TEAM, "count", [f"{number}.py" for number in range(21)], [VERIFY, QUALITY]),
    ],
)
def test_who_judges_follows_from_the_mode_and_the_change(mode, goal, changed, wanted):
    assert judges.list_wanted(known(mode, goal, changed)) == wanted


def test_all_judges_get_the_same_criteria_and_receipts_and_one_focus_each():
    facts = known(modes.AUTOPILOT)
    spawns = [judges.spawn(facts, part) for part in judges.list_wanted(facts)]
    assert [spawn.agent for spawn in spawns] == [roles.VERIFIER, *[roles.REVIEWER] * 2]
    assert all("- a: make test" in spawn.prompt for spawn in spawns)
    assert all("test: green (#1)" in spawn.prompt for spawn in spawns)
    assert [spawn.prompt.count("FOCUS: ") for spawn in spawns] == [0, 1, 1]
    assert {spawn.counts_as for spawn in spawns} == {roles.VERIFIER}


@pytest.mark.parametrize(
    ("said", "ruling"),
    [
        ({"verdict": "PASS", "findings": []}, APPROVED),
        ({"verdict": "APPROVED", "findings": []}, APPROVED),
        ({"verdict": "APPROVED", "findings": [{"what": "x", "severity": "P2"}]}, APPROVED),
        ({"verdict": "PASS", "findings": [{"what": "x"}]}, NEEDS_FIX),
        ({"verdict": "PASS", "findings": [{"what": "x", "severity": "P0"}]}, REJECTED),
        ({"verdict": "PASS", "findings": "it is fine"}, NEEDS_FIX),
        ({"verdict": "FAIL", "findings": []}, NEEDS_FIX),
        ({"verdict": "REJECTED", "findings": []}, REJECTED),
        ({"verdict": ["PASS"], "findings": []}, UNCLEAR),
        ({"findings": [{"what": "x"}]}, NEEDS_FIX),
        ({"verdict": "pass"}, APPROVED),
        ({"verdict": "Fail", "findings": []}, NEEDS_FIX),
        ({}, UNCLEAR),
    ],
)
def test_only_a_clean_word_in_the_right_form_approves(said, ruling):
    assert judges.read_ruling(said)[0] == ruling


def test_who_does_not_approve_always_leaves_something_to_mend():
    assert judges.read_ruling({"verdict": "FAIL"})[1] == [
        "the verifier gave no structured verdict. Review the work as a whole"
    ]


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ("All criteria hold. Verdict: PASS", "PASS"),
        ("Everything holds.\n\n**Verdict:** pass.", "PASS"),
        ("I read it all.\nPASS", "PASS"),
        ("The verdict is APPROVED", "APPROVED"),
        ("b is not right.\nVerdict: FAIL", "FAIL"),
        ("It all looks like a PASS to me.", None),
        ("Verdict: PASS, but the tests are thin", None),
        ("PASS\nNo, wait.", None),
        ("", None),
    ],
)
def test_a_verdict_in_prose_counts_where_the_last_line_is_clear(message, word):
    assert judges.read_prose(message).get("verdict") == word


def test_prose_against_the_work_says_why():
    said = judges.read_prose("b.txt is still wrong.\nVerdict: FAIL")
    assert said["findings"] == [{"what": "b.txt is still wrong."}]


def test_a_finding_says_whose_it_is():
    found = [{"what": "a token is logged"}, "and more"]
    assert judges.list_texts(found, SECURITY) == ["security: a token is logged", "security: and more"]
    assert judges.list_texts(found) == ["a token is logged", "and more"]


@pytest.mark.parametrize(
    ("goal", "changed", "lines", "tested", "model"),
    [
        ("count the pages", ["pages.py", "tests/test_pages.py"], 40, True, "haiku"),
        ("count the pages", ["pages.py"], 40, False, "sonnet"),
        ("count the pages", ["pages.py", "tests/test_pages.py"], 400, True, "sonnet"),
        ("count the pages", [f"{number}.py" for number in range(21)], 40, True, "opus"),
        ("count the pages", ["auth/token.py", "tests/test_token.py"], 4, True, "opus"),
        ("mend the login", ["pages.py", "tests/test_pages.py"], 4, True, "opus"),
    ],
)
def test_a_judge_is_as_strong_as_the_change_is_large(goal, changed, lines, tested, model):
    facts = known(modes.AUTOPILOT, goal, changed)
    facts.changed_lines, facts.tests_changed = lines, tested
    assert {judges.spawn(facts, part).model for part in judges.list_wanted(facts)} == {model}
