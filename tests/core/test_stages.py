"""How far exploration has come."""

import pytest

from ultrawork.core import stages
from ultrawork.core.errors import UsageError


@pytest.mark.parametrize("stage", stages.ALL)
def test_every_stage_is_read_whatever_its_case(stage):
    assert stages.parse(f" {stage.upper()} ") == stage


def test_an_unknown_stage_names_the_known_ones():
    with pytest.raises(UsageError, match="not_started, overview, analyzing, targeted, complete"):
        stages.parse("half-way")


@pytest.mark.parametrize(
    ("expected", "reported", "done"),
    [
        ([], [], False),
        ([], ["exp-1"], False),
        (["a", "b"], ["a"], False),
        (["a", "b"], ["b", "a"], True),
        (["a"], ["a", "unexpected"], True),
    ],
)
def test_exploration_is_complete_when_all_expected_have_reported(expected, reported, done):
    assert stages.explored(expected, reported) is done
