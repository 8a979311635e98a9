"""What an agent is told: who it is, from `agents/`, then what this attempt is about."""

from ..content import front, library
from ..core.errors import Trouble
from ..flow.stage_agents import page
from .attempt import EXPLORER, PLANNER, VERIFIER, WORKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.roles import Spawn

PLAN = "plan"
READ_ONLY = (EXPLORER, PLANNER, VERIFIER)
_ALONE = (
    "You are run by a program, without a person. The folder you are in is a worktree of your own: stay in"
    " it, and leave commits and branches alone; what you changed is collected when you end."
)
_TEXT: "dict[str, Any]" = {"type": "string"}
_TEXTS: "dict[str, Any]" = {"type": "array", "items": _TEXT}
_TASK: "dict[str, Any]" = {
    "type": "object",
    "properties": {
        "id": _TEXT,
        "subject": _TEXT,
        "description": _TEXT,
        "complexity": {"enum": ["simple", "standard", "complex"]},
        "criteria": _TEXTS,
        "blockedBy": _TEXTS,
        "files": _TEXTS,
    },
    "required": ["id", "subject", "criteria"],
}
_FINDING: "dict[str, Any]" = {
    "type": "object",
    "properties": {"what": _TEXT, "where": _TEXT, "severity": {"enum": ["P0", "P1", "P2"]}},
    "required": ["what"],
}
# The shape of the answer that a role ends with; the others end with words.
SCHEMAS: "dict[str, dict[str, Any]]" = {
    PLANNER: {
        "type": "object",
        "properties": {"tasks": {"type": "array", "items": _TASK}},
        "required": ["tasks"],
    },
    VERIFIER: {
        "type": "object",
        "properties": {
            "verdict": {"enum": ["PASS", "FAIL"]},
            "findings": {"type": "array", "items": _FINDING},
        },
        "required": ["verdict", "findings"],
    },
}


def role(spawn: "Spawn") -> str:
    """Whose rights and whose form of answer it has."""
    return spawn.counts_as.rpartition(":")[2]


def schema(role: str, subject: str) -> "dict[str, Any] | None":
    """A planner is asked for other things than a plan too, in words."""
    return None if role == PLANNER and subject != PLAN else SCHEMAS.get(role)


def whole(spawn: "Spawn", *more: str) -> str:
    """The agent's own page, how it works here, and the words of the spawn with what else it should know."""
    own = page(spawn.page) if spawn.page else _page(spawn.agent.rpartition(":")[2])
    parts = [own, _ALONE if role(spawn) == WORKER else "", spawn.prompt, *more]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _page(name: str) -> str:
    path = f"{library.own_root()}/agents/{name}.md"
    try:
        with open(path, encoding="utf-8") as file:
            return front.body(file.read())
    except OSError as error:
        raise Trouble(f"{path} cannot be read ({error.strerror}); install ultrawork anew") from None
