"""Where commits and branches of the user's repository came from, and our own commits and refs in it, by plumbing alone: no
hook, no filter, no signature."""

import os
from collections.abc import Iterable, Mapping, Sequence

from ..core.errors import Conflict, Trouble
from ..core.value import Value
from . import checkout as checkouts
from .git import Git
from .git_folder import read_git_file
from .mirror import Mirror
from .objects import TreeEntry

DETACHED = "HEAD"
_BRANCH = "ref: refs/heads/"
_MOST = 500


def read_branch(place: str) -> str:
    """Return the checked-out branch; `HEAD` if none is, empty outside git."""
    checkout = checkouts.find(place)
    if checkout is None:
        return ""
    text = read_git_file(checkout.git_dir + "/HEAD").strip()
    return text.removeprefix(_BRANCH) if text.startswith(_BRANCH) else DETACHED


def list_commits(git: Git, before: str | None, after: str) -> list[tuple[float, str]]:
    """Return time and id of the commits that `after` has and `before` does not, newest first, without merges."""
    span = [after] if before is None else [after, f"^{before}"]
    program_answer = git.answer(["rev-list", "--no-merges", "--timestamp", f"-{_MOST}", *span])
    lines = [] if program_answer.exit else program_answer.out.decode().split("\n")
    pairs = (line.split(" ") for line in lines if line)
    return [(float(at), commit) for at, commit in pairs]


def list_committed_entries(git: Git, commits: Sequence[str]) -> set[tuple[str, tuple[str, str] | None]]:
    """Return every path with its mode and id as one of these commits left it; None if it was removed."""
    command = ["diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--root"]
    printed = git.ask(command, "".join(f"{commit}\n" for commit in commits).encode())
    committed_entries = set()
    records = iter(printed.split(b"\0"))
    for record in records:
        if record.startswith(b":"):
            _, mode, _, object_id, _ = record.decode().split(" ")
            entry = (mode, object_id) if int(mode) else None
            committed_entries.add((os.fsdecode(next(records)), entry))
    return committed_entries


def find_switch_time(place: str, branch: str) -> float | None:
    """Return when a branch was last switched to, by git's log of HEAD; None if unknown."""
    checkout = checkouts.find(place)
    lines = read_git_file(checkout.git_dir + "/logs/HEAD").splitlines() if checkout else []
    for line in reversed(lines):
        head, _, message = line.partition("\t")
        if message.startswith("checkout: moving from ") and message.endswith(f" to {branch}"):
            at = head.rpartition(">")[2].split()
            return float(at[0]) if at and at[0].isdigit() else None
    return None


def list_own_commits(git: Git) -> dict[str, str]:
    """Branches, and stashes as `stash@{0}`, each with its commit."""
    printed = git.answer(["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads"]).out
    lines = os.fsdecode(printed).splitlines()
    branches = {name: commit for name, _, commit in (line.partition(" ") for line in lines)}
    place = checkouts.find(git.root)
    log = read_git_file(place.common + "/logs/refs/stash").splitlines() if place else []
    stashes = [line.split(" ")[1] for line in reversed(log) if line.count(" ") > 1]
    return {**branches, **{f"stash@{{{at}}}": commit for at, commit in enumerate(stashes)}}


def list_unreachable(git: Git, commits: Sequence[str]) -> list[str]:
    """Return the commits that no ref reaches, including missing ones."""
    return [commit for commit in commits if _is_unreachable(git, commit)]


def _is_unreachable(git: Git, commit: str) -> bool:
    program_answer = git.answer(["rev-list", "--max-count=1", commit, "--not", "--all", "HEAD"])
    return bool(program_answer.exit or program_answer.out.strip())


NAME = "ultrawork"
EMAIL = "ultrawork@localhost"
_ROLES = ("AUTHOR", "COMMITTER")
_PERSON = r"^user\.(name|email)$"


class RefMove(Value):
    """A ref that should become `new`, if it is `old` now. Empty means absent."""

    ref: str
    new: str
    old: str


def read_identity(git: Git, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the user's name and address, as git would use them; ours if they are not set."""
    printed = os.fsdecode(git.answer(["config", "-z", "--get-regexp", _PERSON]).out)
    pairs = (pair.partition("\n") for pair in printed.split("\0"))
    person = {key.removeprefix("user.").upper(): value for key, _, value in pairs}
    ours = {"NAME": NAME, "EMAIL": EMAIL}
    return {
        f"GIT_{role}_{field}": environ.get(f"GIT_{role}_{field}") or person.get(field) or ours[field]
        for role in _ROLES
        for field in ours
    }


def write(git: Git, tree: str, parents: Sequence[str], message: str) -> str:
    """Return a commit that no ref holds yet; `git` has an identity."""
    known = [argument for parent in parents for argument in ("-p", parent)]
    text = message.encode("utf-8", "replace")
    return git.ask(["commit-tree", *known, tree], text).decode().strip()


def move_refs(git: Git, moves: Iterable[RefMove], reason: str) -> bool:
    """Move all refs or none; False if one was not as expected."""
    lines = []
    for ref_move in moves:
        nothing = "0" * len(ref_move.new or ref_move.old)
        verb = "update" if ref_move.new else "delete"
        value = f" {ref_move.new}" if ref_move.new else ""
        lines.append(f"{verb} {ref_move.ref}{value} {ref_move.old or nothing}\n")
    answer = git.answer(["update-ref", "-m", reason, "--stdin"], "".join(lines).encode())
    if answer.exit and b"cannot lock ref" not in answer.err:
        raise Trouble(f"git update-ref failed: {_first(answer.err)}")
    return not answer.exit


def set_ref(git: Git, ref: str, commit: str, before: str | None = None) -> None:
    """Make our ref hold a commit, whatever it held `before`, if that is known."""
    old = (git.commit(ref) or "") if before is None else before
    if not move_refs(git, [RefMove(ref, commit, old)], "ultrawork: kept"):
        raise Conflict(f"another program is moving {ref}; try again")


def list_refs(git: Git, *below: str) -> dict[str, str]:
    """Return every ref with its value."""
    printed = git.ask(["for-each-ref", "--format=%(objectname) %(refname)", *below])
    pairs = (line.split(" ", 1) for line in os.fsdecode(printed).split("\n") if line)
    return {name: value for value, name in pairs}


def copy_objects(mirror: Mirror, git: Git, tree: str, known: Sequence[str]) -> None:
    """Copy a tree's objects from our own folder into the repository; `known` are commits it has."""
    wanted = "\n".join([tree, *(f"^{commit}" for commit in known), ""]).encode()
    pack = mirror.git().ask(["pack-objects", "--revs", "--stdout", "-q"], wanted)
    git.ask(["unpack-objects", "-q"], pack)


def amend_tree(git: Git, tree: str, index: str, entries: Mapping[str, TreeEntry | None]) -> str:
    """Return the tree with these entries instead, without those that are None; `index` is a scratch file."""
    if not entries:
        return tree
    nothing = "0" * len(tree)
    lines = [
        f"{entry.mode} {entry.id}\t{path}\0" if entry else f"0 {nothing}\t{path}\0" for path, entry in entries.items()
    ]
    try:
        aside = git.with_variables({"GIT_INDEX_FILE": index})
        aside.ask(["read-tree", tree])
        aside.ask(["update-index", "-z", "--index-info"], os.fsencode("".join(lines)))
        return aside.ask(["write-tree", "--missing-ok"]).decode().strip()
    finally:
        if os.path.exists(index):
            os.unlink(index)


def _first(err: bytes) -> str:
    return (err.decode("utf-8", "replace").splitlines() or ["no reason given"])[0]
