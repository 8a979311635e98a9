"""Checkpoints of a requirement: the earlier files, stored in our own object folder, and how to restore them.

No tag, branch or commit of the user's repository is touched. A rollback first shows what would go, and stores the
current files as another checkpoint, so that it can be reverted too."""

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from time import gmtime, strftime
from typing import Any

from ....core.check import quote
from ....core.errors import Conflict, NotFound
from ....core.session.session import Session
from ....core.value import Value, fresh
from ....gates.trees import tree as trees
from ....store import pins, sessions
from ....store.store import Store

MOST = 20
_OWN_FOLDER = ".omc/"


class RollbackPlan(Value):
    """What a rollback to a checkpoint would do to the files."""

    name: str
    tree: str
    restored: list[str] = fresh(list)
    removed: list[str] = fresh(list)

    @property
    def is_empty(self) -> bool:
        return not self.restored and not self.removed


def make_checkpoint(store: "Store", environ: "Mapping[str, str]", session: "Session", why: str) -> str:
    """Return `checkpoint-YYYYMMDD-HHMMSS`; for the same files, the existing one."""
    tree = trees.take_snapshot(session.working_dir, store.home.cache, environ).id
    with store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        kept = current.state.lead
        known: dict[str, str] = dict(kept.get("trees") or {})
        last = (kept.get("checkpoints") or [""])[-1]
        if known.get(last) == tree:
            return str(last)
        name = strftime("checkpoint-%Y%m%d-%H%M%S", gmtime(change.now))
        while name in known:
            name += "b"
        names = [*(kept.get("checkpoints") or ()), name][-MOST:]
        known[name] = tree
        kept = {**kept, "checkpoints": names, "trees": {checkpoint: known[checkpoint] for checkpoint in names}}
        current.state.lead = kept
        sessions.save(change, current, "axiom.checkpoint", {"name": name, "tree": tree, "why": why})
        change.touch("axiom")
    return name


def list_ahead(store: "Store", environ: "Mapping[str, str]", session: "Session") -> list[str]:
    """Return files that changed since the requirement began, by anyone, so that the user knows before approving."""
    pin = pins.get(store.database, session.id)
    if pin is None:
        return []
    place, cache = session.working_dir, store.home.cache
    then = trees.get_recorded(pin.tree, place, cache, environ)
    return [file_change.path for file_change in trees.diff(then, trees.take_snapshot(place, cache, environ))]


def plan_rollback(store: "Store", environ: "Mapping[str, str]", session: "Session", name: str = "") -> RollbackPlan:
    """Plan a rollback to the named checkpoint, else to the last with other files than now."""
    kept: dict[str, Any] = session.state.lead
    known: dict[str, str] = dict(kept.get("trees") or {})
    place, cache = session.working_dir, store.home.cache
    now = trees.take_snapshot(place, cache, environ)
    wanted = name or next((checkpoint for checkpoint in reversed(list(known)) if known[checkpoint] != now.id), "")
    if wanted not in known:
        raise NotFound(
            f"no checkpoint {quote(wanted)} of this requirement; see ultrawork axiom status"
            if name
            else "no checkpoint differs from the current files; create one: ultrawork axiom checkpoint"
        )
    then = trees.get_recorded(known[wanted], place, cache, environ)
    plan = RollbackPlan(wanted, known[wanted])
    for change in trees.diff(then, now):
        (plan.removed if change.status == "A" else plan.restored).append(change.path)
    return plan


def roll_back(store: "Store", environ: "Mapping[str, str]", session: "Session", plan: RollbackPlan) -> str:
    """Apply the rollback; return the checkpoint of the files before it."""
    _refuse_links(session.working_dir, plan)
    saved = make_checkpoint(store, environ, session, f"before going back to {plan.name}")
    place, cache = session.working_dir, store.home.cache
    scratch = f"{cache}/rollback-{os.getpid()}"
    shutil.rmtree(scratch, ignore_errors=True)
    try:
        trees.materialise(trees.get_recorded(plan.tree, place, cache, environ), scratch)
        # A file to remove may be where a folder to restore was.
        for path in plan.removed:
            with suppress(FileNotFoundError):
                os.unlink(f"{place}/{path}")
        for path in plan.restored:
            _put_back(f"{scratch}/{path}", f"{place}/{path}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    with store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        rollback = {"to": plan.name, "from": saved, "files": len(plan.restored) + len(plan.removed)}
        sessions.save(change, current, "axiom.rolled-back", rollback)
    return saved


def put_aside(store: "Store", environ: "Mapping[str, str]", session: "Session", before: str) -> tuple[str, list[str]]:
    """Store what changed since that tree as a checkpoint and restore the files; return its name and the paths. A
    closed gate applies to the files, whatever wrote them."""
    place, cache = session.working_dir, store.home.cache
    then = trees.get_recorded(before, place, cache, environ)
    plan = RollbackPlan("before the command", before)
    for change in trees.diff(then, trees.take_snapshot(place, cache, environ)):
        if not change.path.startswith(_OWN_FOLDER):
            (plan.removed if change.status == "A" else plan.restored).append(change.path)
    if plan.is_empty:
        return "", []
    return roll_back(store, environ, session, plan), [*plan.restored, *plan.removed]


def _refuse_links(place: str, plan: RollbackPlan) -> None:
    """Refuse to write behind a folder that has become a link, before anything is written."""
    for path in plan.restored:
        parts = path.split("/")
        for end in range(1, len(parts)):
            folder = "/".join(parts[:end])
            if os.path.islink(f"{place}/{folder}") and folder not in plan.removed:
                raise Conflict(f"{quote(folder)} is now a link; remove it, then roll back again")


def _put_back(source: str, target: str) -> None:
    """Restore by rename, so that no one reads a partial file; a link stays a link."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(target) and not os.path.islink(target):
        _remove_empty(target)
    beside = f"{target}.{os.getpid()}.tmp"
    if os.path.islink(source):
        os.symlink(os.readlink(source), beside)
    else:
        shutil.copy2(source, beside)
    os.replace(beside, target)


def _remove_empty(folder: str) -> None:
    """Remove an emptied folder; raise if it holds anything else."""
    for here, _, _ in os.walk(folder, topdown=False):
        try:
            os.rmdir(here)
        except OSError:
            raise Conflict(f"{quote(here)} contains files that are in no checkpoint; move them away") from None
