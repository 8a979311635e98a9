"""What Axiom does at the events of a client (`ROWS`), and what the rest of the program asks of it (`ANSWERS`)."""

from ...core.registry import FEATURES, HERE, OPEN
from ...hooks.table import ALWAYS, MAIN, Row

_AT = "ultrawork.features.axiom.hooks"
_OPEN, _HERE = f"axiom {OPEN}", f"axiom {HERE}"
_FILES = "sets aside what a command changed before its gate was open"

# fmt: off
ROWS = {
    "SessionStart": (
        Row("axiom-boot", f"{_AT}.boot:tell_at_start", _HERE,
            "offers an interrupted requirement once, and shows memory entries that still hold"),
    ),
    "UserPromptSubmit": (
        Row("axiom-boot", f"{_AT}.boot:tell_for_prompt", _HERE,
            "shows memory entries about the goal that still hold", by=MAIN, before="program-copy"),
    ),
    "UserPromptExpansion": (
        Row("axiom-skills", f"{_AT}.skills:run_typed", ALWAYS,
            "requirements: starts or resumes one", only=FEATURES["axiom"].skills, by=MAIN, before="program-copy"),
    ),
    "PreToolUse": (
        Row("axiom-guards", f"{_AT}.requirement:check_call", _OPEN,
            "refuses steps whose gate is not open, and says what opens it", before="agents"),
    ),
    "PostToolUse": (
        Row("axiom-files", f"{_AT}.requirement:take_back", _OPEN, _FILES, before="agent-started"),
    ),
    "PostToolUseFailure": (
        Row("axiom-files", f"{_AT}.requirement:take_back", _OPEN, _FILES, before="error-log"),
    ),
    "PreCompact": (
        Row("axiom-save", f"{_AT}.requirement:save", _OPEN, "saves the state of the requirement"),
    ),
    "SessionEnd": (
        Row("axiom-suspend", f"{_AT}.requirement:suspend", _OPEN, "suspends the open requirement"),
    ),
}
# fmt: on
ANSWERS = {
    # The next step, and who does it.
    "choose_step": "values.step:choose_axiom_step",
    "spawn_worker": "values.step:spawn_axiom_worker",
    "find_state": "values.step:find_state",
    "sync": "course.progress:sync",
    "close": "course.archive:close",
    # Papers.
    "is_paper": "values.step:is_paper",
    "describe_reading": "course.papers:describe_reading",
    "take_paper": "course.papers:take_paper",
    "lose_paper": "course.papers:lose_paper",
    "show_pages": "store.pages:show",
    # Questions to the user.
    "find_question": "course.work:find_question",
    "is_question": "course.work:is_question",
    "answer_question": "course.work:answer_question",
    "tell_question": "hooks.requirement:tell_question",
    "find_background": "course.papers:find_background",
    # Ends.
    "end_task": "course.work:end_task",
    "let_go": "hooks.requirement:let_go",
    "hear_worker": "run:hear_worker",
    # Runs without a client, screens.
    "check_start": "run:check_start",
    "begin_run": "run:begin_run",
    "list_figures": "report:list_figures",
}
