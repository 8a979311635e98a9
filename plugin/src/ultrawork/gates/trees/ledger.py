"""Record files in a checkout that are in no tree: ignored and excluded files, when a session begins.

Recording is cheap: a file is its size, inode and times, a folder of dependencies is one entry, and known files are not
read again. Small files are stored, so that a copy can restore them."""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence

from ...core.value import Value, fresh, list_fields
from ...core.verdict.delivered import (
    BUILD_CACHES,
    CHANGED,
    DEPENDENCIES,
    GONE,
    NEW,
    OutsidePath,
    find_output_folder,
    is_cache,
    is_output,
)
from ...store import atomic, codec
from ...system.files import find_own_folder, is_excluded
from ...system.objects import hash_content
from ...system.walk import INSTALLED, Walk
from .scratch import MODULE_CACHES
from .tree import Tree

MOST_FILES = 5000
MOST_INSTALLED = 3000
MOST_BYTES = 100 << 20
SMALL = 1 << 20
TOGETHER = 20 << 20
MOST_KEPT = 1000
# A later write may share a timestamp younger than this.
_YOUNG = 2_000_000_000
_MADE = ("pyvenv.cfg", ".package-lock.json", ".yarn-integrity", ".modules.yaml", "autoload.php")
_LISTED = ("ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z")


class Ledger(Value):
    """A record. `files`: path to size, inode, both times and, if stored, the content hash. `folders`: one digest each.
    `rules` are settings that hide files of the tree itself. `taken` is the time in nanoseconds."""

    taken: int = 0
    files: dict[str, list[object]] = fresh(dict)
    folders: dict[str, str] = fresh(dict)
    rules: dict[str, str] = fresh(dict)


class Lending(Value):
    """Files beside a tree, for a copy: the source of each. `complete`: none was left out for its size."""

    files: dict[str, str] = fresh(dict)
    complete: bool = True


class LedgerKeeper:
    """Ledgers of one checkout; `tree` was just taken, so that git's rules are known."""

    def __init__(self, tree: Tree, cache: str) -> None:
        self._tree = tree
        self._top = tree.root
        self._folder = cache + "/outside"
        self._ours = find_own_folder(tree.root, cache) or "/"
        self._ledger = Ledger()
        self._known: Mapping[str, list[object]] = {}
        self._left = MOST_FILES
        self._budget = TOGETHER
        self._kept = MOST_KEPT

    def note(self, now: int) -> str:
        """Record a ledger with the content of small files; return its name, which is its hash."""
        os.makedirs(self._folder + "/files", mode=0o700, exist_ok=True)
        last = f"{self._folder}/last-{codec.digest(self._top)[:16]}"
        self._known = _load(last).files
        ledger = self.look(now)
        for path, entry in ledger.files.items():
            entry.append(self._keep(path, entry))
        text = codec.dumps({name: getattr(ledger, name) for name in list_fields(Ledger)})
        name = codec.digest(text)
        atomic.write(f"{self._folder}/{name}", text)
        atomic.write(last, text)
        return name

    def read(self, name: str) -> Ledger | None:
        """Return a ledger; None if it is gone or does not match its name."""
        text = atomic.read_text(f"{self._folder}/{name}")
        return _parse(text) if text is not None and codec.digest(text) == name else None

    def look(self, now: int) -> Ledger:
        """Return the current state without reading files."""
        self._ledger = Ledger(taken=now, rules=self._rules())
        for path in self._listed():
            if path.endswith("/"):
                self._enter(path[:-1])
            else:
                self._add(path)
        return self._ledger

    def locate(self, digest: str) -> str:
        return f"{self._folder}/files/{digest}"

    def _listed(self) -> Iterator[str]:
        place = self._tree.place
        if isinstance(place, Walk):
            yield from _walk(self._top)
            return
        printed = place.git().answer(_LISTED).out
        yield from (path.decode("utf-8", "backslashreplace") for path in printed.split(b"\0") if path)

    def _rules(self) -> dict[str, str]:
        place = self._tree.place
        if isinstance(place, Walk):
            return {}
        sparse = place.git_folder.sources()[5]
        carried = place.git_folder.read_carried_settings()
        on = carried.get("core.sparsecheckout", "false")
        return {"sparse checkout": f"{on} {hash_content(sparse) if on == 'true' else ''}"}

    def _enter(self, path: str) -> None:
        parts = path.split("/")
        if path == self._ours or path.startswith((self._ours + "/", ".omc/")) or path == ".omc":
            return
        if parts[-1] in DEPENDENCIES:
            self._ledger.folders[path] = _digest_installed(f"{self._top}/{path}", self._top)
            return
        if _is_build_cache(self._top, path):
            return
        try:
            with os.scandir(f"{self._top}/{path}") as entries:
                children = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            return
        if self._left <= 0:
            self._ledger.folders[path] = _digest_names(children, self._top)
            return
        for entry in children:
            inner = f"{path}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                self._enter(inner)
            else:
                self._add(inner)

    def _add(self, path: str) -> None:
        if is_cache(path.split("/")):
            return
        try:
            status = os.lstat(f"{self._top}/{path}")
        except OSError:
            return
        self._left -= 1
        if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
            times = [status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns]
            self._ledger.files[path] = [*times]

    def _keep(self, path: str, entry: Sequence[object]) -> str:
        """Store a small file and return its hash; empty if it is not stored."""
        known = self._known.get(path)
        size = int(str(entry[0]))
        if size > SMALL or size > self._budget or os.path.islink(f"{self._top}/{path}"):
            return ""
        self._budget -= size
        if known and known[:4] == entry[:4] and known[4] and os.path.exists(self.locate(str(known[4]))):
            return str(known[4])
        try:
            data = _content(f"{self._top}/{path}")
        except OSError:
            return ""
        digest = _hash(data)
        if not os.path.exists(self.locate(digest)):
            atomic.write(self.locate(digest), data, sync=False)
        return digest

    def compare(self, before: Ledger, now: Ledger) -> list[OutsidePath]:
        outside_paths = [
            OutsidePath(path, NEW if path not in before.files else CHANGED, kept=self._is_kept(before, path))
            for path, entry in now.files.items()
            if not self._is_same(path, before, entry)
        ]
        outside_paths += [
            OutsidePath(path, GONE, kept=self._is_kept(before, path))
            for path in before.files
            if path not in now.files and not os.path.lexists(f"{self._top}/{path}")
        ]
        for path, digest in now.folders.items():
            if before.folders.get(path) != digest:
                became = CHANGED if path in before.folders else NEW
                made = any(os.path.exists(f"{self._top}/{path}/{name}") for name in _MADE)
                outside_paths.append(OutsidePath(path, became, folder=True, made_by_installer=made))
        return outside_paths

    def lend(self, now: Ledger) -> Lending:
        """Return the current files."""
        return self._limit({path: f"{self._top}/{path}" for path in now.files}, now)

    def lend_base(self, before: Ledger, now: Ledger, only: Sequence[str] | None = None) -> Lending:
        """Return the files at the start. With `only`, return the current files, but these paths as at the start, or
        absent if they were absent or not stored."""
        if only is None:
            wanted, moved = (before.files, {outside_path.path for outside_path in self.compare(before, now)})
        else:
            wanted, moved = {**now.files, **before.files}, set(only)
        places = {}
        for path in wanted:
            if path not in moved and path in now.files:
                places[path] = f"{self._top}/{path}"
            elif self._is_kept(before, path) and (only is None or path in moved):
                places[path] = self.locate(str(before.files[path][4]))
        return self._limit(places, before)

    def _limit(self, places: dict[str, str], sizes: Ledger) -> Lending:
        total = sum(int(str(sizes.files.get(path, [0])[0])) for path in places)
        fits = len(places) <= MOST_FILES and total <= MOST_BYTES
        return Lending(places if fits else {}, fits)

    def _is_kept(self, ledger: Ledger, path: str) -> bool:
        entry = ledger.files.get(path)
        return bool(entry and entry[4])

    def _is_same(self, path: str, before: Ledger, entry: Sequence[object]) -> bool:
        """Return whether a file is unchanged, by times that are old enough, else by content."""
        known = before.files.get(path)
        if known is None:
            return False
        old = max(int(str(known[2])), int(str(known[3]))) < before.taken - _YOUNG
        if known[:4] == list(entry[:4]) and (old or not known[4]):
            return True
        try:
            return bool(known[4]) and _hash(_content(f"{self._top}/{path}")) == known[4]
        except OSError:
            return False


def _hash(data: bytes) -> str:
    return str(codec.find_sha256()(data).hexdigest())


def _content(place: str) -> bytes:
    with open(place, "rb") as file:
        return file.read()


def _is_build_cache(top: str, path: str) -> bool:
    folder, _, name = path.rpartition("/")
    beside = f"{top}/{folder}" if folder else top
    return any(os.path.exists(f"{beside}/{file}") for file in BUILD_CACHES.get(name, ()))


def _digest_installed(folder: str, top: str) -> str:
    """Return a digest of installed packages and launchers, by names and inodes."""
    inner = [folder, f"{folder}/bin", f"{folder}/.bin"]
    try:
        inner += [f"{folder}/lib/{name}/site-packages" for name in os.listdir(f"{folder}/lib")]
    except OSError:
        pass
    lines: list[object] = []
    for place in inner:
        try:
            with os.scandir(place) as entries:
                children = sorted(entries, key=lambda entry: entry.name)[:MOST_INSTALLED]
                lines.append(_digest_names(children, top))
        except OSError:
            continue
    return codec.digest(codec.dumps(lines))


def _digest_names(entries: Sequence[os.DirEntry[str]], top: str) -> str:
    """Return a digest of folders by inode, and of files also by size and time; a folder's time changes with every
    cache in it. A link counts as its target, because our worktrees link the same packages. For a link to a file of the
    tree itself, such as a workspace package, only the name counts."""
    lines: list[list[object]] = []
    for entry in entries:
        if entry.name in ("__pycache__", *MODULE_CACHES):
            continue
        if entry.is_symlink() and _leads_to_tree(entry.path, top):
            lines.append([os.fsencode(entry.name).hex()])
            continue
        status = entry.stat(follow_symlinks=os.path.exists(entry.path))
        is_folder = stat.S_ISDIR(status.st_mode)
        rest = [] if is_folder else [status.st_size, status.st_mtime_ns]
        lines.append([os.fsencode(entry.name).hex(), status.st_ino, *rest])
    return codec.digest(codec.dumps(lines))


def _leads_to_tree(link: str, top: str) -> bool:
    target, own = os.path.realpath(link), os.path.realpath(top) + "/"
    return target.startswith(own) and DEPENDENCIES.isdisjoint(target[len(own) :].split("/"))


def _walk(top: str) -> Iterator[str]:
    """Yield files that trees exclude by name, without git."""
    for folder, inner, names in os.walk(top):
        below = folder[len(top) + 1 :]
        inner[:] = [name for name in inner if name not in INSTALLED and name not in DEPENDENCIES]
        for name in names:
            path = f"{below}/{name}" if below else name
            if is_excluded(path):
                yield path


def _load(place: str) -> Ledger:
    return _parse(atomic.read_text(place) or "") or Ledger()


def _parse(text: str) -> Ledger | None:
    try:
        return Ledger(**codec.loads(text))
    except (ValueError, TypeError):
        return None


class OutsideView:
    """Files beside a tree now and at the start: `moved` since then; `base` is None if the start is unknown."""

    def __init__(self, tree: Tree, cache: str, name: str, now: int) -> None:
        self._keeper = LedgerKeeper(tree, cache)
        self.base = self._keeper.read(name)
        self.now = self._keeper.look(now)
        self.moved = self._keeper.compare(self.base, self.now) if self.base is not None else []

    def lend(self, *, base: bool, without: Sequence[str] | None = None) -> Lending:
        """Return the files for a copy of the baseline or of later files. Build output is current; anything else that
        changed is as at the start. With `without`, exactly these paths are as at the start."""
        if self.base is None:
            return self._keeper.lend(self.now)
        if without is None and not base:
            without = [outside_path.path for outside_path in self.moved if not is_output(outside_path.path)]
        return self._keeper.lend_base(self.base, self.now, without)

    def has_outputs(self) -> bool:
        """Return whether there is something that a build may have written."""
        return any(is_output(path) for path in self.now.files)

    def find_output_times(self) -> dict[str, int]:
        """Return when each build output folder was last written."""
        output_times: dict[str, int] = {}
        for path, entry in self.now.files.items():
            folder = find_output_folder(path)
            if folder:
                output_times[folder] = max(output_times.get(folder, 0), int(str(entry[2])))
        return output_times

    def list_rewritten(self, now: int) -> frozenset[str]:
        """Return paths that were written since this view was taken."""
        again = self._keeper.look(now).files
        return frozenset(path for path, entry in again.items() if self.now.files.get(path) != entry)
