"""
Run a check once: in its own environment, supervised, its secrets hidden, its tests read by name.

It gets its own bytecode: Python trusts a compiled file whose source has the same size and second of change, which an
edit can have. So compiled files of the project go to an empty folder for each run; those of libraries are kept.
"""

import os
import re
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import time

from ...clients.confinement import Confinement
from ...core.redact import RedactedStream, redact
from ...core.toolchains import toolchain
from ...core.value import fresh
from ...core.verdict.gate import TEST, Gate
from ...core.verdict.gate_run import TestReport
from ...system.process import ProgramRun, run_program
from ...system.program import find_program
from ..results import reading
from ..trees.scratch import VENVS, ScratchFolder, find_origin
from .environment import build_environment, find_shadows, lead_inside, list_missing_needs

_SYSTEM = ("/usr", "/opt", "/Library", "/nix", "/home/linuxbrew", "/snap")
_HOME = (
    ".pyenv", ".local", ".cache", ".asdf", ".rye", ".conda", ".mise", ".virtualenvs", "Library",
    "anaconda3", "mambaforge", "micromamba", "miniconda3", "miniforge3",
)  # fmt: skip
_INNER = 500


def prepare(
    prefix: str, kept: str, roots: Sequence[str], environ: Mapping[str, str], named: Sequence[str] = ()
) -> None:
    """Prepare `prefix` for PYTHONPYCACHEPREFIX. `roots` are folders to compile again, `named` further environments
    whose bytecode is kept."""
    os.makedirs(prefix, exist_ok=True)
    fresh = [os.path.realpath(root) for root in roots]
    linked: list[str] = []
    for folder in (*_libraries(environ), *named):
        for part in _around(folder, fresh):
            if not _is_within(part, linked):
                _join(prefix, part, kept, part)
                linked.append(part)
    for venv in [f"{root}/{name}" for root in dict.fromkeys(fresh) for name in VENVS]:
        if os.path.isdir(venv) and not _is_within(venv, linked):
            _join(prefix, venv, kept, os.path.realpath(venv))


def _libraries(environ: Mapping[str, str]) -> Iterator[str]:
    yield from _SYSTEM
    if home := environ.get("HOME", ""):
        yield from (f"{home}/{name}" for name in _HOME)
    for name in ("python3", "python"):
        if program := find_program(name, environ):
            yield _above(os.path.realpath(program))
            if os.path.isfile(_above(program) + "/pyvenv.cfg"):
                yield _above(program)


def list_named_environments(gate: Gate, root: str) -> list[str]:
    """Return virtual environments outside the project whose programs the check names by path."""
    text = f"{gate.command}\n{gate.definition}"
    words = re.findall(r"(?<![^\s'\"=:;|&()`@])[^\s'\"=:;|&()`@]*/bin/[\w.+-]+", text)
    near = os.path.normpath(f"{root}/{gate.where}")
    places = dict.fromkeys(_above(os.path.normpath(os.path.join(near, os.path.expanduser(word)))) for word in words)
    return [place for place in places if os.path.isfile(place + "/pyvenv.cfg")]


def _above(program: str) -> str:
    return os.path.dirname(os.path.dirname(program))


def _around(folder: str, fresh: Sequence[str]) -> Iterator[str]:
    """Yield the folder, or its other subfolders if one of them is to be compiled again."""
    if folder in fresh or folder == "/" or not os.path.isdir(folder):
        return
    if not _holds(folder, fresh):
        yield folder
        return
    for name in os.listdir(folder)[:_INNER]:
        inner = f"{folder}/{name}"
        if not os.path.islink(inner):
            yield from _around(inner, fresh)


def _holds(folder: str, fresh: Iterable[str]) -> bool:
    return any(root.startswith(folder + "/") for root in fresh)


def _is_within(folder: str, others: Iterable[str]) -> bool:
    return any(folder == other or folder.startswith(other + "/") for other in others)


def _join(prefix: str, folder: str, kept: str, source: str) -> None:
    os.makedirs(kept + source, mode=0o700, exist_ok=True)
    os.makedirs(os.path.dirname(prefix + folder), exist_ok=True)
    os.symlink(kept + source, prefix + folder)


READ = 8 << 20
_Start = Callable[[Mapping[str, str], Sequence[str]], "GateRun"]


class GateRun(ProgramRun):
    """A run of a check: the tests it ran, declared needs that were missing (then it never ran), project files that
    shadow the runner, and whether a tool only replayed an earlier run's output."""

    missing: list[str] = fresh(list)
    replayed: bool = False
    report: TestReport | None = None
    shadows: list[str] = fresh(list)

    @property
    def signal_number(self) -> int | None:
        if self.signal is None:
            return None
        if self.signal.startswith("signal "):
            return int(self.signal.partition(" ")[2])
        return int(signal.Signals[self.signal])


def run_gate(
    gate: Gate,
    root: str,
    *,
    deadline: float | None,
    log_path: str | None,
    environ: Mapping[str, str],
    cache: str,
    should_stop: Callable[[], bool] | None = None,
    equip: Callable[[dict[str, str]], dict[str, str]] | None = None,
    confinement: Confinement | None = None,
) -> GateRun:
    """Run a check in `root`, a checkout or a scratch copy. `cache` holds temporary files; `equip` may change the
    variables last."""
    env = build_environment(gate, root, environ)
    where = os.path.normpath(f"{root}/{gate.where}")
    lacking = list_missing_needs(gate, env) + ([] if os.path.isdir(where) else [f"the folder {gate.where}"])
    if lacking:
        return GateRun(tuple(gate.argv), missing=lacking)

    def once(env: Mapping[str, str], argv: Sequence[str]) -> GateRun:
        done = run_program(
            argv if confinement is None else confinement.wrap(argv, where, folders),
            cwd=where,
            env=env,
            deadline=deadline,
            log=log_path,
            clean=RedactedStream(environ),
            should_stop=should_stop,
        )
        return GateRun(**done.document())

    began = time()
    with ScratchFolder(cache) as own:
        copied = [] if find_origin(root, cache)[0] == root else [root]
        folders = [*(os.path.realpath(folder) for folder in (own, *copied))]
        ready = lead_inside(_prepared(own, root, cache, env, gate), gate, own + "/doors")
        done = _run_really(own, gate, once, equip(ready) if equip else ready)
        if gate.kind == TEST:
            test_report = reading.read_report(
                gate.runner, _read_whole_output(done), own + "/reports", where, exit_=done.exit, own=gate.toolchain
            )
            if test_report is None or not test_report.outcomes:
                test_report = reading.read_own_files(where, began) or test_report
            done.report = _without_secrets(test_report, environ) if test_report else None
    done.shadows = find_shadows(gate, root)
    return done


def _prepared(own: str, root: str, cache: str, env: Mapping[str, str], gate: Gate) -> dict[str, str]:
    """The variables for one run, with a fresh folder for bytecode and what a scratch copy needs."""
    origin, lent = find_origin(root, cache)
    named = list_named_environments(gate, origin)
    prepare(own + "/bytecode", cache + "/bytecode", (root, origin), env, named)
    imports = filter(None, (lent.get("PYTHONPATH"), env.get("PYTHONPATH")))
    prepared = {**env, **lent, "PYTHONPYCACHEPREFIX": own + "/bytecode"}
    path = os.pathsep.join(imports)
    return {**prepared, "PYTHONPATH": path} if path else prepared


def _run_really(own: str, gate: Gate, once: _Start, env: dict[str, str]) -> GateRun:
    """Run the check for real: a tool that replays an earlier result is forced to run. If it cannot be, nothing ran."""
    text = f"{gate.runner}\n{gate.command}\n{gate.definition}"
    done = _run_in(own, gate, once, env | toolchain.make_forcing_variables(text, env))
    tool = toolchain.find_replay(_read_whole_output(done))
    if tool is None:
        return done
    forced = toolchain.make_forcing_variables(text, env, tool)
    if forced:
        done = _run_in(own, gate, once, env | forced)
    done.replayed = toolchain.find_replay(_read_whole_output(done)) is not None
    return done


def _run_in(own: str, gate: Gate, once: _Start, env: dict[str, str]) -> GateRun:
    """Run with a request for a test report; repeat without it if the runner does not know reports."""
    shutil.rmtree(own + "/reports", ignore_errors=True)
    os.mkdir(own + "/reports")
    plain, folder = toolchain.force_run(gate.argv), own + "/reports"
    if gate.kind != TEST:
        return once(env, plain)
    report_environment = reading.make_report_environment(gate.runner, folder, env, gate.toolchain)
    words = reading.make_telling_words(gate.runner, plain, folder, gate.toolchain)
    done = once({**env, **report_environment}, words)
    refused = reading.has_refused_report(done.output, gate.runner, gate.toolchain)
    return once(env, plain) if refused else done


def _without_secrets(report: TestReport, environ: Mapping[str, str]) -> TestReport:
    """Redact secrets in a report: it is the runner's own file, not part of the output."""
    texts = [*report.outcomes, *report.messages, *report.messages.values(), *report.errored]
    cleaned = iter(_cleaned(texts, environ))
    report.outcomes = {next(cleaned): outcome for outcome in report.outcomes.values()}
    names = [next(cleaned) for _ in report.messages]
    report.messages = {name: next(cleaned) for name in names}
    report.errored = list(cleaned)
    return report


def _cleaned(texts: Iterable[str], environ: Mapping[str, str]) -> list[str]:
    """Search everything at once, which is faster than one search each."""
    lines = [text.replace("\n", " ") for text in texts]
    cleaned = redact("\n".join(lines), environ).split("\n")
    return cleaned if len(cleaned) == len(lines) else [redact(line, environ) for line in lines]


def _read_whole_output(done: ProgramRun) -> str:
    """Return the whole log if it can be read, because test names may be in the middle."""
    try:
        if done.log and not done.note and os.path.getsize(done.log) <= READ:
            with open(done.log, encoding="utf-8", errors="replace") as file:
                return file.read()
    except OSError:
        pass
    return done.output
