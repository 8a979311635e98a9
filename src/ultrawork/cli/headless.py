"""Driving a session without a client: the engine set up, the run shown, interrupted and summed up."""

import os

from ..core import check
from ..core.budget import Amount
from ..core.errors import Conflict, UsageError
from ..core.phases import CANCELLED, FAILED
from ..core.rates import Rate
from ..engine import survey
from ..engine.backends import table
from ..engine.drive import Drive
from ..engine.executor import open_executor
from ..engine.ground import Ground
from ..engine.lock import EngineLock
from ..engine.run import KEY, Run, Wishes
from ..engine.tending import DEPTH
from ..engine.terms import Limits
from ..flow import planned
from ..report import news
from ..store import controls, markers, pins, sessions
from . import live, options, starting
from .asking import Asking, Interrupts, attended
from .endings import summed_up
from .flags import NUMBER, SWITCH, Flag
from .result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.session import Session
    from .edge import Edge
    from .flags import Args

LIMITS = (
    Flag("--backend", "which agent program works (auto: the first that is there)", metavar="NAME"),
    Flag("--max-workers", "agents at the same time, 0 for no limit", kind=NUMBER),
    Flag("--max-iterations", "rounds of work and verification", kind=NUMBER),
    Flag("--budget-usd", "money that may be spent, 0 for no limit", metavar="X"),
    Flag("--deadline", "no new work after this time, such as 2h", metavar="TIME"),
    Flag("--barrier", "let a wave of tasks end before the next begins", kind=SWITCH),
    Flag("--skip-verify", "end without verification: UNVERIFIED, never PASS", kind=SWITCH),
)


def new(args: "Args", edge: "Edge", goal: str, **more: object) -> Result:
    """Everything that could refuse is asked before the session exists."""
    from ..gates import pinning

    settings = pinning.settings_now(edge.place, edge.store, edge.environ)
    wishes = _wishes(args, Wishes.configured(settings))
    start = starting.Start(args, edge, goal, settings)
    start.more, start.name = more, os.urandom(4).hex()
    starting.check(start)
    table.choose(wishes.backend, edge.environ)
    survey.checkout(edge.place, edge.environ)
    starting.begin(start)
    _remember(edge, start.name, wishes)
    return drive(edge, start.name)


def _wishes(args: "Args", wishes: Wishes) -> Wishes:
    from ..core.check import duration

    if args.text("--backend") is not None:
        wishes.backend = str(args.text("--backend"))
    if args.text("--budget-usd") is not None:
        wishes.budget_usd = _money(str(args.text("--budget-usd")))
    if args.text("--deadline") is not None:
        wishes.seconds = duration(args.text("--deadline"), "time for --deadline")
    return wishes


def _money(text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < 1e9:
        raise UsageError(f"--budget-usd is {text[:50]!r}; give an amount, 0 for no limit")
    return amount


def again(args: "Args", edge: "Edge", session: "Session") -> Result:
    """Another engine takes the session on, as it was begun and with what is wished now."""
    if session.phase == CANCELLED:
        session = planned.resume(edge.store, session.working_dir, session.id, session)
    if not session.active:
        anew = "exec --restart begins it anew" if session.phase == FAILED else "run begins another"
        raise Conflict(f"session {session.id[:8]} has ended: {session.phase}; ultrawork {anew}")
    _forget_cancel(edge, session.id)
    _remember(edge, session.id, _wishes(args, Wishes.of(session)), options.given(args))
    return drive(edge, session.id)


def _forget_cancel(edge: "Edge", name: str) -> None:
    """Whoever goes on takes back that it was called off."""
    markers.remove(edge.store.home, markers.OFF, name)
    asked = controls.waiting(edge.store.database, name)
    called_off = [one.id for one in asked if one.kind == controls.CANCEL and not one.subject]
    if called_off:
        with edge.store.change(name) as change:
            for number in called_off:
                controls.done(change, number)


def _remember(
    edge: "Edge", name: str, wishes: Wishes, changed: "dict[str, object] | None" = None
) -> None:
    with edge.store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state[KEY] = wishes.document()
        session.options.update(changed or {})
        sessions.save(change, session, "run.wished", wishes.document())


def drive(edge: "Edge", name: str) -> Result:
    shown = live.of(edge.environ, json=edge.json)
    with EngineLock(edge.store.home.session(name)):
        run = _set_up(edge, name, shown)
        painter = live.Painter(shown, edge.store.home, name)
        executor = open_executor("local", run.folder)
        asking = Asking(run, painter, attended=attended(edge))
        drive = Drive(run, executor, _limits(run), asking, attended=asking.attended)
        with Interrupts(run, drive.scheduler), painter:
            session = drive.go()
        return summed_up(run, edge, session, drive.stopped)


def _set_up(edge: "Edge", name: str, shown: live.Lines) -> Run:
    session = sessions.get(edge.store.database, name)
    run = Run(
        edge.store,
        edge.environ,
        name,
        ground=Ground.open(session.working_dir, edge.store.home, name, edge.environ),
        backend=table.choose(Wishes.of(session).backend, edge.environ),
        tell=shown.tell,
    )
    pin = pins.get(edge.store.database, name)
    gates = [gate.name for gate in pin.gates] if pin else []
    run.tell(news.BEGUN, session=name, goal=session.goal, backend=run.backend.name, gates=gates)
    for note in run.ground.notes:
        run.tell(news.NOTE, text=note)
    return run


def _limits(run: Run) -> Limits:
    """The deadline counts from the session's beginning, whichever engine carries it on."""
    session, wishes, settings = run.session, run.wishes, run.settings
    rate = Rate(int(settings["run.per_minute"]), concurrent=int(settings["run.concurrent"]))
    return Limits(
        int(str(session.options["max_workers"])),
        rates={run.backend.name: rate},
        budget=Amount(usd=wishes.budget_usd),
        deadline=session.started_at + wishes.seconds if wishes.seconds else 0.0,
        depth=check.whole(run.environ.get(DEPTH) or "0", f"value of {DEPTH}", 0, 100),
    )
