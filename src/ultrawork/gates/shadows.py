"""New files that stand in a runner's way: the gate is run once more without them."""

from ..core import judging
from .mint import OLD_TESTS, Copy, mint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.findings import Finding
    from ..system.git import Change
    from .measure import Bench, Measured


def shadowed(bench: "Bench", measured: "Measured", changes: "Sequence[Change]") -> "list[Finding]":
    now = measured.now
    if now is None or not now.shadows:
        return []
    new = {change.path for change in changes if change.status == "A"}
    paths = [
        path
        for path in now.shadows
        if any(one == path or one.startswith(path + "/") for one in new)
    ]
    if not paths:
        return []
    gone = [one for one in new if any(one == path or one.startswith(path + "/") for path in paths)]
    name = f"{bench.tree}-{len(gone)}"
    with bench.source.copy(bench.tree, overlay=(bench.base_tree, gone)) as folder:
        without = mint(bench.work, now.gate, Copy(folder, name, OLD_TESTS))
    runner = now.gate.runner or "the runner"
    return [
        judging.shadow(path, runner, without=without.side.colour, receipt=without.number)
        for path in paths
    ]
