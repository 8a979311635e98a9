"""
Find our own modules without a search: a module's path follows from its name, its bytecode's path from the cache
prefix.

A hook loads thirty modules. Python's finder lists folders and tries every form of a module, which takes as long as
running them. In any unexpected case, such as a source newer than its bytecode, Python's own loader takes over and
rewrites the bytecode.
"""

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from collections.abc import Sequence
from marshal import loads
from os import stat_result
from posix import O_CLOEXEC, O_RDONLY, close, read, stat
from posix import open as open_file
from types import ModuleType

_OURS = "ultrawork."
_HEAD = MAGIC_NUMBER + bytes(4)  # of bytecode that is held to the time and the size of its source
_LARGEST = 1 << 16
_LIMIT = 0xFFFFFFFF


class OwnLoader(SourceFileLoader):
    """Python's loader with a shortcut for up-to-date bytecode."""

    source: stat_result
    bytecode: str

    def exec_module(self, module: ModuleType) -> None:
        if not self.source.st_size:
            return
        data = _read(self.bytecode)
        if len(data) == _LARGEST or data[:16] != _head(self.source):
            super().exec_module(module)
        else:
            exec(loads(memoryview(data)[16:]), module.__dict__)  # noqa: S102, S302 (our own, as Python does)


class OwnFinder:
    """Runs before Python's finders and handles only our package."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._ending = f".{sys.implementation.cache_tag}.pyc"

    def find_spec(self, name: str, path: Sequence[str] | None = None, _target: object = None) -> ModuleSpec | None:
        if not path or not name.startswith(_OURS):
            return None
        stem = f"{path[0]}/{name.rpartition('.')[2]}"
        source = _stat(f"{stem}.py")
        folder = None if source else stem
        if source is None:
            stem += "/__init__"
            source = _stat(f"{stem}.py")
            if source is None:
                return None
        loader = OwnLoader(name, f"{stem}.py")
        spec = ModuleSpec(name, loader, origin=f"{stem}.py")
        loader.source = source
        loader.bytecode = spec.cached = f"{self._prefix}{stem}{self._ending}"
        spec.has_location = True
        if folder:
            spec.submodule_search_locations = [folder]
        return spec


def _stat(path: str) -> stat_result | None:
    try:
        return stat(path)
    except OSError:
        return None


def _read(path: str) -> bytes:
    """Return the content; empty if the file does not exist yet."""
    try:
        handle = open_file(path, O_RDONLY | O_CLOEXEC)
    except OSError:
        return b""
    try:
        return read(handle, _LARGEST)
    finally:
        close(handle)


def _head(source: stat_result) -> bytes:
    time, size = int(source.st_mtime) & _LIMIT, source.st_size & _LIMIT
    return _HEAD + time.to_bytes(4, "little") + size.to_bytes(4, "little")


def find_quickly() -> None:
    """Install the finder if the launcher says where bytecode is kept. Otherwise it is beside the source, or nowhere."""
    prefix = sys.pycache_prefix
    if prefix and __file__.startswith("/"):
        sys.meta_path.insert(0, OwnFinder(prefix))
