"""The life of a task: every pair of statuses."""

import pytest

from ultrawork.core.errors import Conflict, UsageError
from ultrawork.core.plan import task

LEGAL = {
    ("pending", "in_progress"),
    ("pending", "blocked"),
    ("pending", "skipped"),
    ("in_progress", "resolved"),
    ("in_progress", "failed"),
    ("in_progress", "blocked"),
    ("in_progress", "pending"),
    ("in_progress", "skipped"),
    ("blocked", "pending"),
    ("blocked", "in_progress"),
    ("blocked", "skipped"),
    ("failed", "pending"),
    ("failed", "in_progress"),
    ("failed", "skipped"),
    ("resolved", "pending"),
    ("skipped", "pending"),
}
PAIRS = [(now, target) for now in task.ALL for target in task.ALL]


@pytest.mark.parametrize(("now", "target"), [pair for pair in PAIRS if pair in LEGAL])
def test_a_legal_move_is_made(now, target):
    assert task.move(now, target, reason="a reason") == target


@pytest.mark.parametrize(("now", "target"), [pair for pair in PAIRS if pair not in LEGAL])
def test_an_illegal_move_names_the_legal_ones(now, target):
    with pytest.raises(Conflict) as refused:
        task.move(now, target, reason="a reason")
    named = str(refused.value).partition("legal from here: ")[2].split(", ")
    assert set(named) == {other for other in task.ALL if (now, other) in LEGAL}


@pytest.mark.parametrize("reason", ["", "   "])
def test_skipping_is_never_silent(reason):
    with pytest.raises(UsageError, match="--reason"):
        task.move("pending", "skipped", reason=reason)


@pytest.mark.parametrize(("word", "status"), [("open", "pending"), (" OPEN ", "pending"), ("Resolved", "resolved")])
def test_statuses_are_read_in_every_spelling_of_the_documents(word, status):
    assert task.parse(word) == status


def test_an_unknown_status_names_the_known_ones():
    with pytest.raises(UsageError, match=r"pending, .*open = pending"):
        task.parse("finished")
