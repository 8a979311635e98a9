"""The gates of a checkout for people: what was found, where, why, how long, and what was left out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...core.times import format_duration
from ...core.verdict.gate import Gate
from ...core.wording import cut
from ...store import checkouts, receipts
from ...store.store import Store
from ..find.install import Install
from ..find.project import find_gates, list_left_out
from ..run.receipt import make_command_key
from ..run.remedy import word_install
from ..trees.files import DiskFiles
from . import pinning, preparation

_HOW = """\
Change it in ultrawork.toml:
  [gates]
  test = "make test"      # a command of your own
  lint = false            # never, even if found"""

_DENIED = "hooks start none of them here: you denied it. Again: ulw gates allow"


@dataclass(frozen=True, slots=True)
class GateList:
    gates: list[Gate]
    left_out: list[tuple[str, str]]
    usual: dict[str, float | None]
    allowed: dict[str, bool]
    denied: bool = False
    installs: list[Install] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        return {
            "gates": [
                {
                    **gate.document(),
                    "usual_seconds": self.usual[gate.name],
                    "allowed": self.allowed[gate.name],
                }
                for gate in self.gates
            ],
            "denied": self.denied,
            "left_out": [{"name": name, "why": why} for name, why in self.left_out],
            "prepare": [preparation.describe_install(one) for one in self.installs],
        }

    def text(self) -> str:
        lines = [line for gate in self.gates for line in self._lines(gate)] or ["no gate was found"]
        lines += [cut(f"not {name}: {why}", 100) for name, why in self.left_out]
        lines += [f"first: {word_install(one)}" for one in self.installs if one.done is False]
        lines += [_DENIED] if self.denied else []
        return "\n".join([*lines, "", _HOW])

    def _lines(self, gate: Gate) -> list[str]:
        usual = self.usual[gate.name]
        time = f"usually {format_duration(usual)}" if usual is not None else "never run here yet"
        may = "; hooks may run it" if self.allowed[gate.name] else ""
        where = "" if gate.where == "." else f" in {gate.where}"
        return [
            f"{gate.name:<8} {gate.command}{where}",
            f"         {gate.source}: {gate.reason}; {time}{may}",
        ]


def read(store: Store, environ: Mapping[str, str], place: str) -> GateList:
    settings = pinning.read_settings(place, store, environ)
    folder, config, origin = DiskFiles(place), settings.gates, settings.gates_source
    gates = find_gates(folder, config, origin=origin)
    return GateList(
        gates,
        list_left_out(folder, config, origin=origin),
        {
            gate.name: receipts.find_longest_seconds(store.database, place, make_command_key(gate))
            for gate in gates
        },
        {gate.name: receipts.is_allowed(store.database, place, gate.command) for gate in gates},
        denied=checkouts.find_denial(store.home, place) is not None,
        installs=preparation.list_needed(place, gates),
    )


def allow_commands(store: Store, place: str, commands: list[str], *, how: str) -> None:
    """The person's word that hooks may run these here; it takes back a denial, and makes the checkout known."""
    receipts.allow(store.database, place, commands, at=store.now(), how=how)
    checkouts.lift_denial(store.home, place)
    checkouts.say(store.home, place, checkouts.KNOWN)


def deny_all(store: Store, place: str) -> None:
    """Hooks start no gate here, whatever was allowed before, and no other program of the checkout."""
    checkouts.say(store.home, place, checkouts.DENIED, repr(store.now()))
    checkouts.unsay(store.home, place, checkouts.KNOWN)
    receipts.forget_allowed(store.database, place)
