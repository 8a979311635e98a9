"""What every test may ask for."""

import pytest
from hypothesis import HealthCheck, settings

from ultrawork.testing.floor import Program

# Machines that run tests are slow now and then; how long an example takes is no finding.
settings.register_profile(
    "house",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("house")


@pytest.fixture
def program(tmp_path):
    """The program with a state folder and a project of its own."""
    return Program(str(tmp_path))
