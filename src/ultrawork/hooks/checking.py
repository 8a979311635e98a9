"""Bringing receipts up to date from a hook: how long each gate may take, and whose receipts count."""

from ..core.patience import TOGETHER, TRIAL
from ..gates.work import HOOK, Work
from ..store import markers, receipts, sessions
from .standing import Standing, from_outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..gates.outcome import Outcome
    from .known import Known

_CUT_OFF = "did not end in"


class Patient(Work):
    """
    A hook's work. A gate that nobody has timed yet gets a minute. A receipt counts if no tool of the
    agent ended since; for gates that no stop can wait for, if none began since: the agent's own
    `ultrawork verify` is all there can be.
    """

    __slots__ = ("_ended", "_known", "_named", "_patient", "_slow", "_untimed")

    def __init__(
        self, known: "Known", *, seconds: float, slow: "Iterable[str]", trial: bool
    ) -> None:
        self._known = known
        self._slow = frozenset(slow)
        self._patient = not trial
        self._untimed = False
        self._named = ""
        event = known.event
        super().__init__(
            event.store,
            known.session,
            root=known.session.working_dir,
            settings=known.settings,
            environ=event.environ,
            by=HOOK,
            seconds=seconds,
            may_run=self._asked,
            progress=self._began,
            trusted_since=known.last_tool(),
            outside=known.outside(),
        )

    def _asked(self, command: str) -> bool:
        """Asked right before a gate is measured."""
        self._named = command
        return command not in self._slow and self._known.may_run(command)

    def _began(self, what: str, usual: float | None) -> None:
        """Heard right before a gate runs; the status line reads it."""
        self._untimed = usual is None and not self._patient
        event = self._known.event
        content = {"gate": what, "began": event.clock(), "usual": usual}
        markers.put(event.home, markers.RUNNING, self.session.id, content)

    @property
    def left(self) -> float:
        return min(super().left, TRIAL) if self._untimed else super().left

    @property
    def trusted_since(self) -> float:
        gates = [gate for gate in self._known.pin.gates if gate.command == self._named]
        long = bool(gates) and self._known.is_long(gates[0])
        return self._known.last_tool(began=True) if long else self._ended

    @trusted_since.setter
    def trusted_since(self, value: float) -> None:
        self._ended = value


def check(
    known: "Known", *, seconds: float, slow: "dict[str, str] | None" = None, trial: bool = True
) -> Standing:
    """Runs what has to run and may; once more if the files moved meanwhile."""
    from ..gates.verify import verify

    slow = slow or {}
    began = known.event.clock()
    commands = [gate.command for gate in known.pin.gates if gate.name in slow]
    work = Patient(known, seconds=seconds, slow=commands, trial=trial)
    try:
        outcome = verify(work, known.pin)
        if not outcome.verdict.facts.settled and work.left > 0:
            outcome = verify(work, known.pin)
    finally:
        markers.remove(known.event.home, markers.RUNNING, known.session.id)
    if trial:
        _waited(known, known.event.clock() - began)
    slow = {**slow, **_cut_off(outcome)} if trial else slow
    return from_outcome(outcome, slow=slow, items=known.open_items())


def stored(known: "Known") -> Standing | None:
    """What the last check found, if that was on these files."""
    document = receipts.last_verdict(known.event.store.database, known.session.id)
    if document is None or document["tree"] != known.tree:
        return None
    return Standing(document, items=known.open_items())


def allowance(known: "Known") -> float:
    """What is left of all the waiting in the stops of one session."""
    return max(0.0, TOGETHER - float(known.ulw.get("waited") or 0.0))


def _cut_off(outcome: "Outcome") -> dict[str, str]:
    """Gates that did not end within their first minute."""
    return {
        one.fact.name: f"{one.fact.reason}, longer than a stop may wait"
        for one in outcome.measured
        if one.fact.reason.startswith(_CUT_OFF)
    }


def _waited(known: "Known", seconds: float) -> None:
    if seconds < 1:
        return
    with known.event.store.change(known.session.id) as change:
        session = sessions.get(change.database, known.session.id)
        ulw: Any = session.state.get("ulw")
        if isinstance(ulw, dict):
            waited = round(float(ulw.get("waited") or 0.0) + seconds, 1)
            session.state["ulw"] = {**ulw, "waited": waited}
            sessions.save(change, session, "stop.waited", {"seconds": round(seconds, 1)})
