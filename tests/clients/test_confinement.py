"""Checks in the sandbox that the agent's commands run in; what Codex's own program makes of it is shown in `tests/clients`."""

import json

import pytest

from ultrawork.clients.codex.record import make_state, read_turn
from ultrawork.clients.confinement import Confinement, read_confinement
from ultrawork.core.errors import Trouble
from ultrawork.core.verdict.gate import TEST, Gate
from ultrawork.gates.run.execution import run_gate

ROOT = {"path": {"type": "special", "value": {"kind": "root"}}, "access": "read"}
PROFILE = {"type": "managed", "file_system": {"type": "restricted", "entries": [ROOT]}, "network": "restricted"}
# Begins a command where it likes and notes what it was told, as the real one does the first.
PROGRAM = '#!/bin/sh\n[ "$1 $2" = "sandbox --sandbox-state-json" ] || exit 9\nprintf %s "$3" > "${0%/*}/state"\nshift 4\ncd /\nexec "$@"\n'
ENVIRON = {"PATH": "/usr/bin:/bin", "HOME": "/"}


@pytest.fixture
def confined(tmp_path):
    program = tmp_path / "codex"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    return Confinement("codex", "workspace-write", str(program), PROFILE, str(tmp_path))


def run(tmp_path, confinement, command):
    place = tmp_path / "project"
    place.mkdir()
    argv = ["/bin/sh", "-c", command]
    gate = Gate(name="test", kind=TEST, argv=argv, command=command, source="Makefile", reason="")
    cache = str(tmp_path / "cache")
    return run_gate(gate, str(place), deadline=20, log_path=None, environ=ENVIRON, cache=cache, confinement=confinement)


def test_a_check_runs_in_its_folder_inside_the_sandbox_and_may_write_our_scratch(tmp_path, confined):
    done = run(tmp_path, confined, "pwd; exit 3")
    assert (done.exit, done.output.strip()) == (3, str(tmp_path / "project"))
    state = json.loads((tmp_path / "state").read_text())
    first, scratch = state["permissionProfile"]["file_system"]["entries"]
    assert first == ROOT
    assert scratch["path"]["path"].startswith(f"{tmp_path}/cache/scratch/")
    assert scratch["access"] == "write"
    assert state["permissionProfile"]["network"] == "restricted"


def test_a_program_that_is_not_there_ends_as_in_a_shell(tmp_path, confined):
    assert run(tmp_path, confined, "exec nothere").exit == 127


def test_without_a_program_for_it_nothing_is_started(tmp_path):
    with pytest.raises(Trouble, match="programs cannot be started in Codex's read-only sandbox"):
        run(tmp_path, Confinement("codex", "read-only"), "true")
    assert not Confinement("codex", "read-only").is_working(ENVIRON)


def test_a_program_that_knows_no_such_option_does_not_work(confined):
    assert confined.is_working(ENVIRON)
    assert not Confinement("codex", "workspace-write", "/bin/false", PROFILE).is_working(ENVIRON)


def test_what_a_hook_writes_down_is_read_back(confined):
    assert read_confinement(confined.put_into({})) == confined
    assert read_confinement({}) is None


@pytest.mark.parametrize(
    ("turn", "is_open", "asks", "holds"),
    [
        ({}, False, True, False),
        ({"sandbox_policy": "danger-full-access", "approval_policy": ["never"]}, False, True, False),
        ({"sandbox_policy": {"type": "danger-full-access"}, "approval_policy": "on-request"}, True, False, False),
        ({"sandbox_policy": {"type": "workspace-write"}, "permission_profile": PROFILE, "approval_policy": "never"}, False, False, True),
        ({"sandbox_policy": {"type": "workspace-write"}, "approval_policy": "untrusted"}, False, True, False),
        ({"sandbox_policy": {"type": "read-only"}, "permission_profile": PROFILE}, False, True, False),
    ],
)  # fmt: skip
def test_a_turn_tells_what_it_confines_and_whether_it_asks(turn, is_open, asks, holds):
    read = read_turn(turn)
    assert (read.is_open, read.asks, read.can_hold_checks) == (is_open, asks, holds)


def test_a_folder_with_a_blank_is_an_address():
    assert make_state({}, "/a b", ())["sandboxCwd"] == "file:///a%20b"
