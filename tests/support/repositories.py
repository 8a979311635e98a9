"""Kinds of real repositories for whole runs: their content, what a worker does, and what must be true afterwards. For
every kind: the work is merged, or left on its branch with the reason; the checkout is otherwise byte-identical; and
nothing is left behind."""

import hashlib
import os
import shutil
import stat
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

from . import histories, lfs
from .headless import ADDS, FILES, FIX, Headless, task

LEFT = "stays on ultrawork/"
SUM = FIX["text"].replace("\n", "\\n")
WORK = f"chmod u+w calc.py && printf '{SUM}' > calc.py && echo done > done.txt"
MADE = ("calc.py", "done.txt")
LFS_WORK = f"{WORK} && printf new > data/a.bin && printf other > data/c.bin && : > data/empty.bin"
LFS_MADE = (*MADE, "data/a.bin", "data/c.bin", "data/empty.bin")
PLAN = [task("sum", criteria=[ADDS])]
_MOMENT = 5.0  # what clients take to end what they started beside themselves
_MANY = 20_000
_GROWTH = 1 << 20  # bytes that a run may add to a repository
_GIGABYTE = 128  # pieces


@dataclass(frozen=True)
class Kind:
    """`work` is what the worker types, `made` the paths that it changes; `told` is what a run reports at its end."""

    lay: Callable[[Headless], None] = lambda _: None
    work: str = WORK
    made: tuple[str, ...] = MADE
    told: str = "has all results"
    needs: str = ""
    big: bool = False
    check: Callable[[Headless], None] = lambda _: None


def _commit(project: Headless, **files: str) -> None:
    for name, text in files.items():
        path = name.replace("__", "/")
        os.makedirs(os.path.dirname(f"{project.place}/{path}"), exist_ok=True)
        project.write(path, text)
    project.git("add", "-A")
    project.git("commit", "-qm", "More", "--allow-empty")


def _lay_again(project: Headless) -> None:
    """Write the files again by git's current settings."""
    for name in FILES:
        os.unlink(f"{project.place}/{name}")
    project.git("checkout", "-q", "--", ".")


def _lay_submodule(project: Headless) -> None:
    other = f"{project.root}/other"
    subprocess.run(["git", "init", "-q", other], check=True)
    who = ["-c", "user.name=Pat", "-c", "user.email=pat@example.org"]
    words = ["git", "-C", other, *who, "commit", "-q", "--allow-empty", "-m", "Inner"]
    subprocess.run(words, check=True)
    project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "inner")
    _commit(project)


def _lay_sparse(project: Headless) -> None:
    _commit(project, wanted__a="a\n", unwanted__b="b\n")
    project.git("sparse-checkout", "set", "wanted")


def _lay_worktree(project: Headless) -> None:
    project.git("worktree", "add", "-q", "-b", "topic", f"{project.root}/tree")
    project.place = f"{project.root}/tree"


def _lay_lfs_missing(project: Headless) -> None:
    for key in ("clean", "smudge"):
        project.git("config", f"filter.lfs.{key}", f"git-lfs-not-here {key} -- %f")
    project.write(".gitattributes", "*.bin filter=lfs -text\n")
    _commit(project)
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 5000\n"
    _commit(project, data="x\n")
    subprocess.run(
        ["git", "hash-object", "-w", "--no-filters", "--stdin"], cwd=project.place,
        input=pointer.encode(), capture_output=True, check=True,
    )  # fmt: skip


def _lay_hook(name: str, text: str) -> Callable[[Headless], None]:
    def lay(project: Headless) -> None:
        path = f"{project.place}/.git/hooks/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)

    return lay


def _lay_signing(project: Headless) -> None:
    key = f"{project.root}/key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    project.git("config", "gpg.format", "ssh")
    project.git("config", "user.signingkey", key)
    project.git("config", "commit.gpgsign", "true")


def _lay_settings(**settings: str) -> Callable[[Headless], None]:
    def lay(project: Headless) -> None:
        for name, value in settings.items():
            project.git("config", name.replace("_", "."), value)
        _lay_again(project)

    return lay


def _lay_line_ends(project: Headless) -> None:
    project.write(".gitattributes", "* text=auto\n*.py text eol=crlf\n")
    _commit(project)
    _lay_again(project)


def _lay_filter(project: Headless) -> None:
    project.git("config", "filter.rot.clean", "tr a-z n-za-m")
    project.git("config", "filter.rot.smudge", "tr n-za-m a-z")
    project.write(".gitattributes", "*.secret filter=rot\n")
    project.write("key.secret", "open\n")
    _commit(project)


def _lay_unicode(project: Headless) -> None:
    for name in ("grüße.txt", "e\u0301.txt", "日本/語.txt", "a b'c\"d.txt", "tab\there.txt"):
        os.makedirs(os.path.dirname(f"{project.place}/{name}"), exist_ok=True)
        project.write(name, "x\n")
    _commit(project)


def _lay_read_only(project: Headless) -> None:
    _commit(project, fixed="x\n")
    for name in ("calc.py", "fixed"):
        os.chmod(f"{project.place}/{name}", 0o444)


def _import(project: Headless, blobs: "dict[str, bytes]") -> None:
    """Add one commit on top, with fast-import."""
    lines = [b"commit refs/heads/main\ncommitter Pat <pat@example.org> 1700000000 +0000\ndata 4\nMany\n"]
    lines.append(b"from refs/heads/main^0\n")
    for name, data in blobs.items():
        lines.append(f"M 644 inline {name}\ndata {len(data)}\n".encode() + data + b"\n")
    words = ["git", "fast-import", "--quiet"]
    subprocess.run(words, cwd=project.place, input=b"".join(lines), check=True)
    project.git("reset", "-q", "--hard")


def _lay_many(project: Headless) -> None:
    _import(project, {f"many/{n % 200}/{n}.txt": f"{n}\n".encode() for n in range(_MANY)})


def _lay_without_commit(project: Headless) -> None:
    shutil.rmtree(f"{project.place}/.git")
    project.git("init", "-q", "-b", "main")
    project.git("config", "user.name", "Pat")
    project.git("config", "user.email", "pat@example.org")


def _lay_dirty(project: Headless) -> None:
    project.write("mine.txt", "mine\n")
    project.write("Makefile", FILES["Makefile"] + "\n# mine\n")


def _lay_clone(*words: str) -> Callable[[Headless], None]:
    def lay(project: Headless) -> None:
        _commit(project, more="x\n")
        os.rename(project.place, f"{project.root}/origin")
        source = f"file://{project.root}/origin"
        subprocess.run(["git", "clone", "-q", *words, source, project.place], check=True)
        project.git("config", "user.name", "Pat")
        project.git("config", "user.email", "pat@example.org")

    return lay


def _lay_links(project: Headless) -> None:
    _commit(project, folder__file="x\n")
    for name, target in (("file", "folder/file"), ("way", "folder"), ("nowhere", "not/there")):
        os.symlink(target, f"{project.place}/{name}")
    _commit(project)


def _lay_modes(project: Headless) -> None:
    _commit(project, tool="#!/bin/sh\n")
    project.git("config", "core.fileMode", "false")
    os.chmod(f"{project.place}/tool", 0o755)


def _lay_foreign(project: Headless) -> None:
    subprocess.run(["git", "init", "-q", f"{project.place}/vendor"], check=True)
    project.write("vendor/file", "theirs\n")
    with open(f"{project.place}/.git/info/exclude", "a", encoding="utf-8") as file:
        file.write("vendor\n")


def _lay_installed(project: Headless) -> None:
    project.write(".gitignore", FILES[".gitignore"] + "node_modules/\n.env\n")
    _commit(project, packages__own__index="x\n")
    os.makedirs(f"{project.place}/node_modules/pad")
    os.symlink("../packages/own", f"{project.place}/node_modules/own")
    project.write("node_modules/pad/index.js", "x\n")
    project.write(".env", "KEY=1\n")


def _lay_odd_name(project: Headless) -> None:
    odd = f"{project.root}/my 'pröject' (1)"
    os.rename(project.place, odd)
    project.place = odd


def _lay_other_hash(project: Headless) -> None:
    shutil.rmtree(f"{project.place}/.git")
    project.git("init", "-q", "-b", "main", "--object-format=sha256")
    project.git("config", "user.name", "Pat")
    project.git("config", "user.email", "pat@example.org")
    _commit(project)


def _lay_detached(project: Headless) -> None:
    project.git("switch", "-q", "--detach")


def _lay_branch(*words: str) -> Callable[[Headless], None]:
    return lambda project: (project.git("checkout", "-q", *words), None)[1]


def _lay_nested(project: Headless) -> None:
    """A repository inside that git of the outer one shows as untracked."""
    inner = f"{project.place}/inner"
    subprocess.run(["git", "init", "-q", inner], check=True)
    project.write("inner/file", "theirs\n")


def _lay_alternates(project: Headless) -> None:
    """A clone whose objects lie in a bare repository."""
    bare = f"{project.root}/bare"
    _commit(project, more="x\n")
    subprocess.run(["git", "clone", "-q", "--bare", project.place, bare], check=True)
    shutil.rmtree(project.place)
    subprocess.run(["git", "clone", "-q", "--shared", bare, project.place], check=True)
    project.git("config", "user.name", "Pat")
    project.git("config", "user.email", "pat@example.org")


def _lay_packed(project: Headless) -> None:
    project.git("gc", "-q", "--aggressive")


KINDS = {
    "plain": Kind(),
    "submodule": Kind(_lay_submodule),
    "sparse": Kind(_lay_sparse),
    "worktree": Kind(_lay_worktree, told="topic has all results"),
    "lfs": Kind(lfs.lay, LFS_WORK, LFS_MADE, needs=lfs.PROGRAM, check=lfs.check),
    "lfs elsewhere": Kind(lfs.lay_elsewhere, LFS_WORK, LFS_MADE, needs=lfs.PROGRAM, check=lfs.check),
    "lfs skipped": Kind(lfs.lay_skipped, needs=lfs.PROGRAM),
    "lfs missing": Kind(_lay_lfs_missing),
    "hook fails": Kind(_lay_hook("pre-commit", "echo no luck; exit 1"), told="the pre-commit hook refused: no luck"),
    "hook agrees": Kind(_lay_hook("commit-msg", 'echo "Change-Id: I1" >> "$1"')),
    "signing": Kind(_lay_signing, needs="ssh-keygen"),
    "autocrlf": Kind(_lay_settings(core_autocrlf="true")),
    "line ends": Kind(_lay_line_ends),
    "filter": Kind(_lay_filter, f"{WORK} && echo shut > key.secret", (*MADE, "key.secret")),
    "unicode": Kind(_lay_unicode, f"{WORK} && echo y > grüße.txt", (*MADE, "grüße.txt")),
    "case": Kind(
        lambda project: _commit(project, Readme="x\n"), f"{WORK} && mv Readme README", (*MADE, "Readme", "README")
    ),
    "read-only": Kind(_lay_read_only),
    "20,000 files": Kind(_lay_many, big=True),
    "20,000 commits": Kind(lambda project: histories.lay_commits(project, _MANY), big=True),
    "1 GB history": Kind(lambda project: histories.lay(project, _GIGABYTE), big=True),
    "no commit": Kind(_lay_without_commit),
    "dirty": Kind(_lay_dirty, told="it contains your uncommitted changes"),
    "detached": Kind(_lay_detached, told="no branch is checked out"),
    "shallow": Kind(_lay_clone("--depth", "1")),
    "partial": Kind(_lay_clone("--filter=blob:none")),
    "links": Kind(_lay_links, f"{WORK} && ln -sfn calc.py file", (*MADE, "file")),
    "modes": Kind(_lay_modes),
    "foreign": Kind(_lay_foreign),
    "installed": Kind(_lay_installed),
    "odd name": Kind(_lay_odd_name),
    "other hash": Kind(_lay_other_hash),
    "packed": Kind(_lay_packed),
    "slashes": Kind(_lay_branch("-b", "feature/a/b")),
    "orphan branch": Kind(_lay_branch("--orphan", "fresh")),
    "nested": Kind(_lay_nested),
    "alternates": Kind(_lay_alternates),
}  # fmt: skip


class Ground:
    """A repository of one kind and its state before the run."""

    def __init__(self, project: Headless, name: str) -> None:
        self.project = project
        self.kind = KINDS[name]
        self.kind.lay(project)
        self.before = self._look()
        self.size = self._measure()

    def _measure(self) -> int:
        return histories.measure(self.project.git("rev-parse", "--path-format=absolute", "--git-common-dir"))

    def _look(self) -> dict[str, object]:
        """Return every file of the checkout with its mode, and what git holds that is not ours."""
        project, found = self.project, dict[str, object]()
        for folder, folders, names in os.walk(project.place):
            folders[:] = [one for one in folders if one not in (".git", "__pycache__")]
            for name in [*names, *(one for one in folders if os.path.islink(f"{folder}/{one}"))]:
                path = f"{folder}/{name}"
                found[os.path.relpath(path, project.place)] = _describe(path)
        refs = project.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        kept = [ref for ref in refs if "ultrawork" not in ref]
        found["refs"] = [ref for ref in kept if ref.split()[0] not in _MOVING]
        common = project.git("rev-parse", "--path-format=absolute", "--git-common-dir")
        found["HEAD"] = project.git("branch", "--show-current")
        found["config"] = _describe(f"{common}/config")
        found["worktrees"] = project.git("worktree", "list", "--porcelain").count("worktree ")
        return found

    def check(self, told: str) -> None:
        self.check_results(told)
        self.check_checkout(told)
        self.check_leftovers()

    def check_results(self, told: str) -> None:
        assert self.kind.told in told, told
        branch = self.project.git("for-each-ref", "--format=%(refname)", "refs/heads/ultrawork")
        assert self.project.git("show", f"{branch}:done.txt") == "done"

    def check_checkout(self, told: str) -> None:
        now, before, is_left = self._look(), dict(self.before), LEFT in told
        changed = {path for path in {*now, *before} if now.get(path) != before.get(path)}
        made = set() if is_left else set(self.kind.made)
        assert changed == made, f"and nothing else of theirs: {sorted(changed ^ made)}"
        if not is_left:
            assert self.project.git("status", "--porcelain", "--untracked-files=no") == ""

    def check_leftovers(self) -> None:
        """Only the branch of the results and our own refs stay until `ultrawork clean`."""
        end = time.monotonic() + _MOMENT
        while (left := list_leftovers(self.project.root)) and time.monotonic() < end:
            time.sleep(0.1)
        assert left == []
        assert self.project.git("for-each-ref", "refs/heads/ultrawork-work") == ""
        assert self._measure() - self.size < _GROWTH
        self.kind.check(self.project)
        scratch = f"{self.project.home}/cache/scratch"
        assert not os.path.isdir(scratch) or set(os.listdir(scratch)) <= {"lock"}


_MOVING = tuple(f"refs/heads/{name}" for name in ("main", "topic", "fresh", "feature/a/b"))


def _describe(path: str) -> "tuple[object, ...] | None":
    if os.path.islink(path):
        return ("link", os.readlink(path))
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        data = file.read()
    return (stat.S_IMODE(os.stat(path).st_mode), hashlib.sha256(data).hexdigest())


def list_leftovers(root: str) -> list[tuple[str, bytes]]:
    """Return processes in a folder of this run, or with it in their arguments."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read()
            if root.encode() in words or os.readlink(f"/proc/{pid}/cwd").startswith(root):
                found.append((pid, words))
        except OSError:
            continue
    return found
