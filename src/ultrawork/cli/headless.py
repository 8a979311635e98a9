"""Driving a session without a client: the engine set up, the run shown, interrupted and summed up."""

import os
import signal
import sys

from ..core import check, exits, statuses, steps
from ..core import verdict as verdicts
from ..core.budget import Amount
from ..core.errors import Conflict, UsageError
from ..core.phases import COMPLETE, FAILED, PLANNING, PLANNING_COMPLETE
from ..core.rates import Rate
from ..core.times import spoken
from ..engine import survey
from ..engine.backends import table
from ..engine.drive import Drive
from ..engine.executor import open_executor
from ..engine.ground import Ground
from ..engine.lock import EngineLock
from ..engine.run import KEY, Run, Wishes
from ..engine.tending import DEPTH
from ..engine.terms import INTERRUPTED, Limits
from ..flow import answers, begin
from ..report import course, news
from ..store import attempts, pins, sessions, tasks
from . import live, options
from .flags import NUMBER, SWITCH, Flag
from .result import Result
from .verbs.report import write_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from ..core.session import Session
    from ..engine.scheduler import Scheduler
    from ..engine.terms import Stop
    from .edge import Edge
    from .flags import Args

EXITS = {
    verdicts.PASS: exits.DONE,
    verdicts.FAIL: exits.FAIL,
    verdicts.UNVERIFIED: exits.UNVERIFIED,
}
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
    given = {key: settings[f"run.{key}"] for key, _ in options.NUMBERS.values()}
    words = begin.Words({**given, **options.given(args), **more}, goal)
    table.choose(wishes.backend, edge.environ)
    survey.checkout(edge.place, edge.environ)
    name = os.urandom(4).hex()
    begin.begin(edge.store, edge.environ, edge.place, name, words)
    _remember(edge, name, wishes)
    return drive(edge, name)


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
    if not session.active:
        anew = "exec --restart begins it anew" if session.phase == FAILED else "run begins another"
        raise Conflict(f"session {session.id[:8]} has ended: {session.phase}; ultrawork {anew}")
    _remember(edge, session.id, _wishes(args, Wishes.of(session)), options.given(args))
    return drive(edge, session.id)


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
        asking = Asking(run, painter, attended=_attended(edge))
        drive = Drive(run, executor, _limits(run), asking, attended=asking.attended)
        with Interrupts(run, drive.scheduler), painter:
            session = drive.go()
        return _summed_up(run, edge, session, drive.stopped)


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


def _attended(edge: "Edge") -> bool:
    return not edge.json and bool(sys.stdin and sys.stdin.isatty() and sys.stdout.isatty())


class Asking:
    """Puts the program's questions to the person at the terminal; where there is none, says so."""

    __slots__ = ("_painter", "_run", "attended")

    def __init__(self, run: Run, painter: live.Painter, *, attended: bool) -> None:
        self._run = run
        self._painter = painter
        self.attended = attended

    def __call__(self, question: str, options: tuple[str, ...]) -> str:
        if not self.attended:
            return ""
        with self._painter.paused():
            _say(self._background(question))
            _say(question)
            for number, option in enumerate(options, 1):
                _say(f"  {number}  {option}")
            try:
                with Interruptible():
                    return self._answer(question, options)
            except KeyboardInterrupt:
                return ""

    def _answer(self, question: str, options: tuple[str, ...]) -> str:
        if question == steps.REASON[0]:
            return _typed()
        chosen = _chosen(options)
        if self._approves(question) and chosen == options[1]:
            _say("What should be different?")
            answers.send_back(self._run.store, self._run.name, _typed() or chosen)
        return chosen

    @staticmethod
    def _approves(question: str) -> bool:
        return any(question == asked for asked, _ in steps.APPROVAL.values())

    def _background(self, question: str) -> str:
        plan = tasks.listed(self._run.store.database, self._run.name)
        return course.plan(self._run.session, plan) if self._approves(question) else ""


def _typed() -> str:
    sys.stdout.write("> ")
    sys.stdout.flush()
    return sys.stdin.readline().strip()


def _chosen(options: tuple[str, ...]) -> str:
    """By number or by its own words; whoever only presses the return key is asked again."""
    while True:
        sys.stdout.write("> ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            return ""
        given = line.strip().lower()
        found = [
            option
            for number, option in enumerate(options, 1)
            if given and (given == str(number) or option.lower().startswith(given))
        ]
        if len(found) == 1:
            return found[0]
        _say(f"give a number from 1 to {len(options)}")


class Interruptible:
    """While a person is asked, Ctrl-C means that they do not want to answer."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)


class Interrupts:
    """Ctrl-C once: what runs may end, nothing more is started. Twice: stop now."""

    __slots__ = ("_before", "_count", "_run", "_scheduler")

    def __init__(self, run: Run, scheduler: "Scheduler") -> None:
        self._run = run
        self._scheduler = scheduler
        self._count = 0

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGINT, self._heard)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _heard(self, _number: int, _frame: "FrameType | None") -> None:
        self._count += 1
        if self._count == 1:
            self._scheduler.finish()
            self._run.tell(news.NOTE, text="finishing what runs; Ctrl-C again stops now")
        else:
            self._scheduler.stop()


def _summed_up(run: Run, edge: "Edge", session: "Session", stopped: "Stop | None") -> Result:
    """How it ended, where the work is, and where to read more."""
    facts = _facts(run, session)
    if session.active:
        return _unfinished(run, facts, session, stopped)
    delivered = run.ground.deliver().detail if session.phase == COMPLETE else _left(run)
    path = f"{run.folder}/report.html"
    write_page(edge, session, path)
    run.ground.close()
    lines = [_line(facts), f"work     {delivered}", f"report   {path}"]
    data = {**facts, "work": delivered, "report": path}
    return Result(data, "\n".join(lines), exit=EXITS[session.verdict or verdicts.UNVERIFIED])


def _facts(run: Run, session: "Session") -> "dict[str, Any]":
    plan = tasks.listed(run.store.database, run.name)
    spent = attempts.spent(run.store.database, run.name, run.store.now())
    return {
        "session_id": run.name,
        "phase": session.phase,
        "verdict": session.verdict,
        "rounds": session.iteration,
        "tasks": sum(1 for task in plan if not task.is_verify),
        "resolved": sum(
            1 for task in plan if not task.is_verify and task.status == statuses.RESOLVED
        ),
        "attempts": spent.agents,
        "tokens": spent.tokens,
        "cost_usd": spent.usd,
        "seconds": round((session.ended_at or run.store.now()) - session.started_at, 1),
    }


def _line(facts: "dict[str, Any]") -> str:
    return (
        f"{facts['verdict'] or facts['phase']}  {facts['resolved']} of {_count(facts['tasks'], 'task')},"
        f" {_count(facts['attempts'], 'agent')}, {spoken(facts['seconds'])}, ${facts['cost_usd']:.2f}"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _left(run: Run) -> str:
    if run.ground.head() == run.ground.base:
        return "nothing was merged; your files are as they were"
    return f"what was merged is on the branch {run.ground.branch}; your files are as they were"


def _unfinished(
    run: Run, facts: "dict[str, Any]", session: "Session", stopped: "Stop | None"
) -> Result:
    if session.phase in (PLANNING, PLANNING_COMPLETE) and facts["tasks"]:
        shown = course.plan(session, tasks.listed(run.store.database, run.name))
        text = f"{shown}\n\nThe plan stands. ultrawork exec --session {session.id} carries it out."
        return Result(facts, text)
    why = stopped.detail if stopped else "nothing more can be done"
    text = f"Stopped: {why}. ultrawork resume --session {session.id} goes on."
    interrupted = stopped is not None and stopped.why == INTERRUPTED
    status = exits.INTERRUPTED if interrupted else exits.UNVERIFIED
    return Result({**facts, "stopped": why}, text, exit=status)


def _say(text: str) -> None:
    if text:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
