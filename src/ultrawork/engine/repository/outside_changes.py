"""
What a worker changed outside its worktree is an error of its task, and is undone.

Before anything is undone it is kept, by a ref that holds the whole checkout as it was found, and
written down: whoever comes after a crash undoes the rest. What the output of the worker does not
explain (see `traces`) is somebody else's, unless one knows to be `alone`; it is told and left alone.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...store import atomic, codec
from ...system import commits
from ...system.commits import RefMove
from ...system.objects import TreeEntry
from . import checkout_state
from .checkout_state import CheckoutState, restore_entries
from .lock import RepositoryLock
from .repository import Repository
from .worker_traces import WorkerTraces
from .worktrees import Worktree

_FOLDER = "trespass"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class OutsideChanges:
    """`files` were changed by the worker, and were undone; `others` by somebody else, and were not."""

    files: list[str]
    kept: str
    others: list[str]

    @property
    def sentence(self) -> str:
        if not self.files:
            return ""
        more = f" and {len(self.files) - _SHOWN} more" if len(self.files) > _SHOWN else ""
        shown = ", ".join(self.files[:_SHOWN]) + more
        return f"wrote outside its worktree: {shown}; undone, kept as {self.kept}"


def examine(
    repository: Repository,
    before: CheckoutState,
    worktree: Worktree,
    outputs: Sequence[str] = (),
    *,
    alone: bool = False,
) -> OutsideChanges:
    """
    What this worker changed in the person's checkout, undone and kept. `outputs` are files with
    what it printed; `alone` says that nobody else can have worked there meanwhile.
    """
    with RepositoryLock(repository):
        found = _Difference(repository, before, worktree)
        record = found.recorded()
        if record is None:
            found.attribute(WorkerTraces(repository, worktree, outputs), alone=alone)
            record = found.keep()
        elif not record["done"]:
            found.keep_files("-again")
        if not record["done"]:
            found.undo(record)
    kept = repository.names.ref_for("salvage", worktree.name) if record["files"] else ""
    return OutsideChanges(list(record["files"]), kept, record["others"])


class _Difference:
    """What differs from the fence. Names are paths of files, `.git/config` and the like, and refs."""

    __slots__ = (
        "_after",
        "_before",
        "_mirror",
        "_name",
        "_now",
        "_repository",
        "_state_before",
        "_theirs",
    )

    def __init__(self, repository: Repository, before: CheckoutState, worktree: Worktree) -> None:
        self._repository = repository
        self._state_before = before
        self._name = worktree.name
        self._mirror = repository.mirror(repository.checkout)
        self._now = checkout_state.record_state(repository)
        same = before.files == self._now.files
        sides = {} if same else self._mirror.git().diff_entries(before.files, self._now.files)
        self._before = {path: before for path, (before, _) in sides.items()}
        self._after = {path: after for path, (_, after) in sides.items()}
        _pass_over_undone(repository, self._before, self._after)
        self._theirs: set[str] = set()

    def attribute(self, traces: WorkerTraces, *, alone: bool) -> None:
        copied = set() if alone else traces.find_copied(self._after)
        files = {path for path in self._after if alone or path in copied or traces.is_named(path)}
        texts = {name for name in self._texts() if alone or traces.says(name)}
        refs = {ref for ref in self._refs() if self._moved_by(traces, ref)}
        refs |= {
            ref
            for ref in self._refs()
            if ref == checkout_state.STASH and checkout_state.STASHES in texts
        }
        self._theirs = files | {f".git/{name}" for name in texts} | refs

    def _texts(self) -> list[str]:
        """A stash that a worker leaves where there was none harms nobody."""
        names = self._state_before.git.keys() | (self._now.git.keys() - {checkout_state.STASHES})
        return sorted(n for n in names if self._state_before.git.get(n) != self._now.git.get(n))

    def _refs(self) -> list[str]:
        """Those that were there before: a branch that a worker makes for itself harms nobody."""
        return sorted(
            r for r, value in self._state_before.refs.items() if self._now.refs.get(r) != value
        )

    def _moved_by(self, traces: WorkerTraces, ref: str) -> bool:
        now = self._now.refs.get(ref)
        return traces.has_made(now) if now else traces.has_deleted(ref)

    def recorded(self) -> dict[str, Any] | None:
        try:
            with open(_place(self._repository, self._name), encoding="utf-8") as file:
                record: dict[str, Any] = codec.loads(file.read())
        except FileNotFoundError:
            return None
        return record

    def keep(self) -> dict[str, Any]:
        """Written down before anything is done: each thing with what it was and what it became."""
        every = [*self._after, *(f".git/{name}" for name in self._texts()), *self._refs()]
        record: dict[str, Any] = {
            "files": {name: self._sides(name) for name in every if name in self._theirs},
            "others": [name for name in every if name not in self._theirs],
            "done": not self._theirs,
        }
        if record["files"]:
            self.keep_files()
            os.makedirs(f"{self._repository.folder}/{_FOLDER}", mode=0o700, exist_ok=True)
            self._write(record)
        return record

    def _write(self, record: dict[str, Any]) -> None:
        atomic.write(_place(self._repository, self._name), codec.dumps(record))

    def _sides(self, name: str) -> list[Any]:
        if name in self._after:
            return ["file", _pair(self._before.get(name)), _pair(self._after[name])]
        if name.startswith(".git/"):
            text = name.removeprefix(".git/")
            return ["text", self._state_before.git.get(text), self._now.git.get(text)]
        return ["ref", self._state_before.refs[name], self._now.refs.get(name, "")]

    def keep_files(self, more: str = "") -> None:
        """All files as they are, and the commits that refs were moved to, by one commit of ours."""
        git, head = self._repository.git, self._repository.git.head()
        known = [tree] if head and (tree := git.tree_id(head)) else []
        commits.copy_objects(self._mirror, git, self._now.files, known)
        moved = [value for ref in self._refs() if (value := self._now.refs.get(ref))]
        parents = dict.fromkeys([*([head] if head else []), *moved])
        message = f"Files of the checkout when {self._name} had written into it\n"
        kept = commits.write(git, self._now.files, list(parents), message)
        commits.set_ref(git, self._repository.names.ref_for("salvage", self._name + more), kept)

    def undo(self, record: dict[str, Any]) -> None:
        """All of it, and then that it is done: a file may be gone or half there where one was killed."""
        wrong = {
            name: _entry(name, old)
            for name, (kind, old, _) in record["files"].items()
            if kind == "file" and name in self._after
        }
        restore_entries(self._repository, self._mirror, wrong)
        # Refs first: moving one adds to its log, which is a text.
        for name, (kind, old, new) in sorted(record["files"].items(), key=lambda one: one[1][0]):
            if kind == "text" and self._now.git.get(name.removeprefix(".git/")) == new:
                _write_text(f"{self._repository.checkout.common}/{name.removeprefix('.git/')}", old)
            elif kind == "ref" and self._now.refs.get(name, "") == new:
                commits.move_refs(
                    self._repository.git, [RefMove(name, old, new)], "ultrawork: undone"
                )
        self._write({**record, "done": True})


def _pass_over_undone(
    repository: Repository,
    before: dict[str, TreeEntry | None],
    after: dict[str, TreeEntry | None],
) -> None:
    """What we undid ourselves since the fence was made is no change; the fence should not have held it."""
    for record in _records(repository):
        for name, (kind, old, new) in record["files"].items():
            if kind == "file" and name in before and _pair(before[name]) == new:
                before[name] = _entry(name, old)
    for path in [path for path in after if _pair(before[path]) == _pair(after[path])]:
        del before[path], after[path]


def _records(repository: Repository) -> list[dict[str, Any]]:
    folder = f"{repository.folder}/{_FOLDER}"
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith(".json"):
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                found.append(codec.loads(file.read()))
    return found


def _place(repository: Repository, name: str) -> str:
    return f"{repository.folder}/{_FOLDER}/{name}.json"


def _pair(entry: TreeEntry | None) -> list[str] | None:
    return [entry.mode, entry.id] if entry else None


def _entry(path: str, pair: Sequence[str] | None) -> TreeEntry | None:
    return TreeEntry(pair[0], pair[1], path) if pair else None


def _write_text(place: str, text: str | None) -> None:
    if text is None:
        os.unlink(place)
        return
    mode = os.stat(place).st_mode & 0o777 if os.path.exists(place) else 0o755
    temporary = f"{place}.ultrawork"
    with open(temporary, "wb") as file:
        file.write(text.encode("latin-1"))
    os.chmod(temporary, mode)
    os.replace(temporary, place)
