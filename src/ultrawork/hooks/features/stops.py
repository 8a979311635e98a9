"""The end of a turn in a session that no `ulw` watches: something left open is said once."""

from ...core.lingering import reason
from ...core.speech import asks
from ...store import markers, trace
from ...store.omc import boulder as boulders
from ...store.omc import failures, told
from ...store.omc.place import HASTE, Omc
from ..answer import Answer
from ..items import open_items
from .boulders import is_worked_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event


def stop(event: "Event", *, todo: bool, boulder: bool) -> Answer | None:
    """One refusal for one state of the list; armed sessions have a decision of their own."""
    if not event.session or markers.armed_anywhere(event.home, event.environ, event.session):
        return None
    omc = Omc(event.place, HASTE)
    plan = boulders.plan(omc) if boulder else None
    items = open_items(trace.everything(event.home, event.session)) if todo else []
    boxes = plan[1].open if plan and is_worked_off(omc, event.session, plan[1]) else []
    why = reason(
        items,
        boxes,
        busy=bool(event.entries("background_tasks") or event.entries("session_crons")),
        asked=event.attended and asks(event.text("last_assistant_message")),
        again=event.data.get("stop_hook_active") is True,
        plan_mode=event.text("permission_mode") == "plan",
    )
    if not why or not told.first(omc, event.session, f"open {' '.join([*items, *boxes])}"):
        return None
    last = failures.last(omc, event.session, event.clock())
    error = f" The last failure: {last['tool']}: {str(last['error'])[:150]}" if last else ""
    return Answer(feedback=f"ultrawork: {why}{error}")
