"""What every test may ask for."""

import os
import sys

import pytest
from hypothesis import HealthCheck, settings

from support.floor import Program

# Machines that run tests are slow now and then; how long an example takes is no finding.
settings.register_profile(
    "house",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("house")
settings.register_profile("same", settings.get_profile("house"), derandomize=True)

# A version manager puts a script of its own before every interpreter, a tenth of a second each time.
os.environ["PATH"] = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"


def pytest_configure(config):
    # What one run finds, every run finds; only the long runs before a release go on looking elsewhere.
    is_long = "not release" not in config.option.markexpr
    settings.load_profile("house" if is_long else "same")
    # The program ends without closing its database: that would write its whole log back on every call.
    # A test that runs it in its own process cannot end it; from Python 3.13 on that is warned of.
    config.addinivalue_line("filterwarnings", "ignore:unclosed database:ResourceWarning")


@pytest.fixture
def program(tmp_path):
    """The program with a state folder and a project of its own."""
    return Program(str(tmp_path))
