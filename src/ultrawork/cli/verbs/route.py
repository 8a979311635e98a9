"""`ultrawork route`: which tier of model a piece of work deserves, and why."""

from ...core.errors import UsageError
from ..command import Command
from ..flags import NUMBER, SESSION, Flag
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.routing import Route
    from ..edge import Edge
    from ..flags import Args


def show(args: "Args", edge: "Edge") -> Result:
    from ...core import routing

    name = args.text("--task")
    words = edge.read(" ".join(args.rest), "request")
    if not words and name is None:
        raise UsageError("say what is to be done, or name a task: ultrawork route --task ID")
    failures = args.number("--failures") or 0
    if name is not None:
        words, failures = _task(args, edge, name)
    route = routing.route(
        words,
        agent=args.text("--agent") or "",
        model=args.text("--model") or "",
        failures=failures,
        models=_models(edge),
    )
    return Result(route.document(), text(route))


def _task(args: "Args", edge: "Edge", name: str) -> tuple[str, int]:
    """A task's own words, and how often it was tried in vain."""
    from ...store import tasks

    task = tasks.get(edge.store.database, edge.session(args).id, name)
    return f"{task.subject}\n{task.description}", task.attempts


def _models(edge: "Edge") -> dict[str, str]:
    from ...core.routing import COMPLEXITY
    from ...store import settings as stored

    place = edge.place
    found = stored.load(
        edge.environ, edge.store.home, lambda name: stored.read_file(f"{place}/{name}")
    )
    return {tier: str(found[f"models.{word}"]) for tier, word in COMPLEXITY.items()}


def text(route: "Route") -> str:
    seen = [
        name if value is True else f"{name} {value}"
        for name, value in route.signals.items()
        if value not in (False, 0, "none", "generic", "easy", "local")
    ]
    return "\n".join(
        [
            f"{route.model} ({route.tier}, confidence {route.confidence:g})",
            *(f"  because  {reason}" for reason in route.reasons),
            f"  rule     {route.rule}; score {route.score}",
            f"  seen     {', '.join(seen)}",
        ]
    )


COMMANDS = (
    Command(
        "",
        "Choose a model for a piece of work, and say why",
        show,
        flags=(
            SESSION,
            Flag("--task", "a task of a session instead of words", metavar="ID"),
            Flag("--agent", "who would do it", metavar="NAME"),
            Flag("--model", "a model that was asked for; it always stands", metavar="NAME"),
            Flag("--failures", "how often it was tried in vain", kind=NUMBER),
        ),
        rest="[WORDS]",
        example='ultrawork route "find the config file"',
    ),
)
