"""Find the user's work that a session lost: uncommitted hunks, untracked and ignored files, stashes, commits.

What the baseline holds can be restored (`ultrawork restore`)."""

from collections.abc import Iterator
from time import time_ns

from ...core.course import lost_work as rules
from ...core.course.attribution import list_calls
from ...core.course.lost_work import COMMIT, FILE, HUNK, IGNORED, STASH, LostFile
from ...core.verdict.delivered import DEPENDENCIES, GONE, is_cache, is_output
from ...store import chains, trace
from ...store.pins import Pin
from ...system import history
from ...system.git import Git
from ..context import GateContext
from . import tree as trees
from .inherited import restore_committed
from .ledger import SMALL, OutsideView
from .tree import GIT, Entry, Tree

Changed = dict[str, tuple[Entry, Entry]]

_HEADS = "refs/heads/"
_LARGEST = 2_000_000


def find_lost(context: GateContext, pin: Pin, now: Tree) -> list[LostFile]:
    """Return what the user had when the session began and no longer has."""
    return LostWork(context, pin, now).find()


class LostWork:
    """Compares the files with those at the start."""

    def __init__(self, context: GateContext, pin: Pin, now: Tree) -> None:
        self._context = context
        self._pin = pin
        self.now = now
        self.base = self._tree(pin.tree)
        self._changed = trees.diff_entries(self.base, self.now)
        self._committed: Tree | None = None
        self._commands: list[str] | None = None

    def _tree(self, name: str) -> Tree:
        return trees.get_beside(self.now, name, self._context.root)

    def find(self) -> list[LostFile]:
        """Return lost files; none if the session recorded no command, because then the user did it."""
        if not self._list_commands():
            return []
        lost_files = [*self._find_files(), *self._find_ignored(), *self._find_commits()]
        return sorted(lost_files, key=lambda lost_file: lost_file.path)

    def find_committed(self) -> Tree | None:
        """Return the commit that the session began on, without earlier agents' changes; None if there is none."""
        pin, context = self._pin, self._context
        if self._committed is None and pin.kind == GIT and pin.head:
            name = Git(context.root, context.environ).tree_id(pin.head)
            if name:
                session, environ = context.session, context.environ
                self._committed = self._tree(restore_committed(context.store, environ, session, pin, name))
        return self._committed

    def _find_files(self) -> Iterator[LostFile]:
        own = self._list_uncommitted()
        for path in sorted(self._changed.keys() & own.keys()):
            known, now = own[path], self._changed[path][1]
            if is_cache(path.split("/")) or (self._is_gone(path) and self._is_elsewhere(path)):
                continue
            if known is None and now is None:
                yield self._make(path, FILE)
            elif known is not None and self._is_undone(path, is_gone=now is None):
                yield self._make(path, HUNK)

    def _make(self, path: str, kind: str) -> LostFile:
        held = trees.read(self.base, path) is not None
        return LostFile(path, kind, held, self.base.id if held else "")

    def _list_uncommitted(self) -> dict[str, Entry]:
        """Return paths that differed from the commit when the session began, each with its committed entry. Before the
        first commit nothing is tracked; without git nothing can be."""
        committed = self.find_committed()
        if committed is not None:
            sides = trees.diff_entries(committed, self.base)
            return {path: old for path, (old, new) in sides.items() if new is not None}
        if self.now.kind != GIT:
            return {}
        return {path: None for path, (old, new) in self._changed.items() if old and not new}

    def _is_elsewhere(self, path: str) -> bool:
        """Return whether a missing file is elsewhere now."""
        new = {path: side for path, (old, side) in self._changed.items() if old is None and side}
        before = self._changed[path][0]
        if before is not None and before[1] in {side[1] for side in new.values() if side}:
            return True
        text = _decode(trees.read(self.base, path))
        if text is None:
            return False
        others = trees.read_all(self.now, list(new))
        return rules.is_found_in(text, filter(None, map(_decode, others.values())))

    def _is_undone(self, path: str, *, is_gone: bool) -> bool:
        if not any(rules.can_undo(command, path) for command in self._list_commands()):
            return False
        if is_gone:
            return True
        committed = self.find_committed()
        texts = [_decode(trees.read(tree, path)) for tree in (committed, self.base, self.now) if tree]
        if len(texts) < 3 or None in texts:
            # A file that is not text is restored as a whole.
            return committed is not None and path not in trees.diff_entries(committed, self.now)
        return bool(rules.find_undone_hunks(*(str(text).splitlines() for text in texts)))

    def _list_commands(self) -> list[str]:
        """Return commands of this session and of the one it continues."""
        if self._commands is None:
            context = self._context
            known = chains.find(context.store.database, context.session.id)
            before = str(known.continues.get("session", "")) if known is not None else ""
            names = dict.fromkeys(name for name in (before, context.session.id) if name)
            entries = [entry for name in names for entry in trace.read_all(context.store.home, name)]
            since = 0.0 if before else self._pin.at
            calls = [shell_call for shell_call in list_calls(entries, since) if shell_call.ended >= since]
            patched = {path for entry in entries for path in entry.get("files") or ()}
            root = f"{self.now.root}/"
            self._commands = [
                *(call.words for call in calls),
                *(f"rm {path}" for path in patched if self._is_gone(path.removeprefix(root))),
            ]
        return self._commands

    def _is_gone(self, path: str) -> bool:
        return path in self._changed and self._changed[path][1] is None

    def _find_ignored(self) -> Iterator[LostFile]:
        around = self._pin.around
        if around is None or not around.ledger:
            return
        view = OutsideView(self.now, self._context.cache, around.ledger, time_ns())
        known = view.base.files if view.base is not None else {}
        for outside_path in view.moved:
            if (
                outside_path.became == GONE
                and _is_own(outside_path.path)
                and int(str(known[outside_path.path][0])) < SMALL
            ):
                yield LostFile(outside_path.path, IGNORED, outside_path.kept, str(known[outside_path.path][4]))

    def _find_commits(self) -> Iterator[LostFile]:
        """Yield tips of branches and stashes that no ref reaches and whose content is nowhere else."""
        before = self._pin.around.commits if self._pin.around is not None else {}
        if not before or self.now.kind != GIT:
            return
        git = Git(self._context.root, self._context.environ)
        after = history.list_own_commits(git)
        gone = [commit for commit in before.values() if commit not in after.values()]
        unreachable = set(history.list_unreachable(git, gone))
        for name, commit in before.items():
            if commit in unreachable and not self._lives_on(git, commit, after.get(name)):
                kind = COMMIT if name.startswith(_HEADS) else STASH
                held = git.commit(commit) is not None
                yield LostFile(name.removeprefix(_HEADS), kind, held, commit if held else "")

    def _lives_on(self, git: Git, commit: str, successor: str | None) -> bool:
        """Return whether a commit's content survives: amended, rebased, squashed, or an applied stash."""
        if git.commit(commit) is None:
            return False
        start = git.merge_base(commit, successor or "HEAD") or f"{commit}^"
        tree = git.tree_id(successor) if successor else self.now.id
        if tree is None or git.commit(start) is None:
            return False
        brought = self._tree(str(git.tree_id(start))), self._tree(str(git.tree_id(commit)))
        own = trees.diff_entries(*brought)
        entries = trees.diff_entries(brought[1], self._tree(tree))
        return not any(path in entries and entries[path][1] == old for path, (old, _) in own.items())


def _is_own(path: str) -> bool:
    """Return whether an ignored file may be the user's work: outside caches, dependencies and build output."""
    parts = path.split("/")
    return DEPENDENCIES.isdisjoint(parts) and not is_cache(parts) and not is_output(path)


def _decode(data: bytes | None) -> str | None:
    if data is None or b"\0" in data[:8000] or len(data) > _LARGEST:
        return None
    return data.decode("utf-8", "replace")
