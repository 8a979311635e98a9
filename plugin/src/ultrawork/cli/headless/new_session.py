"""Start a headless run by its mode: from a goal, or a goal that is worked on in rounds; features have their own."""

from collections.abc import Callable
from dataclasses import dataclass

from ...core import registry
from ...core.errors import UsageError
from ...core.modes import modes
from ...core.modes.modes import AUTOPILOT, RALPH, SWARM, TEAM, ULTRAPILOT, ULTRAQA, ULTRAWORK
from ...core.modes.tables import LOOPS
from ...core.session.session import OPTION_NUMBERS, Session
from ...flow import beginning, single_task
from ...store.settings import Settings
from ..environment import Args, Flag, VerbEnvironment, read_options

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
