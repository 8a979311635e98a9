"""
Treat changes outside a worker's worktree as an error of its task. Nothing the user did is ever undone.

Only a file that is still exactly what the worker's own tools wrote is undone. Before that a ref keeps the whole
checkout, and the plan is recorded, so that the next engine can finish after a crash. What is probably the worker's (see
`worker_traces`) stays and is reported with the command that undoes it.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from shlex import quote
from typing import Any

from ...core.run.tool_calls import ToolInputs
from ...store import atomic, codec
from ...system import history
from ...system.files import read_bytes
from ...system.objects import TreeEntry
from . import worker_traces
from .lock import RepositoryLock
from .repository import Repository
from .worker_traces import CheckoutState, WorkerTraces, restore_entry
from .worktrees import Worktree

_FOLDER = "trespass"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class OutsideChanges:
    """
    `files`: written by the worker, and undone. `likely`: possibly its work, left in place, each with the command
    that undoes it. `others`: changed by others.
    """

    files: list[str]
    kept: str
    likely: dict[str, str]
    others: list[str]

    @property
    def sentence(self) -> str:
        if not self.files:
            return ""
        more = f" and {len(self.files) - _SHOWN} more" if len(self.files) > _SHOWN else ""
        shown = ", ".join(self.files[:_SHOWN]) + more
        return f"wrote outside its worktree: {shown}. I undid that; a copy is in {self.kept}"


def examine(
    repository: Repository, before: CheckoutState, worktree: Worktree, tool_inputs: ToolInputs
) -> OutsideChanges:
    """Return what happened to the user's checkout while a worker ran; `told` is what its tools were given."""
    with RepositoryLock(repository):
        difference = _Difference(repository, before, worktree)
        record = difference.recorded()
        if record is None:
            record = difference.keep(WorkerTraces(repository, worktree, tool_inputs))
        if not record["done"]:
            difference.undo(record)
    kept = repository.names.ref_for("salvage", worktree.name) if record["files"] else ""
    return OutsideChanges(list(record["files"]), kept, record["likely"], record["others"])


class _Difference:
    """What differs from the fence. Names are paths of files, `.git/config` and the like, and refs."""

    def __init__(self, repository: Repository, before: CheckoutState, worktree: Worktree) -> None:
        self._repository = repository
        self._fence = before
        self._name = worktree.name
        self._mirror = repository.mirror(repository.checkout)
        self._now = worker_traces.record_state(repository)
        same = before.files == self._now.files
        sides = {} if same else self._mirror.git().diff_entries(before.files, self._now.files)
        self._before = {path: before for path, (before, _) in sides.items()}
        self._after = {path: after for path, (_, after) in sides.items()}
        _pass_over_undone(repository, self._before, self._after)

    def _texts(self) -> list[str]:
        """Return changed git files; a worker's new stash is harmless and ignored."""
        names = self._fence.git.keys() | (self._now.git.keys() - {worker_traces.STASHES})
        return sorted(n for n in names if self._fence.git.get(n) != self._now.git.get(n))

    def _refs(self) -> list[str]:
        """Return changes of refs that existed before; a worker's own new branch is harmless."""
        return sorted(r for r, value in self._fence.refs.items() if self._now.refs.get(r) != value)

    def _proved(self, traces: WorkerTraces) -> dict[str, list[Any]]:
        """Return each file with its kind, its old and new entry, and a digest of its current content."""
        files = {}
        for name, (kind, old, new) in self._written().items():
            place = self._place(name)
            if os.path.islink(place) or not os.path.isfile(place):
                continue
            made = traces.find_written(place, self._text_before(kind, old))
            if made is not None and made == read_bytes(place):
                files[name] = [kind, old, new, sha256(made).hexdigest()]
        return files

    def _written(self) -> dict[str, list[Any]]:
        files = {
            path: ["file", _pair(self._before.get(path)), _pair(after)] for path, after in self._after.items() if after
        }
        texts = {
            f".git/{name}": ["text", self._fence.git.get(name), self._now.git[name]]
            for name in self._texts()
            if name in self._now.git
        }
        return {**files, **texts}

    def _text_before(self, kind: str, old: Any) -> bytes | None:
        if old is None:
            return None
        if kind == "text":
            return str(old).encode("latin-1")
        return self._mirror.git().ask(["cat-file", "blob", old[1]])

    def _place(self, name: str) -> str:
        if name.startswith(".git/"):
            return f"{self._repository.checkout.common}/{name.removeprefix('.git/')}"
        return f"{self._repository.top}/{name}"

    def _likely(self, traces: WorkerTraces) -> set[str]:
        copied = traces.find_copied(self._after)
        files = {path for path in self._after if path in copied or traces.is_named(path)}
        texts = {f".git/{name}" for name in self._texts() if traces.says(name)}
        stashed = f".git/{worker_traces.STASHES}" in texts
        refs = {ref for ref in self._refs() if self._moved_by(traces, ref) or (ref == worker_traces.STASH and stashed)}
        return files | texts | refs

    def _moved_by(self, traces: WorkerTraces, ref: str) -> bool:
        now = self._now.refs.get(ref)
        return traces.has_made(now) if now else traces.has_deleted(ref)

    def recorded(self) -> dict[str, Any] | None:
        try:
            with open(self._record(), encoding="utf-8") as file:
                record: dict[str, Any] = codec.loads(file.read())
        except FileNotFoundError:
            return None
        return record

    def _record(self) -> str:
        return f"{self._repository.folder}/{_FOLDER}/{self._name}.json"

    def keep(self, traces: WorkerTraces) -> dict[str, Any]:
        """Written down before anything is done: each thing with what it was and what it became."""
        # Refs before texts: moving one back adds to its log, which is a text.
        every = [*self._after, *self._refs(), *(f".git/{name}" for name in self._texts())]
        proved = self._proved(traces) if every else {}
        likely = self._likely(traces) - proved.keys() if every else set()
        record: dict[str, Any] = {
            "files": proved,
            "likely": {name: self._remedy(name) for name in every if name in likely},
            "others": [name for name in every if name not in proved and name not in likely],
            "done": not proved,
        }
        if proved or likely:
            os.makedirs(f"{self._repository.folder}/{_FOLDER}", mode=0o700, exist_ok=True)
            self._hold_states(changed=bool(proved), before=bool(likely))
            self._write(record)
        return record

    def _write(self, record: dict[str, Any]) -> None:
        atomic.write(self._record(), codec.dumps(record))

    def _hold_states(self, *, changed: bool, before: bool) -> None:
        """Keep the current or earlier files and the commits of refs by our own commits."""
        if changed:
            moved = [value for ref in self._refs() if (value := self._now.refs.get(ref))]
            message = f"Files of the checkout when {self._name} had written into it\n"
            self._hold("salvage", self._now.files, moved, message)
        if before:
            moved = [self._fence.refs[ref] for ref in self._refs()]
            message = f"Files of the checkout before {self._name} began\n"
            self._hold("before", self._fence.files, moved, message)

    def _hold(self, kind: str, tree: str, moved: list[str], message: str) -> None:
        git, head = self._repository.git, self._repository.git.head()
        known = [head_tree] if head and (head_tree := git.tree_id(head)) else []
        history.copy_objects(self._mirror, git, tree, known)
        parents = dict.fromkeys([*([head] if head else []), *moved])
        kept = history.write(git, tree, list(parents), message)
        history.set_ref(git, self._repository.names.ref_for(kind, self._name), kept)

    def _remedy(self, name: str) -> str:
        """Return the command that restores it in the checkout."""
        if name.startswith(".git/"):
            return self._text_remedy(name.removeprefix(".git/"))
        if name in self._fence.refs:
            return f"git update-ref {quote(name)} {self._fence.refs[name]}"
        if self._before.get(name) is None:
            return f"rm -- {quote(name)}"
        ref = self._repository.names.ref_for("before", self._name)
        return f"git restore --source={ref} -- {quote(name)}"

    def _text_remedy(self, name: str) -> str:
        place, old = self._place(f".git/{name}"), self._fence.git.get(name)
        if old is None:
            return f"rm -- {quote(place)}"
        kept = f"{self._repository.folder}/{_FOLDER}/{self._name}.{name.replace('/', '-')}"
        os.makedirs(os.path.dirname(kept), mode=0o700, exist_ok=True)
        with open(kept, "wb") as file:
            file.write(old.encode("latin-1"))
        return f"cp {quote(kept)} {quote(place)}"

    def undo(self, record: dict[str, Any]) -> None:
        """Restore each file that is still what the worker wrote; leave those already restored or changed since."""
        for name, (kind, old, _, made) in sorted(record["files"].items(), reverse=True):
            place = self._place(name)
            if os.path.islink(place) or sha256(read_bytes(place)).hexdigest() != made:
                continue
            if kind == "file":
                restore_entry(self._mirror, place, _entry(name, old))
            else:
                _write_text(place, old)
        self._write({**record, "done": True})


def _pass_over_undone(
    repository: Repository, before: dict[str, TreeEntry | None], after: dict[str, TreeEntry | None]
) -> None:
    """Ignore what we restored ourselves since the state was recorded."""
    for record in _records(repository):
        for name, (kind, old, new, _) in record["files"].items():
            if kind == "file" and name in before and _pair(before[name]) == new:
                before[name] = _entry(name, old)
    for path in [path for path in after if _pair(before[path]) == _pair(after[path])]:
        del before[path], after[path]


def _records(repository: Repository) -> list[dict[str, Any]]:
    folder = f"{repository.folder}/{_FOLDER}"
    records = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith(".json"):
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                records.append(codec.loads(file.read()))
    return records


def _pair(entry: TreeEntry | None) -> list[str] | None:
    return [entry.mode, entry.id] if entry else None


def _entry(path: str, pair: Sequence[str] | None) -> TreeEntry | None:
    return TreeEntry(pair[0], pair[1], path) if pair else None


def _write_text(place: str, text: str | None) -> None:
    if text is None:
        os.unlink(place)
        return
    mode = os.stat(place).st_mode & 0o777 if os.path.exists(place) else 0o755
    worker_traces.replace_file(place, text.encode("latin-1"), mode)
