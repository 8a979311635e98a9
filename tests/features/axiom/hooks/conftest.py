"""Requirements without a client: see `support.axiom_play`."""

import pytest

from support.axiom_play import AxiomPlay


@pytest.fixture
def play(tmp_path):
    """Three wrong texts and a person there. Nothing has begun."""
    return AxiomPlay(str(tmp_path))


@pytest.fixture
def executing(play):
    """Reviewed, confirmed, taken apart: T-101 is due."""
    play.until_executing()
    return play
