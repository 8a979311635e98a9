"""Sessions in a swarm and their agents: each agent gets a task when it starts and the next one when it would end;
claims are kept while it runs, and returned at the end."""

from ....core.errors import UltraworkError
from ....hooks import consent
from ....hooks.event import Answer, Event
from ....hooks.process import HookDeadline
from ....store import decisions, sessions, trace
from ....store.omc.folder import Omc
from ..store.board import Board
from ..values import wording as words
from ..values.stop import decide_next_task
from ..values.tasks import BEAT, DONE
from .begin import make_own_worker, take_first
from .stop import LONGEST, make_judge, settle


def hand_first_task(event: Event) -> Answer | None:
    """Give an agent its first task when it starts."""
    board = _board(event)
    if board is None:
        return None
    task = take_first(board, make_own_worker(event, event.text("agent_id")), event.clock())
    counts = board.counts()
    text = words.describe_task(task, counts) if task is not None else words.tell_no_task(counts)
    return Answer(context=f"{words.brief_worker(board.get('goal'))}\n{text}")


def hand_next_task(event: Event) -> Answer | None:
    """Settle what it held; while there is a task for it, it continues."""
    board = _board(event)
    text = _choose_next(event, board) if board is not None else ""
    return Answer(block=text) if text else None


def hand_to_teammate(event: Event) -> Answer | None:
    """Do the same for a teammate of the client, of any name: one that would become idle continues."""
    if not event.text("agent_id"):
        return None
    board = Board(Omc(event.place))
    text = _choose_next(event, board) if board.get("leader") == event.session else ""
    return Answer(wake=text) if text else None


def _choose_next(event: Event, board: Board) -> str:
    """Return what an agent that ended its turn should do; empty if there is nothing."""
    session = sessions.get(event.store.database, event.session)
    worker = make_own_worker(event, event.text("agent_id"))
    may_run = consent.make_asker(event, session, trace.read_all(event.home, event.session))
    with HookDeadline(LONGEST) as deadline:
        judge = make_judge(event, session, may_run, seconds=deadline.left - 30.0)
        outcomes, swarm_task = settle(board, event, judge, worker.owner)
        if swarm_task is not None:
            return _send(event, swarm_task.id, words.ask_for_check(swarm_task, event.program))
        task = board.claim(worker, event.clock())
    if task is None:
        board.give_back(event.session, event.clock(), agent=worker.agent)
        return ""
    return _send(event, task.id, "\n".join([*outcomes, words.describe_task(task, board.counts())]))


def refuse_red_task(event: Event) -> Answer | None:
    """Refuse to complete an item of the client's list that names our task until its check passes."""
    from ....core.course.steps import find_item_task

    board = Board(Omc(event.place))
    known = {swarm_task.id: swarm_task.subject for swarm_task in board.tasks()}
    named = find_item_task(event.text("task_subject"), event.text("task_description"), known)
    task = board.task(named) if named else None
    if task is None or task.status == DONE or not task.check:
        return None
    session = sessions.get(event.store.database, event.session)
    may_run = consent.make_asker(event, session, trace.read_all(event.home, event.session))
    if not may_run(task.check):
        text = f"task {task.id} is not done: run `{task.check}` first, and complete the task when it passes"
        return Answer(wake=f"ultrawork: {text}")
    with HookDeadline(LONGEST) as deadline:
        judge = make_judge(event, session, may_run, seconds=deadline.left - 30.0)
        green, report = judge.run(task)
    return None if green else Answer(wake=f"ultrawork: task {task.id} is not done: {report}")


def _board(event: Event) -> Board | None:
    """Return the list; None if the agent is not a worker of a swarm that this session leads."""
    if not event.text("agent_id") or event.text("agent_type") not in words.AGENT_TYPES:
        return None
    board = Board(Omc(event.place))
    return board if board.get("leader") == event.session else None


def _send(event: Event, task: str, text: str) -> str:
    decision = decide_next_task(task)
    with event.store.change(event.session) as change:
        decisions.add(change, decision, event=event.name, tree=event.text("agent_id"), text=text, counts=False)
    return text


def tell_task(event: Event) -> Answer | None:
    """Return, after compaction or resuming, the task that this session holds; or that it leads, and the progress."""
    board = Board(Omc(event.place), patience=1.0)
    counts = board.counts()
    board.join(make_own_worker(event), event.clock())
    held = board.held_by(event.session)
    if held:
        return Answer(context=words.describe_task(held[0], counts))
    role = "You lead a swarm" if board.get("leader") == event.session else "You work in a swarm"
    return Answer(context=f"{role}: {words.format_tally(counts)}. Details: `{event.program} swarm status`")


def beat(event: Event) -> None:
    """Renew the lease. Most tool calls follow another one soon, and then it is only read, which waits for no one. A
    missing or busy list is reported at the next stop, not during the work."""
    try:
        board = Board(Omc(event.place), patience=1.0)
        owner = make_own_worker(event, event.text("agent_id")).owner
        seen = board.seen_at(owner)
        if seen is not None and event.clock() - seen >= BEAT:
            board.beat(owner, event.clock())
    except UltraworkError:
        pass


def give_back_all(event: Event) -> None:
    """Return everything at the end of a session, so that running workers can take over."""
    Board(Omc(event.place)).give_back(event.session, event.clock())
