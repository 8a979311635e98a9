"""A mode begins from a word or a skill: which module begins which."""

from ...core import modes
from ...core.errors import UltraworkError
from ...store import markers
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
    plan = markers.planned(event.home, event.session) if mode == modes.RALPH else ""
    try:
        return _joined(event, plan) if plan else _begin(name, event, mode, words)
    except UltraworkError as error:
        return Answer(message=f"ultrawork: {mode} is not on: {error}")


def _joined(event: "Event", plan: str) -> Answer:
    """ralph while a plan is carried out: it goes with what is on, and ends with it. Asked again, it is silent."""
    from ...flow import modes as flow
    from ...store import sessions

    session = sessions.get(event.store.database, plan)
    on = flow.of(session)
    if modes.RALPH in on:
        return Answer()
    carriers = [one for one in on if one in modes.PLANNED]
    flow.begin(
        event.store, session.working_dir, plan, modes.RALPH,
        facts={"joined": True}, linked=carriers, client=event.session, now=event.clock(),
    )  # fmt: skip
    what = " and ".join(carriers) or "the plan"
    return Answer(message=f"ultrawork: ralph is on with {what}. Off: ulw off")


def _begin(name: str, event: "Event", mode: str, words: str) -> Answer:
    import sys

    module = f"ultrawork.hooks.modes.{name}"
    __import__(module)
    answer: Answer = sys.modules[module].begin(event, mode, words)
    return answer
