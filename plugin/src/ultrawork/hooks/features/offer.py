"""The first session of a checkout offers its features on one screen, once."""

import os

from ...store import checkouts
from ..event import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

QUESTION = """\
ultrawork: turn on project features in this checkout? They help every session here:
  guidance  send AGENTS.md and matching rules files to the model
  memory    remember commands, versions and your preferences between sessions
  plans     keep open plan boxes and to-do items across stops and compactions
  agents    choose a model for each agent; report stale agents and edit conflicts
  failures  give advice after five equal failures; resume after a rate limit
They write to .omc/, which git ignores, and add at most 4 kB to the start of a session.
  yes: ulw features on      no: ulw features off      only some: ultrawork features on --help
I ask this once per checkout."""
ON = "ultrawork: project features are on. Turn off: ulw features off"
OFF = "ultrawork: project features are off. Turn on: ulw features on"


def offer(event: "Event") -> Answer | None:
    """Offer features if a user is present, in their repository, before they ever answered."""
    if not event.attended or not os.path.lexists(f"{event.place}/.git"):
        return None
    if checkouts.is_recorded(event.home, event.place, checkouts.OFFERED):
        return None
    checkouts.say(event.home, event.place, checkouts.OFFERED)
    return None if checkouts.read_features(event.home, event.place) else Answer(message=QUESTION)


def answer(event: "Event", *, wanted: bool) -> str:
    """Handle `ulw features on` and `off`, typed by the user."""
    from ...store.omc import features
    from ...store.omc.folder import Omc

    switch = features.switch_on if wanted else features.switch_off
    switch(event.home, Omc(event.place), ())
    return ON if wanted else OFF
