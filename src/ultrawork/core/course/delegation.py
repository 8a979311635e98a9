"""Who does what in a planned session, phase by phase, and whether a person asked for it otherwise."""

from ..session import phases
from . import roles

OFF = "off"
WARN = "warn"
STRICT = "strict"
LEVELS = (OFF, WARN, STRICT)

PROGRAM = "the program"
PERSON = "the orchestrator with the person"
# What is done in a session, and by whom; planning is the planner's with --auto.
TABLE = {
    "overview": PROGRAM,
    "targeted exploration": roles.EXPLORER,
    "planning": PERSON,
    "planning --auto": roles.PLANNER,
    "execution": roles.WORKER,
    "verification": roles.VERIFIER,
}
# Who may edit files of the project in a phase, and what somebody else is told.
_EDITS = {
    phases.PLANNING: ("", "nothing is edited before the plan is approved"),
    phases.EXECUTION: (
        roles.WORKER,
        "during execution the orchestrator does not edit; start ultrawork:worker with the task's id",
    ),
    phases.VERIFICATION: (
        "",
        "nothing is edited during verification; what is red begins another round",
    ),
}
_READS = "this stage of the pipeline reads and changes nothing; a stage after it makes the change"
_DIRECT = (
    "run this directly", "do this directly", "do it directly", "execute directly", "execute this directly",
    "without agent", "without an agent", "without agents", "without worker", "without a worker",
    "without workers", "직접 실행", "직접 수정", "에이전트 없이",
)  # fmt: skip
_NOT = ("not ", "n't ", "never ")


def find_refusal(phase: str, role: str, path: str) -> str:
    """Why an agent of this role may not edit this file in this phase; empty if it may."""
    if role == roles.READING:
        return _READS
    editor, why = _EDITS.get(phase, (role, ""))
    if not why or (editor and role == editor):
        return ""
    return "" if phase == phases.PLANNING and _is_design(path) else why


def _is_design(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name == "design.md" or name.endswith("-design.md")


def wants_direct(prompt: str) -> bool:
    """Whether a person asks, in so many words, that the work is done without agents."""
    text = " ".join(prompt.lower().split())
    return any(_said(text, phrase) for phrase in _DIRECT)


def _said(text: str, phrase: str) -> bool:
    """`do not run this directly` asks for the opposite."""
    start = text.find(phrase)
    while start >= 0:
        if not text[:start].endswith(_NOT):
            return True
        start = text.find(phrase, start + 1)
    return False
