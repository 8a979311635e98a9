"""Share a checkout's installed dependencies, which are in no tree, with a copy.

Folders are linked, not copied. Links inside them that lead back into the checkout are redirected to the copy.
Otherwise a project package linked into `node_modules`, or installed in place into a virtual environment, would test
the checkout's code."""

import os
import re
from collections.abc import Iterator, Mapping
from glob import escape, glob
from shutil import copy2, copytree

from ...core.toolchains.toolchain import get_built_in
from ...store.atomic import find_write_time, read_text
from ...system.git import Git

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
