"""`ultrawork logs`: what the agents of a task said and did, attempt by attempt."""

from typing import Any

from ...core.errors import NotFound
from ...core.session.session import Session
from ...core.times import format_duration
from ...engine.agents.transcript import read
from ...store import attempts
from ...store.settings import load_at
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import SESSION, Args


def show(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    rows = attempts.list_all(env.store.database, session.id)
    wanted = [row for row in rows if not args.rest or row.subject in args.rest]
    if not wanted:
        known = ", ".join(dict.fromkeys(row.subject for row in rows)) or "none yet"
        what = " ".join(args.rest) or session.id[:8]
        raise NotFound(f"no agent has worked on {what}; there are: {known}")
    found = [_attempt(row, session, env) for row in wanted]
    return Result({"attempts": found}, "\n\n".join(_text(one) for one in found))


def _attempt(row: attempts.AttemptRow, session: Session, env: VerbEnvironment) -> dict[str, Any]:
    if row.state == attempts.RUNNING and row.machine:
        from ...cluster.live_log import read_live

        settings = load_at(env.environ, env.store.home, session.working_dir)
        words = read_live(row, session.id, settings, env.environ)
    else:
        words = read(row.backend, row.folder)
    return {**row.document(), "words": words}


def _text(one: dict[str, Any]) -> str:
    ended = one["ended_at"]
    took = f", {format_duration(ended - one['claimed_at'])}" if ended else ", at work"
    state = f", {one['status'] or one['state']}" if ended else ""
    head = (
        f"{one['subject']}.{one['epoch']}  {one['role']}, {one['backend']} {one['model']}".rstrip()
    )
    why = [f"  -> {line}" for line in str(one["reason"]).splitlines()[:20]]
    where = f", on {one['machine']}" if one["machine"] else ""
    return "\n".join(
        [
            f"{head}{where}{took}{state}",
            *(f"  {line}" for line in one["words"]),
            *why,
            f"  {one['folder']}",
        ]
    )


COMMANDS = (
    Command(
        "",
        "Show what agents said and did, and why their work went back",
        show,
        flags=(SESSION,),
        rest="[TASK ...]",
        example="ultrawork logs 3",
    ),
)
