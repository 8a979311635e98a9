"""
Remove one task's changes from the results, if nothing depends on them.

A task depends on it if it changed one of its files later, or is known to need it. Other uses show in the check:
without the task, the rest would fail.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...system.history import write
from .lock import RepositoryLock
from .merge_queue import MergeWorktree
from .repository import Repository
from .results import TASK, UNDOES, ResultCommit, ResultHistory, advance

Check = Callable[[str, str], tuple[bool, str]]

UNDONE = "UNDONE"
BUILT_ON = "BUILT_ON"
NOT_MERGED = "NOT_MERGED"
RED = "RED"
_SHOWN = 3


@dataclass(slots=True)
class UndoResult:
    """The result. `commit` reverts the task; `tasks` are those that built on it."""

    status: str
    detail: str
    commit: str = ""
    files: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)


def take_out(
    repository: Repository, subject: str, check: Check | None = None, dependents: Sequence[str] = ()
) -> UndoResult:
    """Revert a task; with `check`, only if the rest passes. `dependents` are tasks that the plan puts after it."""
    head = repository.head()
    history = ResultHistory(repository, head)
    mine = history.list_of_task(subject)
    if not mine:
        return UndoResult(NOT_MERGED, f"{repository.branch} contains nothing of {subject}")
    later = _later(repository, history, mine, dependents)
    if later:
        return _built_on(subject, later)
    undone = _revert(repository, subject, mine, head)
    if undone.status == UNDONE and check:
        green, detail = check(MergeWorktree(repository, head).path, subject)
        if not green:
            return UndoResult(RED, detail, files=undone.files)
    if undone.status == UNDONE and not advance(repository, undone.commit, head, f"undo {subject}"):
        return take_out(repository, subject, check, dependents)
    return undone


def _later(
    repository: Repository, history: ResultHistory, mine: Sequence[ResultCommit], dependents: Sequence[str]
) -> dict[str, list[str]]:
    files = _files(repository, mine)
    after = history.steps[history.steps.index(mine[0]) + 1 :]
    files_by_task: dict[str, list[str]] = {}
    for step in after:
        if step in history.merged and step not in mine:
            shared = sorted(files.intersection(step.files(repository)))
            if shared or step.task in dependents:
                files_by_task.setdefault(step.task, []).extend(shared)
    return files_by_task


def _files(repository: Repository, steps: Sequence[ResultCommit]) -> set[str]:
    return {path for step in steps for path in step.files(repository)}


def _built_on(subject: str, later: dict[str, list[str]]) -> UndoResult:
    files = sorted({path for paths in later.values() for path in paths})
    shown = ", ".join(files[:_SHOWN]) + (" …" if len(files) > _SHOWN else "")
    where = f" in {shown}" if files else ""
    detail = f"{', '.join(later)} built on {subject}{where}; undo {list(later)[-1]} first"
    return UndoResult(BUILT_ON, detail, files=files, tasks=list(later))


def _revert(repository: Repository, subject: str, mine: Sequence[ResultCommit], head: str) -> UndoResult:
    """Revert in a separate worktree, latest first; it then holds what would remain."""
    scratch = MergeWorktree(repository, head)
    commit = head
    for step in reversed(mine):
        with RepositoryLock(repository):
            clash = scratch.take_back(commit, step.commit)
        if clash:
            detail = f"{subject} cannot be removed from {clash[0]}: later work changed the same lines"
            return UndoResult(BUILT_ON, detail, files=clash)
        message = f"Undo {subject}\n\n{TASK}: {repository.session}/{subject}\n{UNDOES}: {step.commit}\n"
        commit = write(repository.git, scratch.tree(), [commit], message)
    with RepositoryLock(repository):
        scratch.put(commit)
    detail = f"removed {subject} from {repository.branch}"
    return UndoResult(UNDONE, detail, commit=commit, files=sorted(_files(repository, mine)))
