"""`ultrawork demo`: a session on a throw-away repository, in which false claims are caught."""

import os
import sys
from time import monotonic

from ...core import graph, task
from ...core import verdict as verdicts
from ...core.errors import Trouble
from ...core.session import Session
from ...core.times import spoken
from ...gates import pinning, start
from ...report import sessions as report
from ...store import pins, sessions, tasks
from ...system.ask import ask, find_program
from .. import sample
from ..command import Command
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...gates.outcome import Outcome
    from ..edge import Edge
    from ..flags import Args

SESSION = "demo"
_AUTHOR = ["-c", "user.name=demo", "-c", "user.email=demo@example.org"]


def demo(_args: "Args", edge: "Edge") -> Result:
    begun = monotonic()
    folder = f"{edge.store.home.root}/project"
    _say("A sample address book with a bug. A scripted agent: no account, no network.")
    _repository(folder, edge)
    _session(folder, edge)
    _plan(edge)
    caught = [_attempt(folder, edge, *sample.FIRST_TRY), _attempt(folder, edge, *sample.BENT_TEST)]
    _restore(folder, "test_book.py")
    last = _attempt(folder, edge, *sample.REAL_FIX)
    _say("")
    _say(report.proof(edge.store.database, SESSION))
    lies = sum(1 for one in caught if one.value != verdicts.PASS)
    _say(f"\n{last.value}  {lies} false claims caught; {spoken(monotonic() - begun)}, $0.00")
    _say(f"session  {edge.store.home.session(SESSION)}")
    if lies != len(caught) or last.value != verdicts.PASS:
        raise Trouble("the demo did not end as it should; ultrawork doctor may tell why")
    return Result({"verdict": last.value, "caught": lies, "project": folder})


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _repository(folder: str, edge: "Edge") -> None:
    git = find_program("git", edge.environ)
    if git is None:
        raise Trouble("the demo needs git; install it, then make demo")
    os.makedirs(folder, exist_ok=True)
    for name, text in sample.FILES.items():
        _write(folder, name, text)
    for arguments in (
        ["init", "-q"],
        ["add", "-A"],
        [*_AUTHOR, "commit", "-qm", "An address book"],
    ):
        ask([git, "-C", folder, *arguments], env=dict(edge.environ))


def _write(folder: str, name: str, text: str) -> None:
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        file.write(text)


def _restore(folder: str, name: str) -> None:
    _write(folder, name, sample.FILES[name])


def _session(folder: str, edge: "Edge") -> None:
    place = os.path.realpath(folder)
    session = Session(
        id=SESSION,
        goal=sample.GOAL,
        working_dir=place,
        started_at=edge.store.now(),
        options={"auto_mode": True},
    )
    pin = pinning.pin(place, edge.store, edge.environ)
    with edge.store.change(SESSION) as change:
        sessions.create(change, session, force=True)
        pins.save(change, pin)
    gates = ", ".join(f"{gate.name} ({gate.command}, {gate.source})" for gate in pin.gates)
    _say(f"\ngoal     {sample.GOAL}\nbase     {pin.tree[:12]}\ngates    {gates}")


def _plan(edge: "Edge") -> None:
    with edge.store.change(SESSION) as change:
        tasks.create(change, [task.from_plan(entry, now=change.now) for entry in sample.PLAN])
    needs = tasks.needs_of(edge.store.database, SESSION)
    waves = "  |  ".join(", ".join(wave) for wave in graph.waves(needs))
    _say(
        f"plan     {len(needs)} tasks in waves: {waves}\nchain    {' -> '.join(graph.critical_path(needs))}"
    )


def _attempt(folder: str, edge: "Edge", name: str, text: str, claim: str) -> "Outcome":
    """The agent writes and claims; the gates answer."""
    _write(folder, name, text)
    outcome = start.verify(
        edge.store,
        edge.environ,
        os.path.realpath(folder),
        session=SESSION,
        by="person",
        seconds=60.0,
    )
    _say(f'\nagent    "{claim}"  ({name})')
    _say("\n".join(f"         {line}" for line in [outcome.line, *outcome.details()]))
    return outcome


COMMANDS = (
    Command(
        "",
        "Walk through a session on a throw-away repository below the state folder",
        demo,
        example="make demo",
    ),
)
