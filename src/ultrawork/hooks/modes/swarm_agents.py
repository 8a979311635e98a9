"""Agents of a session that leads a swarm: each gets a task when it begins, and the next one when it would end."""

from ...core import stop as rules
from ...core import swarm_words as words
from ...core.swarm import SEND
from ...core.swarm_tasks import BEAT
from ...store import decisions, sessions, trace
from ...store.omc.place import Omc
from ...store.omc.swarm import Board
from .. import consenting
from ..answer import Answer
from ..leash import Leash
from .swarm import first, me
from .swarm_stop import LONGEST, judge_of, settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event


def began(event: "Event") -> Answer | None:
    """Its first task comes with its beginning."""
    board = _board(event)
    if board is None:
        return None
    task = first(board, me(event, event.text("agent_id")), event.clock())
    counts = board.counts()
    told = words.handed(task, counts) if task is not None else words.nothing(counts)
    return Answer(context=f"{words.join(board.get('goal'))}\n{told}")


def ended(event: "Event") -> Answer | None:
    """What it held is settled; while there is a task for it, it goes on."""
    board = _board(event)
    if board is None:
        return None
    session = sessions.get(event.store.database, event.session)
    worker = me(event, event.text("agent_id"))
    may_run = consenting.asker(event, session, trace.everything(event.home, event.session))
    with Leash(LONGEST) as leash:
        judge = judge_of(event, session, may_run, seconds=leash.left - 30.0)
        told, asked = settle(board, event, judge, worker.owner)
        if asked is not None:
            return _send(event, asked.id, words.asked(asked, event.program))
        task = board.claim(worker, event.clock())
    if task is None:
        board.give_back(event.session, event.clock(), agent=worker.agent)
        return None
    return _send(event, task.id, "\n".join([*told, words.handed(task, board.counts())]))


def _board(event: "Event") -> Board | None:
    """None if the agent is no worker of a swarm that this session leads."""
    if not event.text("agent_id") or event.text("agent_type") not in words.AGENT_TYPES:
        return None
    board = Board(Omc(event.place))
    return board if board.get("leader") == event.session else None


def _send(event: "Event", task: str, text: str) -> Answer:
    decision = rules.Decision(SEND, "swarm-agent", f"task {task} is the next one", "do it")
    with event.store.change(event.session) as change:
        decisions.add(
            change,
            decision,
            event="SubagentStop",
            tree=event.text("agent_id"),
            text=text,
            counts=False,
        )
    return Answer(block=text)


def brief(event: "Event") -> Answer | None:
    """The task that this session holds, whole; or that it leads, and how far all are."""
    board = Board(Omc(event.place), patience=1.0)
    counts = board.counts()
    board.join(me(event), event.clock())
    held = board.held_by(event.session)
    if held:
        return Answer(context=words.handed(held[0], counts))
    role = "You lead a swarm" if board.get("leader") == event.session else "You work in a swarm"
    return Answer(
        context=f"{role}: {words.tally(counts)}. `{event.program} swarm status` tells more."
    )


def beat(event: "Event") -> None:
    """Most tool calls come soon after another one, and then only a look is taken, which waits for nobody."""
    board = Board(Omc(event.place), patience=1.0)
    owner = me(event, event.text("agent_id")).owner
    seen = board.seen_at(owner)
    if seen is not None and event.clock() - seen >= BEAT:
        board.beat(owner, event.clock())


def left(event: "Event") -> None:
    """The end of a session: whoever is still at work takes over what it held."""
    Board(Omc(event.place)).give_back(event.session, event.clock())
