"""What the how-to page gives to be copied works as it is."""

import re
import shutil
import subprocess

import pytest

from support.floor import REPOSITORY

PAGE = f"{REPOSITORY}/docs/how-to/cluster.md"


def read_block(kind):
    with open(PAGE, encoding="utf-8") as file:
        return re.search(rf"```{kind}\n(.*?)```", file.read(), re.DOTALL)[1]


@pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="not run: there is no systemd-analyze"
)
def test_systemd_is_content_with_the_unit(tmp_path):
    unit = tmp_path / "ultrawork-worker.service"
    unit.write_text(read_block("ini"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    told = [line for line in done.stderr.splitlines() if "ultrawork-worker" in line]
    assert told == [], done.stderr
    assert "KillMode=mixed" in unit.read_text()


def test_a_unit_waits_longer_for_the_end_than_a_worker_drains():
    unit = read_block("ini")
    assert "--drain 5m" in unit
    assert "TimeoutStopSec=6min" in unit
