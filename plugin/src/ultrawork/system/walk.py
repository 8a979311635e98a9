"""Trees of a folder without git: every file read, hashed, and stored by its hash.

A tree is a list of (mode, hash, path), its id the hash of that list. Files with unchanged times are not read again;
times that are too young are not trusted."""

import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence

from ..core.errors import Trouble
from ..store import atomic, codec, markers
from ..store.atomic import Lock
from .files import LARGEST, describe_large, find_large, find_own_folder, is_excluded, list_left_files
from .git import FileChange
from .objects import FILE, LINK, PROGRAM
from .tree_copy import Overlay

PREFIX = "walk-"
FILES = 50_000
BYTES = 1 << 30
PATIENCE = 120.0
YOUNG = 2_000_000_000
# Without git no rules exclude these.
INSTALLED = frozenset((".git", ".hg", ".svn", ".venv", "venv", ".tox", ".nox"))


class Walk:
    def __init__(self, root: str, store: str) -> None:
        self.root = os.path.realpath(root)
        self.folder = f"{store}/walk-{codec.digest(self.root)[:16]}"
        self._known: dict[str, list[object]] = {}
        self._seen: dict[str, list[object]] = {}
        self._budget = BYTES
        self._ours = find_own_folder(self.root, store)

    def tree(self) -> str:
        try:
            os.makedirs(self.folder + "/files", mode=0o700, exist_ok=True)
            with Lock(self.folder + "/lock", patience=PATIENCE):
                self._known = self._load()
                lines = [self._line(path) for path in sorted(self._paths())]
                name = self._keep("".join(line for line in lines if line))
                if self._seen != self._known:
                    atomic.write(self.folder + "/times", codec.dumps(self._seen))
        except OSError as error:
            raise Trouble(f"could not record {self.root}: {error.strerror or error}") from error
        return name

    def _keep(self, text: str) -> str:
        name = PREFIX + codec.digest(text)
        if not os.path.exists(f"{self.folder}/{name}"):
            atomic.write(f"{self.folder}/{name}", text)
        return name

    def list_large(self) -> dict[str, int]:
        """Return files that a tree holds without content, with sizes."""
        return find_large(self.root, self._paths(), (), ())

    def entries(self, name: str) -> dict[str, tuple[str, str]]:
        """Mode and hash of each path."""
        try:
            with open(f"{self.folder}/{name}", encoding="utf-8") as file:
                lines = file.read().split("\0")
        except OSError as error:
            raise Trouble(f"tree {name[:12]} of {self.root} is no longer stored") from error
        entries = {}
        for line in filter(None, lines):
            mode, digest, path = line.split(" ", 2)
            entries[os.fsdecode(bytes.fromhex(path))] = (mode, digest)
        return entries

    def names(self, name: str) -> list[str]:
        return list(self.entries(name))

    def list_links(self, name: str) -> dict[str, str]:
        """Symbolic links, each with what it points at."""
        links = {path: key for path, (mode, key) in self.entries(name).items() if mode == LINK}
        return {path: os.fsdecode(self._content(key)) for path, key in links.items()}

    def read(self, name: str, path: str) -> bytes | None:
        entry = self.entries(name).get(path)
        return None if entry is None else self._content(entry[1])

    def read_all(self, name: str, paths: Sequence[str]) -> dict[str, bytes | None]:
        return {path: self.read(name, path) for path in paths}

    def changes(self, before: str, after: str) -> list[FileChange]:
        old, new = self.entries(before), self.entries(after)
        paths = sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
        return [self._change(path, old.get(path), new.get(path)) for path in paths]

    def diff_entries(self, before: str, after: str) -> dict[str, tuple[tuple[str, str] | None, tuple[str, str] | None]]:
        """Mode and hash of every path that differs, on both sides."""
        old, new = self.entries(before), self.entries(after)
        paths = [path for path in old.keys() | new.keys() if old.get(path) != new.get(path)]
        return {path: (old.get(path), new.get(path)) for path in paths}

    def put_entries(self, name: str, entries: Mapping[str, tuple[str, str] | None]) -> str:
        """Return the id of a tree with other entries at these paths; None is an absent one."""
        wanted = {**self.entries(name), **entries}
        return self._keep("".join(_list_lines(wanted)))

    def write(self, name: str, target: str, overlay: Overlay | None = None) -> int:
        """How many files were written."""
        entries = self.entries(name)
        if overlay:
            other = self.entries(overlay.tree)
            entries = {path: entry for path, entry in entries.items() if path not in overlay.paths}
            entries |= {path: other[path] for path in overlay.paths if path in other}
        os.makedirs(target, exist_ok=True)
        for path, (mode, digest) in entries.items():
            place = f"{target}/{path}"
            os.makedirs(os.path.dirname(place), exist_ok=True)
            _put(place, mode, self._content(digest))
        return len(entries)

    def _load(self) -> dict[str, list[object]]:
        return markers.read(self.folder + "/times", -1) or {}

    def _paths(self) -> Iterator[str]:
        count = 0
        dropped = set(list_left_files(self.folder))
        for folder, inner, names in os.walk(self.root, onerror=_ignore):
            linked = [name for name in inner if os.path.islink(f"{folder}/{name}")]
            inner[:] = [name for name in inner if self._is_entered(folder, name, linked)]
            below = folder[len(self.root) + 1 :]
            for name in (*names, *linked):
                path = f"{below}/{name}" if below else name
                if not is_excluded(path) and path not in dropped:
                    count += 1
                    yield path
            if count > FILES:
                raise Trouble(f"{self.root} has over {FILES:,} files and no git; run git init there")

    def _is_entered(self, folder: str, name: str, linked: list[str]) -> bool:
        if is_excluded(name) or name in INSTALLED or name in linked:
            return False
        return self._ours is None or f"{folder}/{name}" != f"{self.root}/{self._ours}"

    def _line(self, path: str) -> str:
        place = f"{self.root}/{path}"
        try:
            status = os.lstat(place)
            mode = _mode(status.st_mode)
            if mode is None:
                return ""
            digest = self._digest(place, path, mode, status)
        except (FileNotFoundError, PermissionError):
            return ""
        return _make_line(mode, digest, path)

    def _digest(self, place: str, path: str, mode: str, status: os.stat_result) -> str:
        times = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, mode]
        key = os.fsencode(path).hex()
        known = self._known.get(key)
        if known and known[1:] == times and os.path.exists(self._kept(str(known[0]))):
            self._seen[key] = known
            return str(known[0])
        now = time.time_ns()
        digest = self._store(place, mode, large=status.st_size > LARGEST)
        if max(status.st_mtime_ns, status.st_ctime_ns) < now - YOUNG:
            self._seen[key] = [digest, *times]
        return digest

    def _store(self, place: str, mode: str, *, large: bool = False) -> str:
        """Copy a file to its hash in pieces; of a large one only a description."""
        from hashlib import sha256

        hashed = sha256()
        temporary = self._kept(f"{os.getpid()}.tmp")
        with open(temporary, "wb") as copy:
            for piece in [describe_large(place)] if large else _pieces(place, mode):
                self._budget -= len(piece)
                if self._budget < 0:
                    raise Trouble(f"{self.root} has over {BYTES >> 30} GB and no git; run git init")
                hashed.update(piece)
                copy.write(piece)
        os.replace(temporary, self._kept(hashed.hexdigest()))
        return hashed.hexdigest()

    def _kept(self, digest: str) -> str:
        return f"{self.folder}/files/{digest}"

    def _content(self, digest: str) -> bytes:
        with open(self._kept(digest), "rb") as file:
            return file.read()

    def _change(self, path: str, old: tuple[str, str] | None, new: tuple[str, str] | None) -> FileChange:
        before = self._content(old[1]) if old else b""
        after = self._content(new[1]) if new else b""
        change = FileChange(path, _status(old, new), binary=b"\0" in before[:8000] + after[:8000])
        if not change.binary:
            change.added, change.removed = _count(before, after)
        return change


def _make_line(mode: str, digest: str, path: str) -> str:
    return f"{mode} {digest} {os.fsencode(path).hex()}\0"


def _list_lines(entries: Mapping[str, tuple[str, str] | None]) -> Iterator[str]:
    for path, entry in sorted(entries.items()):
        if entry is not None:
            yield _make_line(*entry, path)


def _ignore(_: OSError) -> None:
    """Ignore a folder that may not be read."""


def _mode(bits: int) -> str | None:
    if stat.S_ISLNK(bits):
        return LINK
    if not stat.S_ISREG(bits):
        return None
    return PROGRAM if bits & stat.S_IXUSR else FILE


def _pieces(place: str, mode: str) -> Iterator[bytes]:
    if mode == LINK:
        yield os.fsencode(os.readlink(place))
        return
    with open(place, "rb") as file:
        while piece := file.read(1 << 20):
            yield piece


def _put(place: str, mode: str, data: bytes) -> None:
    if mode == LINK:
        os.symlink(os.fsdecode(data), place)
        return
    with open(place, "wb") as file:
        file.write(data)
    if mode == PROGRAM:
        os.chmod(place, 0o700)


def _status(old: tuple[str, str] | None, new: tuple[str, str] | None) -> str:
    if old is None:
        return "A"
    if new is None:
        return "D"
    return "M" if (old[0] == LINK) == (new[0] == LINK) else "T"


def _count(before: bytes, after: bytes) -> tuple[int, int]:
    """Return lines added and removed, wherever in the file: moved lines count as neither."""
    from collections import Counter

    old, new = Counter(before.splitlines()), Counter(after.splitlines())
    return (new - old).total(), (old - new).total()
