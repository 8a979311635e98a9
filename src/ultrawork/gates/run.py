"""Run a gate once: in its own surroundings, supervised, its secrets hidden, its tests read by name."""

import os
import signal

from ..core.gate import TEST
from ..core.redact import Stream
from ..system.process import Run, run
from . import bytecode, results
from .scratch import Folder, lender
from .surroundings import environment, missing, shadows
from .tools import tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..core.gate import Gate
    from ..core.results import TestReport

__all__ = ["GateRun", "run_gate", "tools"]

READ = 8 << 20


class GateRun(Run):
    """
    A run, and what is known of it as a gate's: the tests it ran, the declared needs that were not there
    (then it never ran), and files of the project that stand in the runner's way.
    """

    __slots__ = ("missing", "report", "shadows", "signal_number")

    def __init__(self, done: Run) -> None:
        super().__init__(done.argv, done.log)
        for name in Run.__slots__:
            setattr(self, name, getattr(done, name))
        self.report: TestReport | None = None
        self.missing: list[str] = []
        self.shadows: list[str] = []
        self.signal_number = _number(done.signal)


def run_gate(
    gate: "Gate",
    root: str,
    *,
    deadline: float | None,
    log_path: str | None,
    environ: "Mapping[str, str]",
    cache: str,
    on_line: "Callable[[str], None] | None" = None,
    should_stop: "Callable[[], bool] | None" = None,
) -> GateRun:
    """`root` is a checkout or a scratch copy; `cache` is where a run may put what it needs meanwhile."""
    env = environment(gate, root, environ)
    lacking = missing(gate, env)
    where = os.path.normpath(f"{root}/{gate.where}")
    if not os.path.isdir(where):
        lacking.append(f"the folder {gate.where}")
    if lacking:
        absent = GateRun(Run(gate.argv))
        absent.missing = lacking
        return absent
    origin, lent = lender(root, cache)
    env = _with_path(env, lent)
    with Folder(cache) as own:
        bytecode.prepare(own + "/bytecode", cache + "/bytecode", (root, origin), env)
        env["PYTHONPYCACHEPREFIX"] = own + "/bytecode"
        reports = own + "/reports"
        os.mkdir(reports)
        asked = results.environment(gate.runner, reports, env) if gate.kind == TEST else {}

        def once(more: "Mapping[str, str]") -> GateRun:
            return GateRun(
                run(
                    gate.argv,
                    cwd=where,
                    env={**env, **more},
                    deadline=deadline,
                    log=log_path,
                    clean=Stream(environ),
                    on_line=on_line,
                    should_stop=should_stop,
                )
            )

        done = once(asked)
        if asked and results.refused(done.output):
            done = once({})
        if gate.kind == TEST:
            done.report = results.read(gate.runner, _told(done), reports, where)
        done.shadows = shadows(gate, root)
        return done


def _with_path(env: dict[str, str], lent: "Mapping[str, str]") -> dict[str, str]:
    """What a scratch copy needs besides; its folders to import from come before others."""
    both = [lent.get("PYTHONPATH", ""), env.get("PYTHONPATH", "")]
    path = os.pathsep.join(filter(None, both))
    return {**env, **lent, **({"PYTHONPATH": path} if path else {})}


def _told(done: Run) -> str:
    """The whole log where it can be read: names of tests stand in its middle too."""
    try:
        if done.log and not done.note and os.path.getsize(done.log) <= READ:
            with open(done.log, encoding="utf-8", errors="replace") as file:
                return file.read()
    except OSError:
        pass
    return done.output


def _number(name: str | None) -> int | None:
    if name is None:
        return None
    if name.startswith("signal "):
        return int(name.partition(" ")[2])
    return int(signal.Signals[name])
