"""What leaves this machine with a run: the commit that it begins from, with everything in it.

Uncommitted files are in that commit too. They go to the remote only with the user's consent, and what looks like a
secret never goes."""

import os
from collections.abc import Mapping

from ..core.run.departure import find_secret_refusal
from ..engine.contract import RunHalted
from ..engine.run import HeadlessRun
from ..report import timeline
from ..system.git import Git


def list_uncommitted(place: str, environ: Mapping[str, str]) -> list[str]:
    """Changed and new files of a checkout; what git ignores is in no base."""
    command = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]
    git = Git(place, environ)
    printed = os.fsdecode(git.ask(command))
    shown = {entry[3:] for entry in printed.split("\0") if entry}
    return sorted(shown | _list_passed_over(git, place))


def _list_passed_over(git: Git, place: str) -> set[str]:
    """Changed files that git was told to take as unchanged (assume-unchanged, skip-worktree): often local keys."""
    listed = os.fsdecode(git.ask(["ls-files", "-v", "-s", "-z"])).split("\0")
    known = {}
    for entry in listed:
        head, _, path = entry.partition("\t")
        tag, _, rest = head.partition(" ")
        flagged = tag.islower() or tag == "S"
        if flagged and "\n" not in path and os.path.isfile(os.path.join(place, path)):
            known[path] = rest.split()[1]
    if not known:
        return set()
    lines = "".join(f"{path}\n" for path in known)
    parts = git.ask(["hash-object", "--stdin-paths"], os.fsencode(lines)).decode().split()
    return {path for path, now in zip(known, parts, strict=True) if known[path] != now}


def require_consent(run: HeadlessRun, url: str) -> None:
    """Require consent before the baseline of a run leaves for the first time, however the run was started."""
    start = run.repository.start
    if start.was_clean:
        return
    paths = _list_added(run.repository.git, start.head, start.base)
    refusal = find_secret_refusal(paths)
    if not refusal and not run.wishes.uncommitted:
        refusal = describe_consent(paths, url)
    if refusal:
        raise RunHalted(refusal)
    run.tell(timeline.NOTE, text=f"pushed {len(paths)} uncommitted files to {url} with the baseline")


def describe_consent(paths: list[str], url: str) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return (
        f"{paths[0] if paths else 'a file'}{more} is not committed and would be pushed to {url}; commit or stash it,"
        " or add --include-uncommitted"
    )


def _list_added(git: Git, head: str, base: str) -> list[str]:
    if not head:
        return [entry.path for entry in git.entries(base)]
    return [change.path for change in git.changes(head, base)]
