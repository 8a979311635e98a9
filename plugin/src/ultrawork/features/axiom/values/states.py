"""
Axiom's machine: from a requirement to its delivery, through gates that a user, reviews or receipts open.

    IDLE -> PLANNING -> CONFIRMING -> EXECUTING -> ARCHIVING -> IDLE
                                      EXECUTING <-> AUTO_FIX -> BLOCKED -> EXECUTING or ARCHIVING

No agent's statement moves it: `facts` come from the store, and each guard names the step that opens its gate. The state
is stored with the requirement; a checkout without an open requirement is in IDLE.
"""

from collections.abc import Mapping
from typing import Any

from ....core.errors import Conflict
from ....core.modes import machine
from ....core.modes.machine import FULL, Machine, ModeProgress
from . import review

IDLE, PLANNING, CONFIRMING, EXECUTING, AUTO_FIX, BLOCKED, ARCHIVING = (
    "IDLE", "PLANNING", "CONFIRMING", "EXECUTING", "AUTO_FIX", "BLOCKED", "ARCHIVING",
)  # fmt: skip
ALL = (IDLE, PLANNING, CONFIRMING, EXECUTING, AUTO_FIX, BLOCKED, ARCHIVING)
NAME = "axiom"
CLARITY = 90
# Automatic fixes of one task; a failure after them blocks it.
MENDS = 2
EXPERT, USER, CI, COMPLEXITY = "Expert Gate", "User Gate", "CI Gate", "Complexity Gate"
# States in which code may not be written yet, and the gate that follows.
AHEAD = {PLANNING: EXPERT, CONFIRMING: USER}
OPENERS = {EXPERT: "ax-review", USER: "ax-draft", COMPLEXITY: "ax-decompose", CI: "ax-implement"}
_PERSON = f"{USER}: only the user's own answer opens it"


def _begin(progress: ModeProgress) -> str:
    return "" if progress.facts.get("requirement") else "there is no requirement (ax-draft)"


def _review(progress: ModeProgress) -> str:
    """Return what is missing for approval: clarity, five expert reviews of this draft, and a PRD."""
    facts = progress.facts
    clarity = facts.get("clarity")
    if type(clarity) is not int or clarity < CLARITY:
        return f"{EXPERT}: the requirement is not {CLARITY} % clear yet (ax-draft)"
    lack = review.explain_missing(facts.get("reviews"), facts.get("draft"))
    if lack:
        return f"{EXPERT}: {lack} (ax-review)"
    return "" if facts.get("prd") else f"{EXPERT}: there is no PRD yet (ax-review)"


def _confirm(progress: ModeProgress) -> str:
    """Return what is missing for approval. The user must have approved exactly the PRD that will be built."""
    facts = progress.facts
    if not facts.get("prd") or facts.get("confirmed") != facts.get("prd"):
        return f"{_PERSON} (ultrawork axiom confirm)"
    if not facts.get("tasks_total"):
        return f"{COMPLEXITY}: there is no manifest yet (ax-decompose)"
    oversized = facts.get("oversized")
    if oversized:
        return f"{COMPLEXITY}: to be split: {', '.join(map(str, oversized))} (ax-decompose)"
    return ""


def _is_red(progress: ModeProgress) -> str:
    return "" if progress.facts.get("red") else f"{CI}: no check fails"


def _is_used_up(progress: ModeProgress) -> str:
    """Return what is left to try; a worker that cannot continue is not asked twice."""
    facts = progress.facts
    if facts.get("stuck") or machine.count_left(progress)["mend"] == 0:
        return ""
    return f"{CI}: {machine.count_left(progress)['mend']} automatic fixes remain"


def _is_proved(progress: ModeProgress) -> str:
    if progress.facts.get("proved") is True:
        return ""
    return f"{CI}: it needs a PASS verdict for the files as they are (ultrawork verify)"


def _is_released(progress: ModeProgress) -> str:
    word = progress.facts.get("resolved")
    return "" if word else "BLOCKED waits for the user (ultrawork axiom unblock)"


def _is_archived(progress: ModeProgress) -> str:
    return "" if progress.facts.get("archived") else "what was learned is not stored yet (ax-reflect)"


MACHINE = Machine(
    NAME,
    base=FULL,
    begins=IDLE,
    moves={
        IDLE: (PLANNING,),
        PLANNING: (CONFIRMING,),
        # A user who answers No says what should be different.
        CONFIRMING: (EXECUTING, PLANNING),
        EXECUTING: (AUTO_FIX, ARCHIVING),
        AUTO_FIX: (EXECUTING, BLOCKED),
        BLOCKED: (EXECUTING, ARCHIVING),
        ARCHIVING: (IDLE,),
    },
    limits={"mend": MENDS},
    guards={
        (IDLE, PLANNING): _begin,
        (PLANNING, CONFIRMING): _review,
        (CONFIRMING, EXECUTING): _confirm,
        (EXECUTING, AUTO_FIX): _is_red,
        (EXECUTING, ARCHIVING): _is_proved,
        (AUTO_FIX, BLOCKED): _is_used_up,
        (BLOCKED, EXECUTING): _is_released,
        (BLOCKED, ARCHIVING): _is_released,
        (ARCHIVING, IDLE): _is_archived,
    },
)
# Facts about the files before that are no longer true after it.
_FORGETS = {EXECUTING: ("red", "stuck", "resolved", "proved"), PLANNING: ("confirmed", "prd")}


def begin_requirement(requirement: str, now: float) -> ModeProgress:
    """Start a requirement: from IDLE into PLANNING."""
    begun = machine.begin(MACHINE, now, facts={"requirement": requirement})
    return machine.move(MACHINE, begun, PLANNING, now)


def move_to(progress: ModeProgress, target: str, now: float) -> ModeProgress:
    """Do one legal step; an error names the closed gate and the step that opens it."""
    before = progress.phase
    machine.move(MACHINE, progress, target, now)
    if before != target:
        for fact in _FORGETS.get(target, ()):
            progress.facts.pop(fact, None)
    return progress


def explain_shut(progress: ModeProgress, target: str) -> str:
    """Return what keeps a requirement from a state; empty if nothing."""
    try:
        move_to(ModeProgress.read(progress.document()), target, progress.updated_at)
    except Conflict as error:
        return str(error).partition(": ")[2].partition(": ")[2] or str(error)
    return ""


def forget_mends(progress: ModeProgress) -> None:
    """Reset the fix count: it applies to the failing task; the next one has its own."""
    progress.counts["mend"] = 0


def find_gate_ahead(state: str) -> str:
    """Return the gate between a state and the code; empty if code may be written."""
    return AHEAD.get(state, "")


def name_way_on(state: str) -> str:
    """Return the skill that continues a requirement in this state; one ahead of its gate would be refused."""
    early = state in (PLANNING, CONFIRMING)
    return "/ultrawork:ax-draft" if early else "/ultrawork:ax-implement"


def describe_states() -> list[tuple[str, Mapping[str, Any]]]:
    """Return every state with what may follow it, for the page that people read."""
    return [(state, {"next": MACHINE.moves[state], "gate": find_gate_ahead(state)}) for state in ALL]
