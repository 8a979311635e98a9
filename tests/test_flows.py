"""How many modules a reader of what users do has to pass: `bench/flows.py` holds the budgets."""

import os
import subprocess
import sys

import pytest

from support.floor import REPOSITORY


@pytest.mark.slow
def test_every_flow_keeps_to_its_budget():
    done = subprocess.run(
        [sys.executable, f"{REPOSITORY}/bench/flows.py"],
        env={**os.environ, "PYTHONPATH": ":".join(f"{REPOSITORY}/{one}" for one in ("plugin/src", "tests", "bench"))},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
