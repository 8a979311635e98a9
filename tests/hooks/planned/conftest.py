"""Planned sessions without a client: see `support.play`."""

import pytest

from support.play import Play


@pytest.fixture
def play(tmp_path):
    """Three wrong texts, a person there, everything allowed. Nothing has begun."""
    return Play(str(tmp_path))


@pytest.fixture
def alone(tmp_path):
    """The same with nobody there."""
    return Play(str(tmp_path), attended=False)


@pytest.fixture
def executing(play):
    """Planned by `--auto`: task a is due."""
    play.begin()
    play.planned()
    return play
