"""A prompt that begins with `ulw` always gets an answer: it is on, or one line says why not."""

import os

import pytest

from ultrawork.core.prompt.first_word import explain_remark, find_near_command, find_rest
from ultrawork.core.prompt.order import FREE_WORDS, WORDS, find_free_word, find_order

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
