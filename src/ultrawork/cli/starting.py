"""How a headless run begins, by its mode: from a goal, a pipeline, or a goal that is worked on in rounds."""

from ..core import modes
from ..core.errors import UsageError
from ..core.modes import AUTOPILOT, PIPELINE, RALPH, SWARM, TEAM, ULTRAPILOT, ULTRAQA, ULTRAWORK
from ..core.options import NUMBERS
from ..core.pipeline import MERGES, ON_ERROR
from ..flow import begin as plain
from ..flow import pipeline, planned, single, stage_agents
from . import options
from .flags import Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.pipeline import Pipeline, Wishes
    from ..core.session import Session
    from ..store.settings import Settings
    from .edge import Edge
    from .flags import Args

    Begin = Callable[["Start"], Session]

SWARMING = 3
PIPING = (
    Flag("--retry", "tries again for a failed stage of a pipeline", metavar="N"),
    Flag("--on-error", "what a pipeline does after that", choices=ON_ERROR),
    Flag("--merge", "how a pipeline merges a parallel stage", choices=MERGES),
)
FLAGS = (
    Flag(
        "--mode",
        "pipeline, team, autopilot, ultrapilot, ralph, ultraqa, swarm",
        metavar="NAME",
    ),
    *PIPING,
)
_MOST = {
    **planned.OPTIONS,
    **{mode: {"max_iterations": most} for mode, most in single.MOST.items()},
}
_AUTO = "{mode} carries out what it planned without asking; add --auto"


class Start:
    """A session to be: `more` are options that the verb itself sets."""

    __slots__ = ("args", "edge", "goal", "mode", "more", "name", "settings")

    def __init__(self, args: "Args", edge: "Edge", goal: str, settings: "Settings") -> None:
        self.args = args
        self.edge = edge
        self.goal = goal
        self.settings = settings
        self.mode = modes.parse(args.text("--mode") or ULTRAWORK)
        self.more: dict[str, object] = {}
        self.name = ""

    def words(self, **defaults: object) -> plain.Words:
        return plain.Words({**defaults, **options.given(self.args), **self.more}, self.goal)

    def configured(self) -> "dict[str, object]":
        return {key: self.settings[f"run.{key}"] for key, _ in NUMBERS.values()}

    @property
    def place(self) -> str:
        return self.edge.place


def check(start: Start) -> None:
    """What can be refused before there is a session."""
    given = [flag.name for flag in PIPING if start.args.on(flag.name)]
    if given and start.mode != PIPELINE:
        raise UsageError(f"{given[0]} belongs to a pipeline; add --mode pipeline")
    if start.mode in planned.OPTIONS and not start.args.on("--auto"):
        raise UsageError(_AUTO.format(mode=start.mode))
    _refuse_more(start)
    if start.mode == PIPELINE:
        expression, _ = _written(start)
        stage_agents.resolved(expression, start.place, start.edge.environ)


def _refuse_more(start: Start) -> None:
    """A mode has a bound of its own; more is refused rather than cut."""
    for flag, (key, low) in NUMBERS.items():
        most = _MOST.get(start.mode, {}).get(key)
        asked = options.given(start.args).get(key)
        if most is not None and isinstance(asked, int) and asked > most:
            raise UsageError(f"{flag} is {asked}; {start.mode} takes {low} to {most}")


def _written(start: Start) -> "tuple[Pipeline, Wishes]":
    """What stands in the expression and its flags, before a program is looked for."""
    from ..core.pipeline import parse

    flags = {flag.name: str(start.args.text(flag.name)) for flag in PIPING}
    given = {name: value for name, value in flags.items() if start.args.on(name)}
    return parse(start.goal), pipeline.wished(given)


def begin(start: Start) -> None:
    _BEGIN[start.mode](start)


def _plain(start: Start) -> "Session":
    edge = start.edge
    words = start.words(**start.configured())
    return plain.begin(edge.store, edge.environ, edge.place, start.name, words)


def _swarm(start: Start) -> "Session":
    """Many workers take what is ready from one plan; the engine's own queue is the list they claim from."""
    if not start.args.on("--max-workers"):
        start.more["max_workers"] = int(str(start.configured()["max_workers"])) or SWARMING
    return _plain(start)


def _planned(start: Start) -> "Session":
    edge = start.edge
    return planned.begin(
        edge.store, edge.environ, edge.place, start.name, start.mode, start.words()
    )


def _single(start: Start) -> "Session":
    edge = start.edge
    words = start.words()
    return single.begin(
        edge.store, edge.environ, edge.place, start.name, mode=start.mode, words=words
    )


def _pipeline(start: Start) -> "Session":
    edge = start.edge
    expression, wishes = _written(start)
    words = start.words(auto_mode=start.args.on("--auto"))
    return pipeline.begin(
        edge.store,
        edge.environ,
        edge.place,
        start.name,
        pipeline=expression,
        wishes=wishes,
        options=words.options,
    )


_BEGIN: "dict[str, Begin]" = {
    ULTRAWORK: _plain,
    SWARM: _swarm,
    AUTOPILOT: _planned,
    ULTRAPILOT: _planned,
    TEAM: _planned,
    RALPH: _single,
    ULTRAQA: _single,
    PIPELINE: _pipeline,
}
