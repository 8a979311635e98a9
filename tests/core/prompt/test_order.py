import json
import os
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.core.prompt.order import FREE_WORDS, find_free_word, find_order

HERE = os.path.dirname(__file__)
PROMPTS = os.path.join(HERE, "orders")


def lines(*path):
    with open(os.path.join(HERE, *path), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def document(*path):
    with open(os.path.join(HERE, *path), encoding="utf-8") as file:
        return json.load(file)


def wrong(rows):
    """Labelled prompts that are judged otherwise, as lines to read."""
    return [
        f"{'missed' if row['hit'] else 'false alarm'}: {row['prompt']!r} ({row['why']})"
        for row in rows
        if (find_order(row["prompt"]) is not None) != row["hit"]
    ]


@pytest.fixture(scope="module")
def labelled():
    names = sorted(name for name in os.listdir(PROMPTS) if name.endswith(".jsonl"))
    return {name: lines("orders", name) for name in names}


def test_precision_is_whole_and_recall_at_least_98_percent(labelled):
    rows = [row for part in labelled.values() for row in part]
    problems = wrong(rows)
    print("\n".join(problems))
    hits = sum(row["hit"] for row in rows)
    missed = sum(problem.startswith("missed") for problem in problems)
    assert len(problems) == missed, "a false alarm; see the output"
    assert (hits - missed) / hits >= 0.98


def test_the_labelled_set_is_large_balanced_and_a_third_of_it_independent(labelled):
    rows = [row for part in labelled.values() for row in part]
    assert len(rows) >= 300
    assert len(labelled["independent.jsonl"]) * 3 >= len(rows)
    assert 0.4 < sum(row["hit"] for row in rows) / len(rows) < 0.6


def test_every_further_case_is_judged_right():
    assert wrong(lines("data", "trigger_cases.jsonl")) == []


@pytest.mark.parametrize("case", document("data", "keywords.json"), ids=lambda case: case["id"])
def test_earlier_detectors_agree_or_there_is_a_reason(case):
    reasons = document("data", "keywords_reasons.json")
    found = find_order(case["prompt"])
    assert ((found is not None) == case["hit"]) == (case["id"] not in reasons)
    if found and "goal" in case:
        assert found.goal == case["goal"]


@pytest.mark.parametrize(
    ("prompt", "goal"),
    [
        ("ulw fix the login bug", "fix the login bug"),
        ("ulw: fix it", "fix it"),
        ("ulw, fix it", "fix it"),
        ("ulw - fix it", "fix it"),
        ("**ulw** fix it", "fix it"),
        ("[ulw] fix it", "fix it"),
        ("ulw .env is leaked", ".env is leaked"),
        ("ulw -v prints nothing", "-v prints nothing"),
        ("ulw\nfix it", "fix it"),
        ("please ultrawork add auth", "please add auth"),
        ("can you ulw fix the tests?", "can you fix the tests?"),
        ("fix it, ulw", "fix it"),
        ("fix it (ulw)", "fix it"),
        ("Fix it. ULW!", "Fix it."),
        ("one\nulw two\nthree", "one\ntwo\nthree"),
        ("use ulw to fix it", "use ulw to fix it"),
        ("fix it in ulw mode", "fix it in ulw mode"),
        ("ulwで直して", "ulwで直して"),
        ("ulw修复登录错误", "修复登录错误"),
        ("ulw fix `ulw`", "fix `ulw`"),
        ("ulw make Cart.empty? count gifts", "make Cart.empty? count gifts"),
        ("ulw", ""),
        ("ULW!", ""),
    ],
)
def test_the_goal_is_the_prompt_without_a_keyword_that_it_does_not_need(prompt, goal):
    assert find_order(prompt).goal == goal


def test_the_position_is_that_of_the_keyword_that_counts():
    prompt = "İ `ulw` and ulw_x, then ulw fix it"
    assert find_order(prompt).position == prompt.rindex("ulw")


def test_other_words_can_be_chosen_and_none():
    assert find_order("turbo fix it", ["turbo"]).goal == "fix it"
    assert find_order("ulw fix it", ["turbo"]) is None
    assert find_order("ulw fix it", []) is None


@pytest.mark.parametrize("prompt", ["/ulw fix it", " /omo:ulw fix it", "/ultrawork:ulw fix it"])
def test_slash_commands_are_left_to_their_own_event(prompt):
    assert find_order(prompt) is None


@pytest.mark.parametrize("word", FREE_WORDS)
@pytest.mark.parametrize("form", ["ulw {}", "ULTRAWORK {}", " ulw  {}.\n", "ulw {}?", "ulw: {}!"])
def test_a_free_word_is_a_command_in_any_case_and_with_punctuation(form, word):
    prompt = form.format(word if form.islower() else word.upper())
    assert find_free_word(prompt).name == FREE_WORDS[word]
    assert find_order(prompt) is None


@pytest.mark.parametrize("prompt", ["cancelulw", "CancelULW!", "cancel ulw", "stop ulw", "ulw off please"])
def test_the_switch_has_more_than_one_form(prompt):
    assert find_free_word(prompt).name == "off"


def test_accept_takes_the_reason_as_it_was_written():
    accepted = find_free_word("ULW Accept: Vendor test,\nknown to be flaky.")
    assert (accepted.name, accepted.argument) == ("accept", "Vendor test,\nknown to be flaky.")
    assert find_free_word("ulw accept").argument == ""


@pytest.mark.parametrize(
    "prompt",
    [
        "ulw",
        "off",
        "please accept it",
        "ulw offline mode is broken",
        "ulw stop the flicker",
        "ulw why is it slow",
        "ulw acceptance tests fail",
        "ulw gates allow test",
        "ulw verify the login and fix it",
        "the ulw off switch",
        "bulwark off",
    ],
)
def test_more_than_the_free_word_is_no_command(prompt):
    assert find_free_word(prompt) is None


def test_a_prompt_without_the_word_loads_nothing():
    program = (
        "import sys; sys.path.insert(0, {!r}); before = set(sys.modules)\n"
        "from ultrawork.core.prompt import order\n"
        "order.find_order('fix the login bug'); order.find_free_word('fix the login bug')\n"
        "print(*sorted(set(sys.modules) - before))"
    ).format(os.path.abspath(os.path.join(HERE, "..", "..", "..", "plugin", "src")))
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        "ultrawork",
        "ultrawork.core",
        "ultrawork.core.prompt",
        "ultrawork.core.prompt.order",
    ]


@pytest.mark.parametrize("filling", ["`", "<a>", "'x ", '"x ', "„x ", "ulw_ ", "ulw? ", "<!--", "a\n", "«"])
def test_a_long_prompt_takes_bounded_time(filling):
    prompt = filling * (500_000 // len(filling)) + " ulw\n\n\n```\n```\nulw fix it"
    started = time.process_time()
    find_order(prompt)
    assert time.process_time() - started < 5


def test_an_order_is_found_after_a_paste_of_any_length():
    prompt = "2026-11-15 INFO ulw armed\n" * 100_000 + "\nulw fix this"
    assert find_order(prompt).position == prompt.rindex("ulw")


MARKS = [" ", "\n", "`", "```", '"', "'", "<a>", "</a>", "<!--", "?", ".", ",", "-", "/", "="]
TOKENS = ["can you", "the", "use", "with", "not", "is", "fix", "を", "用", "로", "で", "İ", "\ud800"]
PIECES = st.sampled_from(["ulw", "ultrawork", "ULW", *MARKS, *TOKENS])


@settings(max_examples=amount(80, 300), deadline=None)
@given(st.lists(PIECES | st.text(max_size=3), max_size=25).map("".join))
def test_any_text_is_judged_without_an_error(prompt):
    found = find_order(prompt)
    find_free_word(prompt)
    if found:
        assert prompt[found.position :].lower().startswith(("ulw", "ultrawork"))
