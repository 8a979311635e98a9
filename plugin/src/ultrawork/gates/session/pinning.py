"""Pin the start of a session: the files as they are, and the checks as they are defined. Also find checks whose
definition is committed and unchanged since."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from time import time_ns

from ...core.agent_variables import restore_variables, split_variables
from ...core.errors import UltraworkError, UsageError
from ...core.session.session import Session
from ...core.verdict.gate import ASKED, Gate
from ...store import settings as stored
from ...store.codec import digest
from ...store.pins import Pin, Surroundings
from ...store.settings import Settings
from ...store.store import Store
from ...system import checkout
from ...system.git import Git
from ...system.history import list_own_commits
from ..context import HOOK, GateContext
from ..find.project import search_gates
from ..find.workspace import FindUsers
from ..run.seals import take_seals
from ..trees import tree as trees
from ..trees.files import DiskFiles, Files
from ..trees.ledger import LedgerKeeper
from ..trees.lost_work import restore_committed
from ..trees.source import Source

# By tree id, which never changes.
_project_files: dict[str, dict[str, bytes | None]] = {}


def read_settings(place: str, store: Store, environ: Mapping[str, str]) -> Settings:
    return stored.load_at(environ, store.home, place)


def read_pinned_settings(place: str, store: Store, environ: Mapping[str, str], pin: Pin, tree: str = "") -> Settings:
    """Return the settings at the start; what an agent writes into them applies from the next start. `tree` is the
    current tree if known: reading the disk is faster than git. A check that the user requested is in no project file,
    so it is added."""
    around = pin.around
    if around is not None:
        environ = restore_variables(environ, around.variables, around.digests, digest).environ
    settings = _settings_at(place, store, environ, pin, tree)
    settings.requested = [gate for gate in pin.gates if gate.source == ASKED]
    return settings


def _settings_at(place: str, store: Store, environ: Mapping[str, str], pin: Pin, tree: str) -> Settings:
    own = stored.NOW if pin.around is None else pin.around.settings
    if tree == pin.tree:
        return stored.load_at(environ, store.home, place, own)
    base = trees.get_recorded(pin.tree, place, store.home.cache, environ)
    if pin.tree not in _project_files:
        _project_files[pin.tree] = trees.read_all(base, stored.PROJECT_FILES)
    return stored.load_from(environ, store.home, _project_files[pin.tree], own)


def take_tree(place: str, store: Store, environ: Mapping[str, str]) -> str:
    return trees.take_snapshot(place, store.home.cache, environ).id


def pin(
    place: str,
    store: Store,
    environ: Mapping[str, str],
    goal: str = "",
    *,
    now: trees.Tree | None = None,
    base: trees.Tree | None = None,
) -> Pin:
    """Pin the current files, including uncommitted and untracked ones, as the baseline, unless another tree is given.
    Checks that the goal names are included."""
    now = now or trees.take_snapshot(place, store.home.cache, environ)
    base = base or now
    git = Git(now.root, environ) if now.kind == trees.GIT else None
    if base.id == now.id:
        gates = _gates(place, store, environ, goal)
    else:
        gates = _find_gates_at(base, place, store, environ, goal)
    return Pin(
        at=store.now(),
        tree=base.id,
        kind=now.kind,
        head=git.head() if git else None,
        refs=trees.digest_all_refs(git) if git else "",
        gates=gates,
        around=_look_around(place, store, environ, now, gates),
    )


def _find_gates_at(base: trees.Tree, place: str, store: Store, environ: Mapping[str, str], goal: str) -> list[Gate]:
    """Return the checks that a tree defines; an agent of the chain may have changed definitions since."""
    texts = trees.read_all(base, stored.PROJECT_FILES)
    settings = stored.load_from(environ, store.home, texts, stored.NOW)
    session = Session("", goal, place, store.now())
    context = GateContext(store, session, root=place, settings=settings, environ=environ, by=HOOK, seconds=0.0)
    files = Source(context).files(base.id)
    return search_gates(files, settings.gates, origin=settings.gates_source, goal=goal).gates


def pin_moved(place: str, store: Store, environ: Mapping[str, str], before: Pin) -> Pin:
    """Pin a session that continues in another machine's checkout: same files and checks, with the local environment."""
    snapshot = trees.take_snapshot(place, store.home.cache, environ)
    git = Git(snapshot.root, environ) if snapshot.kind == trees.GIT else None
    return Pin(
        at=store.now(),
        tree=before.tree,
        kind=before.kind,
        head=git.head() if git else None,
        refs=trees.digest_all_refs(git) if git else "",
        gates=before.gates,
        around=_look_around(place, store, environ, snapshot, before.gates),
    )


def _look_around(
    place: str, store: Store, environ: Mapping[str, str], base: trees.Tree, gates: list[Gate]
) -> Surroundings:
    git = Git(base.root, environ) if base.kind == trees.GIT else None
    variables, digests = split_variables(environ, digest)
    return Surroundings(
        settings=stored.read_own(store.home),
        variables=variables,
        digests=digests,
        remotes=_list_remotes(git) if git else {},
        ledger=LedgerKeeper(base, store.home.cache).note(time_ns()),
        seals=take_seals(place, environ, gates),
        commits=list_own_commits(git) if git else {},
    )


def _list_remotes(git: Git) -> dict[str, str]:
    """Return remote-tracking refs with their commits, and the settings that say where remotes and upstreams are."""
    refs = git.answer(["for-each-ref", "--format=%(refname) %(objectname)", "refs/remotes"]).out
    settings = git.answer(["config", "--get-regexp", r"^(remote|branch)\."]).out
    lines = os.fsdecode(refs + settings).splitlines()
    return {name: value for name, _, value in (line.partition(" ") for line in lines)}


def _gates(place: str, store: Store, environ: Mapping[str, str], goal: str = "") -> list[Gate]:
    settings = read_settings(place, store, environ)
    return search_gates(DiskFiles(place), settings.gates, origin=settings.gates_source, goal=goal).gates


def pin_commit(place: str, store: Store, environ: Mapping[str, str], name: str | None) -> Pin:
    """Pin outside a session: a given commit, else where this branch left its upstream, else HEAD."""
    checkout = trees.open_checkout(place, store.home.cache, environ)
    if checkout.kind == trees.WALK and name is not None:
        raise UsageError(f"--base needs git, and {place} is not in git")
    git = Git(checkout.root, environ) if checkout.kind == trees.GIT else None
    commit, tree = _find_base(git, name) if git else (None, None)
    tree = tree or take_tree(place, store, environ)
    return _pin(place, store, environ, tree, checkout.kind, commit)


def _find_base(git: Git, name: str | None) -> tuple[str | None, str | None]:
    """Return the commit to compare with, and its tree."""
    if name is not None:
        commit = git.commit(name)
        if commit is None:
            raise UsageError(f"--base {name} is not a commit or branch here; list them: git branch -a")
        start = git.merge_base(commit, "HEAD") or commit
    else:
        upstream = git.upstream()
        start = (git.merge_base(upstream, "HEAD") if upstream else None) or "HEAD"
    commit, tree = git.resolve(f"{start}^{{commit}}", f"{start}^{{tree}}")
    return commit, tree


def _pin(  # noqa: PLR0917 (the parts of a pin)
    place: str, store: Store, environ: Mapping[str, str], tree: str, kind: str, head: str | None
) -> Pin:
    return Pin(
        at=store.now(),
        tree=tree,
        kind=kind,
        head=head,
        refs=checkout.digest_refs(place),
        gates=_gates(place, store, environ),
    )


def count_changed_files(place: str, store: Store, environ: Mapping[str, str], pin: Pin) -> int:
    now = trees.take_snapshot(place, store.home.cache, environ)
    return len(trees.diff(trees.get_recorded(pin.tree, place, store.home.cache, environ), now))


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
    settings = read_pinned_settings(place, store, environ, pin, tree)
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
