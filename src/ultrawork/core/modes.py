"""The eight execution modes; no other name ever reaches a path."""

from .errors import UsageError

AUTOPILOT = "autopilot"
ULTRAPILOT = "ultrapilot"
TEAM = "team"
PIPELINE = "pipeline"
RALPH = "ralph"
ULTRAWORK = "ultrawork"
ULTRAQA = "ultraqa"
SWARM = "swarm"
ALL = (AUTOPILOT, ULTRAPILOT, TEAM, PIPELINE, RALPH, ULTRAWORK, ULTRAQA, SWARM)


def parse(word: str) -> str:
    from .check import shown

    if word in ALL:
        return word
    raise UsageError(f"{shown(word)} is no mode; known: {', '.join(ALL)}")
