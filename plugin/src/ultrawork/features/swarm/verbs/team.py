"""A team over a swarm's list: one worker in this process, or a crew of processes; and leading it."""

import os
import signal
import sys
import threading
from collections.abc import Callable

from ....cli.command import Result, render_table, split_list
from ....cli.environment import Args, VerbEnvironment
from ....clients.headless import table
from ....core.check import clean_text, parse_duration, quote, require_task_id
from ....core.errors import EXIT_DONE, EXIT_FAIL, UsageError
from ....core.run.crew import parse_crew
from ....core.times import format_duration, parse_iso
from ....system.program import list_own_start
from ..store.team_mail import DRAIN, SHUTDOWN, TeamMail, list_workers
from ..team.crew import CrewSeat
from ..team.team import Team
from ..team.worker import DRAIN_SECONDS, QUARANTINED, SETTLED, TeammateWishes, TeamWorker
from ..values.team import MOST_ERRORS, WorkerRights
from ..values.wording import format_tally

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def work_in_team(args: Args, env: VerbEnvironment) -> Result:
    name = require_task_id(str(args.text("--team")))
    crew = args.text("--workers")
    return _lead_crew(args, env, name, crew) if crew else _work_alone(args, env, name)


def _work_alone(args: Args, env: VerbEnvironment, name: str) -> Result:
    wishes = _read_wishes(args, env)
    team = Team(env.store, env.environ, env.place, name)
    worker = TeamWorker(team, wishes, _say)
    with _Signals(lambda count: worker.orders.append(DRAIN if count == 1 else SHUTDOWN)):
        why = worker.work()
    return _sum_up(team, why, worker=wishes.name)


def _read_wishes(args: Args, env: VerbEnvironment) -> TeammateWishes:
    settings = env.read_settings()
    backend = table.choose(args.text("--backend") or str(settings["run.backend"]), env.environ)
    drain = args.text("--drain")
    return TeammateWishes(
        name=require_task_id(args.text("--name") or f"{backend.name}-{os.getpid()}"),
        backend=backend.name,
        model=str(settings["models.standard"]),
        rights=WorkerRights(
            tuple(rule for text in args.many("--allow") for rule in split_list(text)),
            tuple(rule for text in args.many("--deny") for rule in split_list(text)),
        ),
        stays=args.on("--stay"),
        drain=parse_duration(drain, "time for --drain") if drain else DRAIN_SECONDS,
        seconds=float(settings["run.agent_deadline"]),
    )


def _sum_up(team: Team, why: str, **more: object) -> Result:
    counts = team.board.counts()
    brought = team.deliver() if why == SETTLED else None
    lines = [f"{why}: {format_tally(counts)}"]
    if brought is not None:
        lines.append(brought.detail)
    elif counts["done"]:
        lines.append(f"merged results are on {team.repository.branch}")
    if why == QUARANTINED:
        lines.append(f"{MOST_ERRORS} errors in a row; see .omc/logs/team-{team.name}.jsonl")
    data = {
        **more, "team": team.name, "why": why, "tasks": counts, "branch": team.repository.branch,
        "delivery": brought.status if brought else None,
    }  # fmt: skip
    well = why != QUARANTINED and not (why == SETTLED and counts["done"] < counts["total"])
    return Result(data, "\n".join(lines), exit=EXIT_DONE if well else EXIT_FAIL)


def _lead_crew(args: Args, env: VerbEnvironment, name: str, crew: str) -> Result:
    """Start a process per seat, so that one that dies affects no other."""
    seats = parse_crew(crew, table.BACKENDS)
    for backend in seats:
        table.choose(backend, env.environ)
    team = Team(env.store, env.environ, env.place, name)
    stop = threading.Event()
    made = [
        CrewSeat(seat, _make_words(args, name, backend, seat), env.place, env.environ, tell=_say, stop=stop)
        for backend, count in seats.items()
        for seat in (f"{backend}-{number}" for number in range(1, count + 1))
    ]

    def obey(count: int) -> None:
        if count == 1:
            _order(env, name, [crew_seat.name for crew_seat in made], DRAIN)
        else:
            stop.set()

    with _Signals(obey) as signals:
        for crew_seat in made:
            crew_seat.start()
        while any(not seat.is_over for seat in made):
            signals.wait()
    workers = {seat.name: {"exit": seat.exit, "deaths": seat.deaths} for seat in made}
    return _sum_up(team, SETTLED if team.is_settled else DRAIN, workers=workers)


def _make_words(args: Args, team: str, backend: str, name: str) -> list[str]:
    words = ["worker", "--team", team, "--backend", backend, "--name", name]
    for flag in ("--allow", "--deny"):
        words += [word for text in args.many(flag) for word in (flag, text)]
    words += ["--drain", str(args.text("--drain"))] if args.text("--drain") else []
    return [*list_own_start(), *words, *(["--stay"] if args.on("--stay") else [])]


class _Signals:
    """Handle signals: the first requests an end soon, the second an end now. `act` is called with which it is."""

    def __init__(self, act: Callable[[int], None]) -> None:
        self._act = act
        self._count = 0
        self._heard = threading.Event()

    def __enter__(self) -> "_Signals":
        self._before = {number: signal.signal(number, self._hear) for number in _SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _hear(self, _number: int, _frame: object) -> None:
        self._count += 1
        self._act(self._count)
        self._heard.set()

    def wait(self) -> None:
        self._heard.wait(0.2)
        self._heard.clear()


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def show_workers(args: Args, env: VerbEnvironment) -> Result:
    name, now = _team(args), env.store.now()
    beats = [TeamMail(env.omc, name, worker).read_beat() for worker in list_workers(env.omc, name)]
    rows = [
        (str(beat.get("worker")), str(beat.get("status")), str(beat.get("task", "")), _age(beat, now))
        for beat in beats
        if beat
    ]
    text = render_table(("WORKER", "STATUS", "TASK", "LAST ACTIVE"), rows)
    return Result({"team": name, "workers": [beat for beat in beats if beat]}, text)


def _age(beat: dict[str, object], now: float) -> str:
    at = parse_iso(str(beat.get("at")))
    return f"{format_duration(max(0.0, now - at))} ago" if at is not None else "never"


def tell_workers(args: Args, env: VerbEnvironment) -> Result:
    name, text = _team(args), clean_text(" ".join(args.rest), "message", 20_000)
    meant = _meant(args, env, name)
    for worker in meant:
        TeamMail(env.omc, name, worker).send(text, env.store.now(), env.store.actor)
    return Result({"told": meant}, f"will be read with the next task: {', '.join(meant)}")


def drain_workers(args: Args, env: VerbEnvironment) -> Result:
    name = _team(args)
    meant = _order(env, name, _meant(args, env, name), DRAIN)
    return Result({"draining": meant}, f"will stop after its task: {', '.join(meant)}")


def stop_workers(args: Args, env: VerbEnvironment) -> Result:
    name = _team(args)
    meant = _order(env, name, _meant(args, env, name), SHUTDOWN)
    return Result({"stopping": meant}, f"stopping now; its task becomes available again: {', '.join(meant)}")


def _order(env: VerbEnvironment, team: str, workers: list[str], order: str) -> list[str]:
    for worker in workers:
        TeamMail(env.omc, team, worker).order(order)
    return workers


def _team(args: Args) -> str:
    return require_task_id(str(args.text("--team")))


def _meant(args: Args, env: VerbEnvironment, team: str) -> list[str]:
    known, name = list_workers(env.omc, team), args.text("--worker")
    if name is not None and name not in known:
        raise UsageError(f"team {team} has no worker {quote(name)}; known: {', '.join(known)}")
    return [name] if name is not None else known
