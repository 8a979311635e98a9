"""Tools that hand out earlier results, played by a script that prints what they print."""

import os

from ultrawork.core.verdict.gate import TEST, Gate
from ultrawork.gates.run.execution import run_gate

GO = """#!/bin/sh
if [ -n "$GOFLAGS" ]; then echo "ok  	example.com/pay	0.1s"; else echo "ok  	example.com/pay	(cached)"; fi
"""


def run(tmp_path, command):
    gate = Gate(name="test", kind=TEST, argv=["sh", "-c", command], command=command, source="", reason="")
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    cache = f"{tmp_path}/cache"
    return run_gate(gate, str(tmp_path), deadline=60, log_path=None, environ=environ, cache=cache)


def test_a_replayed_result_is_made_a_run(tmp_path):
    (tmp_path / "tool.sh").write_text(GO)
    done = run(tmp_path, "sh tool.sh")
    assert "0.1s" in done.output
    assert not done.replayed


def test_a_replay_that_cannot_be_made_to_run_is_told(tmp_path):
    done = run(tmp_path, "echo '> Task :test UP-TO-DATE'")
    assert done.replayed
    assert done.exit == 0
