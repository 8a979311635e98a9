"""What a session changed, as a patch and as its page: for `report`, and for the end of a headless run; and its work taken away."""

import os

from ..core.errors import NotFound, UltraworkError
from ..core.session.session import Session
from ..engine.repository.repository import RefNames
from ..gates.context import PERSON, GateContext
from ..gates.session import pinning
from ..gates.trees.source import Source
from ..report import page
from ..store import atomic, pins
from ..system.git import FileChange, Git
from .environment import VerbEnvironment

_SECONDS = 60


def write_page(env: VerbEnvironment, session: Session, path: str) -> None:
    text = page.render(env.store.database, session, list_changes(env, session))
    atomic.write(path, text, mode=0o644)


def list_changes(env: VerbEnvironment, session: Session) -> list[FileChange]:
    pin = pins.get(env.store.database, session.id)
    if pin is None:
        return []
    source = _open_source(env, session)
    return list(source.changes(pin.tree, _find_tree(env, session, source)))


def make_patch(env: VerbEnvironment, session: Session) -> str:
    pin = pins.get(env.store.database, session.id)
    if pin is None:
        raise NotFound("this session has no base to compare with; it begins at its first step")
    source = _open_source(env, session)
    return source.patch(pin.tree, _find_tree(env, session, source))


def _open_source(env: VerbEnvironment, session: Session) -> Source:
    settings = pinning.read_settings(session.working_dir, env.store, env.environ)
    context = GateContext(
        env.store,
        session,
        root=session.working_dir,
        settings=settings,
        environ=env.environ,
        by=PERSON,
        seconds=_SECONDS,
    )
    return Source(context)


def _find_tree(env: VerbEnvironment, session: Session, source: Source) -> str:
    """What the session made: the merged results of a headless run, else the files as they are."""
    merged = Git(session.working_dir, env.environ).tree_id(RefNames(session.id).integration)
    return merged or source.snapshot()


def forget_work(env: VerbEnvironment, session: Session) -> None:
    """Of a run: its worktrees and refs; what only it holds stays, and is named."""
    if not session.state.run or not os.path.isdir(session.working_dir):
        return
    from ..engine.repository.cleanup import forget_session

    try:
        kept = forget_session(session.working_dir, env.store.home, session.id, env.environ)
    except (UltraworkError, OSError) as error:
        kept = ""
        env.store.warnings.append(f"worktrees of {session.id} stay: {error}")
    if kept:
        env.store.warnings.append(f"{kept} holds results that no other branch has; it stays")
