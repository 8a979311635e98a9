"""
The results brought to the person: their branch goes forward to them, if nothing else happened there.

Anything else that happened is the person's, and so is bringing the two together: the results stay on
their own branch, with one sentence that says why and one command to type.
"""

from ..system.git import SUBMODULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ground import Ground

DELIVERED = "DELIVERED"
LEFT = "LEFT"
NOTHING = "NOTHING"
BASE = "base"
SOME_DELIVERED = "some delivered"
CHANGED = "changed"
_SETTINGS = ("gc.auto=0", "maintenance.auto=false", "submodule.recurse=false", "merge.ff=true")


class Delivered:
    """`detail` is one sentence for the person."""

    __slots__ = ("commit", "detail", "status")

    def __init__(self, status: str, commit: str, detail: str) -> None:
        self.status = status
        self.commit = commit
        self.detail = detail


def deliver(ground: "Ground") -> Delivered:
    head = ground.head()
    if head == ground.base:
        return Delivered(NOTHING, head, "nothing was merged, so there is nothing to bring")
    with ground.lock():
        if ground.git.head() == head:
            return _delivered(ground, head)
        reason = _hindrance(ground) or _go_forward(ground, head)
    if reason:
        return Delivered(LEFT, head, f"left on {ground.branch}: {reason}")
    return _delivered(ground, head)


def _delivered(ground: "Ground", head: str) -> Delivered:
    name = ground.start.branch.removeprefix("refs/heads/")
    entries = ground.git.entries(head)
    links = any(entry.mode == SUBMODULE for entry in entries)
    moved = links and any(change.submodule for change in ground.git.changes(ground.base, head))
    more = "; submodules moved: git submodule update" if moved else ""
    return Delivered(DELIVERED, head, f"{name} has all results{more}")


def _hindrance(ground: "Ground") -> str:
    """Why the person's branch is not moved, with what to type; empty if it may be."""
    start, merge = ground.start, f"git merge {ground.branch}"
    name = start.branch.removeprefix("refs/heads/")
    if not start.branch:
        return f"no branch is checked out; {merge}"
    if (ground.git.line("symbolic-ref", "--quiet", "HEAD") or "") != start.branch:
        return f"another branch than {name} is checked out; {merge}"
    if start.head and not start.was_clean:
        return f"your uncommitted changes are part of it; git stash -u && {merge}"
    # A branch without a commit gets the base first, as its first one.
    if (ground.git.head() or "") not in (start.head, start.base):
        return f"{name} has moved on since; {merge}"
    return ""


def _go_forward(ground: "Ground", head: str) -> str:
    """Files first, the branch last: until that has moved it has not happened, and is done again."""
    git = ground.git_in(ground.top, _SETTINGS)
    files = _files(ground, head)
    if files == CHANGED or (files == BASE and not _has_nothing_staged(ground)):
        return f"files here were changed since; commit them, then git merge {ground.branch}"
    if files == SOME_DELIVERED:
        git.ask(["read-tree", "--reset", "-u", head])
        git.ask(["update-ref", "-m", "ultrawork: deliver", ground.start.branch, head, ground.base])
        return ""
    if not ground.start.head:
        git.ask(["read-tree", ground.base])
        git.ask(["update-ref", "-m", "ultrawork: base", ground.start.branch, ground.base])
    git.answer(["update-index", "-q", "--refresh"])
    answer = git.answer(["merge", "--ff-only", "--quiet", "--no-overwrite-ignore", head])
    if answer.exit:
        said = answer.err.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        return (
            f"git says {said[0].removeprefix('error: ')}; see to it, then git merge {ground.branch}"
        )
    return ""


def _files(ground: "Ground", head: str) -> str:
    """Where the person's files stand between the base and the results."""
    git, mirror = ground.git, ground.mirror(ground.checkout)
    base, after, now = git.tree_id(ground.base), git.tree_id(head), mirror.tree()
    if base is None or after is None:
        return CHANGED
    if now == base:
        return BASE
    changed = {change.path for change in mirror.changes(base, now)}
    missing = {change.path for change in mirror.changes(now, after)}
    is_theirs = changed.isdisjoint(missing) and ground.git.head() == ground.base
    return SOME_DELIVERED if is_theirs else CHANGED


def _has_nothing_staged(ground: "Ground") -> bool:
    """Nothing that is neither in the base nor on disk."""
    if ground.git.head() is None and not ground.git.ask(["ls-files", "-z"]):
        return True
    return ground.git.answer(["diff-index", "--cached", "--quiet", ground.base]).exit == 0
