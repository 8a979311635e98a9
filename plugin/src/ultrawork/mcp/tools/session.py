"""The session itself: what is on, what is proved, why it was decided, what comes next."""

from time import time

from ...core.errors import UsageError
from ...core.session.session import Session
from ...store.store import Store
from ..call import ToolCall
from ..tool import Tool, take_flag, take_text, take_whole

AGENT = "agent"
QUEUE = "gates"
SESSION = {"session": take_text("session id or unique prefix; default: this session")}


class ToolStore:
    """The store for one call: a connection belongs to the thread that opened it."""

    def __init__(self, call: ToolCall) -> None:
        from ...store.store import Store

        self.store = Store(call.environment.home, actor=AGENT, clock=time)

    def __enter__(self) -> Store:
        return self.store

    def __exit__(self, *_: object) -> None:
        self.store.database.close()


def _session(call: ToolCall, store: Store) -> Session:
    """Return the named session, else the client's own, else the newest of this checkout."""
    from ...store import sessions

    return sessions.find_meant(store.database, call["session"] or None, call.session, call.environment.top)


def show_status(call: ToolCall) -> str:
    from ...report import status as report
    from ...store import settings as stored

    with ToolStore(call) as store:
        session = _session(call, store)
        settings = stored.load_at(call.environment.environ, store.home, session.working_dir)
        limit = settings["stop.refusals"]
        status = report.read(store, session, limit=limit, now=store.now())
    return report.render(status)


def tell_why(call: ToolCall) -> str:
    from ...report.why import explain_session

    with ToolStore(call) as store:
        return explain_session(store, _session(call, store))[1]


def tell_next(call: ToolCall) -> str:
    from ...flow import own_steps
    from ...flow.course import Course
    from ...store.codec import dumps_pretty

    with ToolStore(call) as store:
        session = _session(call, store)
        course = Course(store, call.environment.environ, session.id, attended=False)
        step = own_steps.advance(course)
    return dumps_pretty({"session_id": session.id, **step.document()}).rstrip()


def verify(call: ToolCall) -> str:
    from ...gates.session import verification

    if call.confined:
        raise UsageError("this session is sandboxed; run `ultrawork verify` in its own shell")
    with ToolStore(call) as store:
        outcome = verification.run(
            store,
            call.environment.environ,
            call.environment.top,
            session=call["session"] or None,
            by=AGENT,
            seconds=float(call["seconds"]),
            fresh=call["fresh"],
            progress=lambda label, _: call.note(f"running {label}"),
        )
        return outcome.describe()


_ALL = (
    Tool(
        "ultrawork_status",
        "Show the session's goal, checks, last results and refusals used.",
        show_status,
        SESSION,
        reads=True,
    ),
    Tool(
        "ultrawork_verify",
        "Run the project's checks on the current files, record the receipts, and list what fails.",
        verify,
        {
            **SESSION,
            "seconds": take_whole("stop running checks after this time", 1, 3_600, 600),
            "fresh": take_flag("run everything again instead of reusing receipts", default=False),
        },
        queue=QUEUE,
    ),
    Tool("ultrawork_why", "Explain the last stop decision and what would change it.", tell_why, SESSION, reads=True),
    Tool(
        "ultrawork_next",
        "Run the program's own steps of a planned session and return the next step.",
        tell_next,
        SESSION,
        queue=QUEUE,
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
