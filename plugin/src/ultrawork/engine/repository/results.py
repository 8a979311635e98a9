"""The results branch: its refs, and what was merged and reverted, by its commits."""

import os
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext

from ...core.errors import Conflict
from ...system import history
from ...system.git import Git
from ...system.history import RefMove
from .lock import RepositoryLock
from .repository import Repository

Taking = Callable[[], AbstractContextManager[None]]

TASK = "Ultrawork-Task"
RESULT = "Ultrawork-Result"
UNDOES = "Ultrawork-Undoes"
_FORMAT = "%H%n%B%x00"
_LOOKED = 200


class ResultCommit:
    """One commit on the results branch. `undoes` is the commit that it reverts."""

    def __init__(self, commit: str, trailers: dict[str, str]) -> None:
        self.commit = commit
        self.task = trailers.get(TASK, "").partition("/")[2]
        self.result = trailers.get(RESULT, "")
        self.undoes = trailers.get(UNDOES, "")

    def files(self, repository: Repository) -> list[str]:
        return [change.path for change in repository.git.changes(self.commit + "^", self.commit)]


class ResultHistory:
    """Steps, oldest first. `merged` are those that were not reverted."""

    def __init__(self, repository: Repository, head: str) -> None:
        span = f"{repository.base}..{head}"
        printed = repository.git.ask(["log", "--reverse", "--first-parent", f"--format={_FORMAT}", span])
        records = os.fsdecode(printed).split("\0")
        self.steps = [_step(record.strip("\n")) for record in records if record.strip()]
        undone = {step.undoes for step in self.steps}
        self.merged = [step for step in self.steps if step.commit not in undone and not step.undoes]

    def find_result(self, result: str) -> str | None:
        commits = [step.commit for step in self.merged if step.result == result]
        return commits[-1] if commits else None

    def list_of_task(self, subject: str) -> list[ResultCommit]:
        return [step for step in self.merged if step.task == subject]


def _step(record: str) -> ResultCommit:
    commit, _, message = record.partition("\n")
    ours = (line for line in message.splitlines() if line.startswith("Ultrawork-"))
    return ResultCommit(commit, {name: value.strip() for name, _, value in (s.partition(":") for s in ours)})


def list_brought(place: str, environ: Mapping[str, str], task: str, others: Collection[str]) -> tuple[str, list[str]]:
    """Return the tree that this task's result was merged with, and the paths that results of these other tasks changed
    in it, if the files are a commit with that result."""
    git = Git(place, environ)
    words = ["log", "-n", str(_LOOKED), "--first-parent", "--no-renames", "--format=%x00%H%n%B%x01", "--name-only"]
    records = os.fsdecode(git.ask(words)).split("\0")[1:]
    parts = [record.partition("\x01") for record in records]
    steps = [(_step(message), files.split("\n")) for message, _, files in parts]
    if not steps or not steps[0][0].result or steps[0][0].task != task:
        return "", []
    paths = [file for step, files in steps[1:] if step.task in others for file in files if file]
    return git.line("rev-parse", "HEAD^^{tree}") or "", paths


def advance(
    repository: Repository, new: str, old: str, reason: str, taking: Taking = nullcontext, *, announced: bool = True
) -> bool:
    """
    Move the results branch; return False if it was no longer at `old`. `taking` is entered around the move. After
    a run has ended there is no one to announce it to.
    """
    names = repository.names
    if announced:
        repository.announce(new)
    with RepositoryLock(repository):
        (seen,) = _read_refs(repository, names.view)
        moves = [RefMove(names.integration, new, old), RefMove(names.view, new, seen)]
        if seen not in (old, new):
            moves += _keep(repository, seen)
        with taking():
            moved = history.move_refs(repository.git, moves, f"ultrawork: {reason}")
        if moved:
            repository.write_last(new)
    return moved


def settle_refs(repository: Repository) -> None:
    """Restore the refs, whatever was deleted or moved since, or never made."""
    names = repository.names
    base, results, view = _read_refs(repository, names.base, names.integration, names.view)
    moves = []
    if base != repository.base:
        moves.append(RefMove(names.base, repository.base, base))
    known = results or repository.read_last()
    if not results:
        moves.append(RefMove(names.integration, known, ""))
    if view != known:
        moves.append(RefMove(names.view, known, view))
        moves += _keep(repository, view)
    if moves and not history.move_refs(repository.git, moves, "ultrawork: begin"):
        raise Conflict(f"another program is changing the refs of session {repository.session}")


def _keep(repository: Repository, commit: str) -> list[RefMove]:
    """Keep commits that someone else put onto the results branch; they are not results."""
    ref = repository.names.ref_for("salvage", commit[:12])
    (before,) = _read_refs(repository, ref)
    if not commit or before == commit:
        return []
    repository.notes.append(f"another process changed {repository.branch}; its commits are kept as {ref}")
    return [RefMove(ref, commit, before)]


def _read_refs(repository: Repository, *refs: str) -> list[str]:
    commit_ids = repository.git.resolve(*(f"{ref}^{{commit}}" for ref in refs))
    return [commit or "" for commit in commit_ids]
