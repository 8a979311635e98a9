"""`ultrawork report`: a session as a whole, on the screen, as Markdown, or as one HTML page."""

import os

from ...core.session.session import Session
from ...report import course
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import SESSION, SWITCH, Args, Flag


def show(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    if args.on("--diff"):
        return _show_patch(env, session)
    where = args.text("--html")
    if where is not None:
        return _write_page(env, session, os.path.abspath(where))
    text = course.render(env.store.database, session, now=env.store.now())
    return Result({"session_id": session.id, "markdown": text}, text)


def _show_patch(env: VerbEnvironment, session: Session) -> Result:
    from ..session_changes import make_patch  # loads the gates, as below

    text = make_patch(env, session)
    return Result({"diff": text}, text or "no file changed")


def _write_page(env: VerbEnvironment, session: Session, path: str) -> Result:
    from ..session_changes import write_page

    write_page(env, session, path)
    return Result({"path": path}, path)


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
