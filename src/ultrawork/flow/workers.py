"""Claims of workers and their ends: a task is resolved by its own criteria, run by us, never by a word."""

from ..core import criteria, speech, statuses
from ..core.gate import FUNCTIONALITY, Gate
from ..core.phrases import hedged
from ..core.results import GREEN
from ..core.wording import cut
from ..gates import pinning
from ..gates.mint import NEW, Copy, mint
from ..gates.work import Work
from ..store import agents, pins, sessions, tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..core.criteria import Criterion
    from ..core.task import Task
    from ..store.state import Store

SECONDS = 240.0


class Checked:
    """What the criteria of a task came to; `unrun` may only be started by the agent."""

    __slots__ = ("failed", "judged", "met", "unrun")

    def __init__(self) -> None:
        self.met: list[str] = []
        self.failed: list[str] = []
        self.judged: list[str] = []
        self.unrun: list[str] = []

    @property
    def reason(self) -> str:
        return "; ".join(self.failed[:2])


def check(
    store: "Store",
    environ: "Mapping[str, str]",
    session: str,
    task: "Task",
    *,
    by: str,
    may_run: "Callable[[str], bool] | None" = None,
    place: str = "",
    tick: "Callable[[], None] | None" = None,
) -> Checked:
    """Runs every criterion of a task that is a command, on the files as they are, there or where the session works."""
    found = sessions.get(store.database, session)
    place = place or found.place
    pin = pins.get(store.database, session)
    settings = (
        pinning.settings_at(place, store, environ, pin)
        if pin is not None
        else pinning.settings_now(place, store, environ)
    )
    work = Work(
        store,
        found,
        root=place,
        settings=settings,
        environ=environ,
        by=by,
        seconds=SECONDS,
        may_run=may_run,
        tick=tick,
    )
    checked = Checked()
    tree = pinning.tree_now(place, store, environ)
    for text in task.criteria:
        _check(work, task, criteria.parse(text), tree, checked)
    return checked


def _check(work: Work, task: "Task", criterion: "Criterion", tree: str, checked: Checked) -> None:
    if criterion.judged:
        checked.judged.append(criterion.text)
        return
    if not work.may_run(criterion.command):
        checked.unrun.append(criterion.text)
        return
    gate = Gate(
        name=f"task {task.id}",
        kind=FUNCTIONALITY,
        argv=["sh", "-c", criterion.command],
        command=criterion.command,
        source=f"task {task.id}",
        reason="a criterion of the plan",
    )
    run = mint(work, gate, Copy(work.root, tree, NEW))
    if criteria.met(criterion, exit=run.document["run"]["exit"], output=run.side.output):
        checked.met.append(f"{criterion.text}: met (#{run.number})")
    else:
        colour = run.side.colour if run.side.colour != GREEN else "not as expected"
        checked.failed.append(
            f"{criterion.text}: {colour} (#{run.number}) {cut(_tail(run.side.output), 200)}"
        )


def _tail(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return " | ".join(lines[-3:])


def settled(checked: Checked, message: str) -> tuple[str, str, list[str]]:
    """Resolved or failed, why, and the evidence; criteria that are all judged leave the agent's words as theirs."""
    evidence = [*checked.met, *(f"{text} (to be judged)" for text in checked.judged)]
    reason = checked.reason or ("its criteria have not run" if checked.unrun else "")
    blocked = speech.blocked(message)
    if not reason and blocked:
        reason = f"the worker says it is blocked: {blocked}"
    if not reason and not checked.met and hedged(message):
        reason = f'nothing was run, and the worker only says "{hedged(message)[0]}"'
    return statuses.FAILED if reason else statuses.RESOLVED, reason, evidence


def finish(store: "Store", session: str, task: "Task", checked: Checked, message: str) -> str:
    status, reason, evidence = settled(checked, message)
    with store.change(session) as change:
        tasks.update(change, task.id, status=status, evidence=evidence, reason=reason or None)
        agents.release(change, task.id)
    return status
