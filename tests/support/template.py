"""What is made once and used by every test.

Git takes far longer to make a repository than to copy one: each test process makes its own once. Python compiles the
program, its libraries and the runners into the state folder: with an empty one that takes seconds for every test that
starts a process, so that folder is beside the interpreter and is never emptied."""

import atexit
import functools
import glob
import os
import shutil
import sys
import tempfile
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

_made: "dict[Hashable, str]" = {}
_lock = threading.Lock()
_UNUSED = shutil.ignore_patterns("*.sample")


@functools.cache
def _root() -> str:
    root = tempfile.mkdtemp(prefix="ultrawork-templates-")
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return root


def fill(folder: str, key: "Hashable", make: "Callable[[], object]") -> None:
    """Puts into an empty folder what `make` puts there; what has the same key has to be the same."""
    if key in _made:
        shutil.copytree(_made[key], folder, symlinks=True, ignore=_UNUSED, dirs_exist_ok=True)
        return
    make()
    copy = tempfile.mkdtemp(dir=_root())
    shutil.copytree(folder, copy, symlinks=True, ignore=_UNUSED, dirs_exist_ok=True)
    _made[key] = copy


@functools.cache
def _bytecode() -> str:
    """Return the shared bytecode folder; Python checks time and size of every source, so outdated files are not
    used."""
    shared = f"{sys.prefix}/bytecode-of-tests"
    for gone in glob.glob(f"{shared}{tempfile.gettempdir()}/pytest-of-*"):
        shutil.rmtree(gone, ignore_errors=True)
    return shared


def prepare_cache(home: str) -> None:
    """Prepare a state folder that knows its interpreter and shares its bytecode with other tests."""
    with _lock:
        cache, shared = f"{home}/cache", _bytecode()
        os.makedirs(cache, exist_ok=True)
        os.makedirs(shared, exist_ok=True)
        if not os.path.exists(f"{cache}/python"):
            with open(f"{cache}/python", "w", encoding="utf-8") as file:
                file.write(f"{sys.executable}\n")
        if not os.path.lexists(f"{cache}/bytecode"):
            os.symlink(shared, f"{cache}/bytecode")
