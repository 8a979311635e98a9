"""The end of a session, and the setting up of a project: quick, and nothing that can be resumed is lost."""

import os
from time import monotonic

from ...core.registry import FEATURES, load_part
from ...store.omc import agent_tracking, failures, memory, states
from ...store.omc.folder import HASTE, Omc
from ..event import Answer, Event

# The client gives all hooks together 1.5 seconds.
TIME = 0.8
OLD = 86_400.0
_PASSING = ("told", "last-tool-error.json", "rate-limit.json")


def clean_up(event: Event) -> Answer | None:
    """Remove what belongs to this session alone, and leftovers of others after a day."""
    if not event.session:
        return None
    omc, now, end = Omc(event.place, HASTE), event.clock(), monotonic() + TIME
    agent_tracking.remove_session(omc, event.session, now)
    edited = [key.removeprefix("edited ") for key in failures.list_known(omc, event.session, "edited ")]
    memory.count_visits(omc, edited, now)
    states.sweep(omc, event.session, now)
    for name in _PASSING:
        omc.remove(f"{omc.state_folder(event.session)}/{name}")
    if "notepad" in FEATURES:
        notepad = load_part("notepad", "store")
        notepad.prune(omc, notepad.PRUNE_DAYS, now)
    for session in omc.sessions():
        if monotonic() > end:
            break
        _swept(omc, session, now)
    return None


def _swept(omc: Omc, session: str, now: float) -> None:
    folder = f"{omc.root}/state/sessions/{session}"
    try:
        with os.scandir(folder) as entries:
            files = [(entry.name, entry.path, entry.stat(follow_symlinks=False).st_mtime) for entry in entries]
    except OSError:
        return
    for name, path, at in files:
        if (name in _PASSING or name.endswith(".tmp")) and now - at > OLD:
            omc.remove(path)
    try:
        os.rmdir(folder)
    except OSError:
        pass
