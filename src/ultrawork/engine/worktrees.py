"""
One worktree and branch for each attempt, away from the person's checkout.

A note beside it says that it is ready: without the note nobody has worked there yet, and what is found
is of a start that was cut short.
"""

import os

from ..core.errors import Conflict
from ..gates.scratch import remove as remove_folder
from ..store import atomic, fast
from ..system import checkout as checkouts
from ..system import commits
from ..system.commits import Move
from ..system.git import SUBMODULE, Git
from .furnish import furnish, submodules
from .snapshot import Snapshot, smudged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .ground import Ground

NOTE = "ready.json"
# Folders beside the worktrees that hold something else.
GRAVES = "graves"
NOT_WORKTREES = ("trespass", GRAVES)
SALVAGED = 12_000
_LONG_FILE = 400


class Worktree:
    """`environ` are variables that programs there need besides those of the person."""

    __slots__ = (
        "_git_dir", "_ground", "base", "branch", "environ", "lent", "name", "path", "smudged",
    )  # fmt: skip

    def __init__(self, ground: "Ground", name: str, note: "dict[str, Any]") -> None:
        self._ground = ground
        self.name = name
        self.path: str = note["path"]
        self.branch: str = note["branch"]
        self.base: str = note["base"]
        self.environ: dict[str, str] = note["environ"]
        self.lent: list[str] = note["lent"]
        self.smudged: dict[str, list[str]] = note["smudged"]
        self._git_dir: str = note["git_dir"]

    @property
    def result(self) -> str:
        """The ref that holds what was collected here."""
        return self._ground.names.kept("results", self.name)

    def tree(self) -> str:
        """All files here that are not ignored, by a tree of the person's repository."""
        checkout = self._asserted()
        snapshot = Snapshot(self._ground, checkout, self.base, self.lent, self.smudged)
        tree = snapshot.tree()
        for inner, commit in snapshot.links.items():
            self._hold(inner, commit)
        if snapshot.unsaved:
            inner = snapshot.unsaved[0]
            raise Conflict(
                f"files in the submodule {inner} are not committed; commit them in {inner}"
            )
        return tree

    def _hold(self, inner: str, commit: str) -> None:
        """A commit in a submodule is not to be cleaned up there before the person has taken it."""
        git = Git(f"{self.path}/{inner}", self._ground.environ)
        ref = self._ground.names.kept("results", f"{self.name}-{commit[:12]}")
        commits.hold(git, ref, commit)

    def collect(self, message: str) -> str:
        """All work here as one commit on the base; empty if nothing was changed."""
        with self._ground.lock():
            tree = self.tree()
            git = self._ground.git
            if tree == git.tree_id(self.base):
                return ""
            before = git.commit(self.result)
            if before and git.tree_id(before) == tree:
                return before
            commit = commits.write(git, tree, [self.base], _plain(message))
            commits.hold(git, self.result, commit)
            return commit

    def salvage(self, limit: int = SALVAGED) -> str:
        """What was changed here, as a text for whoever tries next: whole files' differences, bounded."""
        git = self._ground.git
        tree = self.tree()
        shown, left_out = [], []
        for change in git.changes(self.base, tree):
            short = not change.binary and change.added + change.removed <= _LONG_FILE
            text = _difference(git, self.base, tree, change.path) if short else ""
            if text and len(text) <= limit:
                limit -= len(text)
                shown.append(text)
            else:
                left_out.append(
                    f"{change.status} {change.path} +{change.added} -{change.removed}\n"
                )
        return "".join(shown) + ("Not shown:\n" + "".join(left_out) if left_out else "")

    def _asserted(self) -> "checkouts.Checkout":
        """It is still the worktree that was given, and what is there still grew out of the base."""
        self._repair()
        found = checkouts.at(self.path)
        if found is None or found.common != self._ground.checkout.common:
            raise Conflict(f"{self.path} is no worktree of {self._ground.top} any more")
        git = Git(self.path, self._ground.environ)
        on_branch = git.line("symbolic-ref", "--quiet", "--short", "HEAD") == self.branch
        grown = git.answer(["merge-base", "--is-ancestor", self.base, "HEAD"]).exit == 0
        if not on_branch and not grown:
            raise Conflict(
                f"the worker left its branch {self.branch} for files that do not grow from it"
            )
        return found

    def _repair(self) -> None:
        """A worker that tidies up may remove the file that ties its worktree to the repository."""
        link = self.path + "/.git"
        if os.path.isdir(self.path) and os.path.isdir(self._git_dir) and not os.path.lexists(link):
            atomic.write(link, f"gitdir: {self._git_dir}\n", mode=0o644)


def prepare(ground: "Ground", subject: str, epoch: int, onto: str) -> Worktree:
    name = ground.names.attempt(subject, epoch)
    return known(ground, name) or _make(ground, name, onto, ground.names.work(name))


def prepare_detached(ground: "Ground", name: str, onto: str) -> Worktree:
    """One that no attempt works in, on no branch."""
    return known(ground, name) or _make(ground, name, onto, "")


def known(ground: "Ground", name: str) -> Worktree | None:
    try:
        with open(f"{ground.folder}/{name}/{NOTE}", encoding="utf-8") as file:
            found = Worktree(ground, name, fast.loads(file.read()))
    except FileNotFoundError:
        return None
    # Also where a worker has broken it: what is in it is not ours to throw away.
    return found if os.path.isdir(found.path) else None


def _make(ground: "Ground", name: str, onto: str, branch: str) -> Worktree:
    path = f"{ground.folder}/{name}/{os.path.basename(ground.top) or 'files'}"
    with ground.lock():
        grave = clear(ground, name)
        os.makedirs(f"{ground.folder}/{name}", mode=0o700, exist_ok=True)
        tip = ground.git.commit(f"refs/heads/{branch}") if branch else None
        if tip:
            # Left by a start that was cut short, or by a worktree that somebody removed by hand.
            commits.hold(ground.git, ground.names.kept("work", f"{name}-{tip[:12]}"), tip)
            commits.move(ground.git, [Move(f"refs/heads/{branch}", "", tip)], "ultrawork: again")
        ground.git_in(ground.top).worktree_add(path, onto, branch=branch or None)
        submodules(path, ground.top, onto, ground.environ)
        made = checkouts.at(path)
    remove_folder(grave)
    furniture = furnish(ground, path)
    note = {
        "path": path,
        "git_dir": made.git_dir if made else "",
        "branch": branch,
        "base": onto,
        "environ": furniture.environ,
        "lent": furniture.lent,
        "smudged": smudged(ground, path, onto),
    }
    atomic.write(f"{ground.folder}/{name}/{NOTE}", fast.dumps(note))
    return Worktree(ground, name, note)


def clear(ground: "Ground", name: str) -> str:
    """
    Takes a worktree away with all that is in it, and its submodules' from their repositories. Where
    it is to be removed from: that takes long, and nobody should have to wait for it.
    """
    folder, grave = f"{ground.folder}/{name}", f"{ground.folder}/{GRAVES}/{os.urandom(8).hex()}"
    path = f"{folder}/{os.path.basename(ground.top) or 'files'}"
    inner = _inner_worktrees(ground, path) if os.path.isdir(path) else []
    ground.mirror(checkouts.Checkout(path, ground.checkout.common)).forget()
    if os.path.lexists(folder):
        os.makedirs(os.path.dirname(grave), mode=0o700, exist_ok=True)
        os.rename(folder, grave)
    for original, place in inner:
        Git(original, ground.environ).worktree_remove(place)
    ground.git.worktree_remove(path)
    return grave


def _inner_worktrees(ground: "Ground", path: str) -> list[tuple[str, str]]:
    index = Git(path, ground.environ).answer(["ls-files", "-s", "-z"]).out
    found = []
    for record in os.fsdecode(index).split("\0"):
        head, _, name = record.partition("\t")
        if head.startswith(SUBMODULE) and checkouts.at(f"{path}/{name}"):
            found.append((f"{ground.top}/{name}", f"{path}/{name}"))
    return found


def _difference(git: Git, before: str, after: str, path: str) -> str:
    flags = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
    literal = git.beside({"GIT_LITERAL_PATHSPECS": "1"})
    printed = literal.ask(["diff-tree", "-r", "-p", *flags, before, after, "--", path])
    return printed.decode("utf-8", "replace")


def _plain(message: str) -> str:
    """Lines that look like ours are left out: whoever wrote the message does not say what was merged."""
    kept = [line for line in message.splitlines() if not line.lower().startswith("ultrawork-")]
    return "\n".join(kept).strip() + "\n"
