"""`ultrawork report`: a session as a whole, on the screen, as Markdown, or as one HTML page."""

import os

from ...core.errors import NotFound
from ...report import course, page
from ...store import pins
from ..command import Command, Result
from ..flags import SESSION, SWITCH, Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.session.session import Session
    from ...gates.trees.source import Source
    from ...system.git import FileChange
    from ..environment import VerbEnvironment
    from ..flags import Args


def show(args: "Args", env: "VerbEnvironment") -> Result:
    session = env.session(args)
    if args.on("--diff"):
        text = _diff(env, session)
        return Result({"diff": text}, text or "no file changed")
    where = args.text("--html")
    if where is not None:
        return _page(env, session, where)
    text = course.render(env.store.database, session, now=env.store.now())
    return Result({"session_id": session.id, "markdown": text}, text)


def _page(env: "VerbEnvironment", session: "Session", where: str) -> Result:
    path = os.path.abspath(where)
    write_page(env, session, path)
    return Result({"path": path}, path)


def write_page(env: "VerbEnvironment", session: "Session", path: str) -> None:
    from ...store import atomic

    text = page.render(env.store.database, session, _changes(env, session))
    atomic.write(path, text, mode=0o644)


def _source(env: "VerbEnvironment", session: "Session") -> "Source":
    from ...gates.run.context import PERSON, GateContext
    from ...gates.session import pinning
    from ...gates.trees.source import Source

    settings = pinning.read_settings(session.working_dir, env.store, env.environ)
    work = GateContext(
        env.store,
        session,
        root=session.working_dir,
        settings=settings,
        environ=env.environ,
        by=PERSON,
        seconds=60,
    )
    return Source(work)


def _changes(env: "VerbEnvironment", session: "Session") -> "list[FileChange]":
    pin = pins.get(env.store.database, session.id)
    if pin is None:
        return []
    source = _source(env, session)
    return list(source.changes(pin.tree, _tree(env, session, source)))


def _diff(env: "VerbEnvironment", session: "Session") -> str:
    """What the session changed, as a patch."""
    pin = pins.get(env.store.database, session.id)
    if pin is None:
        raise NotFound("this session has no base to compare with; it begins at its first step")
    source = _source(env, session)
    return source.patch(pin.tree, _tree(env, session, source))


def _tree(env: "VerbEnvironment", session: "Session", source: "Source") -> str:
    """What the session made: the merged results of a headless run, else the files as they are."""
    from ...engine.repository.names import RefNames
    from ...system.git import Git

    merged = Git(session.working_dir, env.environ).tree_id(RefNames(session.id).integration)
    return merged or source.snapshot()


COMMANDS = (
    Command(
        "",
        "Show a session as a whole: plan, progress, ending",
        show,
        flags=(
            SESSION,
            Flag("--html", "write one self-contained page", metavar="FILE"),
            Flag("--diff", "what the session changed, as a patch", kind=SWITCH),
        ),
        example="ultrawork report --html report.html",
    ),
)
