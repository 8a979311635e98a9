"""The user at the terminal of a headless run: questions to them, and their Ctrl-C."""

import signal
import sys
import termios
from threading import Thread
from types import FrameType

from ...core import registry
from ...core.course import steps
from ...core.wording import strip_controls
from ...engine.loop.scheduler import Scheduler
from ...engine.run import HeadlessRun
from ...flow import answers
from ...report import news
from ...report.plan import render_plan
from ...store import tasks
from ..environment import VerbEnvironment
from .display import DisplayThread


def is_attended(env: VerbEnvironment) -> bool:
    return not env.json and bool(sys.stdin and sys.stdin.isatty() and sys.stdout.isatty())


class TerminalQuestions:
    """Asks the user at the terminal; without one, says so."""

    def __init__(self, run: HeadlessRun, display: DisplayThread, *, attended: bool) -> None:
        self._run = run
        self._display = display
        self.attended = attended

    def __call__(self, question: str, options: tuple[str, ...]) -> str:
        if not self.attended:
            return ""
        with self._display.pause():
            try:
                with Interruptible():
                    self._put(question, options)
                    return self._answer(question, options)
            except KeyboardInterrupt:
                return ""

    def _put(self, question: str, options: tuple[str, ...]) -> None:
        _say(self._background(question))
        _drop_typed_ahead()
        _say(question)
        for number, option in enumerate(options, 1):
            _say(f"  {number}  {option}")

    def _answer(self, question: str, options: tuple[str, ...]) -> str:
        if question == steps.REASON[0] or not options:
            return _typed()
        chosen = _chosen(options)
        if self._approves(question) and chosen == options[1]:
            _say("What should be different?")
            answers.send_back(self._run.person, self._run.name, _typed() or chosen)
        return chosen

    @staticmethod
    def _approves(question: str) -> bool:
        return any(question == approval for approval, _ in steps.APPROVAL.values())

    def _background(self, question: str) -> str:
        database, name = self._run.store.database, self._run.name
        if self._run.session.state.lead:
            background: str = registry.ask_lead("find_background")(database, name, question)
            return background
        plan = tasks.list_all(database, name)
        return render_plan(self._run.session, plan) if self._approves(question) else ""


def _drop_typed_ahead() -> None:
    """Discard input that was typed before the question appeared: a plan is approved only after it was seen."""
    try:
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    except (termios.error, ValueError, OSError):
        pass  # no terminal, so nothing was typed


def _typed() -> str:
    sys.stdout.write("> ")
    sys.stdout.flush()
    return sys.stdin.readline().strip()


def _chosen(options: tuple[str, ...]) -> str:
    """Return the option by number or text; ask again after an empty line."""
    while True:
        sys.stdout.write("> ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            return ""
        given = line.strip().lower()
        matches = [
            option
            for number, option in enumerate(options, 1)
            if given and (given == str(number) or option.lower().startswith(given))
        ]
        if len(matches) == 1:
            return matches[0]
        _say(f"type a number from 1 to {len(options)}")


class Interruptible:
    """While the user is asked, Ctrl-C means that they do not want to answer."""

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)


class Interrupts:
    """Ctrl-C once: running work may end, nothing more starts. Twice: stop now. A closed terminal and a shutdown do the
    same. During delivery (`bringing`) it only ends a git hook: half-delivered files would be worse than the short
    wait."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self, run: HeadlessRun, scheduler: Scheduler) -> None:
        self._run = run
        self._scheduler = scheduler
        self._count = 0
        self.bringing = False

    def __enter__(self) -> "Interrupts":
        self._before = {number: signal.signal(number, self._heard) for number in self.SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _heard(self, number: int, _frame: FrameType | None) -> None:
        self._count += 1
        if number == signal.SIGTERM:
            self._run.orders.why = "a SIGTERM ended it"
        if self.bringing:
            self._run.orders.leaving = True
            self._tell("merging the results into your branch; this takes a moment, only a git hook is interrupted")
        elif self._count == 1:
            self._scheduler.finish()
            self._tell("waiting for running agents; press Ctrl-C again to stop now")
        else:
            self._scheduler.stop()

    def _tell(self, text: str) -> None:
        """Print on another thread: we may have interrupted a print in progress."""
        Thread(target=self._run.tell, args=[news.NOTE], kwargs={"text": text}).start()


def _say(text: str) -> None:
    if text:
        sys.stdout.write(strip_controls(text) + "\n")
        sys.stdout.flush()
