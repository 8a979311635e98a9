"""Everything that one verification works with: files, rules, time and the caller."""

from collections.abc import Callable, Mapping
from time import monotonic

from ..clients.confinement import Confinement, read_confinement
from ..core.session.session import Session
from ..store.codec import digest
from ..store.pins import Pin
from ..store.settings import Settings
from ..store.store import Store

HOOK = "hook"
PERSON = "person"
ENGINE = "engine"
AGENT = "agent"


def _find(environ: Mapping[str, str]) -> Confinement | None:
    return read_confinement(environ)


class GateContext:
    """
    The inputs of one verification. `by` is recorded in the receipts. Receipts older than `trusted_since` are not
    reused, because the agent's tools ran since then. `may_run` asks for the user's consent to each command, `may_run_old` to the command as it was defined at the start.
    `progress` is called when a run starts, `tick` from time to time while it runs. `differing` lists variables
    that changed since the start. `confinement` is the sandbox for runs. `strict` counts every failure, no matter
    who caused it. `quick` runs each check once and nothing else. `part` marks work whose whole is verified later,
    including its strength.
    """

    def __init__(
        self,
        store: Store,
        session: Session,
        *,
        root: str,
        settings: Settings,
        environ: Mapping[str, str],
        by: str,
        seconds: float,
        may_run: Callable[[str], bool] | None = None,
        may_run_old: Callable[[str], bool] | None = None,
        trusted_since: float = 0.0,
        progress: Callable[[str, float | None], None] | None = None,
        tick: Callable[[], None] | None = None,
        outside: str = "",
        strict: bool = False,
        quick: bool = False,
        part: bool = False,
        held: Confinement | None = None,
    ) -> None:
        self.store = store
        self.session = session
        self.root = root
        self.settings = settings
        self.environ = environ
        self.differing: list[str] = []
        self.by = by
        # What the user or the agent runs directly uses their own environment; a variable
        # of the agent's shell names no program to us.
        own = by in (PERSON, AGENT)
        self.confinement: Confinement | None = held or (None if own else _find(environ))
        self.may_run = may_run or (lambda _command: held is None or bool(held.program))
        self.may_run_old = may_run_old or self.may_run
        self.trusted_since = trusted_since
        self.progress = progress or (lambda _what, _usual: None)
        self.tick = tick or (lambda: None)
        self.outside = outside
        self.strict = strict
        self.quick = quick
        self.part = part
        self._end = monotonic() + seconds

    def adopt(self, pin: Pin) -> None:
        """Run checks with the environment of the session's start, unless the user runs them directly."""
        if pin.around is None or self.by not in (HOOK, AGENT):
            return
        from ..core.agent_variables import restore_variables

        restored = restore_variables(self.environ, pin.around.variables, pin.around.digests, digest)
        self.environ, self.differing = restored.environ, restored.differing

    def list_accepted_tests(self) -> list[str]:
        """Return the tests that the user allowed to be changed with `ulw accept test NAME`."""
        from ..store.ending import list_accepted_tests

        return list_accepted_tests(self.store, self.session.id)

    def announce(self, gate: str, place: str, usual: float | None) -> None:
        """Report that a check starts. `place` names the copy it runs in, if it is not the checkout."""
        self.progress(f"{gate} ({place})" if place else gate, usual)

    def note_log(self, path: str, tests: int | None) -> None:
        """Note where the running check writes its output, and how many tests it ran last time."""

    def note_run(self, seconds: float) -> None:
        """Record how long the check took that `progress` announced."""

    @property
    def left(self) -> float:
        """Return the seconds left for the whole verification."""
        return max(0.0, self._end - monotonic())

    @property
    def cache(self) -> str:
        return self.store.home.cache
