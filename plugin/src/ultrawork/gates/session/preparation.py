"""The checks of a checkout for people: where, why, how long, what was left out, and what the checkout needs before they
can run. The install commands of its package managers are run here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core import errors
from ...core.redact import RedactedStream
from ...core.times import format_duration
from ...core.toolchains import troubles
from ...core.verdict import gate_run
from ...core.verdict.gate import BUILD, Gate
from ...core.wording import cut
from ...store import checkouts, receipts
from ...store.store import Store
from ...system.process import run_program
from ...system.program import find_program
from ..find.ci.truth import CiView
from ..find.finders.native import needs_configuring
from ..find.folder import ProjectFolder
from ..find.install import Install, choose_install, list_installs
from ..find.project import search_gates, survey_gates
from ..find.trace import follow_text
from ..run.environment import build_environment, has_program
from ..run.execution import run_gate
from ..run.receipt import judge_run, make_command_key
from ..run.remedy import advise, word_cure, word_install
from ..trees.files import DiskFiles
from . import pinning

SECONDS = 1800.0
TRIAL_SECONDS = 10.0  # what lacks its program ends at once
_STANDARD = frozenset(("unittest", "venv", "compileall", "doctest"))


@dataclass(frozen=True, slots=True)
class Step:
    """One command that ran; `error` is the line of its output that says why it failed."""

    install: Install
    exit: int | None
    seconds: float
    error: str = ""

    @property
    def line(self) -> str:
        duration = format_duration(self.seconds)
        if self.exit == 0:
            return f"done in {duration}: {self.install.describe()}"
        ended = f"exit {self.exit}" if self.exit is not None else "did not end"
        why = f"; {self.error}" if self.error else ""
        return f"failed after {duration}, {ended}: {self.install.describe()}{why}"

    def document(self) -> dict[str, Any]:
        return {**describe_install(self.install), "exit": self.exit, "error": self.error}


def describe_install(install: Install) -> dict[str, Any]:
    return {"command": install.command, "in": install.where, "from": install.source, "done": install.done}


def list_needed(place: str, gates: Sequence[Gate]) -> list[Install]:
    """Return for each check the package manager that installs its tools; without checks, every one at the root, else
    pending builds in subfolders."""
    root = ProjectFolder(DiskFiles(place))
    if not gates:
        chosen: list[Install | None] = [*(list_installs(root) or _list_waiting(root))]
    else:
        folders = {gate.where: root.sub(gate.where) for gate in gates}
        installs = {where: list_installs(folder) for where, folder in folders.items() if folder is not None}
        chosen = [choose_install(installs.get(gate.where, []), gate) for gate in gates]
    unique = {install.describe(): install for install in chosen if install is not None}
    return list(unique.values())


def _list_waiting(root: ProjectFolder) -> list[Install]:
    """A project may lie whole in one folder, with nothing at the root that builds it."""
    below = [root.sub(name[:-1]) for name in root.names() if name.endswith("/") and name[0] != "."]
    waiting = [folder for folder in below if folder is not None and needs_configuring(folder)]
    return [install for folder in waiting[:1] for install in list_installs(folder) if install.done is False]


def run_steps(store: Store, environ: Mapping[str, str], place: str, installs: Sequence[Install]) -> list[Step]:
    """Run all steps in order; a failure does not stop the rest."""
    steps = [_run(place, environ, install) for install in installs]
    # No tree includes installed packages, so earlier results would seem valid.
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
    """Return the first line that says why, else the last one."""
    start_trouble = troubles.find_start_trouble(output)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    first = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")
    return start_trouble.line if start_trouble else first


def find_exit(steps: Sequence[Step]) -> int:
    return errors.EXIT_DONE if all(step.exit == 0 for step in steps) else errors.EXIT_FAIL


@dataclass(frozen=True, slots=True)
class UnreadyGate:
    """A check whose program was missing when it ran; `cure` is the fix."""

    gate: Gate
    missing: str
    cure: str

    @property
    def line(self) -> str:
        return f"{self.gate.name} cannot run: {self.missing} is not installed; {self.cure}"


def list_unready(store: Store, environ: Mapping[str, str], place: str, gates: Sequence[Gate]) -> list[UnreadyGate]:
    """Return checks that lack their program. Suspects are found by lookup and then run, because only a run is
    certain."""
    suspects = [gate for gate in gates if _seems_to_lack(gate, place, environ)]
    tried = [_try(store, environ, place, gate) for gate in suspects]
    return [unready_gate for unready_gate in tried if unready_gate is not None]


def _seems_to_lack(gate: Gate, place: str, environ: Mapping[str, str]) -> bool:
    project = ProjectFolder(DiskFiles(place)).sub(gate.where)
    if project is None:
        return False
    env = build_environment(gate, place, environ)
    steps = [step for _, step in follow_text(project, gate.command).steps if step.tool]
    words = {gate.argv[0], *(step.launcher for step in steps)}
    folder = f"{place}/{gate.where}"
    if not all(has_program(word, folder, env) for word in words if "$" not in word):
        return True
    modules = {step.words[0] for step in steps if step.is_module} - _STANDARD
    return not all(_is_importable(name, folder, env) for name in modules)


def _is_importable(module: str, folder: str, env: Mapping[str, str]) -> bool:
    python = find_program("python3", env) or find_program("python", env) or "python3"
    ask = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    done = run_program([python, "-c", ask], cwd=folder, env=env, deadline=TRIAL_SECONDS)
    return done.exit == 0


def _try(store: Store, environ: Mapping[str, str], place: str, gate: Gate) -> UnreadyGate | None:
    """Run the check without a receipt; whether it passes does not matter here."""
    done = run_gate(gate, place, deadline=TRIAL_SECONDS, log_path=None, environ=environ, cache=store.home.cache)
    colour = judge_run(gate, done, place)
    if colour.value != gate_run.BROKEN or not colour.missing:
        return None
    return UnreadyGate(gate, colour.missing, word_cure(colour.missing, advise(gate, colour, place)))


_HOW = """\
Change it in ultrawork.toml:
  [gates]
  test = "make test"      # a command of your own
  lint = false            # never, even if found"""

# Less would be shown as 0.0 s.
_SHORTEST = 0.05
_NONE = "no checks found; draft one: ultrawork gates draft (in the client: ulw gates draft)"
_DENIED = "hooks do not run these checks: you denied it. Undo: ulw gates allow"


@dataclass(frozen=True, slots=True)
class GateList:
    """The list. `below` apply only to changes in their folders; `further` folders were not searched."""

    gates: list[Gate]
    below: list[Gate]
    further: int
    left_out: list[tuple[str, str]]
    ci: CiView
    usual: dict[str, float | None]
    allowed: dict[str, bool]
    denied: bool = False
    installs: list[Install] = field(default_factory=list)

    def list_all(self) -> list[Gate]:
        """Return every check that a verification may run: what a user can approve."""
        return [*self.gates, *self.below]

    def document(self) -> dict[str, Any]:
        return {
            "gates": [
                {
                    **gate.document(),
                    "usual_seconds": self.usual[gate.name],
                    "allowed": self.allowed[gate.name],
                    "ci": self.ci.runs.get(gate.name),
                    "only_for_changes_in": gate.where if gate in self.below else None,
                }
                for gate in self.list_all()
            ],
            "denied": self.denied,
            "left_out": [{"name": name, "why": why} for name, why in self.left_out],
            "prepare": [describe_install(install) for install in self.installs],
            "ci_files": self.ci.files,
            "ci_also_runs": [offer.document() for offer in self.ci.offers],
        }

    def text(self) -> str:
        lines = [line for gate in self.gates for line in self._lines(gate)] or [_NONE]
        lines += self._lines_below()
        lines += [cut(f"not used: {name} ({why})", 100) for name, why in self.left_out]
        lines += [f"first: {word_install(install)}" for install in self.installs if install.done is False]
        lines += [_DENIED] if self.denied else []
        return "\n".join([*lines, *self._lines_of_ci(), "", _HOW])

    def _lines(self, gate: Gate) -> list[str]:
        time = _tell_time(self.usual[gate.name])
        may = "; hooks may run it" if self.allowed[gate.name] else ""
        where = "" if gate.where == "." else f" in {gate.where}"
        in_ci = f"; {self._tell_ci(gate)}" if self.ci.files else ""
        return [f"{gate.name:<8} {gate.command}{where}", f"         {gate.source}: {gate.reason}{in_ci}{time}{may}"]

    def _tell_ci(self, gate: Gate) -> str:
        source = self.ci.runs.get(gate.name)
        if source is not None:
            return "CI runs it" if source in gate.reason else f"CI runs it ({source})"
        if gate.kind in self.ci.hidden:
            return "I cannot tell whether CI runs it"
        return "not seen in CI"

    def _lines_below(self) -> list[str]:
        lines = [cut(f"  {gate.name}: {gate.command}", 100) for gate in self.below]
        text = f"  and those of {self.further} more folders: ultrawork gates --json"
        lines += [text] if self.further else []
        return ["also, for changes in their folders:", *lines] if lines else []

    def _lines_of_ci(self) -> list[str]:
        offered = [ci_offer for ci_offer in self.ci.offers if ci_offer.line]
        lines = [f"  {ci_offer.line}  # {ci_offer.source}" for ci_offer in offered]
        head = "CI also runs these. To make one a check, add its line under [gates] in ultrawork.toml:"
        lines = ["", head, *lines] if lines else []
        lacking = [ci_offer for ci_offer in self.ci.offers if not ci_offer.line]
        lines += [cut(f"CI also runs {ci_offer.command}: {ci_offer.why}", 100) for ci_offer in lacking]
        return lines


def _tell_time(usual: float | None) -> str:
    """Describe the usual time; empty if it ends at once, as with a missing program."""
    if usual is None:
        return "; never run here yet"
    return f"; usually {format_duration(usual)}" if usual >= _SHORTEST else ""


def list_gates(store: Store, environ: Mapping[str, str], place: str) -> list[Gate]:
    """Return the checks alone, without explanations."""
    settings = pinning.read_settings(place, store, environ)
    return search_gates(DiskFiles(place), settings.gates, origin=settings.gates_source).gates


def read(store: Store, environ: Mapping[str, str], place: str, *, whole: bool = False) -> GateList:
    """Read the list; `whole` searches every subfolder, which is slow in a large repository."""
    settings = pinning.read_settings(place, store, environ)
    origin = settings.gates_source
    project_gates = survey_gates(DiskFiles(place), settings.gates, origin=origin, whole=whole)
    gates = [*project_gates.gates, *project_gates.below]
    return GateList(
        project_gates.gates,
        project_gates.below,
        project_gates.further,
        project_gates.left_out,
        project_gates.ci,
        {gate.name: receipts.find_longest_seconds(store.database, place, make_command_key(gate)) for gate in gates},
        {gate.name: receipts.is_allowed(store.database, place, gate.command) for gate in gates},
        denied=checkouts.find_denial(store.home, place) is not None,
        installs=list_needed(place, project_gates.gates),
    )


def allow_commands(store: Store, place: str, commands: list[str], *, how: str) -> None:
    """Record the user's approval for hooks to run these here. It lifts a denial and marks the checkout as known."""
    receipts.allow(store.database, place, commands, at=store.now(), how=how)
    checkouts.lift_denial(store.home, place)
    checkouts.say(store.home, place, checkouts.KNOWN)


def deny_all(store: Store, place: str) -> None:
    """Record that hooks start no check here, whatever was allowed before, nor any other program of the checkout."""
    checkouts.say(store.home, place, checkouts.DENIED, repr(store.now()))
    checkouts.unsay(store.home, place, checkouts.KNOWN)
    receipts.forget_allowed(store.database, place)
