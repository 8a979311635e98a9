"""Which table belongs to which mode; each is loaded when it is asked for."""

from .. import modes
from . import machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .machine import Machine, Progress


def of(mode: str) -> "Machine":
    name = f"ultrawork.core.machines.{modes.parse(mode)}"
    found: Machine = __import__(name, fromlist=["MACHINE"]).MACHINE
    return found


def begin(
    mode: str,
    now: float,
    *,
    facts: "Mapping[str, Any] | None" = None,
    linked: "Iterable[str]" = (),
    limits: "Mapping[str, int] | None" = None,
) -> "Progress":
    return machine.begin(of(mode), now, facts=facts, linked=linked, limits=limits)


def move(progress: "Progress", target: str, now: float) -> "Progress":
    return machine.move(of(progress.mode), progress, target, now)


def resumable(progress: "Progress", now: float, *, active: bool) -> str:
    return machine.resumable(of(progress.mode), progress, now, active=active)


def take_up(progress: "Progress", now: float) -> "Progress":
    return machine.take_up(of(progress.mode), progress, now)
