"""When a worker that shows no sign of life is asked about, and when its task goes to another."""

from . import modes
from .machines import team, ultrapilot

ASK, REPLACE = "ask", "replace"
# Silence in seconds after which somebody looks, and after which somebody else takes over.
PATIENCE = {
    modes.TEAM: (team.LOOK_AFTER, team.REASSIGN_AFTER),
    modes.ULTRAPILOT: (ultrapilot.WORKER_PATIENCE, 2 * ultrapilot.WORKER_PATIENCE),
}
# A command of its own keeps a worker silent: so long may one take before its silence counts.
COMMAND = 600.0


def judged(mode: str, quiet: float, *, commanding: bool) -> str:
    if mode not in PATIENCE:
        return ""
    silence = quiet - (COMMAND if commanding else 0.0)
    look, replace = PATIENCE[mode]
    if silence >= replace:
        return REPLACE
    return ASK if silence >= look else ""
