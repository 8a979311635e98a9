"""A prompt that begins with `ulw` always gets an answer: it is on, or one line says why not."""

import os

import pytest

from ultrawork.cli.verbs_table import VERBS
from ultrawork.core.prompt.first_word import (
    TERMINAL_VERBS,
    explain_remark,
    find_near_command,
    find_rest,
    find_terminal_verb,
)
from ultrawork.core.prompt.order import FREE_WORDS, WORDS, drop_bare_word, find_free_word, find_order

with open(os.path.join(os.path.dirname(__file__), "data", "first_word.txt"), encoding="utf-8") as file:
    PROMPTS = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
MOST_REMARKS = 18


def test_sixty_prompts_are_on_or_explained_and_most_are_on():
    remarks = [one for one in PROMPTS if find_order(one) is None]
    assert len(PROMPTS) == 60
    assert [one for one in PROMPTS if find_rest(one, WORDS) is None] == []
    assert [one for one in PROMPTS if find_near_command(find_rest(one, WORDS))] == []
    assert len(remarks) <= MOST_REMARKS, remarks


@pytest.mark.parametrize("prompt", PROMPTS)
def test_what_the_line_offers_switches_it_on(prompt):
    """The colon is the way out wherever the line calls a prompt a remark."""
    offered = explain_remark(find_rest(prompt, WORDS), is_on=False).partition("as a task: ")[2]
    assert find_order(offered) is not None


def test_the_line_fits_the_screen_and_says_whether_it_is_on():
    off = explain_remark(" keeps sending it back, " * 9, is_on=False)
    assert off.startswith("ultrawork: not on. I read this as a remark. To use it as a task: ulw: keeps")
    assert len(off) <= 100
    assert "I read this as a question. To use it as a task: ulw: why" in explain_remark(" why twice?", is_on=False)
    on = explain_remark(" is great", is_on=True)
    assert on.startswith("ultrawork: still on, with the same goal.")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("statsu", "status"),
        ("stats", "status"),
        ("of", "off"),
        ("offf", "off"),
        ("evidance", "evidence"),
        ("verfy", "verify"),
        ("gates alow", "gates allow"),
        ("gate", "gates"),
        ("acept the flaky test", "accept"),
        ("HLEP", "help"),
        ("quit", "off"),
        ("turn off", "off"),
        ("--help", "help"),
    ],
)
def test_a_slip_of_the_finger_is_asked_about(typed, meant):
    assert find_near_command(f" {typed}") == meant


@pytest.mark.parametrize(
    "rest",
    [
        *(f" {one}" for one in FREE_WORDS),
        ": statsu",
        " fix it",
        " dark mode",
        " except in tests",
        " offline",
        " verify it",
        "",
    ],
)
def test_a_command_a_goal_and_what_stands_behind_a_colon_are_no_slip(rest):
    assert find_near_command(rest) == ""


@pytest.mark.parametrize(
    "prompt",
    [
        "the ulw keyword",
        "ulwx fix",
        "ulw-plan x",
        "ulw() throws",
        "`ulw` is great",
        "/ulw x",
        "ultrawork: on. Done",
        "bulwark",
    ],
)
def test_only_the_word_itself_at_the_very_start_counts(prompt):
    assert find_rest(prompt, WORDS) is None


def test_a_goal_in_the_form_of_a_commit_is_an_order():
    assert find_order("ulw docs: clarify the options").goal == "docs: clarify the options"
    assert find_order("ulw docs(utils): an example").goal == "docs(utils): an example"
    assert find_free_word("ulw docs: status") is None


def test_every_verb_for_the_terminal_exists_and_is_no_command_of_the_client():
    assert {verb.split()[0] for verb in TERMINAL_VERBS} - set(VERBS) == {"--version"}
    assert not set(TERMINAL_VERBS) & set(FREE_WORDS)


@pytest.mark.parametrize(("rest", "verb"), [(" Doctor", "doctor"), (" session list?", "session list"), (": doctor", ""), (" doctor is slow, mend it", "")])  # fmt: skip
def test_a_verb_of_the_terminal_is_named_only_if_it_is_the_whole_prompt(rest, verb):
    assert find_terminal_verb(rest) == verb


@pytest.mark.parametrize("goal", ["on", "On!", "\u2014", "\U0001f44d", "\uff0c", "ulw", "please"])
def test_marks_and_the_word_on_are_no_goal(goal):
    assert drop_bare_word(goal) == ""


@pytest.mark.parametrize(
    "prompt",
    [
        "ulw thanks",
        "ulw thank you!",
        "ulw merci beaucoup",
        "ULW, gracias",
        "ulw \u8c22\u8c22",
        "ulw \u3042\u308a\u304c\u3068\u3046\uff01",
        "ulw \uace0\ub9c8\uc6cc",
    ],
)
def test_thanks_ask_for_nothing(prompt):
    assert find_order(prompt) is None


@pytest.mark.parametrize("prompt", ["ulw thanks, now fix the rest", "ulw \u8c22\u8c22\u9875\u9762\u7684\u6309\u94ae\u574f\u4e86"])  # fmt: skip
def test_a_task_after_thanks_is_a_task(prompt):
    assert find_order(prompt).goal == prompt.removeprefix("ulw ")


def test_a_korean_word_that_begins_like_a_particle_is_none():
    """A login is no `with`: the keyword is taken out of the goal."""
    assert find_order("ulw \ub85c\uadf8\uc778 \ubc84\uadf8 \uace0\uccd0\uc918").goal == "\ub85c\uadf8\uc778 \ubc84\uadf8 \uace0\uccd0\uc918"  # fmt: skip


def test_a_prompt_in_quotes_is_answered_with_the_task_in_it():
    offered = explain_remark(find_rest('"ulw fix the login form"', WORDS), is_on=False)
    assert offered.endswith("To use it as a task: ulw: fix the login form")
