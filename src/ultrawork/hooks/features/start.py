"""The beginning of a session: what is known of the project, short, and once."""

from ...store import markers
from ...store.fast import digest
from ...store.omc import boulder as boulders
from ...store.omc import memory, notepad, scan, told
from ...store.omc.place import HASTE, Omc
from ..answer import Answer
from .light import fitted, read, reads_guides

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

# Together they stay well below what a first request may grow by.
GUIDE, NOTES, KNOWN, PLAN = 1_500, 600, 900, 400
_DIRECTIVES = 5


def once(event: "Event", key: str, text: str, head: str, room: int) -> Answer | None:
    """Said unless this session has heard exactly that."""
    if not text or not told.first(
        Omc(event.place, HASTE), event.session, f"{key} {digest(text)[:16]}"
    ):
        return None
    return Answer(context=f"{head}\n{fitted(text, room, key)}")


def guide(event: "Event") -> Answer | None:
    """AGENTS.md, unless the client reads it itself."""
    if reads_guides(event):
        return None
    text = read(event.place, "AGENTS.md").strip()
    return once(event, "AGENTS.md", text, "AGENTS.md of this project:", GUIDE)


def notes(event: "Event") -> Answer | None:
    text = notepad.read(Omc(event.place, HASTE), notepad.PRIORITY) or ""
    return once(event, ".omc/notepad.md", text, "Notepad, priority:", NOTES)


def known(event: "Event") -> Answer | None:
    """Looked at anew once a day; what was noted and asked for stays."""
    omc, now = Omc(event.place, HASTE), event.clock()
    document = memory.read(omc)
    if document is None or scan.is_due(document, now):
        document = scan.renew(omc, now)
    asked = [one for one in memory.section(document, "directives") or [] if isinstance(one, dict)]
    lines = [memory.summary(document)]
    lines += [f"- {one.get('directive')}" for one in asked[:_DIRECTIVES]]
    text = "\n".join(line for line in lines if line)
    return once(event, ".omc/project-memory.json", text, "Known of this project:", KNOWN)


def plan(event: "Event") -> Answer | None:
    """Whoever begins hears what is left of it; how a planned session is taken up is for its person to type."""
    if markers.planned(event.home, event.session):
        return None
    from .boulders import kept

    session = kept(event)
    found = boulders.plan(Omc(event.place, HASTE))
    if found is None or not found[1].open:
        return None
    name, progress = found
    boxes = "\n".join(f"- {box}" for box in progress.open[:5])
    taken_up = (
        f", taken up with /ultrawork:ultrawork-exec --session {session[:8]}" if session else ""
    )
    head = (
        f"Active plan {name}{taken_up}: {len(progress.done)} of {progress.total} boxes done. Open:"
    )
    return once(event, name, boxes, head, PLAN)
