"""Whether a merged result may stand: its task's criteria and the pinned gates, run by us on exactly those files."""

from time import monotonic

from ..core.errors import Conflict
from ..core.phases import CANCELLED
from ..core.verdict import FAIL
from ..flow import workers
from ..gates import pinning
from ..gates.verify import verify
from ..gates.work import ENGINE, Work
from ..store import pins, sessions, tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..store.state import Store

SECONDS = 3600.0


class Judge:
    """Criteria first: they are quick, and they are what the worker was told. `checked` is what they came to."""

    __slots__ = ("_environ", "_next", "_session", "_store", "checked")

    def __init__(self, store: "Store", environ: "Mapping[str, str]", session: str) -> None:
        self._store = store
        self._environ = environ
        self._session = session
        self._next = 0.0
        self.checked: workers.Checked | None = None

    def __call__(self, path: str, subject: str) -> tuple[bool, str]:
        task = tasks.get(self._store.database, self._session, subject)
        checked = workers.check(
            self._store, self._environ, self._session, task, by=ENGINE, place=path, tick=self._tick
        )
        self.checked = checked
        return (False, checked.reason) if checked.failed else self.gates(path, subject)

    def gates(self, path: str, _subject: str) -> tuple[bool, str]:
        """Only what is red stops a result; what is not known yet is for the verification of the whole."""
        pin = pins.get(self._store.database, self._session)
        if pin is None or not pin.gates:
            return True, ""
        work = Work(
            self._store,
            sessions.get(self._store.database, self._session),
            root=path,
            settings=pinning.settings_at(path, self._store, self._environ, pin),
            environ=self._environ,
            by=ENGINE,
            seconds=SECONDS,
            tick=self._tick,
        )
        outcome = verify(work, pin)
        return outcome.value != FAIL, "; ".join([outcome.line, *outcome.details()][:4])

    def _tick(self) -> None:
        """A run that was cancelled waits for no check; raising here ends the program that is running."""
        if monotonic() < self._next:
            return
        self._next = monotonic() + 1.0
        if sessions.get(self._store.database, self._session).phase == CANCELLED:
            raise Conflict("the run was cancelled")
