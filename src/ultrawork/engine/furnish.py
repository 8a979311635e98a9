"""
What a fresh worktree needs besides the files of its commit.

Submodules are worktrees of the person's own submodules: no network, no copy, and a commit made in one
is there for everybody. What is installed (`node_modules`, virtual environments) is linked, settings
(`.env`) are copied. With a `setup` command nothing is linked: it would install into the checkout.
"""

import os

from ..core.errors import Trouble
from ..gates import borrowed
from ..system import checkout as checkouts
from ..system import process
from ..system.git import SUBMODULE, Git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .ground import Ground

SETUP_SECONDS = 1800.0
_SHOWN = 300


class Furniture:
    """`environ` are variables that a program there needs; `lent` are paths that are not its work."""

    __slots__ = ("environ", "lent")

    def __init__(self, environ: "Mapping[str, str]", lent: list[str]) -> None:
        self.environ = dict(environ)
        self.lent = lent


def furnish(ground: "Ground", path: str) -> Furniture:
    before = set(_untracked(path, ground.environ))
    variables = borrowed.lend(ground.top, path, ground.environ, installed=not ground.setup)
    if ground.setup:
        _set_up(ground, path)
    lent = [found for found in _untracked(path, ground.environ) if found not in before]
    return Furniture(variables, lent)


def submodules(path: str, original: str, commit: str, environ: "Mapping[str, str]") -> None:
    """Each at the commit that is recorded; left empty where the person has not fetched it either."""
    for entry in Git(path, environ).entries(commit):
        inner = checkouts.at(f"{original}/{entry.path}")
        if entry.mode == SUBMODULE and inner:
            _place(f"{path}/{entry.path}", inner.top, entry.id, environ)


def _place(path: str, original: str, commit: str, environ: "Mapping[str, str]") -> None:
    theirs = Git(original, environ)
    if theirs.commit(commit) is None:
        return
    if checkouts.at(path):
        git = Git(path, environ)
        git.ask(["reset", "--hard", "--quiet", commit])
        git.ask(["clean", "-ffdq"])
    else:
        theirs.worktree_add(path, commit)
    submodules(path, original, commit, environ)


def _untracked(path: str, environ: "Mapping[str, str]") -> list[str]:
    command = ["ls-files", "-z", "--others", "--exclude-standard", "--directory"]
    printed = os.fsdecode(Git(path, environ).ask(command))
    return [name.rstrip("/") for name in printed.split("\0") if name]


def _set_up(ground: "Ground", path: str) -> None:
    environ = {name: value for name, value in ground.environ.items() if name != "VIRTUAL_ENV"}
    ended = process.run(["sh", "-c", ground.setup], cwd=path, env=environ, deadline=SETUP_SECONDS)
    if ended.exit != 0:
        what = f"ended with {ended.exit}" if ended.exit is not None else "was ended"
        said = " ".join(ended.output.split())[-_SHOWN:]
        raise Trouble(f"the setup command {what} in a fresh worktree: {ground.setup}: {said}")
