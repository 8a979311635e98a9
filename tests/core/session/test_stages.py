"""How far exploration has come."""

import pytest

from ultrawork.core.errors import UsageError
from ultrawork.core.session import exploration


@pytest.mark.parametrize("stage", exploration.STAGES)
def test_every_stage_is_read_whatever_its_case(stage):
    assert exploration.parse_stage(f" {stage.upper()} ") == stage


def test_an_unknown_stage_names_the_known_ones():
    with pytest.raises(UsageError, match="not_started, overview, analyzing, targeted, complete"):
        exploration.parse_stage("half-way")


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
    assert exploration.is_explored(expected, reported) is done
