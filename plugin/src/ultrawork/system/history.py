"""A repository's history: its branch, commits since one, their content, branch switches."""

import os
from collections.abc import Sequence

from . import checkout as checkouts
from .git import Git
from .git_folder import read_git_file

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
