"""Write a file so that a reader sees the old or the new text, never a part; read one that may be missing,
and the names in a folder that may be."""

import os
from _thread import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def write(path: str, text: str | bytes, *, mode: int = 0o600, sync: bool = True) -> None:
    """
    Write to a temporary file in the same folder, flush it and replace `path`; a link there is not followed.
    Without `sync` it survives the end of any program, but perhaps not a power cut.
    """
    temporary = _write_beside(path, text, mode, sync=sync)
    _settle(temporary, path)


def write_many(texts: "Mapping[str, str]") -> None:
    """Write many files with one flush for all."""
    if len(texts) < 16:
        for path, text in texts.items():
            write(path, text)
        return
    written = {path: _write_beside(path, text, 0o600, sync=False) for path, text in texts.items()}
    os.sync()
    for path, temporary in written.items():
        _settle(temporary, path)


def _write_beside(path: str, text: str | bytes, mode: int, *, sync: bool) -> str:
    folder, name = os.path.split(path)
    temporary = f"{folder}/.{name}.{os.getpid()}.{get_ident()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    handle = os.open(temporary, flags, mode)
    try:
        rest = memoryview(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
        while rest:
            rest = rest[os.write(handle, rest) :]
        if sync:
            os.fsync(handle)
    except OSError:
        os.unlink(temporary)
        raise
    finally:
        os.close(handle)
    return temporary


def _settle(temporary: str, path: str) -> None:
    try:
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def read_text(path: str, most: int = -1) -> str | None:
    """Return at most that many bytes of a file as text; None if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return None


def list_folder(folder: str) -> list[str]:
    """Return the names in a folder, sorted; none if it cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def find_write_time(path: str) -> float:
    """Return when a file was last written; 0 if there is none."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
