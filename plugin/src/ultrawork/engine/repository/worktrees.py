"""
One worktree and branch per attempt, separate from the user's checkout.

Without a note beside it, it was never used.

Submodules are worktrees of the user's own: no network, no copy,
and their commits are visible everywhere. Installed packages (`node_modules`, virtual environments) are linked,
settings (`.env`) copied. With a `setup` command nothing is linked, because it would install into the checkout.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...core.agent_variables import remove_agent_variables
from ...core.errors import Conflict, Trouble
from ...gates.trees import scratch
from ...gates.trees.scratch import remove_folder
from ...store import atomic, codec
from ...system import checkout as checkouts
from ...system import history, process
from ...system.files import may_hold_submodules, move_away, read_bytes
from ...system.git import SMUDGE, SUBMODULE, Git
from ...system.history import RefMove
from .filters import FilterRefusal
from .large_files import refuse_large
from .lock import RepositoryLock, write_worktree
from .repository import Repository
from .snapshot import Snapshot, hash_smudged

SETUP_SECONDS = 1800.0
_SHOWN = 300


@dataclass(slots=True)
class InstalledFiles:
    """What was installed. `environ` are variables that programs there need; `lent` are paths that are not its work."""

    environ: Mapping[str, str]
    lent: list[str]


def install_dependencies(repository: Repository, path: str) -> InstalledFiles:
    before = _untracked(path, repository.environ) if repository.setup else []
    made: list[str] = []
    variables = scratch.link(repository.top, path, repository.environ, installed=not repository.setup, made=made)
    if repository.setup:
        _set_up(repository, path)
        now = _untracked(path, repository.environ)
        return InstalledFiles(variables, [file for file in now if file not in before])
    ours = {os.path.relpath(file, path) for file in made}
    now = _untracked(path, repository.environ) if ours else []
    return InstalledFiles(variables, [file for file in now if file in ours])


def check_out_submodules(path: str, original: str, commit: str, environ: Mapping[str, str]) -> None:
    """Check out each submodule at its recorded commit; leave it empty if the user has not fetched it either."""
    made = checkouts.find_at(path)
    if made and not may_hold_submodules(made.git_dir + "/index"):
        return
    for entry in Git(path, environ).entries(commit):
        inner = checkouts.find_at(f"{original}/{entry.path}")
        if entry.mode == SUBMODULE and inner:
            _place(f"{path}/{entry.path}", inner.top, entry.id, environ)


def _place(path: str, original: str, commit: str, environ: Mapping[str, str]) -> None:
    theirs = Git(original, environ)
    if theirs.commit(commit) is None:
        return
    if checkouts.find_at(path):
        git = Git(path, environ)
        git.ask(["reset", "--hard", "--quiet", commit])
        git.ask(["clean", "-ffdq"])
    else:
        theirs.worktree_add(path, commit)
    check_out_submodules(path, original, commit, environ)


def _untracked(path: str, environ: Mapping[str, str]) -> list[str]:
    command = ["ls-files", "-z", "--others", "--exclude-standard", "--directory"]
    printed = os.fsdecode(Git(path, environ).ask(command))
    return [name.rstrip("/") for name in printed.split("\0") if name]


def _set_up(repository: Repository, path: str) -> None:
    environ = remove_agent_variables(repository.environ)
    environ.pop("VIRTUAL_ENV", None)
    ended = process.run_program(
        ["sh", "-c", repository.setup],
        cwd=path,
        env=environ,
        deadline=SETUP_SECONDS,
        should_stop=lambda: bool(repository.tick()),
    )
    if ended.exit != 0:
        ending = f"ended with {ended.exit}" if ended.exit is not None else "was ended"
        output = " ".join(ended.output.split())[-_SHOWN:]
        raise Conflict(f"the setup command {ending} in a fresh worktree: {repository.setup}: {output}")


NOTE = "ready.json"
# Folders beside the worktrees that hold something else.
TRASH = "graves"
NOT_WORKTREES = ("trespass", TRASH)
# The worktree in which merges are made.
SCRATCH = "queue"
SALVAGE_LIMIT = 12_000
_LONG_FILE = 400


class Worktree:
    """A worktree. `environ` are variables that programs there need besides the user's."""

    def __init__(self, repository: Repository, name: str, note: dict[str, Any]) -> None:
        self._repository = repository
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
        return self._repository.names.ref_for("results", self.name)

    def tree(self, held: str | None = None, *, copied: bool = True) -> str:
        """Return the tree of all files that are not ignored, in the user's repository, or in ours if not `copied`;
        `held` is one that already exists."""
        snapshot = self._take_snapshot()
        tree = snapshot.tree(held, copied=copied)
        for inner, commit in snapshot.links.items():
            self._hold(inner, commit)
        if snapshot.unsaved:
            inner = snapshot.unsaved[0]
            raise Conflict(f"files in the submodule {inner} are not committed; commit them in {inner}")
        return tree

    def _take_snapshot(self) -> Snapshot:
        return Snapshot(self._repository, self._asserted(), self.base, self.lent, self.smudged)

    def plan_settling(self) -> Callable[[], None]:
        """Learn what `tree` needs to know before the worktree is used, while an agent works."""
        return self._take_snapshot().plan_settling()

    def _hold(self, inner: str, commit: str) -> None:
        """Keep a commit in a submodule from being cleaned up before the user has taken it."""
        git = Git(f"{self.path}/{inner}", self._repository.environ)
        ref = self._repository.names.ref_for("results", f"{self.name}-{commit[:12]}")
        history.set_ref(git, ref, commit)

    def collect(self, message: str) -> str:
        """Collect all work here as one commit on the baseline; empty if nothing changed."""
        tree = self.tree()  # before our turn, so that others need not wait
        if tree == self._repository.find_tree(self.base):
            return ""
        refuse_large(self._repository, self.base, tree, self.path)
        git = self._repository.git
        with RepositoryLock(self._repository):
            before, collected = git.resolve(f"{self.result}^{{commit}}", f"{self.result}^{{tree}}")
            if before and collected == tree:
                return before
            commit = self._repository.write(tree, [self.base], _plain(message))
            history.set_ref(git, self.result, commit, before or "")
            return commit

    def salvage(self, limit: int = SALVAGE_LIMIT) -> str:
        """Return what was changed here as text for the next attempt: diffs of whole files, bounded."""
        tree = self.tree(copied=False)
        git = self._repository.mirror(checkouts.Checkout(self.path, self._git_dir)).git()
        shown, left_out = [], []
        for change in git.changes(self.base, tree):
            short = not change.binary and change.added + change.removed <= _LONG_FILE
            text = _difference(git, self.base, tree, change.path) if short else ""
            if text and len(text) <= limit:
                limit -= len(text)
                shown.append(text)
            else:
                left_out.append(f"{change.status} {change.path} +{change.added} -{change.removed}\n")
        return "".join(shown) + ("Not shown:\n" + "".join(left_out) if left_out else "")

    def list_walked(self) -> list[str]:
        logged = read_bytes(self._git_dir + "/logs/HEAD").splitlines()
        stood_on = {line.split(b" ")[1].decode() for line in logged}
        if len(stood_on) == 1:  # it is where it was made: git need not be asked
            return list(stood_on)
        git = Git(self.path, self._repository.environ)
        return git.answer(["log", "-g", "--format=%H", "HEAD"]).out.decode().split()

    @property
    def is_known(self) -> bool:
        return os.path.isdir(self._git_dir)

    @property
    def is_on_branch(self) -> bool:
        text = os.fsdecode(read_bytes(self._git_dir + "/HEAD")).strip()
        return bool(self.branch) and text == f"ref: refs/heads/{self.branch}"

    @property
    def head_name(self) -> str:
        """Return its HEAD, as the user's checkout names it."""
        return f"worktrees/{os.path.basename(self._git_dir)}/HEAD"

    def _asserted(self) -> checkouts.Checkout:
        """Return the checkout; raise unless it is still the same worktree and grew out of the baseline."""
        checkout = checkouts.find_at(self.path)
        found = checkout.git_dir if checkout else ""
        # A worker that tidies up may remove or replace what ties its worktree to the repository.
        if found != self._git_dir and os.path.isdir(self.path) and os.path.isdir(self._git_dir):
            link = self.path + "/.git"
            if os.path.lexists(link):
                os.rename(link, f"{os.path.dirname(self.path)}/git.{os.urandom(4).hex()}")
            atomic.write(link, f"gitdir: {self._git_dir}\n", mode=0o644)
            checkout = checkouts.find_at(self.path)
        if checkout is None or checkout.common != self._repository.checkout.common:
            raise Conflict(f"{self.path} is no longer a worktree of {self._repository.top}")
        text = os.fsdecode(read_bytes(checkout.git_dir + "/HEAD")).strip()
        if text in (f"ref: refs/heads/{self.branch}", self.base):
            return checkout  # the file says it without git
        git = Git(self.path, self._repository.environ)
        on_branch = git.line("symbolic-ref", "--quiet", "--short", "HEAD") == self.branch
        if on_branch or git.answer(["merge-base", "--is-ancestor", self.base, "HEAD"]).exit == 0:
            return checkout
        raise Conflict(f"the worker switched from its branch {self.branch} to unrelated commits")


def prepare(
    repository: Repository,
    subject: str,
    epoch: int,
    onto: str | None = None,
    *,
    installed: bool = True,
    lasting: bool = True,
) -> Worktree:
    """Return the worktree of an attempt. `onto` is a commit, by default the merged results. If its agent works
    elsewhere, nothing is `installed`; if it need not outlive a power cut, it is not `lasting`."""
    name = repository.names.attempt_name(subject, epoch)
    worktree = find(repository, name)
    branch = repository.names.work_branch(name)
    return worktree or _make(repository, name, onto, branch, installed=installed, lasting=lasting)


def prepare_detached(repository: Repository, name: str, onto: str) -> Worktree:
    """Return a worktree without a branch, for no attempt; recreated if git no longer knows it."""
    worktree = find(repository, name)
    return worktree if worktree and worktree.is_known else _make(repository, name, onto, "")


def name_path(repository: Repository, name: str) -> str:
    """Return its folder, named like the checkout because some tools use the name."""
    return f"{repository.folder}/{name}/{os.path.basename(repository.top) or 'files'}"


def find(repository: Repository, name: str) -> Worktree | None:
    try:
        with open(f"{repository.folder}/{name}/{NOTE}", encoding="utf-8") as file:
            worktree = Worktree(repository, name, codec.loads(file.read()))
    except FileNotFoundError:
        return None
    # Even if a worker broke it: we may not discard its content.
    return worktree if os.path.isdir(worktree.path) else None


def _make(
    repository: Repository, name: str, onto: str | None, branch: str, *, installed: bool = True, lasting: bool = True
) -> Worktree:
    path = name_path(repository, name)
    with RepositoryLock(repository):
        trash = move_to_trash(repository, name)
        os.makedirs(f"{repository.folder}/{name}", mode=0o700, exist_ok=True)
        base = onto if branch and not lasting else None
        try:
            if not base or not write_worktree(repository, name, path, base, branch):
                base = _add(repository, name, path, onto, branch)
        except Trouble as error:
            raise FilterRefusal(str(error)) if SMUDGE in str(error) else error from None
        check_out_submodules(path, repository.top, base, repository.environ)
        made = checkouts.find_at(path)
    remove_folder(trash)
    around = install_dependencies(repository, path) if installed else InstalledFiles({}, [])
    note = {
        "path": path,
        "git_dir": made.git_dir if made else "",
        "branch": branch,
        "base": base,
        "environ": dict(around.environ),
        "lent": around.lent,
        "smudged": hash_smudged(repository, path, base),
    }
    atomic.write(f"{repository.folder}/{name}/{NOTE}", codec.dumps(note), sync=lasting)
    return Worktree(repository, name, note)


def _add(repository: Repository, name: str, path: str, onto: str | None, branch: str) -> str:
    tip = None
    if branch:
        heads = (repository.names.integration, f"refs/heads/{branch}")
        merged, tip = repository.git.resolve(*(f"{ref}^{{commit}}" for ref in heads))
        onto = onto or merged
    onto = onto or repository.head()
    if tip:
        # Left by an interrupted start, or by a worktree that was removed by hand.
        history.set_ref(repository.git, repository.names.ref_for("work", f"{name}-{tip[:12]}"), tip)
        again = RefMove(f"refs/heads/{branch}", "", tip)
        history.move_refs(repository.git, [again], "ultrawork: again")
    repository.git_in(repository.top).worktree_add(path, onto, branch=branch or None)
    return onto


def move_to_trash(repository: Repository, name: str) -> str:
    """Remove a worktree and its submodules' worktrees. Return the folder to delete later, because that takes long."""
    folder, trash = (f"{repository.folder}/{name}", f"{repository.folder}/{TRASH}/{os.urandom(8).hex()}")
    made = find(repository, name)  # before the repository was moved, it had another name perhaps
    path = made.path if made else name_path(repository, name)
    inner = _inner_worktrees(repository, path) if os.path.isdir(path) else []
    checkout = checkouts.Checkout(path, repository.checkout.common)
    repository.mirror(checkout).forget(f"{trash}/mirror")
    if os.path.lexists(folder):
        os.makedirs(trash, mode=0o700, exist_ok=True)
        os.rename(folder, f"{trash}/files")
    for original, place in inner:
        Git(original, repository.environ).worktree_remove(place)
    _forget(repository, path, f"{trash}/record")
    return trash


def _forget(repository: Repository, path: str, trash: str) -> None:
    """Remove git's record of a worktree that is gone, like `git worktree remove`."""
    folder = repository.checkout.common + "/worktrees"
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        text = os.fsdecode(read_bytes(f"{folder}/{name}/gitdir")).strip()
        top = os.path.dirname(os.path.join(f"{folder}/{name}", text))
        same = top.rsplit("/", 2)[1:] == path.rsplit("/", 2)[1:]  # of these two, none is a link
        if text and same and os.path.realpath(top) == os.path.realpath(path):
            move_away(f"{folder}/{name}", f"{trash}.{name}")


def _inner_worktrees(repository: Repository, path: str) -> list[tuple[str, str]]:
    made = checkouts.find_at(path)
    if made and not may_hold_submodules(made.git_dir + "/index"):
        return []
    index = Git(path, repository.environ).answer(["ls-files", "-s", "-z"]).out
    inner_worktrees = []
    for record in os.fsdecode(index).split("\0"):
        head, _, name = record.partition("\t")
        if head.startswith(SUBMODULE) and checkouts.find_at(f"{path}/{name}"):
            inner_worktrees.append((f"{repository.top}/{name}", f"{path}/{name}"))
    return inner_worktrees


def _difference(git: Git, before: str, after: str, path: str) -> str:
    flags = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
    literal = git.with_variables({"GIT_LITERAL_PATHSPECS": "1"})
    printed = literal.ask(["diff-tree", "-r", "-p", *flags, before, after, "--", path])
    return printed.decode("utf-8", "replace")


def _plain(message: str) -> str:
    """Return the message without lines that look like ours: its author does not decide what was merged."""
    kept = [line for line in message.splitlines() if not line.lower().startswith("ultrawork-")]
    return "\n".join(kept).strip() + "\n"
