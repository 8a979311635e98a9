"""`ultrawork swarm`: one list of tasks in the worktree that many agents, sessions and scripts claim from."""

from ....cli.command import CHECK_SECONDS, Command, Result, split_list
from ....cli.environment import AGENT, NUMBER, Args, Flag, VerbEnvironment, switch
from ....core import errors
from ....core.check import clean_text, quote
from ....core.errors import Conflict, UsageError
from ....core.modes import modes
from ....core.wording import count_things, cut, join_lines
from ....gates.session.verification import choose_session
from ....store import paths
from ....store.codec import loads
from ....store.omc import states
from .. import report as screens
from ..course import swarm
from ..store.board import ON, STOPPED, Board
from ..store.worker import SwarmWorker
from ..values import tasks as rules
from ..values.wording import describe_outcome, describe_task, describe_verbs

_HOW = "add some with ultrawork swarm add, join with /ultrawork:swarm join"


def _board(env: VerbEnvironment, *, create: bool = False) -> Board:
    return Board(env.omc, create=create)


def start(args: Args, env: VerbEnvironment) -> Result:
    """Start a swarm from a terminal without a leader: whoever ends the last task runs the project's checks."""
    goal = clean_text(" ".join(args.rest), "goal", 2000) if args.rest else ""
    omc, now = env.omc, env.store.now()
    states.refuse_rivals(omc, modes.SWARM, states.SHARED, now)
    board = _board(env, create=True)
    states.show(omc, modes.SWARM, {"active": True}, session=states.SHARED, now=now)
    counts = board.counts()
    if not counts["open"] and not counts["claimed"]:
        board.clear()
        counts = board.counts()
    before = board.get("goal")
    began = {} if counts["total"] else {"began_at": repr(now)}
    board.put(state=ON, goal=goal or before, **began)
    text = f"swarm on: {count_things(counts['total'], 'task')}; {_HOW}{_instead(goal, before)}"
    return Result({"state": ON, "goal": goal or before, "was": before, "tasks": counts}, text)


def _instead(goal: str, before: str) -> str:
    """Report the goal that was replaced."""
    return f"\nits goal was: {cut(join_lines(before), 80)}" if goal and before not in ("", goal) else ""


def add(args: Args, env: VerbEnvironment) -> Result:
    given = _listed(args, env) if args.on("--from") else [_one(args, env)]
    tasks = _board(env).add([rules.parse_swarm_task(task) for task in given], env.store.now())
    names = ", ".join(task.id for task in tasks[:10]) + (", …" if len(tasks) > 10 else "")
    text = f"task {names}: {tasks[0].subject}" if len(tasks) == 1 else f"{len(tasks)} tasks: {names}"
    return Result({"tasks": [task.document() for task in tasks]}, text)


def _one(args: Args, env: VerbEnvironment) -> dict[str, object]:
    priority = args.text("--priority")
    try:
        number = int(priority or 0)
    except ValueError:
        raise UsageError(f"{quote(priority)} is not a priority; give a whole number") from None
    return {
        "id": args.text("--id") or "",
        "subject": " ".join(args.rest),
        "description": env.read(args.text("--description") or "", "description"),
        "check": args.text("--check") or "",
        "needs": split_list(args.text("--needs")),
        "files": split_list(args.text("--files")),
        "priority": number,
    }


def _listed(args: Args, env: VerbEnvironment) -> list[dict[str, object]]:
    try:
        document = loads(env.read_named(str(args.text("--from")), "list"))
    except ValueError:
        document = None
    tasks = document.get("tasks") if isinstance(document, dict) else document
    if not isinstance(tasks, list) or not tasks or not all(isinstance(task, dict) for task in tasks):
        raise UsageError('the list is not JSON of tasks; write {"tasks": [{"subject": "..."}]}')
    return tasks


def claim(args: Args, env: VerbEnvironment) -> Result:
    board = _board(env)
    lease = rules.parse_lease(args.text("--lease") or rules.LEASE)
    task = board.claim(_worker(args, env, board), env.store.now(), lease=lease)
    if task is None:
        counts = board.counts()
        text = f"{_none(board)}: {counts['open']} open, {counts['claimed']} in progress"
        return Result({"task": None, "tasks": counts}, text, exit=errors.EXIT_NOTHING)
    return Result({"task": task.document()}, describe_task(task, board.counts(), describe_verbs(task)))


def _none(board: Board) -> str:
    if board.get("state") == STOPPED:
        return "the swarm is stopped (restart it: ultrawork swarm start)"
    return "no task is ready"


def _owner(args: Args, env: VerbEnvironment) -> str:
    given = args.text("--owner") or paths.find_client_session(env.environ)
    return clean_text(given or env.environ.get("USER") or "person", "owner", 200)


def _worker(args: Args, env: VerbEnvironment, board: Board) -> SwarmWorker:
    """Return the worker: in a client's shell the client's process, known since it joined; else the named one."""
    owner, session = _owner(args, env), paths.find_client_session(env.environ)
    joined = board.worker(session) if session else None
    pid = args.number("--pid", low=1, high=2**22)
    if pid is None and joined is not None:
        return SwarmWorker(owner, session=session, host=joined.host, pid=joined.pid, began=joined.began)
    return SwarmWorker(owner, session=session or owner, pid=pid or 0)


def beat(args: Args, env: VerbEnvironment) -> Result:
    owner = _owner(args, env)
    lease = rules.parse_lease(args.text("--lease") or rules.LEASE)
    held = _board(env).beat(owner, env.store.now(), lease=lease)
    status = errors.EXIT_DONE if held else errors.EXIT_NOTHING
    return Result({"owner": owner, "held": held}, f"{owner}: {held} held", exit=status)


def finish(args: Args, env: VerbEnvironment) -> Result:
    """Run the task's check; done if it passes, else it goes back with the reason."""
    board = _board(env)
    held = board.held(_name(args), _token(args))
    session, _ = choose_session(env.store, env.environ, env.place)
    check = swarm.SwarmCheck(env.store, env.environ, env.place, session, by=env.store.actor, seconds=CHECK_SECONDS)
    ended = swarm.settle_task(board, held, check, now=env.store.now())
    if held.check and env.store.actor == AGENT:
        swarm.record_consent(env.store, env.place, held.check)
    status = errors.EXIT_DONE if ended.status == rules.DONE else errors.EXIT_FAIL
    return Result({"task": ended.document()}, describe_outcome(ended), exit=status)


def _name(args: Args) -> str:
    if not args.rest:
        raise UsageError("name a task; list them: ultrawork swarm status")
    return args.rest[0]


def _token(args: Args) -> int:
    return args.number("--token", low=1) or 0


def fail(args: Args, env: VerbEnvironment) -> Result:
    reason = clean_text(args.text("--reason") or "", "reason", 2000)
    task = _board(env).fail(_name(args), _token(args), reason, env.store.now())
    return Result({"task": task.document()}, describe_outcome(task))


def show_status(args: Args, env: VerbEnvironment) -> Result:
    board, now = _board(env), env.store.now()
    board.reclaim(now)
    if args.rest:
        task = board.task(args.rest[0]).document()
        return Result(task, screens.render_task(task, now))
    status = screens.read(board, now)
    return Result(status, screens.render(status, everything=args.on("--all")))


def stop(_args: Args, env: VerbEnvironment) -> Result:
    board, now = _board(env), env.store.now()
    board.put(state=STOPPED)
    states.show(env.omc, modes.SWARM, {"active": False}, session=states.SHARED, now=now)
    counts = board.counts()
    text = (
        f"swarm stopped: no more tasks are assigned, {counts['claimed']} still in progress\n"
        "Restart it: ultrawork swarm start"
    )
    return Result({"state": STOPPED, "tasks": counts}, text)


def clear(args: Args, env: VerbEnvironment) -> Result:
    board = _board(env)
    held = board.counts()["claimed"]
    if held and not args.on("--force"):
        raise Conflict(
            f"{count_things(held, 'task')} in progress; wait for the end, or delete all: ultrawork swarm clear --force"
        )
    count = board.clear()
    return Result({"cleared": count}, f"{count_things(count, 'task')} forgotten")


_OWNER = Flag("--owner", "owner (default: the client's session, else you)", metavar="NAME")
_LEASE = Flag("--lease", "how long the task is reserved (15m)", metavar="TIME")
_TOKEN = Flag("--token", "number of your lease", kind=NUMBER, required=True)
COMMANDS = (
    Command(
        "start",
        "Start a swarm in this worktree, or continue the existing one",
        start,
        rest="[GOAL]",
        example='ultrawork swarm start "port the tests to pytest"',
    ),
    Command(
        "add",
        "Add one task or a whole list",
        add,
        flags=(
            Flag("--id", "its id (default: the next number)", metavar="ID"),
            Flag("--description", "the full description, or - for standard input"),
            Flag("--check", "command that passes when the task is done", metavar="COMMAND"),
            Flag("--needs", "tasks that must be done first", metavar="ID,ID"),
            Flag("--files", "files that only this task may change while it runs", metavar="A,B"),
            Flag("--priority", "higher goes first (0)", metavar="N"),
            Flag("--from", 'a list {"tasks": [{"subject": ...}]}, or -', metavar="FILE|-"),
        ),
        rest="SUBJECT",
        example='ultrawork swarm add "Port test_a" --check "pytest tests/test_a.py" --files tests/test_a.py',
    ),
    Command(
        "claim",
        "Claim the next ready task; exit 4 if there is none",
        claim,
        flags=(_OWNER, _LEASE, Flag("--pid", "your process; the lease ends with it", kind=NUMBER)),
        example="ultrawork swarm claim --owner w1 --pid $$ --json",
    ),
    Command("beat", "Renew your leases", beat, flags=(_OWNER, _LEASE), example="ultrawork swarm beat --owner w1"),
    Command(
        "done",
        "Report a task as done; its check runs and decides",
        finish,
        flags=(_TOKEN,),
        rest="ID",
        example="ultrawork swarm done 7 --token 1",
    ),
    Command(
        "fail",
        "Give a task back; after five failures it is not offered again",
        fail,
        flags=(_TOKEN, Flag("--reason", "why it failed", required=True)),
        rest="ID",
        example='ultrawork swarm fail 7 --token 1 --reason "the fixture is missing"',
    ),
    Command(
        "status",
        "Show progress, workers and failures, or one task",
        show_status,
        flags=(switch("--all", "all tasks"),),
        rest="[ID]",
        example="ultrawork swarm status",
    ),
    Command("stop", "Offer no more tasks; running ones may finish", stop, example="ultrawork swarm stop"),
    Command(
        "clear",
        "Delete all tasks",
        clear,
        flags=(switch("--force", "even while tasks are running"),),
        example="ultrawork swarm clear",
    ),
)
