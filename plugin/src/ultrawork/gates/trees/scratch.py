"""Scratch copies: a tree written to disk for a run, and removed afterwards.

Installed dependencies (`node_modules`, virtual environments, bundles) are in no tree and are borrowed from the
checkout. Other files beside a tree, such as build output, are copied only if a ledger says which version belongs to
these files.

A folder belongs to the process that holds its lock; the next process removes folders of dead owners."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from shutil import rmtree

from ...core.errors import Conflict, Trouble
from ...store import atomic, codec
from ...store.atomic import Lock
from . import dependencies
from . import tree as trees
from .tree import Tree

_NOTE = "borrowed.json"
# Larger copies are deleted in the background.
_MANY = 5_000
_DEAD, _LARGE = "dead-", "dead-large-"
_REMOVE = '{ rm -rf -- "$0" || { chmod -R u+rwx -- "$0"; rm -rf -- "$0"; }; } &'


class ScratchFolder:
    """`with Folder(home) as path`: an empty folder, removed at the end with everything in it."""

    def __init__(self, cache: str) -> None:
        self._files = 0
        self._home = cache + "/scratch"
        self.path = f"{self._home}/{os.getpid()}-{os.urandom(5).hex()}"
        self._lock: Lock | None = None

    def __enter__(self) -> str:
        try:
            os.makedirs(self._home, mode=0o700, exist_ok=True)
            with Lock(self._home + "/lock"):
                dead = _buried(self._home)
                os.mkdir(self.path, mode=0o700)
                self._lock = Lock(self.path + "/lock").__enter__()
        except OSError as error:
            raise Trouble(f"could not create {self.path}: {error.strerror}") from error
        for folder in dead:
            _remove_later(folder) if _is_large(folder) else remove_folder(folder)
        return self.path

    def __exit__(self, *_: object) -> None:
        if self._files < _MANY:
            remove_folder(self.path)
        else:
            _remove_later(_bury(self._home, os.path.basename(self.path), _LARGE))
        if self._lock:
            self._lock.__exit__()


class ScratchCopy(ScratchFolder):
    """`with Scratch(…) as root`: the files of a tree, ready to run in."""

    def __init__(
        self,
        tree: Tree,
        cache: str,
        *,
        root: str,
        overlay: Tree | None = None,
        paths: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        beside: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(cache)
        self._beside = beside
        self._tree = tree
        self._root = os.path.realpath(root)
        self._overlay = overlay
        self._paths = paths
        self._environ = os.environ if environ is None else environ

    def __enter__(self) -> str:
        # The folder keeps the project's name, because some tools use it.
        target = f"{super().__enter__()}/{os.path.basename(self._tree.root) or 'root'}"
        try:
            self._files = trees.materialise(self._tree, target, overlay=self._overlay, paths=self._paths)
            known = self._beside is not None
            dependencies.lend_files(target, self._beside if self._beside is not None else self._list_made_files())
            variables = dependencies.link(self._tree.root, target, self._environ, settings=not known)
            note = {"from": self._tree.root, "environment": variables}
            atomic.write(f"{self.path}/{_NOTE}", codec.dumps(note))
        except BaseException as error:
            self.__exit__()
            if isinstance(error, OSError):
                raise Trouble(f"could not create a scratch copy in {self.path}: {error.strerror}") from error
            raise
        inner = os.path.relpath(self._root, self._tree.root)
        return target if inner == "." else f"{target}/{inner}"

    def _list_made_files(self) -> Mapping[str, str]:
        """Return generated files. Without a ledger their version is unknown, but little loads without them."""
        if self._tree.kind != trees.GIT:
            return {}
        return dependencies.list_made_files(self._tree.root, self._environ)


make_scratch_copy = ScratchCopy


def find_origin(root: str, cache: str) -> tuple[str, dict[str, str]]:
    """Return the checkout of a scratch copy and the variables that a run in it needs; for any other folder, itself and
    none."""
    home = os.path.realpath(cache) + "/scratch/"
    folder = os.path.realpath(root)
    if not folder.startswith(home):
        return root, {}
    name = folder[len(home) :].split("/")[0]
    with open(f"{home}{name}/{_NOTE}", encoding="utf-8") as file:
        note = codec.loads(file.read())
    return note["from"], note["environment"]


def _buried(home: str) -> list[str]:
    """Rename folders of dead owners, so that they are not mistaken for live ones. Call it with the lock held."""
    graves = []
    for name in os.listdir(home):
        try:
            graves += _grave(home, name)
        except FileNotFoundError:
            pass  # its owner has just taken it away
    return graves


def _grave(home: str, name: str) -> list[str]:
    path = f"{home}/{name}"
    if name.startswith(_DEAD):
        return [path]
    if not os.path.isdir(path) or _is_held(path):
        return []
    return [_bury(home, name, _DEAD)]


def _bury(home: str, name: str, mark: str) -> str:
    os.rename(f"{home}/{name}", f"{home}/{mark}{name}")
    return f"{home}/{mark}{name}"


def _is_large(folder: str) -> bool:
    return os.path.basename(folder).startswith(_LARGE)


def _is_held(folder: str) -> bool:
    try:
        with Lock(folder + "/lock", patience=0):
            return False
    except Conflict:
        return True


def _remove_later(folder: str) -> None:
    """Remove a folder in another process; if that is killed, the next copy starts another."""
    words, null = ["/bin/sh", "-c", _REMOVE, folder], subprocess.DEVNULL
    path = {"PATH": os.defpath}
    try:
        subprocess.run(words, env=path, stdin=null, stdout=null, stderr=null, start_new_session=True, check=False)
    except OSError:
        remove_folder(folder)


def remove_folder(folder: str) -> None:
    """Remove a folder even if a test removed permissions."""
    rmtree(folder, ignore_errors=True)
    if os.path.lexists(folder):
        for inner, _, _ in os.walk(folder):
            os.chmod(inner, 0o700)
        rmtree(folder, ignore_errors=True)
