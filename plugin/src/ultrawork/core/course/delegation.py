"""Who does what in a planned session, phase by phase, and whether the user asked otherwise."""

from ..session import phases
from . import roles

OFF = "off"
WARN = "warn"
STRICT = "strict"
LEVELS = (OFF, WARN, STRICT)

PROGRAM = "the program"
PERSON = "the orchestrator with the user"
# What is done in a session, and by whom; with --auto the planner plans.
TABLE = {
    "overview": PROGRAM,
    "targeted exploration": roles.EXPLORER,
    "planning": PERSON,
    "planning --auto": roles.PLANNER,
    "execution": roles.WORKER,
    "verification": roles.VERIFIER,
}
# Who may edit project files in a phase, and the message for others.
_EDITS = {
    phases.PLANNING: ("", "do not edit files before the plan is approved"),
    phases.EXECUTION: (
        roles.WORKER,
        "the orchestrator does not edit files during execution. Start ultrawork:worker with the task's id",
    ),
    phases.VERIFICATION: ("", "do not edit files during verification. A failing check starts another round"),
}
_READS = "this stage of the pipeline only reads. A later stage makes the change"
_DIRECT = (
    "run this directly", "do this directly", "do it directly", "execute directly", "execute this directly",
    "without agent", "without an agent", "without agents", "without worker", "without a worker",
    "without workers", "직접 실행", "직접 수정", "에이전트 없이",
)  # fmt: skip
# Verbs that the main agent leaves to others, and whose they are.
_OF_AGENTS = {
    "context add": "explorer reports are stored when they end. Start the explorers that are next",
    "task create": "with --auto the planner writes the plan. Start ultrawork:planner",
}
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


def find_shell_target(command: str) -> str:
    """The file that a command plainly edits (`> a.py`, `tee a.py`, `sed -i … a.py`); empty if none is seen."""
    if not any(mark in command for mark in (">", "tee ", "sed ")):
        return ""
    from ..permission import shell_lines

    written = shell_lines.list_written(command, cautious=True)
    return next((path for path in written if _is_file(path)), "")


def _is_file(path: str) -> bool:
    return bool(path) and not path.startswith(("/dev/", "/tmp/", "$", "&"))  # noqa: S108


def explain_verb(verb: str, phase: str, *, auto: bool) -> str:
    """Why the main agent may not run it; empty if it may."""
    if phase != phases.PLANNING or (verb == "task create" and not auto):
        return ""
    return _OF_AGENTS.get(verb, "")


def find_verb(command: str) -> str:
    """Return `context add` or `task create` of our own program in a command: agents do that, not the coordinator."""
    words = command.split()
    for at, word in enumerate(words):
        if word.rpartition("/")[2] in ("ultrawork", "ulw"):
            text = " ".join(words[at + 1 : at + 3])
            return text if text in _OF_AGENTS else ""
    return ""


def wants_direct(prompt: str) -> bool:
    """Return whether the user explicitly asks for work without agents."""
    text = " ".join(prompt.lower().split())
    return any(_has_phrase(text, phrase) for phrase in _DIRECT)


def _has_phrase(text: str, phrase: str) -> bool:
    """Return whether the text says it; `do not run this directly` asks for the opposite."""
    start = text.find(phrase)
    while start >= 0:
        if not text[:start].endswith(_NOT):
            return True
        start = text.find(phrase, start + 1)
    return False
