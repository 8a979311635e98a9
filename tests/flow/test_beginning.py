"""The words after the command, and taking up a session."""

import pytest

from support.play import GOAL, Play
from support.scene import SESSION
from ultrawork.core.errors import UltraworkError
from ultrawork.flow import beginning


def test_flags_come_first_and_the_goal_is_kept_word_for_word():
    words = beginning.parse("--auto --max-workers 3 fix --this and   that")
    assert words.options == {"auto_mode": True, "max_workers": 3}
    assert words.goal == "fix --this and   that"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("--max-iterations x go", "max-iterations"),
        ("--max-iterations -1 go", "max-iterations"),
        ("--session", "requires a value"),
        ("--session {ID} go", "placeholder"),
        ("--plan-olny go", "did you mean --plan-only"),
    ],
)
def test_words_that_make_no_sense_are_refused(text, why):
    with pytest.raises(UltraworkError, match=why):
        beginning.parse(text)


def test_a_session_is_taken_up_by_its_name_with_other_options(tmp_path):
    play = Play(str(tmp_path))
    play.begin(f"--auto --plan-only {GOAL}")
    play.planned()
    play.stop("Planned.")
    words = f"--session {SESSION} --skip-verify --max-iterations 7"
    play.event(
        "UserPromptExpansion",
        session_id="5e551040-0000-4000-8000-000000000009",
        command_name="ultrawork:ultrawork-exec",
        command_args=words,
        prompt="x",
    )
    session = play.session()
    assert session["phase"] == "EXECUTION"
    options = session["options"]
    assert (options["skip_verify"], options["max_iterations"]) == (True, 7)
