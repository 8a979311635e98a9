"""`ultrawork export`: everything known about a session as one JSON document, for other programs."""

import json
import os
from typing import Any

from ...core.check import quote
from ...core.errors import UsageError
from ...core.session.session import Session
from ...core.wording import count_things
from ...flow.notices import send_spans
from ...report.why import name_outcome
from ...store import atomic, decisions, receipts, tasks, trace
from ..command import Command, Result
from ..environment import SESSION, Args, Flag, VerbEnvironment

SCHEMA = "ultrawork.export/1"


def export(args: Args, env: VerbEnvironment) -> Result:
    """Write the document to FILE, which must not exist yet, or print it."""
    url = args.text("--otlp")
    if url is not None:
        return _send(args, env, url)
    data = collect(env, env.session(args))
    if not args.rest:
        return Result(data, json.dumps(data, indent=1))
    path = os.path.join(env.cwd, args.rest[0])
    if os.path.lexists(path):
        raise UsageError(f"{quote(args.rest[0])} already exists; name another file")
    atomic.write(path, json.dumps(data, indent=1) + "\n")
    return Result({"file": path, "session": data["session"]["session_id"]}, f"wrote {quote(args.rest[0])}")


def _send(args: Args, env: VerbEnvironment, url: str) -> Result:
    if args.rest:
        raise UsageError("--otlp and FILE exclude each other; give one")
    session = env.session(args)
    number = send_spans(env.store, session, url, env.environ)
    text = f"sent {count_things(number, 'span')} of session {session.id[:8]}"
    return Result({"session": session.id, "spans": number}, text)


def collect(env: VerbEnvironment, session: Session) -> dict[str, Any]:
    """Return the document of a session."""
    database = env.store.database
    return {
        "schema": SCHEMA,
        "session": session.document(),
        "outcome": name_outcome(database, session),
        "tasks": [task.document() for task in tasks.list_all(database, session.id)],
        "receipts": receipts.list_all(database, session.id),
        "verdict": receipts.find_last_verdict(database, session.id),
        "decisions": [
            {"at": row.at, "action": row.action, "rule": row.rule, "because": row.because}
            for row in decisions.list_since(database, session.id, 0.0)
        ],
        "trace": trace.read_all(env.store.home, session.id),
    }


COMMANDS = (
    Command(
        "",
        "It contains the plan, tasks, receipts, verdict, decisions and trace",
        export,
        flags=(SESSION, Flag("--otlp", "send it as spans to an OpenTelemetry collector instead", metavar="URL")),
        rest="[FILE]",
        example="ultrawork export session.json\nultrawork export --otlp http://127.0.0.1:4318",
    ),
)
