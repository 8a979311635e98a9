"""What a verification works with: whose files, which rules, how long, and who asked."""

from collections.abc import Callable, Mapping
from time import monotonic

from ..clients.confinement import Confinement
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
    from ..clients.confinement import read_confinement

    return read_confinement(environ)


class GateContext:
    """
    `by` mints the receipts. `trusted_since`: an older receipt is not used again (the agent's tools ran
    since). `may_run` is the person's consent, asked for each command. `progress` hears what begins,
    `tick` is called now and then while it runs. `differing` are variables that are not those of the start.
    `confinement` is the sandbox that runs are held to. `strict`: what is red is red, whoever made it so; `quick`: each
    gate runs once, and nothing beside them; `part`: of a work whose whole is verified later, which is then asked how
    strong its proof is.
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
        # What the person or the agent runs by their own act runs as everything else that they run; a variable
        # of the agent's shell names no program to us.
        own = by in (PERSON, AGENT)
        self.confinement: Confinement | None = held or (None if own else _find(environ))
        self.may_run = may_run or (lambda _command: held is None or bool(held.program))
        self.trusted_since = trusted_since
        self.progress = progress or (lambda _what, _usual: None)
        self.tick = tick or (lambda: None)
        self.outside = outside
        self.strict = strict
        self.quick = quick
        self.part = part
        self._end = monotonic() + seconds

    def adopt(self, pin: Pin) -> None:
        """Gates get the variables of the session's start, whoever asks for them but the person himself."""
        if pin.around is None or self.by not in (HOOK, AGENT):
            return
        from ..core.pinned_variables import restore_variables

        given = restore_variables(self.environ, pin.around.variables, pin.around.digests, digest)
        self.environ, self.differing = given.environ, given.differing

    def list_accepted_tests(self) -> list[str]:
        """Tests that the person allowed to be changed: `ulw accept test NAME`."""
        from ..store.ending import list_accepted_tests

        return list_accepted_tests(self.store, self.session.id)

    def announce(self, gate: str, place: str, usual: float | None) -> None:
        """Report that a gate begins; `place` names the copy that it runs in, if it is not the checkout."""
        self.progress(f"{gate} ({place})" if place else gate, usual)

    def note_log(self, path: str, tests: int | None) -> None:
        """Where the output of the gate goes that `progress` has heard of, and how many tests it ran last time."""

    def note_run(self, seconds: float) -> None:
        """How long the gate took that `progress` has heard of."""

    @property
    def left(self) -> float:
        """Seconds that are left for everything."""
        return max(0.0, self._end - monotonic())

    @property
    def cache(self) -> str:
        return self.store.home.cache
