"""The beginning of a session: what is known about the project, briefly, once."""

from ...store import markers
from ...store.codec import digest
from ...store.omc import boulder as boulders
from ...store.omc import failures, memory, memory_scan
from ...store.omc.folder import HASTE, Omc
from ..event import Answer, Event
from .common import fit, is_guide_read_by_client, read_project_file

# Together they stay well below what a first request may add.
GUIDE, KNOWN, PLAN = 1_500, 900, 400  # and 600 of the notepad
_DIRECTIVES = 5


def tell_once(event: Event, key: str, text: str, head: str, room: int) -> Answer | None:
    """Return the text unless this session has seen exactly that."""
    if not text or not failures.take_new(Omc(event.place, HASTE), event.session, f"{key} {digest(text)[:16]}"):
        return None
    return Answer(context=f"{head}\n{fit(text, room, key)}")


def tell_guide(event: Event) -> Answer | None:
    """Return AGENTS.md, unless the client reads it itself."""
    if is_guide_read_by_client(event):
        return None
    text = read_project_file(event.place, "AGENTS.md").strip()
    return tell_once(event, "AGENTS.md", text, "AGENTS.md of this project:", GUIDE)


def is_restored(event: Event) -> bool:
    """Return whether the checkpoint after compaction already covers notes and plan."""
    return event.text("source") == "compact" and "checkpoint" in event.features


def tell_memory(event: Event) -> Answer | None:
    """Return what is known, rescanned once a day; notes and requests stay."""
    omc, now = Omc(event.place, HASTE), event.clock()
    document = memory.read(omc)
    if document is None or memory_scan.is_due(document, now):
        document = memory_scan.renew(omc, now)
    directives = [
        directive for directive in memory.get_section(document, "directives") or [] if isinstance(directive, dict)
    ]
    lines = [memory.summarize(document)]
    lines += [f"- {directive.get('directive')}" for directive in directives[:_DIRECTIVES]]
    text = "\n".join(line for line in lines if line)
    return tell_once(event, ".omc/project-memory.json", text, "Known about this project:", KNOWN)


def tell_plan(event: Event) -> Answer | None:
    """Return what remains of a plan; the user has to type how to resume a planned session."""
    if is_restored(event) or markers.find_planned_session(event.home, event.session):
        return None
    from .plans import keep_checklist

    session = keep_checklist(event)
    plan = boulders.read_plan(Omc(event.place, HASTE))
    if plan is None or not plan[1].open:
        return None
    name, progress = plan
    boxes = "\n".join(f"- {box}" for box in progress.open[:5])
    taken_up = f", resume with /ultrawork:ultrawork-exec --session {session[:8]}" if session else ""
    head = f"Active plan {name}{taken_up}: {len(progress.done)} of {progress.total} boxes done. Open:"
    return tell_once(event, name, boxes, head, PLAN)
