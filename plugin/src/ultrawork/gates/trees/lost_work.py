"""What a session did not change itself: what a pull brought, and what its request inherited from earlier ones of its
chain. And the user's work that it lost: uncommitted hunks, untracked and ignored files, stashes, commits, which can be
restored from the baseline (`ultrawork restore`).

An agent can set up a remote, move a ref and write its log, so none of these attributes a change to someone else. The
remote itself is asked, from outside the repository, so that nothing in its settings runs."""

import os
from collections.abc import Iterator, Mapping
from time import time_ns

from ...core.course import chain as rules
from ...core.course.chain import COMMIT, FILE, HUNK, IGNORED, STASH, Chain, LostFile, list_calls
from ...core.session.session import Session
from ...core.verdict.delivered import DEPENDENCIES, GONE, is_cache, is_output
from ...store import chains, trace
from ...store.pins import Pin
from ...store.store import Store
from ...system import history
from ...system.git import Git
from ..context import GateContext
from . import tree as trees
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


_PATIENCE = 10.0
_ASKED = {"GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ConnectTimeout=5"}
_REMOTE = "refs/remotes/"
_SEPARATORS = "://"


def find_pulled_tree(context: GateContext, pin: Pin) -> str | None:
    """The tree of the branch that was followed at the start, if its remote has moved it since."""
    known = pin.around.remotes if pin.around is not None else {}
    git = Git(context.root, context.environ)
    ref = git.line("rev-parse", "--symbolic-full-name", "@{upstream}") if known else None
    if ref is None or ref not in known:
        return None
    commit = git.commit(ref)
    if commit is None or commit == known[ref]:
        return git.tree_id(known[ref])
    sent = _has_pushed(context) or not _was_fetched(git, ref, pin.at)
    if sent or not _is_at_remote(context, git, known, ref, commit):
        return None
    return git.tree_id(commit)


def _was_fetched(git: Git, ref: str, since: float) -> bool:
    """Return whether each move of the ref since then came from its remote, as far as its log says."""
    printed = git.answer(["reflog", "show", "--date=unix", "--format=%gd %gs", ref]).out
    moves = []
    for line in os.fsdecode(printed).splitlines():
        place, _, how = line.partition(" ")
        at = place.rpartition("{")[2].rstrip("}")
        if at.isdigit() and int(at) >= int(since):
            moves.append(how.startswith(("fetch", "pull", "remote update")))
    return bool(moves) and all(moves)


def _has_pushed(context: GateContext) -> bool:
    """Return whether the session itself pushed; that content is not other people's."""
    return any(
        "push" in str(entry.get("what", ""))
        for entry in trace.find_holding(context.store.home, context.session.id, "push")
    )


def _is_at_remote(context: GateContext, git: Git, known: Mapping[str, str], ref: str, commit: str) -> bool:
    """Return whether the remote of the start has this commit on the branch that was followed."""
    branch = git.line("symbolic-ref", "--quiet", "--short", "HEAD") or ""
    remote, merged = known.get(f"branch.{branch}.remote"), known.get(f"branch.{branch}.merge")
    url = known.get(f"remote.{remote}.url")
    if url is None or merged is None or not ref.startswith(f"{_REMOTE}{remote}/"):
        return False
    is_path = _SEPARATORS not in url and ":" not in url.partition("/")[0]
    place = os.path.normpath(os.path.join(git.root, url)) if is_path else url
    outside = Git("/", context.environ, extra=_ASKED, patience=_PATIENCE)
    program_answer = outside.answer(["ls-remote", "--", place, merged])
    return program_answer.exit == 0 and program_answer.out.split(b"\t")[0].decode("ascii", "replace") == commit


def restore_committed(store: Store, environ: Mapping[str, str], session: Session, pin: Pin, committed: str) -> str:
    """Return the tree of the commit that a request began on, without what earlier agents of the chain committed. A
    path with its committed content because an agent discarded uncommitted work stays as committed."""
    known = chains.find(store.database, session.id)
    if known is None or not known.continues:
        return committed
    base, files, tree = (
        trees.get_recorded(name, session.working_dir, store.home.cache, environ)
        for name in (pin.tree, known.continues["files"], committed)
    )
    entries = trees.diff_entries(base, files)
    held = read_entries(tree, files, entries)
    carried = rules.choose_carried(entries, held)
    brought = _list_brought(Git(tree.root, environ), known, pin) if carried else set()
    taken = {path: entry for path, entry in carried.items() if (path, held[path]) in brought}
    return trees.compose(tree, taken).id


def _list_brought(git: Git, chain: Chain, pin: Pin) -> set[tuple[str, Entry]]:
    """Return what commits since the first request of a chain left at each path."""
    commits = history.list_commits(git, chain.start, str(pin.head))
    return history.list_committed_entries(git, [name for _, name in commits])


def read_entries(tree: Tree, like: Tree, left: Mapping[str, tuple[Entry, Entry]]) -> dict[str, Entry]:
    """Return a tree's entries at these paths, from its difference to a known tree."""
    differing = trees.diff_entries(like, tree)
    return {path: differing[path][1] if path in differing else agents for path, (_, agents) in left.items()}
