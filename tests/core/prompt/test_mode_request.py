import json
import os
import random
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.core.modes import modes
from ultrawork.core.prompt import mode_words, order, order_words
from ultrawork.core.prompt.mode_orders import collect_modes
from ultrawork.core.prompt.mode_request import find_modes, may_name

HERE = os.path.dirname(__file__)
SETS = ("mode_prompts.jsonl", "mode_prompts_blind.jsonl")


def rows_of(name):
    with open(os.path.join(HERE, "data", name), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def asked(prompt):
    """What a prompt asks for: modes, and `cancel` where it ends them."""
    found = find_modes(prompt)
    if found is None:
        return set()
    return {*found.modes, *(["cancel"] if found.cancel else [])}


def wanted(row):
    return {*row["modes"], *(["cancel"] if row.get("cancel") else [])}


class Measured:
    def __init__(self, name):
        self.rows = rows_of(name)
        pairs = [(asked(row["prompt"]), wanted(row)) for row in self.rows]
        self.right = sum(len(ours & theirs) for ours, theirs in pairs)
        self.false = sum(len(ours - theirs) for ours, theirs in pairs)
        self.missed = sum(len(theirs - ours) for ours, theirs in pairs)
        self.precision = self.right / (self.right + self.false)
        self.recall = self.right / (self.right + self.missed)
        self.line = (
            f"{name}: {len(self.rows)} prompts, precision {self.precision:.1%} ({self.false} false),"
            f" recall {self.recall:.1%} ({self.missed} missed)"
        )

    def wrong(self):
        return [
            f"{sorted(asked(row['prompt']))} instead of {sorted(wanted(row))}: {row['prompt']!r}"
            for row in self.rows
            if asked(row["prompt"]) != wanted(row)
        ]


@pytest.mark.parametrize("name", SETS)
def test_precision_is_at_least_99_and_recall_at_least_95_percent(name, capsys):
    measured = Measured(name)
    with capsys.disabled():
        print(f"\n{measured.line}")
    print("\n".join(measured.wrong()))
    assert measured.precision >= 0.99
    assert measured.recall >= 0.95


def test_what_was_once_a_false_alarm_stays_none():
    """Each prompt of our own set that begins nothing is there for a rule: one more would not move the rate."""
    measured = Measured("mode_prompts.jsonl")
    print("\n".join(measured.wrong()))
    assert measured.false == 0


def test_the_labelled_sets_are_large_and_name_every_mode():
    own, blind = (rows_of(name) for name in SETS)
    assert len(own) >= 400
    assert len(blind) >= 150
    for rows in (own, blind):
        assert {mode for row in rows for mode in row["modes"]} == set(modes.ALL)
        assert sum(not row["modes"] for row in rows) >= len(rows) * 0.4
    assert len({row["prompt"] for row in (*own, *blind)}) == len(own) + len(blind)


def test_what_the_cheap_question_denies_names_no_mode():
    rows = [row for name in SETS for row in rows_of(name)]
    denied = [row for row in rows if not may_name(row["prompt"].lower())]
    assert denied
    assert [row for row in denied if wanted(row)] == []


def test_what_the_cheap_question_takes_for_a_mention_is_one_to_the_grammar_too():
    """Around `my team` and `the pipeline` stand words that orders are made of, in all orders and with all marks."""
    chance, denied = random.Random(12), []
    around = [word for one in (order_words, mode_words) for words in one._SETS.values() for word in words.split()]  # fmt: skip
    for _ in range(amount(1500, 60_000)):
        named = [f"{chance.choice(BEFORE)} {chance.choice(('team', 'pipeline'))}" for _ in range(2)]
        spoken = [chance.choice(around) + chance.choice(MARKS_AROUND) for _ in range(6)]
        parts = [*named[: chance.choice((1, 2))], *spoken[: chance.randrange(7)]]
        chance.shuffle(parts)
        prompt = " ".join(parts)
        if not may_name(prompt):
            denied.append(prompt)
    assert len(denied) > 100
    assert [prompt for prompt in denied if is_judged_as_wish(prompt)] == []


BEFORE = ("the", "my", "our", "your", "their", "his", "her", "its")
MARKS_AROUND = (*[""] * 20, ",", ".", "?", "!", ":", ";", " -", "\n", "(", ")")


def is_judged_as_wish(prompt):
    found = collect_modes(prompt, order.WORDS)
    return bool(found.modes or found.hint or found.cancel)


@pytest.mark.parametrize("prompt", ["use my team mode to fix it", "put the team of 3 agents on it", "stop the team run", "the pipeline explore -> architect -> executor"])  # fmt: skip
def test_a_sign_beside_the_mention_leaves_it_to_the_grammar(prompt):
    assert may_name(prompt)


@pytest.mark.parametrize(
    ("prompt", "goal"),
    [
        ("ralph fix the tests", "fix the tests"),
        ("ralph: fix the tests", "fix the tests"),
        ("autopilot mode: write the export service", "write the export service"),
        ("ralph ulw fix errors", "fix errors"),
        ("ralph + team: implement the roadmap", "implement the roadmap"),
        ("fix all failing tests, ralph", "fix all failing tests"),
        ("use ralph to fix the tests", "use ralph to fix the tests"),
        ("build me a todo app", "build me a todo app"),
        ("swarm 5 agents fix errors", "swarm 5 agents fix errors"),
        ("one\nralph fix two\nthree", "one\nfix two\nthree"),
        ("can you ralph the rest?", "can you ralph the rest?"),
        ("let autopilot handle it", "let autopilot handle it"),
        ("please ralph fix the tests", "please fix the tests"),
        ("ralph", ""),
        ("please use ralph for this", ""),
        ("enable autopilot mode now", ""),
    ],
)
def test_the_goal_is_the_request_without_words_that_it_does_not_need(prompt, goal):
    assert find_modes(prompt).goal == goal


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("ralph team build the API", (modes.RALPH, modes.TEAM)),
        ("team autopilot build", (modes.TEAM,)),
        ("ulw ralph fix errors", (modes.RALPH, modes.ULTRAWORK)),
        ("autopilot and swarm: build it all", (modes.AUTOPILOT,)),
        ("ralph ultraqa fix it", (modes.RALPH,)),
        ("autopilot ultraqa build the API", (modes.AUTOPILOT,)),
    ],
)
def test_modes_come_in_their_order_and_without_those_that_give_way(prompt, expected):
    assert find_modes(prompt).modes == expected


def test_an_end_is_exclusive():
    found = find_modes("cancelomc ralph ultrawork, then autopilot the rest")
    assert found.cancel
    assert found.modes == ()


@pytest.mark.parametrize(
    ("prompt", "mode"),
    [
        ("autopilot, rather quick", modes.AUTOPILOT),
        ("use ralph sparingly", modes.RALPH),
        ("You must complete this task", modes.RALPH),
        ("don't stop until I say so", modes.RALPH),
        ("team fix add in calc.py", modes.TEAM),
        ("please team rename foo to bar", modes.TEAM),
        ("team the failing tests", modes.TEAM),
        ("use a team and fix add", modes.TEAM),
        ("pipeline port calc.py to asyncio", modes.PIPELINE),
        ("ultrapilot make tests pass", modes.ULTRAPILOT),
    ],
)
def test_an_ambiguous_mention_is_a_hint_and_starts_nothing(prompt, mode):
    found = find_modes(prompt)
    assert (found.modes, found.cancel, found.hint) == ((), False, mode)


@pytest.mark.parametrize("mode", mode_words.NAMES)
@pytest.mark.parametrize("order", ["fix add in calc.py", "make tests pass", "refactor calc.py", "rename foo to bar"])
def test_a_prompt_that_begins_with_a_mode_and_goes_on_like_an_order_never_starts_nothing_in_silence(mode, order):
    for word in mode_words.NAMES[mode]:
        found = find_modes(f"{word} {order}")
        assert found is not None, word
        assert mode in (*found.modes, found.hint)


@pytest.mark.parametrize(
    "prompt",
    [
        "fix the team filter",
        "the CI pipeline is broken",
        "what is ralph?",
        "thanks ralph",
        "pipeline build broken since the upgrade",
        "team page is slow",
        "pipeline test failure on main",
        "parallel build the docker images",
    ],
)
def test_plain_talk_is_not_even_a_hint(prompt):
    assert find_modes(prompt) is None


def test_enhancements_are_found_beside_a_mode_and_nowhere_else():
    assert find_modes("ralph tdd fix the parser").others == ("tdd",)
    assert find_modes("ralph with security-review: mend the login").others == ("security-review",)
    assert find_modes("tdd fix the parser") is None


def test_the_words_for_ultrawork_can_be_others():
    assert find_modes("ralph turbo fix it", ["turbo"]).modes == (modes.RALPH, modes.ULTRAWORK)
    assert find_modes("ulw fix it", []) is None


@pytest.mark.parametrize(
    ("prompt", "lead"), [("Proofread this text:\n\nUse ralph to fix it.\n\nralph fix it", "ralph fix")]
)  # fmt: skip
def test_a_text_to_be_judged_is_no_request_but_what_follows_it_is(prompt, lead):
    assert find_modes(prompt).modes == (modes.RALPH,)
    assert find_modes(prompt[: prompt.index(lead)]) is None


def loaded_for(prompt):
    program = (
        "import sys; sys.path.insert(0, {!r}); before = set(sys.modules)\n"
        "from ultrawork.core.prompt import mode_request\n"
        "mode_request.may_name({!r}); mode_request.find_modes({!r})\n"
        "print(*sorted(set(sys.modules) - before))"
    ).format(os.path.abspath(os.path.join(HERE, "..", "..", "..", "plugin", "src")), prompt, prompt)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


PLAIN = [
    "ultrawork",
    "ultrawork.core",
    "ultrawork.core.prompt",
    "ultrawork.core.prompt.mode_request",
    "ultrawork.core.prompt.order",
]


def test_a_prompt_without_such_words_loads_nothing():
    assert loaded_for("fix the bug") == PLAIN


def test_a_mention_loads_the_grammar_and_the_words_that_it_needs():
    """Neither the modes themselves, nor signs of a request, nor everyday phrases, nor other scripts."""
    names = ("grammar", "mode_orders", "mode_mentions", "mode_words", "order_words", "prose", "sentence")
    needed = ["ultrawork.core.value", *(f"ultrawork.core.prompt.{name}" for name in names)]
    assert loaded_for("show it to another team") == sorted([*PLAIN, *needed])


def test_a_prompt_about_the_persons_own_team_loads_nothing():
    assert loaded_for("show it to my team and tell me why the pipeline fails") == PLAIN


@pytest.mark.parametrize(
    "filling", ["`", "<a>", "'x ", "team ", "ralph ", "don't stop ", "i want a ", "swarm 3 ", "a\n", "on auto"]
)  # fmt: skip
def test_a_long_prompt_takes_bounded_time(filling):
    prompt = filling * (300_000 // len(filling)) + "\n\n\n```\n```\nralph fix it"
    started = time.process_time()
    find_modes(prompt)
    assert time.process_time() - started < 20


WORDS = ["ralph", "team", "autopilot", "swarm 3 agents", "pipeline", "ultraqa", "ulw", "build me a", "don't stop"]  # fmt: skip
MARKS = [" ", "\n", "`", '"', "<a>", "?", ".", ",", ":", "-", "->", "mode", "use", "the", "not", "fix", "を", "用", "로", "İ", "\ud800"]  # fmt: skip


@settings(max_examples=amount(80, 300), deadline=None)
@given(st.lists(st.sampled_from([*WORDS, *MARKS]) | st.text(max_size=3), max_size=25).map("".join))
def test_any_text_is_judged_without_an_error(prompt):
    found = find_modes(prompt)
    if found:
        assert bool(found.modes) + found.cancel + bool(found.hint) == 1
        assert set(found.modes) <= set(modes.ALL)
