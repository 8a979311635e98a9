"""Gates as they were defined at the start beside gates as they are defined now."""

from ..core.gate import TEST
from .files import Folder
from .find import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.gate import Gate
    from .files import Files
    from .work import Work


class Pair:
    """`now` is None when the gate is gone, `pinned` when it is new."""

    __slots__ = ("name", "now", "pinned")

    def __init__(self, name: str, now: "Gate | None", pinned: "Gate | None") -> None:
        self.name = name
        self.now = now
        self.pinned = pinned

    @property
    def gate(self) -> "Gate":
        gate = self.now or self.pinned
        assert gate is not None
        return gate

    @property
    def changed(self) -> bool:
        """Whether the value of its definition changed; a new gate has none to compare with."""
        return self.pinned is not None and (
            self.now is None or self.now.definition != self.pinned.definition
        )


def pairs(work: "Work", base: "Files | None", changed: "Sequence[str]") -> list[Pair]:
    """
    The configuration is the base's on both sides: a change of it counts from the next start. `base`
    is None where the files are those of the base.
    """
    # Where nothing changed, everything has to speak: only then is it known what "nothing" is worth.
    paths = changed or None
    config, origin = work.settings.gates, work.settings.gates_source
    now = {g.name: g for g in find(Folder(work.root), config, changed=paths, origin=origin)}
    before = now
    if base is not None:
        before = {g.name: g for g in find(base, config, changed=paths, origin=origin)}
    names = list(dict.fromkeys([*before, *now]))
    found = [_pair(name, now.get(name), before.get(name), changed) for name in names]
    return sorted(found, key=lambda pair: pair.gate.kind != TEST)


def _pair(name: str, now: "Gate | None", pinned: "Gate | None", changed: "Sequence[str]") -> Pair:
    """A definition that somebody else changed is the one to measure by."""
    files = {*(now.files if now else ()), *(pinned.files if pinned else ())}
    others = now is not None and pinned is not None and files.isdisjoint(changed)
    return Pair(name, now, now if others else pinned)
