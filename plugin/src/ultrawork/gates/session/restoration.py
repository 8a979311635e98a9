"""Restore files: what a session lost of the user's work, or everything as of the last PASS.

Every step is planned first, so that it can be shown. Replaced content is kept in the state folder."""

import os
from collections.abc import Mapping, Sequence
from shutil import copy2
from tempfile import TemporaryDirectory
from time import gmtime, strftime

from ...core.course.chain import COMMIT, HUNK, IGNORED, STASH, LostFile
from ...core.errors import Conflict, NotFound
from ...core.session.session import Session
from ...core.value import Value
from ...store import atomic, pins
from ...store.paths import Home
from ...store.store import Store
from ...system.files import remove_file
from ...system.git import SUBMODULE, Git
from ...system.objects import FILE, LINK, PROGRAM
from ..context import PERSON, GateContext
from ..trees import tree as trees
from ..trees.ledger import LedgerKeeper
from ..trees.lost_work import LostWork
from ..trees.tree import Tree
from . import pinning

WRITE, MERGE, REMOVE, STORE, BRANCH, LEAVE = ("write", "put back into", "remove", "store", "branch", "leave")
_BRANCH = "restored-"


class RestoreStep(Value):
    """What happens at a path. `data` is the content to write, `commit` the target of a stash or branch."""

    action: str
    path: str
    why: str = ""
    data: bytes = b""
    mode: str = FILE
    commit: str = ""

    @property
    def line(self) -> str:
        return f"{self.action} {self.path}" + (f": {self.why}" if self.why else "")


def open_lost(store: Store, environ: Mapping[str, str], session: Session) -> LostWork:
    pin = pins.get(store.database, session.id)
    if pin is None:
        raise NotFound(f"session {session.id[:8]} has no baseline. Start one in a client: ulw <task>")
    place = session.working_dir
    settings = pinning.read_settings(place, store, environ)
    context = GateContext(store, session, root=place, settings=settings, environ=environ, by=PERSON, seconds=0.0)
    return LostWork(context, pin, trees.take_snapshot(place, store.home.cache, environ))


def plan_lost(
    lost: LostWork, lost_files: Sequence[LostFile], store: Store, environ: Mapping[str, str]
) -> list[RestoreStep]:
    """Return one step per file; content that we do not have is left, with the reason."""
    return [_plan(lost, lost_file, store, environ) for lost_file in lost_files]


def _plan(lost: LostWork, lost_file: LostFile, store: Store, environ: Mapping[str, str]) -> RestoreStep:
    if not lost_file.held:
        return RestoreStep(LEAVE, lost_file.path, "ultrawork has no copy of it")
    if lost_file.kind == STASH:
        return RestoreStep(STORE, lost_file.path, "as a stash again", commit=lost_file.source)
    if lost_file.kind == COMMIT:
        name = f"{_BRANCH}{lost_file.source[:8]}"
        return RestoreStep(BRANCH, name, f"the commit that {lost_file.path} had", commit=lost_file.source)
    if lost_file.kind == IGNORED:
        with open(LedgerKeeper(lost.now, store.home.cache).locate(lost_file.source), "rb") as file:
            return RestoreStep(WRITE, lost_file.path, "ignored by git", file.read())
    mode = _find_mode(lost.base, lost_file.path)
    data = trees.read(lost.base, lost_file.path) or b""
    now = trees.read(lost.now, lost_file.path)
    if lost_file.kind == HUNK and now is not None:
        merged = _merge(lost, lost_file.path, now, data, environ)
        if merged is None:
            return RestoreStep(LEAVE, lost_file.path, "the same lines have changed since", data)
        return RestoreStep(MERGE, lost_file.path, "your uncommitted changes", merged, mode)
    return RestoreStep(WRITE, lost_file.path, "as it was at the start", data, mode)


def _merge(lost: LostWork, path: str, now: bytes, before: bytes, environ: Mapping[str, str]) -> bytes | None:
    """Return the current file with the user's hunks; None if both changed the same place."""
    committed = lost.find_committed()
    old = trees.read(committed, path) if committed is not None else None
    if old is None:
        return None
    with TemporaryDirectory(prefix="ultrawork-") as folder:
        for name, data in (("now", now), ("committed", old), ("mine", before)):
            atomic.write(f"{folder}/{name}", data, sync=False)
        program_answer = Git(folder, environ).answer(["merge-file", "-p", "now", "committed", "mine"])
    return None if program_answer.exit else program_answer.out


def _find_mode(tree: Tree, path: str) -> str:
    if path in trees.list_links(tree):
        return LINK
    if tree.kind != trees.GIT:
        return FILE
    return PROGRAM if tree.ask(["ls-tree", tree.id, "--", path]).startswith(b"100755") else FILE


def plan_tree(now: Tree, wanted: Tree) -> list[RestoreStep]:
    """Return the steps that restore the files of another tree; submodules stay as they are."""
    steps = []
    changed = trees.diff_entries(now, wanted)
    texts = trees.read_all(wanted, [path for path, (_, new) in changed.items() if new])
    for path, (_, new) in sorted(changed.items()):
        if new is None:
            steps.append(RestoreStep(REMOVE, path))
        elif new[0] != SUBMODULE:
            steps.append(RestoreStep(WRITE, path, data=texts[path] or b"", mode=new[0]))
    return [step for step in steps if not os.path.isdir(f"{now.root}/{step.path}")]


def apply_steps(steps: Sequence[RestoreStep], root: str, home: Home, environ: Mapping[str, str]) -> str:
    """Does it all; the folder that has what was replaced, empty if nothing was."""
    kept = f"{home.root}/replaced/{strftime('%Y%m%d-%H%M%S', gmtime())}-{os.getpid()}"
    # The newest stash comes last, so that it is on top again.
    for step in reversed(steps):
        if step.action == STORE:
            message = "restored by ultrawork"
            Git(root, environ).ask(["stash", "store", "-m", message, step.commit])
        elif step.action == BRANCH:
            Git(root, environ).ask(["update-ref", f"refs/heads/{step.path}", step.commit, ""])
        elif step.action == LEAVE:
            _keep_copy(f"{kept}/{step.path}", step.data)
        else:
            _change_file(step, root, kept)
    return kept if os.path.isdir(kept) else ""


def _change_file(step: RestoreStep, root: str, kept: str) -> None:
    place = f"{root}/{step.path}"
    above = os.path.realpath(os.path.dirname(place))
    if above != root and not above.startswith(f"{root}/"):
        raise Conflict(f"{step.path} is now behind a link that points outside {root}; remove the link first")
    if os.path.lexists(place):
        os.makedirs(os.path.dirname(f"{kept}/{step.path}"), mode=0o700, exist_ok=True)
        copy2(place, f"{kept}/{step.path}", follow_symlinks=False)
    if step.action == REMOVE or step.mode == LINK:
        remove_file(place)
    if step.action == REMOVE:
        return
    os.makedirs(above, exist_ok=True)
    if step.mode == LINK:
        os.symlink(os.fsdecode(step.data), place)
    else:
        atomic.write(place, step.data, mode=0o755 if step.mode == PROGRAM else 0o644)


def _keep_copy(place: str, data: bytes) -> None:
    """Save a copy beside what was replaced."""
    if data:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        atomic.write(place, data)
