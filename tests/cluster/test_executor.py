"""Attempts on another machine keep the contract of every executor."""

import pytest

from support.executors import ExecutorConformance

pytestmark = pytest.mark.slow


class TestTemporal(ExecutorConformance):
    pass
