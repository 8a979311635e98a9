"""Gates as they were defined at the start beside gates as they are defined now."""

from ..core.gate import TEST
from .files import Folder
from .find import find
from .unseen import unseen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.gate import Gate
    from .bench import Bench
    from .files import Files


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


def pairs(bench: "Bench") -> list[Pair]:
    """
    The configuration is the base's on both sides: a change of it counts from the next start. Where
    nothing changed, everything has to speak: only then is it known what "nothing" is worth.
    """
    work, paths = bench.work, bench.change.changed or None
    now = _found(bench, Folder(work.root), paths)
    bench.unseen = unseen(bench.source, bench.tree, now.values())
    before = now
    if bench.tree != bench.base_tree or bench.unseen:
        before = _found(bench, bench.source.files(bench.base_tree), paths)
    found = [_pair(bench, name, now.get(name), before.get(name)) for name in {**before, **now}]
    return sorted(found, key=lambda pair: pair.gate.kind != TEST)


def _found(bench: "Bench", files: "Files", paths: "Sequence[str] | None") -> "dict[str, Gate]":
    settings = bench.work.settings
    gates = find(files, settings.gates, changed=paths, origin=settings.gates_source)
    return {gate.name: gate for gate in [*settings.asked, *gates]}


def _pair(bench: "Bench", name: str, now: "Gate | None", pinned: "Gate | None") -> Pair:
    """A definition that somebody else changed, and this session did not, is the one to measure by."""
    files = {*(now.files if now else ()), *(pinned.files if pinned else ())}
    theirs = not files.isdisjoint(one.path for one in bench.others)
    own = not files.isdisjoint((*bench.change.changed, *bench.unseen))
    return Pair(name, now, now if now and pinned and theirs and not own else pinned)
