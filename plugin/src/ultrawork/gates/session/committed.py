"""Find checks whose definition is committed and unchanged since."""

from collections.abc import Mapping, Sequence
from functools import partial

from ...core.errors import UltraworkError
from ...core.session.session import Session
from ...core.verdict.gate import Gate
from ...store import settings as stored
from ...store.pins import Pin
from ...store.settings import Settings
from ...store.store import Store
from ...system.git import Git
from ..context import HOOK, GateContext
from ..find.project import search_gates
from ..find.workspace import FindUsers
from ..trees import tree as trees
from ..trees.files import DiskFiles, Files
from ..trees.inherited import restore_committed
from ..trees.source import Source
from . import pinning


def list_unchanged_commands(
    store: Store,
    environ: Mapping[str, str],
    session: Session,
    pin: Pin,
    *,
    changed: Sequence[str] = (),
    tree: str = "",
    at_start: bool = False,
) -> set[str]:
    """Return commands of checks that are defined as in the last commit before the session began; without git or
    commits, as at its start. Definitions are compared by value: their file may have changed elsewhere. `changed` are
    paths whose folders may have their own checks, `tree` is the current tree if known. `at_start` compares the
    definitions from when the session began instead of the current ones."""
    place = session.working_dir
    settings = pinning.read_pinned_settings(place, store, environ, pin, tree)
    context = GateContext(store, session, root=place, settings=settings, environ=environ, by=HOOK, seconds=0.0)
    source = Source(context)
    try:
        commit = _find_tree(store, environ, session, pin)
        committed = _read_settings(source, commit, pin)
        committed.requested = settings.requested
        find_users = partial(source.search.find_users, pin.tree)
        before = _find(source.files(commit), committed, changed, find_users)
    except UltraworkError:
        return set()  # what was committed cannot be read: nothing is known to be as it was
    files = source.files(pin.tree) if at_start else DiskFiles(place)
    now = _find(files, settings, changed, find_users)
    return {gate.command for name, gate in now.items() if name in before and _is_same(gate, before[name])}


def _find_tree(store: Store, environ: Mapping[str, str], session: Session, pin: Pin) -> str:
    if pin.kind != trees.GIT or not pin.head:
        return pin.tree
    committed = Git(session.working_dir, environ).tree_id(pin.head)
    if not committed:
        return pin.tree
    return restore_committed(store, environ, session, pin, committed)


def _read_settings(source: Source, tree: str, pin: Pin) -> Settings:
    """Return the committed settings, over the user's defaults at the start."""
    context = source.context
    files = trees.read_all(source.tree(tree), stored.PROJECT_FILES)
    own = stored.NOW if pin.around is None else pin.around.settings
    return stored.load_from(context.environ, context.store.home, files, own)


def _find(files: Files, settings: Settings, changed: Sequence[str], find_users: FindUsers) -> dict[str, Gate]:
    requested = {gate.name: {"run": gate.command, "in": gate.where} for gate in settings.requested}
    config, origin = {**settings.gates, **requested}, settings.gates_source
    gates = search_gates(files, config, origin=origin).gates
    if changed:
        gates += search_gates(files, config, changed=changed, origin=origin, find_users=find_users).gates
    return {gate.name: gate for gate in gates}


def _is_same(now: Gate, before: Gate) -> bool:
    return (now.command, now.definition, now.where, now.env) == (
        before.command,
        before.definition,
        before.where,
        before.env,
    )
