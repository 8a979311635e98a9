"""Files that git does not read as they are: those that tools and editors leave beside the work, which are part of no tree
unless tracked; and untracked ones too large to read at every scan, which are recorded by size and time, and named."""

import os
from collections.abc import Collection, Iterable, Iterator

from ..store import atomic
from ..store.omc.folder import OWN_NAMES as OMC

LARGEST = 16 << 20  # of one file
TOGETHER = 64 << 20  # of all that are read for the first time
_SMALL = 128 << 10  # never counted as large, however many there are


def find_large(top: str, paths: Iterable[str], before: Collection[str], known: Collection[str]) -> dict[str, int]:
    """Return files that are not read, with sizes: `before` are the large ones of the last scan, `known` what was read
    then. A file that was read once is read until it is large itself."""
    sizes = {path: _measure(f"{top}/{path}") for path in paths}
    large = {path: size for path, size in sizes.items() if size > LARGEST or path in before}
    new = {path: size for path, size in sizes.items() if path not in large and path not in known}
    room = TOGETHER
    for path, size in sorted(new.items(), key=lambda pair: pair[1]):
        room -= size
        if room < 0 and size > _SMALL:
            large[path] = size
    return large


def _measure(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def describe_large(path: str) -> bytes:
    """Return what replaces the content in a tree."""
    status = os.lstat(path)
    return f"ultrawork: not read, {status.st_size} bytes, time {status.st_mtime_ns}\n".encode()


MOST_LEFT_FILES = 500
_CACHES = ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis")
FOLDERS = frozenset((*_CACHES, ".nyc_output", "node_modules"))
NAMES = frozenset((".DS_Store", ".coverage"))
ENDINGS = (".pyc", ".swp", ".swo", "~")
# `.coverage.host.123` is data, `.coveragerc` is configuration.
STARTS = (".coverage.", ".#")

_OMC = ".omc/"

# The same for git, so that it does not enter such folders.
PATTERNS = (
    *(f"{name}/" for name in sorted(FOLDERS)),
    *sorted(NAMES),
    *(f"*{ending}" for ending in ENDINGS),
    *(f"{start}*" for start in STARTS),
    r"\#*#",
    *(f"/{_OMC}{name}" for name in OMC),
)


def is_excluded(path: str) -> bool:
    *folders, name = path.split("/")
    if not FOLDERS.isdisjoint(folders) or name in NAMES or name in FOLDERS:
        return True
    if path.startswith(_OMC) and _is_ours(path[len(_OMC) :]):
        return True
    between_hashes = len(name) > 1 and name[0] == name[-1] == "#"
    return name.endswith(ENDINGS) or name.startswith(STARTS) or between_hashes


def _is_ours(path: str) -> bool:
    return any(path.startswith(name) if name[-1] == "/" else path == name for name in OMC)


def find_own_folder(top: str, store: str) -> str | None:
    """Return our own files inside the project: they change with every tree that is taken."""
    home = os.path.dirname(os.path.realpath(store))
    ours = home if os.path.exists(home + "/ultrawork.db") else os.path.realpath(store)
    return ours[len(top) + 1 :] if ours.startswith(top + "/") else None


def list_left_files(folder: str) -> list[str]:
    """Return paths that our runs left in a checkout; `folder` is where we store what we know about it."""
    return (atomic.read_text(folder + "/left") or "").splitlines()


def record_left_files(folder: str, paths: Iterable[str]) -> None:
    """Exclude these from all trees, unless tracked."""
    plain = [path for path in paths if path.isprintable()]
    known = list(dict.fromkeys([*list_left_files(folder), *plain]))[-MOST_LEFT_FILES:]
    atomic.write(folder + "/left", "".join(path + "\n" for path in known))


_SUBMODULE_MODE = (0o160000).to_bytes(4, "big")


def is_empty_folder(place: str) -> bool:
    return os.path.isdir(place) and not os.path.islink(place) and not os.listdir(place)


def list_files_below(top: str, path: str) -> Iterator[str]:
    """Yield a file, or the files of a folder; nothing if neither exists."""
    place = f"{top}/{path}"
    if os.path.islink(place) or os.path.isfile(place):
        yield path
        return
    for folder, _, names in os.walk(place):
        inner = os.path.relpath(folder, top)
        yield from (f"{inner}/{name}" for name in names if not is_excluded(f"{inner}/{name}"))


def copy_index(git_dir: str, folder: str, name: str) -> None:
    """Copy an index, including the shared part of a split index."""
    remove_file(f"{folder}/{name}")
    copy_with_times(git_dir + "/index", f"{folder}/{name}")
    for shared in os.listdir(git_dir):
        if shared.startswith("sharedindex."):
            copy_with_times(f"{git_dir}/{shared}", f"{folder}/{shared}")


def copy_with_times(source: str, target: str) -> None:
    """Copy with times: git compares them with those of files to know which to trust."""
    remove_file(target)
    try:
        with open(source, "rb") as file:
            times = os.fstat(file.fileno())
            data = file.read()
    except FileNotFoundError:
        return
    with open(target, "wb") as file:
        file.write(data)
    os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))


def may_hold_submodules(index: str) -> bool:
    """Return whether git need be asked for them: an index without the mode of one, and not split in two, has none."""
    data = read_bytes(index)
    return not data or _SUBMODULE_MODE in data or b"link" in data


def write_loose(path: str, data: memoryview, kind: bytes = b"blob") -> None:
    import zlib

    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    packed = zlib.compress(b"%s %d\0" % (kind, len(data)) + data, 1)
    atomic.write(path, packed, sync=False)


def move_away(folder: str, place: str) -> None:
    """Move a folder, creating the target's parent; remove it here if that is on another disk."""
    if not os.path.lexists(folder):
        return
    try:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        os.rename(folder, place)
    except OSError:
        from shutil import rmtree

        rmtree(folder, ignore_errors=True)


def remove_file(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def read_bytes(path: str, most: int = -1) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError:
        return b""


def measure_folder(path: str) -> int:
    """Return the bytes of all files below, or of a file. What disappears meanwhile counts nothing."""
    try:
        if not os.path.isdir(path):
            return os.path.getsize(path)
        with os.scandir(path) as entries:
            return sum(
                measure_folder(entry.path)
                if entry.is_dir(follow_symlinks=False)
                else entry.stat(follow_symlinks=False).st_size
                for entry in entries
            )
    except OSError:
        return 0


def find_change_time(path: str) -> float | None:
    """Return when a file was last written, by a clock that no program can set; None if it is gone."""
    try:
        return os.lstat(path).st_ctime
    except OSError:
        return None
