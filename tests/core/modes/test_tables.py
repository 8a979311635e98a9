"""Reviews at the end of autopilot."""

import pytest

from ultrawork.core.errors import Conflict, UsageError
from ultrawork.core.modes import tables

NOW = 1_000_000.0


@pytest.fixture
def progress():
    limits = tables.find("autopilot").limits
    return tables.ModeProgress("autopilot", "validation", started_at=NOW, limits=limits)


def test_all_three_kinds_have_to_approve(progress):
    for kind in ("functional", "security"):
        tables.record_review(progress, kind, "APPROVED", now=NOW)
    assert not tables.is_approved(progress)
    progress.facts["proved"] = True
    with pytest.raises(Conflict, match="not approved yet: quality"):
        tables.move(progress, "complete", NOW)
    tables.record_review(progress, "quality", "APPROVED", now=NOW)
    assert tables.is_approved(progress)
    assert tables.move(progress, "complete", NOW).phase == "complete"


def test_the_last_word_of_a_reviewer_counts(progress):
    tables.record_review(progress, "security", "REJECTED", ["a key in the log"], now=NOW)
    assert progress.facts["issues"] == {"security": ["a key in the log"]}
    tables.record_review(progress, "security", "APPROVED", now=NOW + 1)
    assert (tables.list_reviews(progress), progress.facts["issues"]) == ({"security": "APPROVED"}, {"security": []})
    assert progress.updated_at == NOW + 1


def test_a_review_counts_only_in_validation(progress):
    progress.phase = "qa"
    with pytest.raises(Conflict, match="only in validation"):
        tables.record_review(progress, "security", "APPROVED", now=NOW)


@pytest.mark.parametrize(("kind", "word"), [("taste", "APPROVED"), ("security", "fine")])
def test_a_review_of_an_unknown_kind_or_word_is_refused(progress, kind, word):
    with pytest.raises(UsageError, match="known"):
        tables.record_review(progress, kind, word, now=NOW)


def test_approvals_are_for_the_files_they_saw(progress):
    for kind in ("functional", "security", "quality"):
        tables.record_review(progress, kind, "APPROVED", now=NOW)
    tables.move(progress, "execution", NOW)
    assert tables.list_reviews(progress) == {}
