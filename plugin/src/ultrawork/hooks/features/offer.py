"""The first session of a checkout offers its features: what they do, on one screen, and the answers. Never twice."""

import os

from ...store import checkouts
from ..answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

QUESTION = """\
ultrawork: turn on project features in this checkout? They help every session here:
  guidance  AGENTS.md and rules files reach the model when it touches the files they are about
  memory    commands, versions and your standing wishes are known in the next session
  plans     open boxes of a plan and open to-do items are not forgotten at a stop or a compaction
  agents    each agent gets the right model; stale agents and two in one file are reported
  failures  the fifth failure of a kind gets advice; a session goes on after a rate limit
They write to .omc/, which git ignores, and add at most 4 kB to the start of a session.
  yes: ulw features on      no: ulw features off      only some: ultrawork features on --help
This question comes once in each checkout."""
ON = "ultrawork: project features are on from the next event. To turn them off: ulw features off"
OFF = "ultrawork: project features are off. To turn them on: ulw features on"


def offer(event: "Event") -> Answer | None:
    """Asked where a person is, in a repository of theirs, before they have ever said yes or no."""
    if not event.attended or not os.path.lexists(f"{event.place}/.git"):
        return None
    if checkouts.is_said(event.home, event.place, checkouts.OFFERED):
        return None
    checkouts.say(event.home, event.place, checkouts.OFFERED)
    return None if checkouts.read_features(event.home, event.place) else Answer(message=QUESTION)


def answer(event: "Event", *, wanted: bool) -> str:
    """`ulw features on` and `off`, typed by the person."""
    from ...store.omc import features
    from ...store.omc.folder import Omc

    switch = features.switch_on if wanted else features.switch_off
    switch(event.home, Omc(event.place), ())
    return ON if wanted else OFF
