"""Compare a checkout with a baseline: the change, the goal, and the matrix of runs that rules read."""

from collections.abc import Callable, Sequence
from functools import cached_property

from ...core.verdict.gate import Gate
from ...system.git import FileChange
from ..context import GateContext
from ..find.project import GateSearch
from ..trees.files import Files
from ..trees.source import Source
from .change import ChangedFiles, read_convention
from .matrix import Matrix

SplitChanges = Callable[[str], tuple[Sequence[FileChange], Sequence[FileChange]]]


class Comparison:
    """One comparison. `goal` is empty outside a session. `outside` describes what the agent did beside the files.
    `unseen` are files that runners load and git does not track. The change is updated as checks write files."""

    def __init__(
        self,
        context: GateContext,
        source: Source,
        *,
        base: str,
        tree: str,
        goal: str = "",
        gates: Sequence[Gate] = (),
        split: SplitChanges,
    ) -> None:
        self.context = context
        self.source = source
        self.goal = goal
        self.unseen: list[str] = []
        # What searches for checks found, by the changed paths that they concern.
        self.searches: dict[tuple[str, ...], list[GateSearch]] = {}
        self._gates = gates
        self._split = split
        self.matrix = Matrix(context, source, base=base, tree=tree, on_move=self._sort)
        self._sort()

    def _sort(self) -> None:
        """Read the change again; files that a check writes are part of it."""
        matrix = self.matrix
        own, others = self._split(matrix.tree)
        paths = [file.path for file in (*own, *others)]
        convention = read_convention(self.source, matrix.base, self.context.settings, self._gates, paths)
        self.change = ChangedFiles(self.source, matrix.base, matrix.tree, own, others, convention)

    @cached_property
    def base_files(self) -> Files:
        """The files of the baseline, as finders of checks read them."""
        return self.source.files(self.matrix.base)

    def close(self) -> None:
        self.matrix.close()

    def is_gone(self, folder: str) -> bool:
        """Return whether nothing is left of a folder that held something at the start."""
        if folder == ".":
            return False
        before, now = (
            any(path.startswith(folder + "/") for path in self.source.names(tree))
            for tree in (self.matrix.base, self.matrix.tree)
        )
        return before and not now
