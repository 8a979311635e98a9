"""What the how-to page gives to be copied works as it is; the page of a run tells of its machines."""

import re
import shutil
import subprocess
from glob import glob

import pytest

from support.commands import begin
from support.floor import REPOSITORY
from ultrawork.report import page
from ultrawork.store import attempts, sessions, witness
from ultrawork.store.paths import Home
from ultrawork.store.store import Store
from ultrawork.store.witness import ClusterMachine

PAGE = f"{REPOSITORY}/docs/how-to/cluster.md"


def read_block(kind):
    with open(PAGE, encoding="utf-8") as file:
        return re.search(rf"```{kind}\n(.*?)```", file.read(), re.DOTALL)[1]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="not run: there is no systemd-analyze")
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


def test_no_page_starts_a_server_without_a_login_for_others():
    """Temporal's dev server asks for none, and serve-git goes beyond this machine only with TLS."""
    shown = []
    for path in [*glob(f"{REPOSITORY}/docs/**/*.md", recursive=True), f"{REPOSITORY}/README.md"]:
        with open(path, encoding="utf-8") as file:
            shown += re.findall(r"(?:temporal server start-dev|ultrawork serve-git)[^`\n|]*", file.read())
    assert len(shown) > 2
    open_to_all = [one for one in shown if re.search(r"--(ip|address)[ =](?!127\.0\.0\.1)", one)]
    assert [one for one in open_to_all if "start-dev" in one or "--tls-cert" not in one] == []


def test_the_page_of_a_run_has_its_machines_also_when_they_are_gone(tmp_path):
    store = Store(Home(str(tmp_path)), actor="engine", clock=lambda: 9_000.0)
    begin(store, "s", {"a": [], "b": []})
    with store.change("s") as change:
        for task, machine in (("a", "bea"), ("b", "<cleo>")):
            claimed = attempts.claim(change, task, "worker", folder=str(tmp_path), backend="script", is_task=True)
            attempts.note_course(change, task, claimed.epoch, (0, None, machine, "acc"))
    seen = [ClusterMachine("bea", 4, labels="gpu,linux", version="0.1", accounts="claude:ab,codex:bea")]
    witness.save_machines(store.database, [*seen, ClusterMachine("idle", 8, seen_at=1.0)])
    text = page.render(store.database, sessions.get(store.database, "s"), [])
    told = re.sub(" data-name='[^']*'", "", text.partition("Machines")[2].partition("</table>")[0])
    assert "<td>bea</td><td>gpu,linux</td><td>claude:ab, codex:bea</td><td>4</td><td>0.1</td><td>1</td>" in told
    assert "<td>&lt;cleo&gt;</td><td></td><td></td>" in told
    assert "idle" not in told
