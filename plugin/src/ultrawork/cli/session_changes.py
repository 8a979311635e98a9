"""What a session changed, as a patch and as its page: for `report`, and for the end of a headless run; and removing
its work."""

import os

from ..core.course.chain import list_edited
from ..core.errors import NotFound, UltraworkError
from ..core.plan.evidence import SHELL
from ..core.session.session import Session
from ..engine.agents.executor import LOCAL
from ..engine.repository.cleanup import forget_session
from ..engine.repository.repository import RefNames
from ..engine.repository.results import TASK
from ..gates.context import PERSON, GateContext
from ..gates.trees.source import Source
from ..report import page
from ..report.board import read_parts
from ..report.page_proof import TaskPatch
from ..store import agents, atomic, pins, tasks, trace
from ..system.git import FileChange, Git
from .environment import VerbEnvironment

_SECONDS = 60
_TRACE = 4_000_000


def write_page(env: VerbEnvironment, session: Session, path: str) -> None:
    text = page.render(
        env.store.database,
        session,
        list_changes(env, session),
        parts=read_parts(env.store, session),
        now=env.store.now(),
        patches=list_patches(env, session),
        folder=env.store.home.session(session.id),
    )
    atomic.write(path, text, mode=0o644)


def list_changes(env: VerbEnvironment, session: Session) -> list[FileChange]:
    pin = pins.get(env.store.database, session.id)
    if pin is None:
        return []
    source = _open_source(env, session)
    return list(source.changes(pin.tree, _find_tree(env, session, source)))


def list_patches(env: VerbEnvironment, session: Session) -> list[TaskPatch]:
    """Return what each task changed: by the commits of a headless run, else by who edited which file."""
    merged = _list_merged(env, session)
    if merged:
        return merged
    try:
        whole = make_patch(env, session)
    except NotFound:
        return []
    authors = _find_authors(env, session)
    grouped: dict[str, str] = {}
    for part in _split_patch(whole):
        path = part.partition("\n")[0].rpartition(" b/")[2]
        name = ", ".join(sorted(authors.get(f"{session.working_dir}/{path}", ())))
        grouped[name] = grouped.get(name, "") + part
    return [TaskPatch(name, text) for name, text in grouped.items()]


def _list_merged(env: VerbEnvironment, session: Session) -> list[TaskPatch]:
    names, git = RefNames(session.id), Git(session.working_dir, env.environ)
    if git.commit(names.integration) is None or git.commit(names.base) is None:
        return []
    flags = ["--reverse", "--first-parent", "--no-ext-diff", "--no-textconv", "--no-color", "-M", "-p"]
    span = f"{names.base}..{names.integration}"
    printed = git.ask(["log", *flags, f"--format=%x00%(trailers:key={TASK},valueonly)%x01", span])
    steps = [part.partition("\x01") for part in printed.decode("utf-8", "replace").split("\0")]
    return [
        TaskPatch(trailer.strip().rpartition("/")[2], text.strip("\n")) for trailer, _, text in steps if text.strip()
    ]


def _find_authors(env: VerbEnvironment, session: Session) -> dict[str, set[str]]:
    """Return paths with the tasks whose agents wrote them with an edit tool."""
    entries = trace.read_tail(env.store.home, session.id, size=_TRACE)
    authors: dict[str, set[str]] = {}
    for agent_call in agents.list_all(env.store.database, session.id):
        own = [entry for entry in entries if agent_call.agent and entry.get("agent") == agent_call.agent]
        for path in list_edited(own):
            authors.setdefault(path, set()).add(agent_call.subject)
    for task in tasks.list_all(env.store.database, session.id):
        pieces = [piece for piece in task.evidence if isinstance(piece, dict) and piece.get("type") == SHELL]
        for path in (name for piece in pieces for name in piece.get("files") or ()):
            authors.setdefault(f"{session.working_dir}/{path}", set()).add(task.id)
    return authors


def _split_patch(whole: str) -> list[str]:
    parts = whole.split("\ndiff --git ")
    return [part if n == 0 else f"diff --git {part}" for n, part in enumerate(parts) if part.strip()]


def make_patch(env: VerbEnvironment, session: Session) -> str:
    pin = pins.get(env.store.database, session.id)
    if pin is None:
        raise NotFound("this session has no baseline yet; it is recorded at the first step")
    source = _open_source(env, session)
    return source.patch(pin.tree, _find_tree(env, session, source))


def _open_source(env: VerbEnvironment, session: Session) -> Source:
    settings = env.read_settings(session.working_dir)
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
    """Return the session's result: the merged results of a headless run, else the current files."""
    merged = Git(session.working_dir, env.environ).tree_id(RefNames(session.id).integration)
    return merged or source.snapshot()


def forget_work(env: VerbEnvironment, session: Session) -> None:
    """Remove a run's worktrees and refs; what only it holds stays, and is named."""
    if not session.state.run or not os.path.isdir(session.working_dir):
        return

    try:
        kept = forget_session(session.working_dir, env.store.home, session.id, env.environ)
    except (UltraworkError, OSError) as error:
        kept = ""
        env.store.warnings.append(f"could not remove worktrees of {session.id}: {error}")
    forget_elsewhere(env, session)
    if kept:
        env.store.warnings.append(f"kept {kept}: no other branch has its results")


def forget_elsewhere(env: VerbEnvironment, session: Session) -> None:
    """Remove what the remote of a run over many machines has: it was offline at the end, or no engine was left."""
    if session.state.run.get("executor", LOCAL) == LOCAL:
        return
    from ..cluster.journal import remove_run
    from ..cluster.remote import GitRemote

    now = env.read_settings(session.working_dir)["cluster.remote"]  # for a run of an older version
    for url in filter(None, session.state.run.get("remotes") or [str(now)]):
        try:
            remote = GitRemote(session.working_dir, url, env.environ)
            remove_run(remote, RefNames(session.id).session)
        except (UltraworkError, OSError) as error:
            env.store.warnings.append(f"could not remove refs of {session.id} from {url}: {error}")
