"""Start a headless run by its mode: from a goal, or a goal that is worked on in rounds; features have their own. And
the user at its terminal: questions to them, and their Ctrl-C."""

import signal
import sys
import termios
from collections.abc import Callable
from dataclasses import dataclass
from threading import Thread
from types import FrameType

from ...core import registry
from ...core.course import steps
from ...core.errors import UsageError
from ...core.modes import modes
from ...core.modes.modes import AUTOPILOT, RALPH, SWARM, TEAM, ULTRAPILOT, ULTRAQA, ULTRAWORK
from ...core.modes.tables import LOOPS
from ...core.session.session import OPTION_NUMBERS, Session
from ...core.wording import strip_controls
from ...engine.loop.scheduler import Scheduler
from ...engine.run import HeadlessRun
from ...flow import answers, beginning, single_task
from ...report import timeline
from ...report.plan import render_plan
from ...store import tasks
from ...store.settings import Settings
from ..environment import Args, Flag, VerbEnvironment, read_options
from .display import DisplayThread

Begin = Callable[["NewSession"], Session]

SWARM_WORKERS = 3
_FEATURE_FLAGS = {name: feature for feature, row in registry.FEATURES.items() for name in row.run_flags}
FLAGS = (
    Flag(
        "--mode",
        "|".join(("pipeline|team|autopilot|ultrapilot|ralph|ultraqa|swarm", *registry.list_leads())),
        metavar="NAME",
    ),
    *(
        Flag(name, flag.help, metavar="" if flag.choices else "N", choices=flag.choices)
        for row in registry.FEATURES.values()
        for name, flag in row.run_flags.items()
    ),
)
_MOST = {**beginning.MODE_OPTIONS, **{mode: {"max_iterations": loop.most} for mode, loop in LOOPS.items() if loop.most}}
_AUTO = "{mode} does not ask before it carries out its plan; add --auto"


@dataclass(slots=True)
class NewSession:
    """A session to start; `more` are options that the verb itself sets."""

    args: Args
    env: VerbEnvironment
    goal: str
    settings: Settings
    name: str
    more: dict[str, object]

    @property
    def mode(self) -> str:
        wanted = self.args.text("--mode") or ULTRAWORK
        return wanted if wanted in registry.list_leads() else modes.parse(wanted)

    def words(self, **defaults: object) -> beginning.GoalCommand:
        return beginning.GoalCommand({**defaults, **read_options(self.args), **self.more}, self.goal)

    def configured(self) -> dict[str, object]:
        return {key: self.settings[f"run.{key}"] for key, _ in OPTION_NUMBERS.values()}

    @property
    def place(self) -> str:
        return self.env.place


def check(start: NewSession) -> None:
    """Raise what can be refused before there is a session."""
    for name, feature in _FEATURE_FLAGS.items():
        if start.args.on(name) and start.mode != feature:
            raise UsageError(f"{name} works only in a {feature}; add --mode {feature}")
    if start.mode in beginning.MODE_OPTIONS and not start.args.on("--auto"):
        raise UsageError(_AUTO.format(mode=start.mode))
    _refuse_more(start)
    if start.mode not in _BEGIN:
        registry.ask(start.mode, "check_start")(start)


def _refuse_more(start: NewSession) -> None:
    """Refuse more than the mode's own limit, rather than cut it."""
    for flag, (key, low) in OPTION_NUMBERS.items():
        most = _MOST.get(start.mode, {}).get(key)
        number = read_options(start.args).get(key)
        if most is not None and isinstance(number, int) and number > most:
            raise UsageError(f"{flag} is {number}; {start.mode} takes {low} to {most}")


def begin(start: NewSession) -> None:
    begin_mode = _BEGIN.get(start.mode) or registry.ask(start.mode, "begin_run")
    begin_mode(start)


def _plain(start: NewSession) -> Session:
    env = start.env
    words = start.words(**start.configured())
    return beginning.begin(env.store, env.environ, env.place, start.name, words)


def _swarm(start: NewSession) -> Session:
    """Start many workers on one plan; the engine's own queue is the list they claim from."""
    if not start.args.on("--max-workers"):
        start.more["max_workers"] = int(str(start.configured()["max_workers"])) or SWARM_WORKERS
    return _plain(start)


def _planned(start: NewSession) -> Session:
    env = start.env
    return beginning.begin_mode(env.store, env.environ, env.place, start.name, start.mode, start.words())


def _single(start: NewSession) -> Session:
    env = start.env
    words = start.words()
    return single_task.begin(env.store, env.environ, env.place, start.name, mode=start.mode, words=words)


_BEGIN: dict[str, Begin] = {
    ULTRAWORK: _plain,
    SWARM: _swarm,
    AUTOPILOT: _planned,
    ULTRAPILOT: _planned,
    TEAM: _planned,
    RALPH: _single,
    ULTRAQA: _single,
}


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
        Thread(target=self._run.tell, args=[timeline.NOTE], kwargs={"text": text}).start()


def _say(text: str) -> None:
    if text:
        sys.stdout.write(strip_controls(text) + "\n")
        sys.stdout.flush()
