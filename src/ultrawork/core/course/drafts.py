"""What a planner writes beside the plan: autopilot's specification before it, team's acceptance criteria after it."""

from ..modes import modes
from ..plan.task import COMPLEX
from ..wording import cut
from . import roles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .roles import Spawn
    from .steps import SessionFacts

SPEC, PRD = "spec", "prd"
BEFORE = {modes.AUTOPILOT: SPEC}
AFTER = {modes.TEAM: PRD}
ASKED = {
    SPEC: (
        "Write the specification, not the plan: what the goal means, as short numbered requirements that"
        " somebody can check; what is left out; which technology is used, and why; what was assumed where the"
        " goal is open. At most 400 words, no tasks, no JSON: your last message is the specification itself."
    ),
    PRD: (
        "The plan stands. Write the acceptance criteria of the whole, not of single tasks: what must hold when"
        " everything has come together. 1 to 5 of them, each `command => expected` or `judged: what to look"
        ' at`. Your last message ends with one fenced JSON block: {"criteria": ["make test => exit 0"]}'
    ),
}


def find_missing(known: "SessionFacts", table: "Mapping[str, str]") -> str:
    """What this mode still needs of it; empty if nothing."""
    wanted = table.get(known.mode.mode, "") if known.mode is not None else ""
    there = known.session.design if wanted == SPEC else known.session.state.prd
    return "" if there else wanted


def spawn(known: "SessionFacts", table: "Mapping[str, str]") -> "Spawn":
    part = find_missing(known, table)
    session = known.session
    lines = [f"SESSION_ID: {session.id}", f"PART: {part}", "", f"Goal: {session.goal}", ""]
    plan = [f"- {task.id}: {cut(task.subject, 100)}" for task in known.work]
    lines += ["Tasks of the plan:", *plan, ""] if part == PRD else []
    model = roles.DEFAULT_MODELS[COMPLEX]
    prompt = "\n".join([*lines, ASKED[part]])
    return roles.Spawn(roles.PLANNER, model, part, f"write the {part}", prompt, key=roles.PART)
