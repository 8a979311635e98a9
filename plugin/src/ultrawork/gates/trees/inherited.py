"""What a session did not change itself: what a pull brought, and what its request inherited from earlier ones of its chain.

An agent can set up a remote, move a ref and write its log, so none of these attributes a change to someone else. The
remote itself is asked, from outside the repository, so that nothing in its settings runs."""

import os
from collections.abc import Mapping

from ...core.course import chain as rules
from ...core.course.chain import Chain
from ...core.session.session import Session
from ...store import chains, trace
from ...store.pins import Pin
from ...store.store import Store
from ...system import history
from ...system.git import Git
from ..context import GateContext
from . import tree as trees
from .tree import Entry, Tree

_PATIENCE = 10.0
_ASKED = {"GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ConnectTimeout=5"}
_REMOTE = "refs/remotes/"
_SEPARATORS = "://"


def find_pulled_tree(context: GateContext, pin: Pin) -> str | None:
    """The tree of the branch that was followed at the start, if its remote has moved it since."""
    known = pin.around.remotes if pin.around is not None else {}
    git = Git(context.root, context.environ)
    ref = git.line("rev-parse", "--symbolic-full-name", "@{upstream}") if known else None
    if ref is None or ref not in known:
        return None
    commit = git.commit(ref)
    if commit is None or commit == known[ref]:
        return git.tree_id(known[ref])
    sent = _has_pushed(context) or not _was_fetched(git, ref, pin.at)
    if sent or not _is_at_remote(context, git, known, ref, commit):
        return None
    return git.tree_id(commit)


def _was_fetched(git: Git, ref: str, since: float) -> bool:
    """Return whether each move of the ref since then came from its remote, as far as its log says."""
    printed = git.answer(["reflog", "show", "--date=unix", "--format=%gd %gs", ref]).out
    moves = []
    for line in os.fsdecode(printed).splitlines():
        place, _, how = line.partition(" ")
        at = place.rpartition("{")[2].rstrip("}")
        if at.isdigit() and int(at) >= int(since):
            moves.append(how.startswith(("fetch", "pull", "remote update")))
    return bool(moves) and all(moves)


def _has_pushed(context: GateContext) -> bool:
    """Return whether the session itself pushed; that content is not other people's."""
    return any(
        "push" in str(entry.get("what", ""))
        for entry in trace.find_holding(context.store.home, context.session.id, "push")
    )


def _is_at_remote(context: GateContext, git: Git, known: Mapping[str, str], ref: str, commit: str) -> bool:
    """Return whether the remote of the start has this commit on the branch that was followed."""
    branch = git.line("symbolic-ref", "--quiet", "--short", "HEAD") or ""
    remote, merged = known.get(f"branch.{branch}.remote"), known.get(f"branch.{branch}.merge")
    url = known.get(f"remote.{remote}.url")
    if url is None or merged is None or not ref.startswith(f"{_REMOTE}{remote}/"):
        return False
    is_path = _SEPARATORS not in url and ":" not in url.partition("/")[0]
    place = os.path.normpath(os.path.join(git.root, url)) if is_path else url
    outside = Git("/", context.environ, extra=_ASKED, patience=_PATIENCE)
    program_answer = outside.answer(["ls-remote", "--", place, merged])
    return program_answer.exit == 0 and program_answer.out.split(b"\t")[0].decode("ascii", "replace") == commit


def restore_committed(store: Store, environ: Mapping[str, str], session: Session, pin: Pin, committed: str) -> str:
    """Return the tree of the commit that a request began on, without what earlier agents of the chain committed. A
    path with its committed content because an agent discarded uncommitted work stays as committed."""
    known = chains.find(store.database, session.id)
    if known is None or not known.continues:
        return committed
    base, files, tree = (
        trees.get_recorded(name, session.working_dir, store.home.cache, environ)
        for name in (pin.tree, known.continues["files"], committed)
    )
    entries = trees.diff_entries(base, files)
    held = read_entries(tree, files, entries)
    carried = rules.choose_carried(entries, held)
    brought = _list_brought(Git(tree.root, environ), known, pin) if carried else set()
    taken = {path: entry for path, entry in carried.items() if (path, held[path]) in brought}
    return trees.compose(tree, taken).id


def _list_brought(git: Git, chain: Chain, pin: Pin) -> set[tuple[str, Entry]]:
    """Return what commits since the first request of a chain left at each path."""
    commits = history.list_commits(git, chain.start, str(pin.head))
    return history.list_committed_entries(git, [name for _, name in commits])


def read_entries(tree: Tree, like: Tree, left: Mapping[str, tuple[Entry, Entry]]) -> dict[str, Entry]:
    """Return a tree's entries at these paths, from its difference to a known tree."""
    differing = trees.diff_entries(like, tree)
    return {path: differing[path][1] if path in differing else agents for path, (_, agents) in left.items()}
