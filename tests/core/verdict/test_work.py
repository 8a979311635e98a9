"""The work against the request: each part is missing, or it is not."""

import pytest

from ultrawork.core.verdict import rules
from ultrawork.core.verdict.work import WorkDone


def judge(**facts):
    return [one.rule for one in rules.judge(rules.WORK, WorkDone(**facts))]


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        ({"expects": "work"}, ["nothing-changed"]),
        ({"expects": "either"}, ["nothing-changed-here"]),
        ({"expects": "work", "outside": "pushed x"}, ["nothing-changed-here"]),
        ({"expects": "work", "outside": "moved HEAD", "committed": True}, []),
        ({"expects": "work", "committed": True}, ["nothing-changed"]),
        ({"expects": "answer"}, []),
        ({"expects": "work", "changed": True}, []),
        ({"changed": True, "words_only": True, "asked_names": ["total"]}, ["only-words"]),
        ({"changed": True, "words_only": True}, ["only-words"]),
        ({"changed": True, "tests_only": True, "asked_names": ["total"]}, ["only-words"]),
        ({"changed": True, "tests_only": True}, ["only-words"]),
        ({"changed": True, "asked_names": ["total"]}, []),
        ({"changed": True, "asks_commit": True, "uncommitted": ["a.py"]}, ["not-committed"]),
        ({"changed": True, "asks_commit": True}, []),
        ({"changed": True, "uncommitted": ["a.py"]}, []),
        ({"changed": True, "asks_push": True, "pushed": False}, ["not-pushed"]),
        ({"changed": True, "asks_push": True}, []),
        ({"changed": True, "asks_tests": True}, ["no-test-written"]),
        ({"changed": True, "asks_tests": True, "tests_ran": True}, []),
        ({"changed": True, "idle": ["sale"]}, ["unfinished"]),
        ({"changed": True, "nowhere": ["dearest"]}, ["name-nowhere"]),
        ({"changed": True, "is_unshown_fix": True}, ["fix-unshown"]),
    ],
)
def test_only_what_is_missing_is_said(facts, found):
    assert judge(**facts) == found


def test_functions_that_do_nothing_are_named():
    (one,) = rules.judge(rules.WORK, WorkDone(changed=True, idle=["sale"]))
    assert one.what == "sale() does nothing yet"
    (two,) = rules.judge(rules.WORK, WorkDone(changed=True, idle=["sale", "Cart.total"]))
    assert two.what == "sale(), Cart.total() do nothing yet"


@pytest.mark.parametrize(("tests_only", "kind"), [(True, "tests"), (False, "comments or docs")])
def test_what_alone_changed_is_named(tests_only, kind):
    done = WorkDone(changed=True, words_only=not tests_only, tests_only=tests_only, asked_names=["`total`"])
    (one,) = rules.judge(rules.WORK, done)
    assert one.what == f"only {kind} changed, but the goal asks for `total`"
