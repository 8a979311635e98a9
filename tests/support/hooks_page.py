"""The reference page of the hooks, generated from their table: `make generate` writes it.

For every row this module names the test that turns it off and shows that a real client's run differs; a test compares
that with the table and the existing tests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ultrawork.core.hook_types import TYPES
from ultrawork.hooks.table import HANDLERS, JOBS, Row, list_rows
from ultrawork.store import atomic

from .floor import REPOSITORY
from .hook_files import CODEX_EVENTS

_SWITCHED = "test_switched_off_a_behaviour_is_missed_and_the_others_are_seen"
FEATURES = f"clients/test_feature_rows.py::{_SWITCHED}"
SCENES = f"clients/test_hook_rows.py::{_SWITCHED}"
_LIFE = "clients/test_ulw_life.py"
_SLOW = f"{_LIFE}::test_without_the_waking_job_nobody_is_woken"
_CODEX = "clients/test_codex_sessions.py"
_PLANNING = "clients/test_planning.py"
# Handlers of a project that no feature controls.
AS_FEATURES = ("plans", "setup")
# Handlers that need a terminal, another client or a mode of their own.
_SILENCE = "clients/test_silence.py"
ELSEWHERE: Mapping[str, str] = {
    "brief": f"{_LIFE}::test_without_brief_the_model_of_a_resumed_session_is_told_nothing",
    "fork": f"{_LIFE}::test_without_fork_the_oldest_client_does_not_say_that_a_fork_is_off",
    "leave": f"{_LIFE}::test_without_leave_a_cleared_conversation_is_never_ended",
    "ended-sessions": "clients/test_sessions_ends.py::test_after_a_cancel_no_worker_is_started_in_a_later_turn_unless_that_is_off",
    "wake": _SLOW,
    "check": _SLOW,
    "shell-patches": "clients/test_codex_ulw.py::test_without_shell_patches_what_one_has_broken_is_called_somebody_elses",
    "typed": f"{_CODEX}::test_without_typed_what_the_person_typed_begins_nothing",
    "briefed": f"{_CODEX}::test_without_briefed_an_agent_hears_the_name_of_its_task_and_no_more",
    "questions": f"{_PLANNING}::test_a_question_with_the_models_own_answer_is_denied_unless_that_is_off",
    "answers": f"{_PLANNING}::test_without_answers_the_persons_yes_is_never_known",
    "mode-words": "clients/test_modes_words.py::test_the_same_lie_is_believed_where_the_words_are_switched_off",
    "mode-skills": "clients/test_modes_light.py::test_without_ralph_the_open_stories_are_nobodys_business",
    "lost": f"{_SILENCE}::test_without_lost_markers_that_are_gone_are_nobodys_business",
    "left": f"{_SILENCE}::test_without_left_a_client_ends_and_says_nothing",
    "unsaid": f"{_SILENCE}::test_without_unsaid_the_next_start_says_nothing",
    "agent-names": "clients/test_content.py::test_without_agent_names_only_the_full_name_is_found",
    "offer": "clients/test_pages.py::test_where_it_was_used_a_session_offers_the_features_and_shows_the_page_that_was_loaded",
    "skill-words": "clients/test_content.py::test_words_that_order_a_way_of_working_bring_its_page",
    "agent-answers": "clients/test_content.py::test_what_an_agent_found_is_read_and_kept",
    "axiom-boot": "clients/test_axiom.py::test_the_end_of_a_client_suspends_it_and_it_is_offered_once",
    "axiom-suspend": "clients/test_axiom.py::test_the_end_of_a_client_suspends_it_and_it_is_offered_once",
    "axiom-skills": "clients/test_axiom.py::test_from_a_typed_requirement_to_its_archive",
    "axiom-guards": "clients/test_axiom.py::test_lies_are_refused_and_open_no_gate",
    "axiom-save": "features/axiom/hooks/test_requirement.py::test_before_compaction_the_state_is_saved_and_told",
    "axiom-files": "clients/test_axiom.py::test_what_an_ordinary_command_writes_before_the_expert_gate_is_put_aside",
    "codes": "clients/test_axiom.py::test_a_yes_from_a_terminal_that_nobody_opened_needs_the_code_on_the_screen",
    "queued-words": "clients/test_queued_words.py::test_an_order_to_stop_that_waits_in_the_queue_is_heard_at_the_next_stop",
    "handed-over": "clients/test_live_sessions.py::test_taken_over_the_first_client_is_told_and_its_worker_ends_before_another_starts",
    "teammate-swarm": "clients/test_team.py::test_a_teammate_of_the_client_works_off_the_list_unless_that_is_off",
    "task-swarm": "clients/test_team.py::test_an_item_of_the_clients_list_stays_open_while_its_task_is_red_unless_that_is_off",
    "teammate-plan": "hooks/planned/test_staged.py::test_an_idle_teammate_is_checked_gets_what_is_due_and_the_stage_moves_on",
    "task-plan": "hooks/planned/test_staged.py::test_an_item_of_the_clients_list_is_completed_only_with_green_criteria",
    "waits": "clients/test_permission.py::test_in_a_terminal_the_person_is_asked_about_everything_else",
    "rings": "cli/test_notify.py::test_without_rings_the_terminal_stays_silent",
    "notices": "cli/test_notify.py::test_the_hook_sends_a_question_by_itself_unless_that_is_off",
    "watchdog": "clients/test_modes_planned.py::test_without_the_watchdog_nobody_watches_and_nobody_is_woken",
}


def find_test(row: Row) -> str:
    """Beneath `tests/`."""
    is_feature = row.features or row.name in AS_FEATURES
    return ELSEWHERE.get(row.name) or (FEATURES if is_feature else SCENES)


_HEAD = """\
# Hooks

What the hooks do at each event of a client, in order, and the name that turns each one off. Made from
`plugin/src/ultrawork/hooks/table.py` by `make generate`. `ultrawork doctor --hooks` also shows what each event costs
on your machine. [Glossary](glossary.md)

- One event is one process. While nothing is on, it ends in the shell within about a millisecond.
- `ULTRAWORK_SKIP_HOOKS=name,name` turns off behaviors by the names below, or all of a hook type.
- `ULTRAWORK_DISABLE=1` turns off everything, and a session that was on ends with a message. In Codex the variables of
  its daemon count.
- *features:* only where you turned on a feature of the project (`ultrawork features on`).
- *planned sessions:* only in sessions that `/ultrawork:ultrawork` or a planned mode started.
- *swarm:* only in sessions that lead a swarm or work in one.
- Codex sends only these events: {codex}.
- A behavior that fails is written to `logs/hooks.log` in the state folder; the others continue.
"""
_JOBS = """\
## Beside a session

Work of our own that goes on while the agent works, started by the behaviors above or by the client.
"""


@dataclass(slots=True, frozen=True)
class Behaviour:
    """A row of the table with its place in it; `name` is also what switches it off, and `test` does that."""

    event: str
    order: int
    name: str
    what: str
    test: str


def list_behaviours() -> Iterator[Behaviour]:
    for event in (*HANDLERS, *JOBS):
        for order, row in enumerate(list_rows(event), 1):
            yield Behaviour(event, order, row.name, row.what, find_test(row))


def render() -> str:
    found = list(list_behaviours())
    lines = [_HEAD.format(codex=", ".join(CODEX_EVENTS))]
    for event in HANDLERS:
        lines += [f"## {event}", "", *_types(event), *_list([b for b in found if b.event == event])]
    jobs = [b for b in found if b.event in JOBS]
    return "\n".join([*lines, _JOBS, *_list(jobs)])


def _types(event: str) -> list[str]:
    named = [f"`{name}`" for name, (of, _, _) in TYPES.items() if of == event]
    return [f"Hook type: {', '.join(named)}.", ""] if named else []


def _list(rows: Sequence[Behaviour]) -> list[str]:
    return [*(f"- `{row.name}`: {row.what}" for row in rows), ""]


def main() -> None:
    atomic.write(f"{REPOSITORY}/docs/reference/hooks.md", render(), mode=0o644)


if __name__ == "__main__":
    main()
