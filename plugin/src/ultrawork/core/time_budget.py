"""
How long an answer to the client may take: every limit in seconds, in one place.

From the outside in: the client ends a hook after `TIMEOUTS`. Our alarm gives up on an event after `LATEST`, whatever
git, the database or the disk does. What we wait for on purpose ends after `find_longest`. Within that, checks of a stop
share the setting `stop.budget`, and all stops of one session share `TOGETHER`.
"""

TIMEOUTS = {
    "Stop": 300, "SubagentStop": 300, "TeammateIdle": 300, "TaskCompleted": 300, "Wake": 3600,
    "StopFailure": 21_660, "UserPromptSubmit": 60, "UserPromptExpansion": 60,
}  # fmt: skip
LATEST = {"UserPromptSubmit": 50.0, "UserPromptExpansion": 50.0, "Stop": 285.0, "SubagentStop": 285.0}
LATE = 50.0  # for an event that is not in `LATEST`
AGAIN = 5.0  # for each step of cleaning up after that
MARGIN = 10
TOGETHER = 600.0  # all waiting in the stops of one session
TRIAL = 60.0  # for a check that was never timed
SHORTEST_TRIAL = 1.0  # for such a check, however late it is
RELATED = 30.0  # for the tests that reach a change, where the whole gate takes too long


def find_longest(event: str) -> float:
    """Return how long the answer to an event may wait for work of our own."""
    return float(TIMEOUTS[event] - MARGIN)
