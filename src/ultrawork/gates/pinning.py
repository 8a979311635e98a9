"""The start of a session: the files as they are, and the gates as they are defined."""

from ..core.errors import UsageError
from ..core.gate import ASKED
from ..store import settings as stored
from ..store.fast import digest
from ..store.pins import Pin
from ..system.git import Git
from . import refs
from . import tree as trees
from .files import Folder
from .find import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.gate import Gate
    from ..store.settings import Settings
    from ..store.state import Store


def settings_now(place: str, store: "Store", environ: "Mapping[str, str]") -> "Settings":
    return stored.load(environ, store.home, lambda name: stored.read_file(f"{place}/{name}"))


def settings_at(
    place: str, store: "Store", environ: "Mapping[str, str]", pin: Pin, tree: str = ""
) -> "Settings":
    """
    As they were at the start: what an agent writes into them counts from the next start on. `tree` is
    what the files are now, where that is known: the disk is read faster than git. A gate that a person
    asked for is in no file of the project, so it comes with them.
    """
    found = _settings_at(place, store, environ, pin, tree)
    found.asked = [gate for gate in pin.gates if gate.source == ASKED]
    return found


def _settings_at(
    place: str, store: "Store", environ: "Mapping[str, str]", pin: Pin, tree: str
) -> "Settings":
    if tree == pin.tree:
        return settings_now(place, store, environ)
    base = trees.at(pin.tree, place, store.home.cache, environ)

    def read(name: str) -> str | None:
        data = trees.read(base, name)
        return None if data is None else data.decode("utf-8", "replace")

    return stored.load(environ, store.home, read)


def tree_now(place: str, store: "Store", environ: "Mapping[str, str]") -> str:
    return trees.snapshot(place, store.home.cache, environ).id


def pin(place: str, store: "Store", environ: "Mapping[str, str]") -> Pin:
    """The files as they are now, uncommitted and untracked ones included, are the base."""
    base = trees.snapshot(place, store.home.cache, environ)
    git = Git(base.root, environ) if base.kind == trees.GIT else None
    return Pin(
        at=store.now(),
        tree=base.id,
        kind=base.kind,
        head=git.head() if git else None,
        refs=_all_refs(git) if git else "",
        gates=_gates(place, store, environ),
    )


def _gates(place: str, store: "Store", environ: "Mapping[str, str]") -> "list[Gate]":
    settings = settings_now(place, store, environ)
    return find(Folder(place), settings.gates, origin=settings.gates_source)


def at_commit(place: str, store: "Store", environ: "Mapping[str, str]", name: str | None) -> Pin:
    """Outside a session: a given commit, else where this branch left the one it follows, else HEAD."""
    found = trees.checkout(place, store.home.cache, environ)
    if found.kind == trees.WALK and name is not None:
        raise UsageError(f"--base needs git, and {place} is not in git")
    git = Git(found.root, environ) if found.kind == trees.GIT else None
    commit = _base_commit(git, name) if git else None
    tree = git.tree_id(commit) if git and commit else None
    tree = tree or tree_now(place, store, environ)
    return _pin(place, store, environ, tree, found.kind, commit)


def _base_commit(git: Git, name: str | None) -> str | None:
    if name is not None:
        commit = git.commit(name)
        if commit is None:
            raise UsageError(f"--base {name} is no commit or branch here; git branch -a lists them")
        return git.merge_base(commit, "HEAD") or commit
    upstream = git.upstream()
    return (git.merge_base(upstream, "HEAD") if upstream else None) or git.head()


def _pin(  # noqa: PLR0917 (the parts of a pin)
    place: str,
    store: "Store",
    environ: "Mapping[str, str]",
    tree: str,
    kind: str,
    head: str | None,
) -> Pin:
    return Pin(
        at=store.now(),
        tree=tree,
        kind=kind,
        head=head,
        refs=refs.signature(place),
        gates=_gates(place, store, environ),
    )


def moved_outside(place: str, environ: "Mapping[str, str]", pin: Pin) -> str:
    """What was done to the repository that no file shows; empty if nothing was."""
    if pin.kind != trees.GIT or not pin.head:
        return ""
    git = Git(place, environ)
    head = git.head()
    if head is not None and head != pin.head:
        return f"moved HEAD to {head[:7]}"
    return "moved branches or tags" if pin.refs != _all_refs(git) else ""


def _all_refs(git: Git) -> str:
    return digest(git.ask(["for-each-ref"]).decode("utf-8", "replace"))


def changed_files(place: str, store: "Store", environ: "Mapping[str, str]", pin: Pin) -> int:
    now = trees.snapshot(place, store.home.cache, environ)
    return len(trees.diff(trees.at(pin.tree, place, store.home.cache, environ), now))
