"""The session itself: what is on, what is proved, why it was decided so, what comes next."""

from time import time

from ...core.errors import UsageError
from ..arguments import flag, text, whole
from ..tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.session import Session
    from ...store.state import Store
    from ..call import Call

AGENT = "agent"
LANE = "gates"
SESSION = {"session": text("id or its beginning; default: this one")}


class _Opened:
    """The store for one call: a connection belongs to the thread that opened it."""

    __slots__ = ("store",)

    def __init__(self, call: "Call") -> None:
        from ...store.state import Store

        self.store = Store(call.room.home, actor=AGENT, clock=time)

    def __enter__(self) -> "Store":
        return self.store

    def __exit__(self, *_: object) -> None:
        self.store.database.close()


def _session(call: "Call", store: "Store") -> "Session":
    """The one named, else the client's own, else the newest of this checkout."""
    from ...store import sessions

    return sessions.meant(store.database, call["session"] or None, call.session, call.room.top)


def status(call: "Call") -> str:
    from ...report import status as report
    from ...store import settings as stored

    with _Opened(call) as store:
        session = _session(call, store)
        place = session.working_dir
        settings = stored.load(
            call.room.environ, store.home, lambda name: stored.read_file(f"{place}/{name}")
        )
        found = report.snapshot(
            store.database, session, limit=settings["stop.refusals"], now=store.now()
        )
    return report.text(found)


def why(call: "Call") -> str:
    from ...report import sessions as report
    from ...report.why import why as told

    with _Opened(call) as store:
        return told(report.last_decision(store, _session(call, store).id))


def upcoming(call: "Call") -> str:
    from ...flow.course import Course
    from ...store.fast import pretty

    with _Opened(call) as store:
        session = _session(call, store)
        step = Course(store, call.room.environ, session.id, attended=False).advance()
    return pretty({"session_id": session.id, **step.document()}).rstrip()


def verify(call: "Call") -> str:
    from ...gates import start

    if call.confined:
        raise UsageError("this session is sandboxed; run `ultrawork verify` in its own shell")
    with _Opened(call) as store:
        outcome = start.verify(
            store,
            call.room.environ,
            call.room.top,
            session=call["session"] or None,
            by=AGENT,
            seconds=float(call["seconds"]),
            fresh=call["fresh"],
            progress=lambda what, _: call.note(f"running {what}"),
        )
        return outcome.told()


_ALL = (
    Tool(
        "ultrawork_status",
        "What ultrawork decides by: goal, gates, last results, refusals used.",
        status,
        SESSION,
        reads=True,
    ),
    Tool(
        "ultrawork_verify",
        "Run the project's checks on the files as they are and keep the receipts; says what is red.",
        verify,
        {
            **SESSION,
            "seconds": whole("stop running checks after", 1, 3_600, 600),
            "fresh": flag("use no earlier receipt", default=False),
        },
        lane=LANE,
    ),
    Tool(
        "ultrawork_why",
        "Why the last stop was decided as it was, and what would change it.",
        why,
        SESSION,
        reads=True,
    ),
    Tool(
        "ultrawork_next",
        "Do the program's own steps of a planned session and say what comes next.",
        upcoming,
        SESSION,
        lane=LANE,
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
