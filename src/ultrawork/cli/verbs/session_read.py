"""Reading sessions."""

from ...core import check
from ...core.errors import UsageError
from ...core.fields import pick
from ...core.times import iso
from ...store import sessions
from ...store.fast import dumps, pretty
from ..result import Result
from ..table import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args


def get(args: "Args", edge: "Edge") -> Result:
    name = edge.session_name(args)
    if name not in (None, "last") and (args.on("--dir") or args.on("--file")):
        return _path(args, edge.store.home.session(str(name)))
    session = edge.session(args)
    if args.on("--dir") or args.on("--file"):
        return _path(args, edge.store.home.session(session.id))
    return field_or_all(session.document(), args.text("--field"))


def _path(args: "Args", folder: str) -> Result:
    path = folder if args.on("--dir") else folder + "/session.json"
    return Result({"path": path}, path)


def field_or_all(document: dict[str, object], path: str | None) -> Result:
    if path is None:
        return Result(document, pretty(document))
    if not path.strip():
        raise UsageError("--field is empty; name a field, e.g. --field phase")
    value = pick(document, path)
    return Result(
        {"field": path, "value": value}, value if isinstance(value, str) else dumps(value)
    )


def list_(args: "Args", edge: "Edge") -> Result:
    found = sessions.listed(edge.store.database, since=since(args, edge))
    if args.on("--here"):
        found = [session for session in found if session.working_dir == edge.place]
    rows = [
        (session.id, session.phase, iso(session.updated_at) or "", session.goal)
        for session in found
    ]
    text = table(("SESSION", "PHASE", "UPDATED", "GOAL"), rows) if rows else "no session"
    return Result({"sessions": [session.document() for session in found]}, text)


def since(args: "Args", edge: "Edge") -> float:
    given = args.text("--since")
    return 0.0 if given is None else edge.store.now() - check.duration(given, "time for --since")
