"""`ultrawork features`: what of the project's memory and guidance is on; only a person switches it."""

from ...core.errors import UsageError
from ..command import Command
from ..edge import PERSON
from ..result import Result
from ..table import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.omc.place import Omc
    from ..edge import Edge
    from ..flags import Args


def listed(_args: "Args", edge: "Edge") -> Result:
    from ...store.omc import features

    return _shown(features.read(edge.place))


def switched_on(args: "Args", edge: "Edge") -> Result:
    from ...store.omc import features

    return _shown(features.switch_on(_omc(edge), args.rest))


def switched_off(args: "Args", edge: "Edge") -> Result:
    from ...store.omc import features

    return _shown(features.switch_off(_omc(edge), args.rest))


def _omc(edge: "Edge") -> "Omc":
    from ...store.omc.place import Omc

    if edge.store.actor != PERSON:
        raise UsageError(
            "a project's features are switched by a person, in a terminal of their own"
        )
    return Omc(edge.place)


def _shown(on: dict[str, str]) -> Result:
    from ...store.omc import features

    rows = [
        (name, (on[name] or "on") if name in on else "-", what)
        for name, what in features.ALL.items()
    ]
    return Result(on, table(("FEATURE", "NOW", "WHAT IT DOES"), rows))


COMMANDS = (
    Command("list", "What is on in this project", listed, example="ultrawork features list"),
    Command(
        "on",
        "Switch all features on, or those named",
        switched_on,
        rest="[NAME …]",
        example="ultrawork features on rules delegation=strict",
    ),
    Command(
        "off",
        "Switch all features off, or those named",
        switched_off,
        rest="[NAME …]",
        example="ultrawork features off",
    ),
)
