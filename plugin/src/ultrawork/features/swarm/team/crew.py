"""Run a whole crew: a process per seat, restarted with a growing pause when one dies, and drained when the crew should
end."""

import threading
from collections.abc import Callable, Mapping, Sequence

from ....core.errors import EXIT_TROUBLE
from ....system.process import run_program
from ..values.team import choose_back_off

# A signal, or our own trouble; with every other status it explains itself.
_DEATHS = (None, EXIT_TROUBLE)


class CrewSeat:
    """One worker's process, restarted as needed; `stop` is set when it is no longer wanted."""

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        place: str,
        environ: Mapping[str, str],
        *,
        tell: Callable[[str], None],
        stop: threading.Event,
        back_off: Callable[[int], float | None] = choose_back_off,
    ) -> None:
        self.name = name
        self.deaths = 0
        self.exit: int | None = None
        self._argv = list(argv)
        self._place = place
        self._environ = environ
        self._tell = tell
        self._stop = stop
        self._back_off = back_off
        self._thread = threading.Thread(target=self._live, name=name)

    def start(self) -> None:
        self._thread.start()

    def wait(self) -> None:
        self._thread.join()

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def _live(self) -> None:
        while True:
            ended = run_program(
                self._argv, cwd=self._place, env=self._environ, deadline=None,
                on_line=self._tell, should_stop=self._stop.is_set,
            )  # fmt: skip
            self.exit = ended.exit
            if ended.exit not in _DEATHS or self._stop.is_set():
                return
            self.deaths += 1
            pause = self._back_off(self.deaths)
            if pause is None:
                self._tell(f"{self.name}: crashed {self.deaths} times; not restarted")
                return
            self._tell(f"{self.name}: crashed; restarting in {pause:g} s")
            if self._stop.wait(pause):
                return
