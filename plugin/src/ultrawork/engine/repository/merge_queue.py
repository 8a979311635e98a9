"""
The merge queue: merge one result after another aside, check it there, and only then import it.

A conflict is reported with both sides of each file, for a worker to resolve. The merged files become a commit before
they are checked, and the results branch moves to exactly that commit. A commit names its task and its result, so that
the next engine knows after a crash what was imported.
"""

import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field

from ...core.errors import Conflict, Trouble
from ...system import checkout as checkouts
from ...system.files import remove_file
from ...system.git import Git
from . import worktrees
from .lock import RepositoryLock
from .repository import Repository
from .results import RESULT, TASK, ResultCommit, ResultHistory, Taking, advance
from .snapshot import Snapshot
from .worktrees import check_out_submodules

Check = Callable[[str, str], tuple[bool, str]]

CONFLICT_LIMIT = 12_000
_AROUND = 3
_BASE, _OURS, _THEIRS = "1", "2", "3"
_SIDES = {
    frozenset((_BASE, _OURS)): "{others} changed it, this task deleted it",
    frozenset((_BASE, _THEIRS)): "{others} deleted it, this task changed it",
    frozenset((_OURS, _THEIRS)): "{others} and this task both made it",
    frozenset((_OURS,)): "{others} moved a file to this name",
    frozenset((_THEIRS,)): "this task moved a file to this name",
    frozenset((_BASE,)): "{others} and this task both moved or deleted it",
}
_BOTH = "{others} and this task both changed it"


def list_conflicts(git: Git) -> list[str]:
    return list(dict.fromkeys(path for path, _ in _stages(git)))


def describe_conflicts(repository: Repository, subject: str, commit: str, head: str, scratch: "MergeWorktree") -> str:
    """Say who changed each file, and show both sides and the original."""
    stages: dict[str, set[str]] = {}
    for path, stage in _stages(scratch.git):
        stages.setdefault(path, set()).add(stage)
    texts = []
    left = CONFLICT_LIMIT
    for path, numbers in stages.items():
        others = _others(repository, commit, head, path)
        sentence = f"{path}: {_SIDES.get(frozenset(numbers), _BOTH).format(others=others)}\n"
        body = _places(f"{scratch.path}/{path}", others, subject)
        text = sentence + (body if len(body) <= left else "(too long to show)\n")
        left -= len(text)
        texts.append(text)
    return "".join(texts)


def _stages(git: Git) -> list[tuple[str, str]]:
    printed = os.fsdecode(git.ask(["ls-files", "-u", "-z"]))
    records = (record.partition("\t") for record in printed.split("\0") if record)
    return [(path, head.split(" ")[2]) for head, _, path in records]


def _others(repository: Repository, commit: str, head: str, path: str) -> str:
    """Return the tasks that changed a file since this one began."""
    git = repository.git.with_variables({"GIT_LITERAL_PATHSPECS": "1"})
    span = f"{commit}^..{head}"
    listed = os.fsdecode(git.ask(["log", "--no-renames", "--format=%H", span, "--", path]))
    known = {step.commit: step.task for step in ResultHistory(repository, head).steps}
    tasks = [known.get(name, "") for name in listed.split()]
    return ", ".join(dict.fromkeys(task for task in reversed(tasks) if task)) or "another task"


def _places(place: str, others: str, subject: str) -> str:
    """Return the parts of a file between conflict markers, with a few lines of context."""
    try:
        with open(place, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    shown = _find_marked_lines(lines)
    names = {"<<<<<<<": others, "|||||||": "before", ">>>>>>>": subject}
    text = []
    for number, line in enumerate(lines):
        if number in shown:
            label = names.get(line[:7])
            text.append(f"{line[:7]} {label}" if label else line)
        elif text and text[-1] != "…":
            text.append("…")
    return "".join(f"  {line}\n" for line in text)


def _find_marked_lines(lines: list[str]) -> set[int]:
    shown: set[int] = set()
    start: int | None = None
    for number, line in enumerate(lines):
        if line.startswith("<<<<<<< "):
            start = number
        elif line.startswith(">>>>>>> ") and start is not None:
            shown.update(range(start - _AROUND, number + _AROUND + 1))
            start = None
    return shown


MERGED = "MERGED"
EMPTY = "EMPTY"
CONFLICT = "CONFLICT"
RED = "RED"

_TRIES = 5


@dataclass(slots=True)
class MergeResult:
    """`commit` is the one on the results branch if MERGED. `files` are those that the task changed, or in conflict."""

    status: str
    commit: str = ""
    detail: str = ""
    files: list[str] = field(default_factory=list)


class MergeQueue:
    """Merges results. `check(path, subject)` runs what must pass on the merged files and returns what fails. `taking`
    is entered around the move of the branch, and raises if the result is no longer wanted."""

    def __init__(self, repository: Repository, check: Check, taking: Taking = nullcontext) -> None:
        self._repository = repository
        self._check = check
        self._taking = taking

    def merge(self, subject: str, commit: str) -> MergeResult:
        if not commit:
            return MergeResult(EMPTY, detail="nothing was changed")
        for _ in range(_TRIES):
            head = self._repository.head()
            known = self._find_merged(commit, head)
            if known:
                return self._taken(known)
            outcome = self._merge_onto(head, subject, commit)
            if outcome:
                return outcome
        raise Conflict(f"another program keeps changing {self._repository.branch}; stop it")

    def _merge_onto(self, head: str, subject: str, commit: str) -> MergeResult | None:
        """Merge; None if another process moved the branch meanwhile."""
        scratch = MergeWorktree(self._repository, head)
        with RepositoryLock(self._repository):
            scratch.put(head)
            clash = scratch.merge(commit)
        if clash:
            return MergeResult(
                CONFLICT, "", describe_conflicts(self._repository, subject, commit, head, scratch), clash
            )
        tree = scratch.tree()
        if tree == self._repository.find_tree(head):
            return MergeResult(EMPTY, detail="everything is already merged")
        git = self._repository.git
        message = (git.line("show", "-s", "--format=%B", commit) or subject).strip()
        trailers = f"{TASK}: {self._repository.session}/{subject}\n{RESULT}: {commit}\n"
        candidate = self._repository.write(tree, [head], f"{message}\n\n{trailers}")
        with RepositoryLock(self._repository):
            scratch.put(candidate)
        scratch.assert_holds(candidate)
        green, detail = self._check(scratch.path, subject)
        if not green:
            return MergeResult(RED, "", detail, self._changed(candidate))
        if not advance(self._repository, candidate, head, f"merge {subject}", self._taking):
            return None
        return self._taken(candidate, detail)

    def _find_merged(self, commit: str, head: str) -> str | None:
        """Return the commit on the results branch that holds this result and was not reverted."""
        return ResultHistory(self._repository, head).find_result(commit)

    def _taken(self, candidate: str, detail: str = "") -> MergeResult:
        return MergeResult(MERGED, candidate, detail, self._changed(candidate))

    def _changed(self, candidate: str) -> list[str]:
        return ResultCommit(candidate, {}).files(self._repository)


class MergeWorktree:
    """The worktree in which merges are made and checked; leftovers of a check are removed."""

    def __init__(self, repository: Repository, head: str) -> None:
        self._repository = repository
        self._worktree = worktrees.prepare_detached(repository, worktrees.SCRATCH, head)
        self.path = self._worktree.path
        self._git = repository.git_in(self.path)
        checkout = checkouts.find_at(self.path)
        self._git_dir = checkout.git_dir if checkout else self.path

    @property
    def git(self) -> Git:
        return self._git

    def put(self, commit: str) -> None:
        """Restore the files of a commit. Ignored files stay, as between builds."""
        for name in os.listdir(self._git_dir):
            if name.endswith(".lock"):
                # From our own killed git: no one else works here, and we hold its lock.
                remove_file(f"{self._git_dir}/{name}")
        self._git.ask(["reset", "--hard", "--quiet", commit])
        lent = [argument for path in self._worktree.lent for argument in ("-e", f"/{path}")]
        self._git.ask(["clean", "-ffdq", *lent])
        check_out_submodules(self.path, self._repository.top, commit, self._repository.environ)

    def merge(self, commit: str) -> list[str]:
        """Merge a commit; return the files in conflict."""
        return self._attempt(["merge", "--squash", "--no-commit", "--no-verify", "--quiet", commit])

    def take_back(self, onto: str, commit: str) -> list[str]:
        """Revert one commit in the files of another; return the files in conflict."""
        self.put(onto)
        return self._attempt(["revert", "--no-commit", commit])

    def _attempt(self, command: list[str]) -> list[str]:
        answer = self._git.answer(command)
        if not answer.exit:
            return []
        clash = list_conflicts(self._git)
        if not clash:
            lines = (answer.err or answer.out).decode("utf-8", "replace").strip().splitlines()
            reason = f"git {command[0]} failed: {(lines or ['no reason given'])[0]}"
            # No other try changes a name that git refuses to check out.
            raise Conflict(reason) if "invalid path" in reason else Trouble(reason)
        return clash

    def tree(self) -> str:
        return self._git.ask(["write-tree"]).decode().strip()

    def assert_holds(self, commit: str) -> None:
        worktree, checkout = self._worktree, checkouts.find_at(self.path)
        if checkout:
            snapshot = Snapshot(self._repository, checkout, commit, worktree.lent, worktree.smudged)
            if snapshot.tree() == self._repository.find_tree(commit):
                return
        raise Trouble(f"the merged files in {self.path} do not match {commit[:12]}; try again")
