"""Beginning a planned session from the words that a person typed after the command."""

from ..core import check, delegation, statuses
from ..core.errors import Conflict, NotFound, UsageError
from ..core.options import MOST, NUMBERS
from ..core.options import SWITCHES as WISHES
from ..core.phases import FAILED, PLANNING
from ..core.session import FULL, Session
from ..gates import pinning
from ..store import pins, sessions, settings, tasks
from .abandon import abandon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..store.change import Change
    from ..store.state import Store

SWITCHES = {**WISHES, "--restart": "restart", "--force": "force", "--help": "help"}
TEXTS = {"--session": "session"}
_KEYS = {**{word: key for word, (key, _) in NUMBERS.items()}, **TEXTS}
USAGE = "[--auto] [--max-workers N] [--max-iterations N] [--skip-verify] [--plan-only] [--barrier] <goal>"


class Words:
    """Flags first, then the goal word for word: it may hold quotes, dashes and brackets."""

    __slots__ = ("goal", "options")

    def __init__(self, options: "dict[str, Any]", goal: str) -> None:
        self.options = options
        self.goal = goal


def parse(text: str) -> Words:
    options: dict[str, Any] = {}
    rest = text.strip()
    while rest.startswith("--"):
        word, _, rest = rest.partition(" ")
        rest = rest.lstrip()
        if word in SWITCHES:
            options[SWITCHES[word]] = True
        elif word in NUMBERS or word in TEXTS:
            value, _, rest = rest.partition(" ")
            rest = rest.lstrip()
            options[_KEYS[word]] = _value(word, value)
        else:
            close = check.nearest(word, [*SWITCHES, *NUMBERS, *TEXTS])
            hint = f"did you mean {close}?" if close else f"known: {USAGE}"
            raise UsageError(f"no flag {check.shown(word)}; {hint}")
    return Words(options, rest.strip().strip('"'))


def _value(word: str, value: str) -> object:
    if not value:
        raise UsageError(f"{word} requires a value")
    if word in TEXTS:
        return check.session_id(value)
    return check.whole(value, f"value for {word}", NUMBERS[word][1], MOST)


def begin(
    store: "Store",
    environ: "Mapping[str, str]",
    place: str,
    name: str,
    words: Words,
    *,
    fill: "Callable[[Change, Session], None] | None" = None,
) -> Session:
    """
    The session, its base and its gates in one transaction; a checkout has one planned session at a time.
    `fill` puts a plan into it that is there already.
    """
    _refuse_second(store, place, name)
    known = ("auto_mode", "skip_verify", "plan_only", "barrier", "max_workers", "max_iterations")
    session = Session(
        id=check.session_id(name),
        goal=check.text(words.goal, "goal"),
        working_dir=place,
        options={key: words.options[key] for key in known if key in words.options},
        started_at=store.now(),
    )
    session.state["delegation"] = level(store, environ, session)
    pin = pinning.pin(place, store, environ)
    with store.change(name) as change:
        sessions.create(change, session, force=bool(words.options.get("force")))
        pins.save(change, pin)
        if fill is not None:
            fill(change, session)
    return session


def level(store: "Store", environ: "Mapping[str, str]", session: Session) -> str:
    """How strictly work is delegated: as the person asked in the goal, else as it is configured now."""
    if delegation.wants_direct(session.goal):
        return delegation.OFF
    place = session.working_dir
    found = settings.load(environ, store.home, lambda name: settings.read_file(f"{place}/{name}"))
    return str(found["delegation.level"])


def _refuse_second(store: "Store", place: str, name: str) -> None:
    for other in sessions.listed(store.database):
        if other.active and other.kind == FULL and other.working_dir == place and other.id != name:
            raise Conflict(
                f'session {other.id[:8]} "{other.goal[:40]}" is active in this checkout; work in another'
                " worktree (git worktree add), or end it: ultrawork cancel"
            )


def resume(store: "Store", place: str, name: str, words: Words) -> Session:
    """`ultrawork-exec`: a plan that stands is approved by being executed; a failed one needs `--restart`."""
    wanted = words.options.get("session") or name
    try:
        session = sessions.find(store.database, str(wanted), place)
    except NotFound:
        session = sessions.find(store.database, None, place)
    if session.state.get("modes"):
        from . import planned

        session = planned.resume(store, session.working_dir, name, session)
    abandon(store, session.id, "the client that ran it is gone")
    with store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        if current.phase == FAILED and words.options.get("restart"):
            _queue_failed(change)
        _prepare(current, words, change.now)
        sessions.save(change, current, "session.resumed", {"phase": current.phase})
    return current


def _queue_failed(change: "Change") -> None:
    """A new run tries again what failed; how often it was tried stays."""
    for task in tasks.listed(change.database, change.session, status=statuses.FAILED):
        tasks.update(change, task.id, status=statuses.PENDING)


def _prepare(session: Session, words: Words, now: float) -> None:
    from ..core import phases
    from ..core.times import iso

    for key in ("max_iterations", "skip_verify", "barrier"):
        if key in words.options:
            session.options[key] = words.options[key]
    session.options["plan_only"] = False
    if session.phase == phases.PLANNING_COMPLETE or _waits_for_approval(session):
        session.plan = {**session.plan, "approved_at": session.plan.get("approved_at") or iso(now)}
    if session.phase == phases.FAILED:
        if not words.options.get("restart"):
            raise Conflict("this session failed; ultrawork-exec --restart begins a new run of it")
        session.phase, session.iteration, session.run = phases.EXECUTION, 1, session.run + 1
        session.ended_at, session.verdict = None, None
    if session.phase in (phases.COMPLETE, phases.CANCELLED):
        raise Conflict(f"this session is {session.phase}; begin a new one")


def _waits_for_approval(session: Session) -> bool:
    planned = session.phase == PLANNING and bool(session.plan.get("created_at"))
    return planned and not session.state.get("plan_errors")
