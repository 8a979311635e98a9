"""List the checks of a checkout for people: where, why, how long, and what was left out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...core.times import format_duration
from ...core.verdict.gate import Gate
from ...core.wording import cut
from ...store import checkouts, receipts
from ...store.store import Store
from ..find.ci.truth import CiView
from ..find.install import Install
from ..find.project import search_gates, survey_gates
from ..run.receipt import make_command_key
from ..run.remedy import word_install
from ..trees.files import DiskFiles
from . import pinning, preparation

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
            "prepare": [preparation.describe_install(install) for install in self.installs],
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
        installs=preparation.list_needed(place, project_gates.gates),
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
