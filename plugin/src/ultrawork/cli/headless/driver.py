"""Drive a session without a client: set up the engine, show the run, handle interrupts, summarize."""

import os
from functools import partial
from typing import NoReturn

from ...clients.headless import table
from ...core import check
from ...core.check import parse_duration
from ...core.errors import Conflict, UsageError
from ...core.plan.task import BLOCKED, PENDING
from ...core.run.crew import parse_crew
from ...core.run.departure import find_secret_refusal, shorten_list
from ...core.run.prices import Amount
from ...core.run.rate_limits import Rate
from ...core.session.session import CANCELLED, COMPLETE, FAILED, Session
from ...core.wording import count_things
from ...engine.agents.executor import LOCAL, find_executor, open_executor
from ...engine.contract import PAUSED, RETURNED, RunHalted, RunLimits, RunStop
from ...engine.loop.drive import Drive
from ...engine.loop.supervisor import DEPTH_VARIABLE
from ...engine.repository.opening import open_repository, require_checkout
from ...engine.run import EngineLock, HeadlessRun, RunWishes
from ...flow import beginning, retention
from ...gates.session.preparation import list_unready
from ...report import timeline
from ...store import attempts, controls, markers, pins, sessions, tasks
from ...system.program import lend_no_files, list_own_start, stand_apart
from ..command import Result
from ..environment import NUMBER, Args, Flag, VerbEnvironment, read_options, switch
from . import display, new_session
from .display import LivePage
from .ending import forget_work, is_unfinished, name_page, summarize
from .new_session import Interrupts, TerminalQuestions, is_attended

LIMITS = (
    Flag("--backend", "agent CLI to use (auto: the first one installed)", metavar="NAME"),
    Flag("--executor", "where agents run: local, or temporal for several machines", metavar="NAME"),
    Flag("--workers", "agents per CLI, such as claude:2,codex:1", metavar="CREW"),
    Flag("--max-workers", "run at most N agents at a time, 0 for no limit", kind=NUMBER),
    Flag("--max-iterations", "allow at most N rounds of work and verification", kind=NUMBER),
    Flag("--budget-usd", "spend at most X US dollars, 0 for no limit", metavar="X"),
    Flag("--deadline", "start no new work after this time, such as 2h", metavar="TIME"),
    switch("--barrier", "finish one wave of tasks before the next"),
    switch("--include-uncommitted", "allow uncommitted files to be pushed to the cluster's remote"),
    switch("--no-verify", "skip your git hooks and commit signing when merging"),
    switch("--skip-verify", "skip verification; the run ends UNVERIFIED"),
)


def start_session(args: Args, env: VerbEnvironment, goal: str, **more: object) -> Result:
    """Start a session, after everything that could fail was checked."""
    settings = env.read_settings()
    wishes = _wishes(args, RunWishes.from_settings(settings))
    start = new_session.NewSession(args, env, goal, settings, os.urandom(4).hex(), more)
    new_session.check(start)
    for name in wishes.crew or [wishes.backend]:
        table.choose(name, env.environ, elsewhere=wishes.executor != LOCAL)
    find_executor(wishes.executor).require_ready(settings)
    _require_known_cost(wishes, env)
    require_checkout(env.place, env.environ)
    _require_consent(env, wishes, str(settings["cluster.remote"]))
    new_session.begin(start)
    wishes.start_clock(env.store.now())
    _remember(env, start.name, wishes)
    retention.sweep_when_due(env.store, env.environ, partial(forget_work, env))
    return drive(env, start.name, begun=True)


def _wishes(args: Args, wishes: RunWishes) -> RunWishes:
    if args.text("--backend") is not None:
        wishes.backend, wishes.workers = str(args.text("--backend")), ""
    if args.text("--workers") is not None:
        wishes.workers = str(args.text("--workers"))
        wishes.backend = next(iter(parse_crew(wishes.workers, table.BACKENDS)))
    if args.text("--executor") is not None:
        wishes.executor = str(args.text("--executor"))
    wishes.uncommitted = wishes.uncommitted or args.on("--include-uncommitted")
    wishes.no_verify = wishes.no_verify or args.on("--no-verify")
    if args.text("--budget-usd") is not None:
        wishes.budget_usd = _money(str(args.text("--budget-usd")))
    if args.text("--deadline") is not None:
        wishes.seconds = parse_duration(args.text("--deadline"), "time for --deadline")
    return wishes


def _require_consent(env: VerbEnvironment, wishes: RunWishes, remote: str) -> None:
    """Require consent before uncommitted files leave this machine. Files that look like secrets never do."""
    paths = find_executor(wishes.executor).list_leaving(env.place, env.environ)
    refusal = find_secret_refusal(paths)
    if refusal:
        raise Conflict(refusal)
    if not paths or wishes.uncommitted:
        return
    text = f"{count_things(len(paths), 'uncommitted file')} would be pushed to {remote}"
    if not is_attended(env):
        shown = ", ".join(shorten_list(paths)[:3])
        raise Conflict(f"{text}: {shown}; commit or stash, or add --include-uncommitted")
    if not env.has_yes(shorten_list(paths), f"{text}. Push them?", "or --include-uncommitted"):
        raise Conflict("nothing was pushed and no run was started; commit or stash these files first")
    wishes.uncommitted = True


def _require_known_cost(wishes: RunWishes, env: VerbEnvironment) -> None:
    """Reject a budget if the backend does not report costs."""
    names = (wishes.crew or [wishes.backend]) if wishes.budget_usd else ()
    elsewhere = wishes.executor != LOCAL
    for backend in (table.choose(name, env.environ, elsewhere=elsewhere) for name in names):
        if not backend.tells_cost:
            raise UsageError(
                f"{backend.title} does not report costs, so a budget cannot be enforced; omit --budget-usd,"
                " or set --deadline"
            )


def _money(text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < 1e9:
        raise UsageError(f"--budget-usd is {text[:50]!r}; give an amount in US dollars, or 0 for no limit")
    return amount


def resume_session(args: Args, env: VerbEnvironment, session: Session) -> Result:
    """Resume a session with another engine, with its original options and the current ones."""
    returns = int(os.environ.pop(RETURNS, "0"))
    if returns and session.active:
        return drive(env, session.id, returns=returns)
    if session.phase == CANCELLED and not returns:
        session = beginning.resume_mode(env.store, session.working_dir, session.id, session)
    if is_undelivered(env, session):
        return drive(env, session.id)
    if not session.active and session.can_go_on:
        session = beginning.reopen(env.store, session.id)
    if not session.active:
        anew = (
            "restart it: ultrawork exec --restart" if session.phase == FAILED else "start another: ultrawork run GOAL"
        )
        raise Conflict(f"session {session.id[:8]} has ended ({session.phase}); {anew}")
    _forget_cancel(env, session.id)
    _unblock(env, session.id)
    wishes = _wishes(args, RunWishes.from_session(session))
    _require_known_cost(wishes, env)
    wishes.start_clock(env.store.now(), anew=args.text("--deadline") is not None)
    _remember(env, session.id, wishes, read_options(args))
    return drive(env, session.id)


def is_undelivered(env: VerbEnvironment, session: Session) -> bool:
    """Return whether the engine was killed after the verdict but before the results were delivered."""
    ended = session.phase == COMPLETE and bool(session.state.run)
    return ended and not sessions.find_delivery(env.store.database, session.id)


def _forget_cancel(env: VerbEnvironment, name: str) -> None:
    """Withdraw an earlier cancellation before resuming."""
    markers.remove(env.store.home, markers.OFF, name)
    waiting = controls.list_waiting(env.store.database, name)
    called_off = [control.id for control in waiting if control.kind == controls.CANCEL and not control.subject]
    if called_off:
        with env.store.change(name) as change:
            for number in called_off:
                controls.mark_done(change, number)


def _unblock(env: VerbEnvironment, name: str) -> None:
    """Requeue tasks that the engine could not start. Resuming means that the user fixed the cause."""
    with env.store.change(name) as change:
        for task in tasks.list_all(change.database, name):
            rows = attempts.list_of_subject(change.database, name, task.id)
            if task.status == BLOCKED and rows and rows[-1].status == BLOCKED:
                tasks.update(change, task.id, status=PENDING)


def _remember(env: VerbEnvironment, name: str, wishes: RunWishes, changed: dict[str, object] | None = None) -> None:
    remote = "" if wishes.executor == LOCAL else str(env.read_settings()["cluster.remote"])
    wishes.remotes = sorted({*wishes.remotes, remote} - {""})
    with env.store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state.run = wishes.document()
        session.options.update(changed or {})
        sessions.save(change, session, "run.wished", wishes.document())


RETURNS = "ULTRAWORK_RETURNS"
MOST_RETURNS = 20


def drive(env: VerbEnvironment, name: str, *, begun: bool = False, returns: int = 0) -> Result:
    """Run a session. `begun`: it was just created, so a run that could prove nothing does not start. `returns` counts
    restarts of this process after a missing folder came back."""
    shown = display.choose(env.environ, json=env.json)
    stand_apart()
    with EngineLock(env.store.home.session(name)):
        run = _set_up(env, name, shown)
        unready = _tell_unready(run)
        if begun and unready:
            return summarize(run, env, run.session, RunStop(PAUSED, unready))
        drawing = display.DisplayThread(shown, env.store.home, name)
        executor = open_executor(
            run.wishes.executor, run.folder, env.environ, run.settings, lambda line: run.tell(timeline.NOTE, text=line)
        )
        asking = TerminalQuestions(run, drawing, attended=is_attended(env))
        try:
            drive = Drive(run, executor, _limits(run), asking, attended=asking.attended)
        except RunHalted as error:
            return summarize(run, env, run.session, RunStop(PAUSED, str(error)))
        with Interrupts(run, drive.scheduler) as interrupts:
            with drawing, LivePage(env, name, name_page(run)) as page:
                session = drive.go()
            if is_unfinished(session, drive.stopped):
                page.write_last()
            if drive.stopped is not None and drive.stopped.why == RETURNED:
                if returns < MOST_RETURNS:
                    executor.close()
                    _begin_anew(env, session, returns + 1)
                drive.stopped = RunStop(PAUSED, drive.stopped.detail)
            interrupts.bringing = session.phase == COMPLETE
            summary = summarize(run, env, session, drive.stopped)
            if not session.active and not run.settings["cluster.keep_refs"]:
                executor.forget()
            return summary


def _begin_anew(env: VerbEnvironment, session: Session, returns: int) -> NoReturn:
    """Restart this process, because its memory predates the loss of a folder. Keep the pid, so that callers still wait
    for it."""
    program = list_own_start()
    words = ["resume", "--session", session.id, *(["--json"] if env.json else [])]
    os.chdir(session.working_dir)
    os.environ[RETURNS] = str(returns)
    # A lock that one of our threads lent to git belongs to git alone now; otherwise we would wait for ourselves.
    lend_no_files()
    os.execv(program[0], [*program, *words])  # noqa: S606 (ourselves)


def _set_up(env: VerbEnvironment, name: str, shown: display.LineDisplay) -> HeadlessRun:
    session = sessions.get(env.store.database, name)
    wishes = RunWishes.from_session(session)
    run = HeadlessRun(
        env.store,
        env.environ,
        session,
        settings=env.read_settings(session.working_dir),
        repository=open_repository(session.working_dir, env.store.home, name, env.environ, begun_at=session.started_at),
        backend=table.choose(wishes.backend, env.environ, elsewhere=wishes.executor != LOCAL),
        tell=shown.tell,
    )
    pin = pins.get(env.store.database, name)
    gates = [gate.name for gate in pin.gates] if pin else []
    who = run.wishes.workers or run.backend.name
    run.tell(timeline.BEGUN, session=name, goal=session.goal, backend=who, gates=gates, page=name_page(run))
    for note in run.repository.notes:
        run.tell(timeline.NOTE, text=note)
    return run


def _tell_unready(run: HeadlessRun) -> str:
    """Report checks whose program is not installed, each with its fix; return a message if no check remains."""
    pin = pins.get(run.store.database, run.name)
    gates = pin.gates if pin else []
    unready_gates = list_unready(run.store, run.environ, run.session.working_dir, gates)
    for unready_gate in unready_gates:
        run.tell(timeline.UNREADY, gate=unready_gate.gate.name, missing=unready_gate.missing, line=unready_gate.line)
    return unready_gates[0].line if unready_gates and len(unready_gates) == len(gates) else ""


def _limits(run: HeadlessRun) -> RunLimits:
    """Return the limits. A deadline survives a kill; one that had passed restarts at the resume."""
    session, wishes, settings = run.session, run.wishes, run.settings
    rate = Rate(int(settings["run.per_minute"]), concurrent=int(settings["run.concurrent"]))
    return RunLimits(
        int(str(session.options["max_workers"])) or sum(run.crew.values()),
        rates=dict.fromkeys(run.crew or [run.backend.name], rate),
        budget=Amount(usd=wishes.budget_usd),
        deadline=wishes.until,
        depth=check.parse_number(run.environ.get(DEPTH_VARIABLE) or "0", f"value of {DEPTH_VARIABLE}", 0, 100),
    )
