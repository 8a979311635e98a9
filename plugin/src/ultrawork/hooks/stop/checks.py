"""Update receipts from a hook: how long each check may take, and whose receipts count."""

from collections.abc import Iterable
from time import monotonic
from typing import Any

from ...core.time_budget import RELATED, SHORTEST_TRIAL, TOGETHER, TRIAL
from ...core.verdict import verdict as verdicts
from ...core.verdict.gate import READERS, Gate
from ...gates.context import HOOK, GateContext
from ...store import markers, receipts, sessions
from ..caller import find_self
from .facts import StopContext
from .message import StopVerdict, make_verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...gates.session.related import RelatedTests


class CutOff(Exception):  # noqa: N818 (it says what happened)
    """An untimed check did not end within its first minute."""

    def __init__(self, gate: str, seconds: float) -> None:
        super().__init__(gate)
        self.gate = gate
        self.why = f"did not finish in {seconds:.0f} s, longer than a stop can wait"


class HookGateContext(GateContext):
    """The context of a hook. An untimed check gets at most a minute of what the stop may still wait. A receipt counts
    if no tool of the agent ended since; for checks that no stop can wait for, if none began since: the agent's own
    `ultrawork verify` is the only source."""

    def __init__(self, known: StopContext, *, seconds: float, slow: Iterable[str], trial: bool) -> None:
        self._known = known
        self._slow = frozenset(slow)
        self._patient = not trial
        self._untimed = False
        self._took = 0.0
        self._trial = TRIAL
        self._budget = float(known.settings["stop.budget"])
        self._room = monotonic() + self._budget
        self._named = self._gate = ""
        self._shown: dict[str, Any] = {}
        event = known.event
        super().__init__(
            event.store,
            known.session,
            root=known.session.working_dir,
            settings=known.settings,
            environ=event.environ,
            by=HOOK,
            seconds=seconds,
            may_run=self._may_run,
            may_run_old=lambda command: command not in self._slow and known.may_run_old(command),
            progress=self._show,
            trusted_since=known.find_last_tool_time(),
            outside=known.find_outside_act(),
        )

    def _may_run(self, command: str) -> bool:
        """Return whether it may run; called right before a check is measured."""
        self._named = command
        return command not in self._slow and self._known.may_run(command)

    def announce(self, gate: str, place: str, usual: float | None) -> None:
        """Announce a check right before it runs, for the status line. A run that is cut off is reported under the
        check's own name."""
        self.raise_if_cut_off()
        self._untimed = usual is None and not self._patient
        least = min(SHORTEST_TRIAL, self._budget)
        self._trial = min(TRIAL, max(least, self._room - monotonic()))
        self._gate, self._took = gate, 0.0
        super().announce(gate, place, usual)

    def _show(self, name: str, usual: float | None) -> None:
        """Record the running check, so that the status line can show it."""
        event = self._known.event
        process = find_self().stamp()
        self._shown = {"gate": name, "began": event.clock(), "usual": usual, "process": process}
        markers.put(event.home, markers.RUNNING, self.session.id, self._shown)

    def note_log(self, path: str, tests: int | None) -> None:
        self._shown |= {"log": path, "tests": tests}
        markers.put(self._known.event.home, markers.RUNNING, self.session.id, self._shown)

    def note_run(self, seconds: float) -> None:
        self._took = seconds

    def raise_if_cut_off(self) -> None:
        """Raise if our clock ended the run: it shows nothing about the files, nor would more runs."""
        if self._untimed and self._took >= self._trial:
            raise CutOff(self._gate, self._trial)

    @property
    def left(self) -> float:
        return min(super().left, self._trial) if self._untimed else super().left

    @property
    def trusted_since(self) -> float:
        gates = [gate for gate in self._known.pin.gates if gate.command == self._named]
        long = bool(gates) and self._known.is_long(gates[0])
        return self._known.find_last_tool_time(began=True) if long else self._ended

    @trusted_since.setter
    def trusted_since(self, value: float) -> None:
        self._ended = value


def run(known: StopContext, *, seconds: float, slow: dict[str, str] | None = None, trial: bool = True) -> StopVerdict:
    """Run the checks that are due and allowed; run them once more if the files changed meanwhile."""
    began = known.event.clock()
    try:
        return _run(known, seconds, slow or {}, trial=trial)
    except CutOff as cut:
        return StopVerdict(_nothing(known), slow={cut.gate: cut.why}, **_describe(known))
    finally:
        markers.remove(known.event.home, markers.RUNNING, known.session.id)
        if trial:
            _waited(known, known.event.clock() - began)


def _run(known: StopContext, seconds: float, slow: dict[str, str], *, trial: bool) -> StopVerdict:
    from ...gates.judge.verify import verify

    commands = [gate.command for gate in known.pin.gates if gate.name in slow]
    work = HookGateContext(known, seconds=seconds, slow=commands, trial=trial)
    outcome = verify(work, known.pin, known.tree)
    work.raise_if_cut_off()
    if not outcome.verdict.facts.settled and work.left > 0:
        outcome = verify(work, known.pin)
    known.seen = outcome.verdict.facts.tree
    return make_verdict(outcome, slow=slow, **_describe(known))


def check_related(known: StopContext, gate: Gate) -> "RelatedTests | None":
    """Run the tests that cover the change, if the whole check takes too long. Return None if they take too long as
    well."""
    from ...gates.session.related import run_related

    seconds = min(RELATED, float(known.settings["stop.budget"]), count_seconds_left(known))
    if seconds < 1:
        return None
    began = known.event.clock()
    work = HookGateContext(known, seconds=seconds, slow=(), trial=False)
    try:
        return run_related(work, known.pin, gate, known.tree)
    finally:
        markers.remove(known.event.home, markers.RUNNING, known.session.id)
        _waited(known, known.event.clock() - began)


def _nothing(known: StopContext) -> dict[str, Any]:
    """Return the verdict if none could be made."""
    facts = verdicts.VerdictFacts(
        session=known.session.id, goal=known.session.goal, base=known.pin.tree, tree=known.tree
    )
    return verdicts.decide(facts).document()


def read_stored(known: StopContext, slow: dict[str, str] | None = None) -> StopVerdict | None:
    """Return what the last check found, if it was on these files."""
    document = receipts.find_last_verdict(known.event.store.database, known.session.id)
    if document is None or document["tree"] != known.tree:
        return None
    return StopVerdict(document, slow=slow or {}, **_describe(known))


def _describe(known: StopContext) -> dict[str, Any]:
    """Return what the text of a verdict needs beside its record."""
    labels = {gate.name: gate.label for gate in known.pin.gates}
    readers = frozenset(gate.name for gate in known.pin.gates if gate.kind in READERS)
    return {"items": known.list_open_items(), "labels": labels, "readers": readers}


def count_seconds_left(known: StopContext) -> float:
    """Return what is left of the waiting time in all stops of a session."""
    return max(0.0, TOGETHER - float(known.ulw.get("waited") or 0.0))


def _waited(known: StopContext, seconds: float) -> None:
    if seconds < 1:
        return
    with known.event.store.change(known.session.id) as change:
        session = sessions.get(change.database, known.session.id)
        ulw = session.state.ulw
        if ulw:
            waited = round(float(ulw.get("waited") or 0.0) + seconds, 1)
            session.state.ulw = {**ulw, "waited": waited}
            sessions.save(change, session, "stop.waited", {"seconds": round(seconds, 1)})
