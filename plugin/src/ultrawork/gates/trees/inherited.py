"""What a request inherited from earlier ones of its chain, and commits without it."""

from collections.abc import Mapping

from ...core.course import chain as rules
from ...core.course.chain import Chain
from ...core.session.session import Session
from ...store import chains
from ...store.pins import Pin
from ...store.store import Store
from ...system import history
from ...system.git import Git
from . import tree as trees
from .tree import Entry, Tree


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
