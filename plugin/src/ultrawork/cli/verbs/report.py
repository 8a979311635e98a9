"""`ultrawork report`: a session as a whole, on the screen, as Markdown, or as one HTML page."""

import os

from ...core.session.session import Session
from ...proof import checking, pages
from ...report import course
from ...report.summary import summarize
from ..command import Command, Result
from ..environment import SESSION, Args, Flag, VerbEnvironment, switch
from ..headless.ending import list_changes, make_patch, write_page


def show(args: Args, env: VerbEnvironment) -> Result:
    ref = args.text("--from-note")
    if ref is not None:
        return _show_note(env, ref, markdown=args.on("--markdown"))
    session = env.shown_session(args)
    if args.on("--diff"):
        return _show_patch(env, session)
    where = args.text("--html")
    if where is not None:
        return _write_page(env, session, os.path.abspath(where))

    files = [] if session.active else list_changes(env, session)
    store, now = env.store, env.store.now()
    plain, markdown = (course.render(store, session, files, now=now, markdown=flag) for flag in (False, True))
    summary = summarize(store, session)
    outcome = summary.outcome.document() if not session.active else {}
    data = {"session_id": session.id, "phase": session.phase, **outcome, "markdown": markdown}
    data["summary"] = summary.document()
    return Result(data, markdown if args.on("--markdown") else plain)


def _show_patch(env: VerbEnvironment, session: Session) -> Result:
    text = make_patch(env, session)
    return Result({"diff": text}, text or "no file changed")


def _show_note(env: VerbEnvironment, ref: str, *, markdown: bool) -> Result:
    """Show what the note of a commit's files says, for a reviewer with only the repository."""
    order = checking.CheckOrder(ref=ref)
    answer = checking.ProofReader(env.store, env.environ, env.place).check(order)
    return Result(answer.document(), pages.render_report(answer, markdown=markdown))


def _write_page(env: VerbEnvironment, session: Session, path: str) -> Result:
    write_page(env, session, path)
    return Result({"path": path}, path)


COMMANDS = (
    Command(
        "",
        "Shows plan, progress and result",
        show,
        flags=(
            SESSION,
            switch("--markdown", "print Markdown"),
            Flag("--html", "write a self-contained web page", metavar="FILE"),
            Flag("--from-note", "show a commit's published verdict, from git alone", metavar="REF"),
            switch("--diff", "print the session's changes as a patch"),
        ),
        example="ultrawork report\nultrawork report --html report.html",
    ),
)
