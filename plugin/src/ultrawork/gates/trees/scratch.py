"""Scratch copies: a tree written to disk for a run, and removed afterwards. A folder belongs to the process that holds
its lock; the next process removes folders of dead owners.

Installed dependencies (`node_modules`, virtual environments, bundles) are in no tree and are borrowed from the
checkout: linked, not copied. Links inside them that lead back into the checkout are redirected to the copy, or a
project package linked into `node_modules`, or installed in place into a virtual environment, would test the checkout's
code. Other files beside a tree, such as build output, are copied only if a ledger says which version belongs to these
files."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from glob import escape, glob
from shutil import copy2, copytree, rmtree

from ...core.errors import Trouble
from ...core.toolchains.toolchain import get_built_in
from ...store import atomic, codec
from ...store.atomic import Lock, find_write_time, is_held, read_text
from ...system.git import Git
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
            lend_files(target, self._beside if self._beside is not None else self._list_made_files())
            variables = link(self._tree.root, target, self._environ, settings=not known)
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
        return list_made_files(self._tree.root, self._environ)


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
    if not os.path.isdir(path) or is_held(f"{path}/lock"):
        return []
    return [_bury(home, name, _DEAD)]


def _bury(home: str, name: str, mark: str) -> str:
    os.rename(f"{home}/{name}", f"{home}/{mark}{name}")
    return f"{home}/{mark}{name}"


def _is_large(folder: str) -> bool:
    return os.path.basename(folder).startswith(_LARGE)


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


VENVS = (".venv", "venv", "env")
LINKED = (*VENVS, "vendor/bundle", ".bundle", "deps", "bower_components", ".pnp.cjs", ".pnp.loader.mjs")
# They locate the project from their resolved path, so they must be inside the copy.
COPIED = ("vendor", ".yarn")
SETTINGS = (".env", ".env.local", ".env.test", ".env.test.local", ".env.development")
# Caches that tools write below node_modules.
MODULE_CACHES = get_built_in().gather("module_caches")
_MARKS = {"env": "pyvenv.cfg", "venv": "pyvenv.cfg", "deps": "../mix.exs", "vendor": "autoload.php"}
_FOLDERS = 5000
_LARGEST = 10_000_000
_LONGEST = 1_000_000


def link(
    root: str,
    copy: str,
    environ: Mapping[str, str],
    *,
    installed: bool = True,
    settings: bool = True,
    made: list[str] | None = None,
) -> dict[str, str]:
    """Link what the copy needs; return the extra variables for a run there. Without `installed` only settings are
    copied, for a copy that installs its own dependencies; without `settings` those are already there. Every new file
    and folder is added to `made`."""
    venvs = []
    made = [] if made is None else made
    for folder in _folders(copy):
        original = os.path.normpath(f"{root}/{folder}")
        target = os.path.normpath(f"{copy}/{folder}")
        if installed:
            venvs += _lend_installed(original, target, root, copy, made)
        for name in (*(COPIED if installed else ()), *(SETTINGS if settings else ())):
            if _is_lendable(original, target, name):
                _copy(f"{original}/{name}", f"{target}/{name}")
                made.append(f"{target}/{name}")
    return _variables(root, copy, [*venvs, *_distant_venvs(environ)]) if installed else {}


def find_last_install(root: str) -> float:
    """Return when a project environment last gained or lost a package; 0 without one."""
    venvs = [f"{escape(root)}/{name}/lib/python*/site-packages" for name in VENVS]
    places = [place for venv in venvs for place in glob(venv)]
    return max((find_write_time(place) for place in (*places, f"{root}/node_modules")), default=0.0)


def list_made_files(root: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return ignored files among those of the tree, such as a version file that an install wrote into a package, each
    with its location. What loads in the checkout has to exist in a copy."""
    words = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"]
    parts = Git(root, environ).answer(words).out.split(b"\0")
    paths = [os.fsdecode(part) for part in parts if part and not part.endswith((b"/", b".pyc", b".log"))]
    places = {path: f"{root}/{path}" for path in paths if not path.rpartition("/")[2].startswith(".")}
    small = {path: place for path, place in places.items() if _size_of(place) <= _LARGEST}
    return small if len(small) <= _FOLDERS else {}


def _size_of(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return _LARGEST + 1


def lend_files(copy: str, files: Mapping[str, str]) -> None:
    """Copy files that are beside the tree from where they are stored; the tree's own files stay."""
    for path, source in files.items():
        target = f"{copy}/{path}"
        if os.path.lexists(target):
            continue
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            copy2(source, target, follow_symlinks=False)
        except OSError:
            continue  # gone meanwhile, or a file replaced its folder


def _lend_installed(original: str, target: str, root: str, copy: str, made: list[str]) -> list[str]:
    """The virtual environments among what was linked."""
    venvs = []
    if _lend_node_modules(original + "/node_modules", target + "/node_modules", root, copy):
        made.append(target + "/node_modules")
    for name in LINKED:
        if _is_lendable(original, target, name):
            folder = os.path.dirname(f"{target}/{name}")
            made += [f"{target}/{name}"] if os.path.isdir(folder) else [folder]
            os.makedirs(folder, exist_ok=True)
            os.symlink(f"{original}/{name}", f"{target}/{name}")
            venvs += [f"{original}/{name}"] if name in VENVS else []
    return venvs


def _folders(copy: str) -> Iterator[str]:
    for count, (folder, inner, _) in enumerate(os.walk(copy)):
        inner[:] = [name for name in inner if name not in (".git", "node_modules")]
        if count > _FOLDERS:
            return
        yield os.path.relpath(folder, copy)


def _is_lendable(original: str, target: str, name: str) -> bool:
    """Return whether it exists, is of the expected kind, and is not in the tree itself."""
    if not os.path.exists(f"{original}/{name}") or os.path.lexists(f"{target}/{name}"):
        return False
    mark = _MARKS.get(name)
    return mark is None or os.path.exists(os.path.normpath(f"{original}/{name}/{mark}"))


def _copy(source: str, target: str) -> None:
    if os.path.isdir(source):
        copytree(source, target, symlinks=True)
    else:
        copy2(source, target)


def _lend_node_modules(original: str, target: str, root: str, copy: str) -> bool:
    """Package by package, so that what a tool caches there stays in the copy; whether there was any."""
    if not os.path.isdir(original) or os.path.lexists(target):
        return False
    os.mkdir(target)
    for name in os.listdir(original):
        source = f"{original}/{name}"
        if name.startswith("@") and not os.path.islink(source):
            _lend_node_modules(source, f"{target}/{name}", root, copy)
        elif name not in MODULE_CACHES:
            os.symlink(_redirect_link(source, root, copy), f"{target}/{name}")
    return True


def _redirect_link(link: str, root: str, copy: str) -> str:
    """Return the target of a link: inside the copy if it points to the project's own code."""
    real = os.path.realpath(link)
    inner = real[len(root) + 1 :]
    is_own = real.startswith(root + "/") and "node_modules" not in inner.split("/")
    return f"{copy}/{inner}" if os.path.islink(link) and is_own else link


def _variables(root: str, copy: str, venvs: list[str]) -> dict[str, str]:
    variables = {
        # uv would install the copy into the checkout's environment.
        "UV_NO_SYNC": "1",
        "MISE_TRUSTED_CONFIG_PATHS": copy,
    }
    paths = [path for venv in venvs for path in _in_place(venv, root)]
    if paths:
        turned = [copy + path[len(root) :] for path in dict.fromkeys(paths)]
        variables["PYTHONPATH"] = os.pathsep.join(turned)
    return variables


def _distant_venvs(environ: Mapping[str, str]) -> list[str]:
    """Return environments outside the project: the active one, those on the PATH (conda, pyenv, a container's own
    Python), and those that tools store elsewhere."""
    home = escape(environ.get("HOME", ""))
    places = ("/.cache/pypoetry/virtualenvs/*", "/Library/Caches/pypoetry/virtualenvs/*", "/.local/share/virtualenvs/*")
    venvs = [venv for place in places for venv in glob(home + place)]
    active = environ.get("VIRTUAL_ENV")
    on_path = [
        folder.removesuffix("/bin")
        for folder in environ.get("PATH", "").split(os.pathsep)
        if folder.endswith("/bin") and folder != "/bin"
    ]
    return list(dict.fromkeys([*venvs, *([active] if active else []), *on_path]))


def _in_place(venv: str, root: str) -> list[str]:
    """Folders of the project that an environment imports from."""
    folders = []
    packages = f"{escape(venv)}/lib/python*/site-packages"
    for path in glob(packages + "/*.pth"):
        folders += [line.strip() for line in (read_text(path, _LONGEST) or "").splitlines()]
    for path in glob(packages + "/__editable__*_finder.py"):
        folders += [os.path.dirname(place) for place in re.findall(r"'(/[^']+)'", read_text(path, _LONGEST) or "")]
    real = [os.path.realpath(path) for path in folders if path.startswith("/")]
    return [path for path in real if path == root or path.startswith(root + "/")]
