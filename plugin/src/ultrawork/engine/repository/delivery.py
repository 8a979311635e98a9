"""Deliver the results to the user: fast-forward their branch, if nothing else happened there.

Any other change is the user's, and so is merging the two: the results stay on their own branch, with one sentence that
says why and one command to type."""

import os
from dataclasses import dataclass

from ...system.git import SUBMODULE
from .git_hooks import obey_rules, run_after
from .lock import RepositoryLock
from .repository import Repository
from .snapshot import Snapshot

DELIVERED = "DELIVERED"
LEFT = "LEFT"
NOTHING = "NOTHING"
SAME = "same"
SOME_DELIVERED = "partly delivered"
CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Delivery:
    """The result; `detail` is one sentence for the user."""

    status: str
    commit: str
    detail: str


def deliver(repository: Repository, *, verify: bool = True) -> Delivery:
    """Fast-forward the user's branch to the results, or say why not and what to type. With `verify`, their git hooks
    and signing rules apply."""
    head = repository.head()
    if head == repository.base:
        return Delivery(NOTHING, head, "nothing was merged, so there is nothing to deliver")
    now = repository.git.head()
    # Hooks may take long, so others do not wait for them.
    if verify and now != head and not _hindrance(repository, now, head):
        head, objection = obey_rules(repository, now or repository.base, head)
        if objection:
            return Delivery(LEFT, head, f"the result stays on {repository.branch}: {objection}")
    with RepositoryLock(repository):
        now = repository.git.head()
        if now == head:
            return _delivered(repository, head)
        reason = _hindrance(repository, now, head) or _go_forward(repository, now, head)
    if reason:
        return Delivery(LEFT, head, f"the result stays on {repository.branch}: {reason}")
    if verify:
        run_after(repository)
    return _delivered(repository, head)


def _delivered(repository: Repository, head: str) -> Delivery:
    name = repository.start.branch.removeprefix("refs/heads/")
    entries = repository.git.entries(head)
    links = any(entry.mode == SUBMODULE for entry in entries)
    moved = links and any(change.submodule for change in repository.git.changes(repository.base, head))
    more = "; submodules changed: git submodule update" if moved else ""
    return Delivery(DELIVERED, head, f"{name} has all results{more}")


def _hindrance(repository: Repository, now: str | None, head: str) -> str:
    """Return why the user's branch is not moved, with what to type; empty if it may be."""
    start, merge = repository.start, f"git merge {repository.branch}"
    name = start.branch.removeprefix("refs/heads/")
    if not start.branch:
        return f"no branch is checked out. Merge it: {merge}"
    if (repository.git.line("symbolic-ref", "--quiet", "HEAD") or "") != start.branch:
        return f"another branch than {name} is checked out. Merge it: {merge}"
    if start.head and now == start.head != start.base:
        if _files(repository, now, head) == SAME:
            return f"it contains changes that were uncommitted at the start. Merge it: {merge}"
        return f"it contains your uncommitted changes. Merge it: git stash -u && {merge}"
    if now and not _is_between(repository, now, head):
        return f"{name} has new commits. Merge it: {merge}"
    return ""


def _is_between(repository: Repository, now: str, head: str) -> bool:
    """Return whether it is the baseline, or results that were delivered before."""
    span = f"{repository.base}..{head}"
    later = repository.git.ask(["rev-list", "--first-parent", span]).decode().split()
    return now == repository.base or now in later


def _go_forward(repository: Repository, checked_out: str | None, head: str) -> str:
    """Move files first, the branch last: until that has moved it has not happened, and is repeated."""
    git = repository.git_in(repository.top)
    now = checked_out or repository.base
    files = _files(repository, now, head)
    if files == SOME_DELIVERED and checked_out is None:
        files = CHANGED
    if files == CHANGED or (files == SAME and not _has_nothing_staged(repository, checked_out)):
        return f"files changed here since. Commit them, then run git merge {repository.branch}"
    if files == SOME_DELIVERED:
        hidden = _find_hidden(repository, now, head)
        if hidden:
            return f"{hidden} is ignored by git and in the way. Move it, then run git merge {repository.branch}"
        git.ask(["read-tree", "--reset", "-u", head])
        git.ask(["update-ref", "-m", "ultrawork: deliver", repository.start.branch, head, now])
        return ""
    if checked_out is None:
        git.ask(["read-tree", repository.base])
        git.ask(["update-ref", "-m", "ultrawork: base", repository.start.branch, repository.base])
    git.answer(["update-index", "-q", "--refresh"])
    answer = git.answer(["merge", "--ff-only", "--quiet", "--no-overwrite-ignore", head])
    if answer.exit:
        lines = answer.err.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        return f"git says {lines[0].removeprefix('error: ')}. Fix that, then run git merge {repository.branch}"
    return ""


def _find_hidden(repository: Repository, now: str, head: str) -> str:
    """Return a user's ignored file where a result would be written; empty if none."""
    made = [file_change.path for file_change in repository.git.changes(now, head) if file_change.status == "A"]
    there = [path for path in made if os.path.lexists(f"{repository.top}/{path}")]
    if not there:
        return ""
    listed = os.fsencode("".join(path + "\0" for path in there))
    ignored = repository.git_in(repository.top).answer(["check-ignore", "-z", "--no-index", "--stdin"], listed)
    parts = [path for path in os.fsdecode(ignored.out).split("\0") if path]
    entries = {entry.path: entry for entry in repository.git.entries(head, parts)} if parts else {}
    theirs = (path for path in parts if _hash(repository, path) != entries[path].id)
    return next(theirs, "")


def _hash(repository: Repository, path: str) -> str:
    answer = repository.git_in(repository.top).answer(["hash-object", "--", path])
    return answer.out.decode().strip()


def _files(repository: Repository, commit: str, head: str) -> str:
    """Return where the user's files are between the checked-out commit and the results."""
    mirror = repository.mirror(repository.checkout)
    before, after = repository.find_tree(commit), repository.find_tree(head)
    if before is None or after is None:
        return CHANGED
    # As git would store them: a filtered file on disk differs from its commit.
    now = Snapshot(repository, repository.checkout, commit).tree(copied=False)
    if now == before:
        return SAME
    changed = {change.path for change in mirror.changes(before, now)}
    missing = {change.path for change in mirror.changes(now, after)}
    return SOME_DELIVERED if changed.isdisjoint(missing) else CHANGED


def _has_nothing_staged(repository: Repository, checked_out: str | None) -> bool:
    """Return whether nothing is staged that is neither in the commit nor on disk."""
    if checked_out is None and not repository.git.ask(["ls-files", "-z"]):
        return True
    now = checked_out or repository.base
    return repository.git.answer(["diff-index", "--cached", "--quiet", now]).exit == 0
