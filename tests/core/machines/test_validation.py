"""Reviews at the end of autopilot."""

import pytest

from ultrawork.core import machines
from ultrawork.core.errors import Conflict, UsageError
from ultrawork.core.machines import validation

NOW = 1_000_000.0


@pytest.fixture
def progress():
    limits = machines.of("autopilot").limits
    return machines.Progress("autopilot", "validation", started_at=NOW, limits=limits)


def test_all_three_kinds_have_to_approve(progress):
    for kind in ("functional", "security"):
        validation.record(progress, kind, "APPROVED", now=NOW)
    assert not validation.approved(progress)
    validation.record(progress, "quality", "APPROVED", now=NOW)
    assert validation.approved(progress)


def test_the_last_word_of_a_reviewer_counts(progress):
    validation.record(progress, "security", "REJECTED", ["a key in the log"], now=NOW)
    assert progress.facts["issues"] == {"security": ["a key in the log"]}
    validation.record(progress, "security", "APPROVED", now=NOW + 1)
    assert (validation.given(progress), progress.facts["issues"]) == (
        {"security": "APPROVED"},
        {"security": []},
    )
    assert progress.updated_at == NOW + 1


def test_a_review_counts_only_in_validation(progress):
    progress.phase = "qa"
    with pytest.raises(Conflict, match="only in validation"):
        validation.record(progress, "security", "APPROVED", now=NOW)


@pytest.mark.parametrize(("kind", "word"), [("taste", "APPROVED"), ("security", "fine")])
def test_a_review_of_an_unknown_kind_or_word_is_refused(progress, kind, word):
    with pytest.raises(UsageError, match="known"):
        validation.record(progress, kind, word, now=NOW)


def test_approvals_are_for_the_files_they_saw(progress):
    for kind in ("functional", "security", "quality"):
        validation.record(progress, kind, "APPROVED", now=NOW)
    machines.move(progress, "execution", NOW)
    assert validation.given(progress) == {}
