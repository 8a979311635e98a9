"""A mode begins from a word or a skill: which module begins which."""

from ...core import modes
from ...core.errors import UltraworkError
from ..answer import Answer
from ..table import skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

# Each module has `begin(event, mode, words) -> Answer`.
BEGINNERS: dict[str, str] = {
    modes.AUTOPILOT: "planned",
    modes.ULTRAPILOT: "planned",
    modes.TEAM: "planned",
    modes.PIPELINE: "pipeline",
    modes.RALPH: "light",
    modes.ULTRAQA: "light",
    modes.SWARM: "swarm",
}


def begin(event: "Event", mode: str, words: str) -> Answer:
    """What the person hears; a mode that is switched off by name is not begun."""
    if skipped(event.environ, mode):
        return Answer(message=f"ultrawork: {mode} is switched off by ULTRAWORK_SKIP_HOOKS.")
    name = BEGINNERS.get(modes.parse(mode))
    if name is None:
        return Answer(message=f"ultrawork: {mode} cannot be started from the client yet.")
    try:
        return _begin(name, event, mode, words)
    except UltraworkError as error:
        return Answer(message=f"ultrawork: {mode} is not on: {error}")


def _begin(name: str, event: "Event", mode: str, words: str) -> Answer:
    import sys

    module = f"ultrawork.hooks.modes.{name}"
    __import__(module)
    answer: Answer = sys.modules[module].begin(event, mode, words)
    return answer
