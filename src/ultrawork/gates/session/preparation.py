"""What a checkout needs before its gates can run, and running it: the commands of its own package managers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core import errors
from ...core.redact import RedactedStream
from ...core.times import format_duration
from ...core.verdict import troubles
from ...core.verdict.gate import BUILD, Gate
from ...store import checkouts
from ...store.store import Store
from ...system.process import run_program
from ..find.folder import ProjectFolder
from ..find.install import Install, choose_install, list_installs
from ..run.environment import build_environment
from ..trees.files import DiskFiles

SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class Step:
    """One command that was run; `error` is the line of its output that says why it failed."""

    install: Install
    exit: int | None
    seconds: float
    error: str = ""

    @property
    def line(self) -> str:
        took = format_duration(self.seconds)
        if self.exit == 0:
            return f"done in {took}: {self.install.describe()}"
        ended = f"exit {self.exit}" if self.exit is not None else "did not end"
        why = f"; {self.error}" if self.error else ""
        return f"failed after {took}, {ended}: {self.install.describe()}{why}"

    def document(self) -> dict[str, Any]:
        return {**describe_install(self.install), "exit": self.exit, "error": self.error}


def describe_install(install: Install) -> dict[str, Any]:
    return {
        "command": install.command,
        "in": install.where,
        "from": install.source,
        "done": install.done,
    }


def list_needed(place: str, gates: Sequence[Gate]) -> list[Install]:
    """For each gate the package manager that brings its tools; without a gate every one at the root."""
    root = ProjectFolder(DiskFiles(place))
    if not gates:
        found: list[Install | None] = [*list_installs(root)]
    else:
        folders = {gate.where: root.sub(gate.where) for gate in gates}
        installs = {
            where: list_installs(folder) for where, folder in folders.items() if folder is not None
        }
        found = [choose_install(installs.get(gate.where, []), gate) for gate in gates]
    unique = {one.describe(): one for one in found if one is not None}
    return list(unique.values())


def run_steps(
    store: Store, environ: Mapping[str, str], place: str, installs: Sequence[Install]
) -> list[Step]:
    """One after the other, each to its end: one that fails says nothing about the next."""
    steps = [_run(place, environ, install) for install in installs]
    # No tree holds what was installed: earlier results would seem to hold.
    checkouts.say(store.home, place, checkouts.PREPARED, repr(store.now()))
    return steps


def _run(place: str, environ: Mapping[str, str], install: Install) -> Step:
    argv = ["sh", "-c", install.command]
    gate = Gate(
        name="prepare",
        kind=BUILD,
        argv=argv,
        command=install.command,
        source=install.source,
        reason="",
        where=install.where,
    )
    done = run_program(
        argv,
        cwd=f"{place}/{install.where}",
        env=build_environment(gate, place, environ),
        deadline=SECONDS,
        clean=RedactedStream(environ),
    )
    error = "" if done.exit == 0 else _find_error(done.output)
    return Step(install, done.exit, done.seconds, error)


def _find_error(output: str) -> str:
    """The first line that says why, else the last one."""
    found = troubles.find_start_trouble(output)
    told = [line.strip() for line in output.splitlines() if line.strip()]
    first = next((line for line in told if "error" in line.lower()), told[-1] if told else "")
    return found.line if found else first


def find_exit(steps: Sequence[Step]) -> int:
    return errors.EXIT_DONE if all(step.exit == 0 for step in steps) else errors.EXIT_FAIL
