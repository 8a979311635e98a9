"""What a request inherited from earlier ones of its chain, and commits without it."""

from collections.abc import Mapping

from ...core.course import chain as rules
from ...core.session.session import Session
from ...store import chains
from ...store.pins import Pin
from ...store.store import Store
from . import tree as trees
from .tree import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .tree import Entry


def restore_committed(
    store: Store, environ: Mapping[str, str], session: Session, pin: Pin, committed: str
) -> str:
    """The tree of a commit without what earlier agents of the chain put into it."""
    known = chains.find(store.database, session.id)
    if known is None or not known.continues:
        return committed
    base, files, tree = (
        trees.get_recorded(name, session.working_dir, store.home.cache, environ)
        for name in (pin.tree, known.continues["files"], committed)
    )
    left = trees.diff_entries(base, files)
    held = read_entries(tree, files, left)
    return trees.compose(tree, rules.choose_carried(left, held)).id


def read_entries(
    tree: Tree, like: Tree, left: "Mapping[str, tuple[Entry, Entry]]"
) -> "dict[str, Entry]":
    """What a tree has at these paths, from how it differs from another that is known there."""
    differing = trees.diff_entries(like, tree)
    return {
        path: differing[path][1] if path in differing else agents
        for path, (_, agents) in left.items()
    }
