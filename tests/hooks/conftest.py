"""Sessions without a client: see `support.scene`."""

import pytest

from support.scene import GOAL, QUICK, Scene


@pytest.fixture
def scene(tmp_path):
    """The sample project: one red test, a person there, everything allowed. Nothing is on yet."""
    return Scene(str(tmp_path))


@pytest.fixture
def alone(tmp_path):
    """The same with nobody there, as in `claude -p`."""
    return Scene(str(tmp_path), attended=False)


@pytest.fixture
def quick(tmp_path):
    """A project whose check takes no time and is green."""
    return Scene(str(tmp_path), QUICK)


@pytest.fixture
def armed(scene):
    scene.prompt(f"ulw {GOAL}")
    return scene
