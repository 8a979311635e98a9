"""Small doings with files that git's own formats ask for."""

import os
from collections.abc import Iterator

from .excludes import is_excluded

_SUBMODULE_MODE = (0o160000).to_bytes(4, "big")


def is_empty_folder(place: str) -> bool:
    return os.path.isdir(place) and not os.path.islink(place) and not os.listdir(place)


def list_files_below(top: str, path: str) -> Iterator[str]:
    """A file, or the files of a folder; nothing if neither is there."""
    place = f"{top}/{path}"
    if os.path.islink(place) or os.path.isfile(place):
        yield path
        return
    for folder, _, names in os.walk(place):
        inner = os.path.relpath(folder, top)
        yield from (f"{inner}/{name}" for name in names if not is_excluded(f"{inner}/{name}"))


def copy_index(git_dir: str, folder: str, name: str) -> None:
    """Also the part that a split index shares."""
    remove_file(f"{folder}/{name}")
    copy_with_times(git_dir + "/index", f"{folder}/{name}")
    for shared in os.listdir(git_dir):
        if shared.startswith("sharedindex."):
            copy_with_times(f"{git_dir}/{shared}", f"{folder}/{shared}")


def copy_with_times(source: str, target: str) -> None:
    """With its times: git compares them with those of files to know which ones it may trust."""
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
    """Whether git need be asked for them: an index without the mode of one, and not split in two, has none."""
    data = read_bytes(index)
    return not data or _SUBMODULE_MODE in data or b"link" in data


def write_loose(path: str, data: memoryview) -> None:
    import zlib

    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "wb") as file:
        file.write(zlib.compress(b"blob %d\0" % len(data) + data, 1))
    os.replace(temporary, path)


def remove_file(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def read_bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
