"""
The test that switches a behaviour off and shows a run of a real client that differs, row by row.

Only the reference page reads this; a test holds it to the table and to the tests that there are.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_SWITCHED = "test_switched_off_a_behaviour_is_missed_and_the_others_are_seen"
FEATURES = f"system/test_feature_rows.py::{_SWITCHED}"
SCENES = f"system/test_hook_rows.py::{_SWITCHED}"
_LIFE = "system/test_ulw_life.py"
_SLOW = f"{_LIFE}::test_without_the_waking_job_nobody_is_woken"
_CODEX = "system/test_codex_sessions.py"
_PLANNING = "system/test_planning.py"
# Behaviours that need a terminal, another client or a mode of their own.
ELSEWHERE: "Mapping[str, str]" = {
    "brief": f"{_LIFE}::test_without_brief_the_model_of_a_resumed_session_is_told_nothing",
    "fork": f"{_LIFE}::test_without_fork_the_oldest_client_does_not_say_that_a_fork_is_off",
    "leave": f"{_LIFE}::test_without_leave_a_cleared_conversation_is_never_ended",
    "wake": _SLOW,
    "check": _SLOW,
    "typed": f"{_CODEX}::test_without_typed_what_the_person_typed_begins_nothing",
    "briefed": f"{_CODEX}::test_without_briefed_an_agent_hears_the_name_of_its_task_and_no_more",
    "questions": f"{_PLANNING}::test_a_question_with_the_models_own_answer_is_denied_unless_that_is_off",
    "answers": f"{_PLANNING}::test_without_answers_the_persons_yes_is_never_known",
    "mode-words": "system/test_modes_words.py::test_the_same_lie_is_believed_where_the_words_are_switched_off",
    "mode-skills": "system/test_modes_light.py::test_without_ralph_the_open_stories_are_nobodys_business",
    "watchdog": "system/test_modes_planned.py::test_without_the_watchdog_nobody_watches_and_nobody_is_woken",
}


def shown_by(name: str, target: str) -> str:
    """Beneath `tests/`."""
    return ELSEWHERE.get(name) or (FEATURES if target.startswith("features:") else SCENES)
