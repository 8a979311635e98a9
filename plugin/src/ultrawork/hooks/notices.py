"""Notifications from inside a session: the client's terminal rings at once, other channels are served beside it."""

import os

from ..store.atomic import read_text
from .event import Answer, Event

_SECTION = "[notify]"
_LONGEST = 120.0


def is_wanted(event: "Event") -> bool:
    """Return whether the user configured anything; otherwise nothing more is loaded."""
    return _SECTION in (read_text(event.home.settings, 65536) or "")


def begin(event: "Event", text: str) -> str:
    """Start the job that sends, and return the sequence for the client's terminal; empty if there is none."""
    from ..core.errors import UltraworkError
    from ..core.notices import make_sequence
    from ..store import settings as stored
    from .process import start
    from .table import NOTIFY

    try:
        settings = stored.load_at(event.environ, event.home, event.place)
    except UltraworkError:
        return ""  # the verbs say what is wrong with the file
    if settings["notify.url"] or settings["notify.apprise"]:
        start(event, NOTIFY)
    if not event.has_own_form or not event.attended:
        return ""
    return make_sequence(str(settings["notify.terminal"]), text)


def ring(event: "Event") -> Answer | None:
    """Ring for a question of the client, which the user must answer, but not because it is idle."""
    from ..report.summary import QUESTIONS

    if event.text("notification_type") not in QUESTIONS or not is_wanted(event):
        return None
    sequence = begin(event, f"{event.place.rpartition('/')[2]} needs you")
    return Answer(terminal=sequence) if sequence else None


def send(event: "Event") -> Answer | None:
    """Send what is due. It outlives its client for at most two minutes: the end of a client is what is reported."""
    from time import sleep

    from ..flow.notices import send_all
    from ..store import settings as stored
    from .process import HookDeadline

    settings = stored.load_at(event.environ, event.home, event.place)
    with HookDeadline(_LONGEST, client=os.getpid()):
        send_all(event.store.act_as("person"), settings, sleep)
    return None
