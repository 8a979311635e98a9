"""Start a swarm in a session that leads it, or join one; the leader's agents join when started."""

import os

from ....core.errors import Conflict, UltraworkError, UsageError
from ....core.modes import modes as names
from ....core.modes import record
from ....flow import modes
from ....hooks.event import Answer, Event
from ....store import pins, sessions
from ....store.omc.folder import Omc
from ..store.board import ON, STOPPED, Board
from ..store.worker import SwarmWorker, make_worker
from ..values import wording as words
from ..values.tasks import SwarmTask, parse_request


# Its agents have no type that a hook could recognize, so no one could give them tasks.
def _tell_no_leader(event: Event) -> str:
    client = event.adapter
    instead = f"{client.name_skill('team')} GOAL, or {client.name_skill('swarm')} join"
    return f"{client.title} cannot lead a swarm; type {instead}"


def begin(event: Event, _mode: str, given: str) -> Answer:
    if given.strip().lower() == "join":
        return _join(event)
    if not event.adapter.directs_agents:
        raise UsageError(_tell_no_leader(event))
    agents, goal = parse_request(given)
    return _lead(event, agents, goal)


def make_own_worker(event: Event, agent: str = "") -> SwarmWorker:
    """Return the worker of this session: the client's process is our parent, because the launcher replaces itself."""
    return make_worker(event.session, agent=agent, pid=os.getppid())


def find_leader(event: Event, board: Board) -> str:
    """Return the live session that leads; empty if there is none."""
    name = board.get("leader")
    swarm_worker = board.worker(name) if name else None
    if swarm_worker is None or swarm_worker.is_gone:
        return ""
    try:
        session = sessions.get(event.store.database, name)
    except UltraworkError:
        return name  # the session of another state folder: only its process is known
    return name if session.active and names.SWARM in record.read_active(session) else ""


def _lead(event: Event, agents: int, goal: str) -> Answer:
    omc, now = Omc(event.place), event.clock()
    modes.refuse_rivals(event.store, event.place, event.session, names.SWARM)
    board = Board(omc, create=True)
    other = find_leader(event, board)
    if other not in ("", event.session):
        raise Conflict(f"session {other[:8]} leads a swarm here; join it: /ultrawork:swarm join")
    counts = board.counts()
    left = counts["open"] + counts["claimed"]
    goal = goal or (board.get("goal") if left else "")
    if not goal:
        raise UsageError("name a task, for example: /ultrawork:swarm 3 port the tests")
    answer = _armed(event, goal)
    if not left and other != event.session:
        board.clear()
    board.put(state=ON, goal=goal, leader=event.session, agents=str(agents), began_at=repr(now))
    board.join(make_own_worker(event), now)
    facts = {"role": "lead", "agents": agents}
    modes.begin(event.store, event.place, event.session, names.SWARM, facts=facts, now=now)
    if answer is None:
        return Answer()
    gates, first = _gates(event), "".join(answer.message.partition("\n")[1:])
    context = words.brief_leader(goal, agents, "    ".join(gates), event.program, left)
    return Answer(context=context, message=words.announce(agents, gates) + first, title=answer.title)


def _armed(event: Event, goal: str) -> Answer | None:
    from ....hooks.prompt.arming import arm

    return arm(event, goal)


def _gates(event: Event) -> list[str]:
    pin = pins.get(event.store.database, event.session)
    return [f"{gate.name} ({gate.command})" for gate in pin.gates] if pin else []


def _join(event: Event) -> Answer:
    now = event.clock()
    board = Board(Omc(event.place))
    if board.get("state") == STOPPED:
        raise Conflict("the swarm was stopped; continue it: ultrawork swarm start")
    if find_leader(event, board) == event.session:
        raise Conflict("this session leads the swarm; its agents do the tasks")
    modes.refuse_rivals(event.store, event.place, event.session, names.SWARM)
    goal = board.get("goal")
    answer = _armed(event, f"work in the swarm: {goal}" if goal else "work in the swarm")
    modes.begin(event.store, event.place, event.session, names.SWARM, facts={"role": "worker"}, now=now)
    task = take_first(board, make_own_worker(event), now)
    if answer is None:
        return Answer()
    counts = board.counts()
    text = words.describe_task(task, counts) if task is not None else words.tell_no_task(counts)
    return Answer(
        context=f"{words.brief_worker(goal)}\n{text}",
        message=f"ultrawork: in the swarm, {words.format_tally(counts)}. Turn off: ulw off",
        title=answer.title,
    )


def take_first(board: Board, worker: SwarmWorker, now: float) -> SwarmTask | None:
    """Return what it already holds, else the next task: a repeated event takes no second one."""
    held = board.held_by(worker.owner)
    if held:
        board.join(worker, now)
        return held[0]
    return board.claim(worker, now)
