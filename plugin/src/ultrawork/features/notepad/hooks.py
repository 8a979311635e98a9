"""The notepad at a client's events: show its priority notes once, store what agents ask to remember."""

from ...core.project import directives
from ...hooks.event import Answer, Event
from ...hooks.features.common import mask_secrets
from ...hooks.features.session_start import is_restored, tell_once
from ...store.omc.folder import HASTE, Omc
from . import store

NOTES = 600


def tell_notes(event: Event) -> Answer | None:
    if is_restored(event):
        return None
    text = read_priority(Omc(event.place, HASTE))
    return tell_once(event, ".omc/notepad.md", text, "Notepad, priority:", NOTES)


def read_priority(omc: Omc) -> str:
    return store.read(omc, store.PRIORITY) or ""


def keep_notes(event: Event) -> Answer | None:
    """Store in the notepad what an agent's last message marks with `<remember>`."""
    omc, now = Omc(event.place, HASTE), event.clock()
    for section, note in directives.find_notes(mask_secrets(event, event.text("last_assistant_message"))):
        if section == directives.PRIORITY:
            before = store.read(omc, store.PRIORITY)
            joined = f"{before}\n{note}" if before and note not in before else before or note
            store.set_priority(omc, joined[-store.PRIORITY_LIMIT :])
        elif note not in (store.read(omc, store.WORKING) or ""):
            store.add(omc, store.WORKING, note, now)
    return None
