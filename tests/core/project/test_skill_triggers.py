"""Which learned skills a prompt calls for."""

import pytest

from ultrawork.core.project import skill_triggers


def found(prompt, *triggers, **options):
    return [(one.confidence, one.kind) for one in skill_triggers.match(prompt, [("s", list(triggers))], **options)]


@pytest.mark.parametrize(
    ("prompt", "triggers", "expected"),
    [
        ("deploy the app", ["deploy"], [(100, "exact")]),
        ("run tests", ["test"], [(100, "exact")]),
        ("fix all .ts files", ["*.ts", "typescript"], [(85, "pattern")]),
        ("there is an ERROR in my code", ["/error/i"], [(90, "pattern")]),
        ("fix typescrpt errors", ["typescript"], [(90, "fuzzy")]),
        ("test prompt", ["/[invalid/"], []),
        ("deploy the app", [], []),
    ],
)
def test_triggers_are_weighed_by_their_kind(prompt, triggers, expected):
    assert found(prompt, *triggers) == expected


def test_the_best_comes_first_and_only_so_many():
    skills = [("low", ["/fix/i"]), ("high", ["typescript"]), ("none", ["haskell"])]
    assert [one.id for one in skill_triggers.match("fix typescript errors", skills)] == ["high", "low"]
    assert len(skill_triggers.match("fix typescript errors", skills, most=1)) == 1


def test_a_part_of_a_word_and_a_near_miss_are_not_told_unasked():
    skills = [("s", ["test"]), ("t", ["typescript"])]
    assert skill_triggers.list_called("the latest contest", skills, 5) == []
    assert skill_triggers.list_called("fix typescrpt errors", skills, 5) == []
    assert skill_triggers.list_called("write a test in typescript", skills, 5) == ["s", "t"]


def test_an_expression_that_could_take_for_ever_is_no_trigger():
    assert found("a" * 60 + "!", "/(a+)+$/") == []


def test_nearness_is_a_share_of_the_letters():
    assert skill_triggers.compute_nearness("typescript is great", "typescript") == 100
    assert skill_triggers.compute_nearness("help with javascrpt", "javascript") == 90
    assert skill_triggers.compute_nearness("nothing alike", "kubernetes") < skill_triggers.NEAR
