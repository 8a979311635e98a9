"""Reading sessions."""

from ...core import check
from ...core.check import pick_field
from ...core.errors import UsageError
from ...core.times import format_iso
from ...store import sessions
from ...store.codec import dumps, dumps_pretty
from ..command import Result, render_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..environment import VerbEnvironment
    from ..flags import Args


def get(args: "Args", env: "VerbEnvironment") -> Result:
    name = env.session_name(args)
    if name not in (None, "last") and (args.on("--dir") or args.on("--file")):
        return _path(args, env.store.home.session(str(name)))
    session = env.session(args)
    if args.on("--dir") or args.on("--file"):
        return _path(args, env.store.home.session(session.id))
    return show_field(session.document(), args.text("--field"))


def _path(args: "Args", folder: str) -> Result:
    path = folder if args.on("--dir") else folder + "/session.json"
    return Result({"path": path}, path)


def show_field(document: dict[str, object], path: str | None) -> Result:
    if path is None:
        return Result(document, dumps_pretty(document))
    if not path.strip():
        raise UsageError("--field is empty; name a field, e.g. --field phase")
    value = pick_field(document, path)
    return Result(
        {"field": path, "value": value}, value if isinstance(value, str) else dumps(value)
    )


def list_(args: "Args", env: "VerbEnvironment") -> Result:
    found = sessions.list_all(env.store.database, since=parse_since(args, env))
    if args.on("--here"):
        found = [session for session in found if session.working_dir == env.place]
    rows = [
        (session.id, session.phase, format_iso(session.updated_at) or "", session.goal)
        for session in found
    ]
    text = render_table(("SESSION", "PHASE", "UPDATED", "GOAL"), rows) if rows else "no session"
    return Result({"sessions": [session.document() for session in found]}, text)


def parse_since(args: "Args", env: "VerbEnvironment") -> float:
    given = args.text("--since")
    return (
        0.0 if given is None else env.store.now() - check.parse_duration(given, "time for --since")
    )
