"""Everything a person or an agent reads is plain: no banned phrase, short sentences, one form, commands that exist."""

import json
import re

import pytest

from support import catalogue, messages_page, voice
from ultrawork.cli.environment import EVERYWHERE
from ultrawork.cli.main import load_commands
from ultrawork.cli.verbs_table import ALIASES, VERBS
from ultrawork.hooks.prompt.free_words import _ANSWERS as IN_CLIENT

MOST_WORDS = 30
PAGES = list(voice.list_pages())
# Sentences of prompts may be longer than those of screens.
PROMPTS = ("core/course/judges.py", "core/course/roles.py", "engine/agents/prompts.py")
# Words that follow the name of the program in a sentence and are no verb: `ultrawork is on`.
NOT_VERBS = frozenset(
    [
        "is",
        "makes",
        "was",
        "has",
        "had",
        "itself",
        "runs",
        "ran",
        "found",
        "kept",
        "cannot",
        "does",
        "did",
        "turned",
        "started",
        "stays",
        "chooses",
        "names",
        "decides",
        "checks",
        "asks",
        "shows",
        "judges",
        "needs",
        "and",
        "or",
        "in",
        "on",
        "the",
        "it",
        "with",
        "at",
        "to",
        "from",
        "of",
        "for",
        "as",
        "uses",
        "will",
        "may",
        "can",
        "never",
        "keeps",
        "had",
        "reads",
        "that",
        "by",
        "knows",
        "began",
        "working",
        "state",
        "session",
    ]
)


def test_the_program_has_sentences_to_check():
    assert len(voice.list_messages()) > 1000
    assert sum(one.is_error for one in voice.list_messages()) > 100


def test_every_sentence_is_listed_once_under_its_surface():
    listed = [one for found in catalogue.list_catalogue().values() for one in found]
    shown = [one for one in voice.list_messages() if " " in one.text.strip()]
    assert sorted(map(repr, listed)) == sorted(map(repr, shown))
    assert all(catalogue.list_catalogue().values())
    assert catalogue.find_surface("core/stop/refusal.py") == "client"
    assert catalogue.find_surface("core/verdict/summary.py") == "verdict"


def test_no_message_uses_a_banned_phrase():
    found = [f"{one} {bad}" for one in voice.list_messages() for bad in voice.find_banned(one.text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("name", "text"), PAGES, ids=[name for name, _ in PAGES])
def test_no_page_uses_a_banned_phrase(name, text):
    found = [
        f"{name}: {bad} in {line[:120]!r}"
        for line in text.splitlines()
        for bad in voice.find_banned(line, is_message=False)
    ]
    assert not found, "\n".join(found)


def test_no_message_installs_our_name_from_an_index():
    found = [str(one) for one in voice.list_messages() if voice.FROM_AN_INDEX.search(one.text)]
    assert found == []


def test_sentences_are_short():
    found = [
        f"{one} {part!r}"
        for one in voice.list_messages()
        if one.path not in PROMPTS
        for part in voice.find_long_sentences(one.text, MOST_WORDS)
    ]
    assert not found, "\n".join(found)


def test_errors_have_one_form():
    """They follow `ultrawork: `, so they begin in lower case and end without a period."""
    found = [
        str(one)
        for one in voice.list_messages()
        if one.is_error and (re.match(r"[A-Z][a-z]+ [a-z]", one.text) or one.text.endswith("."))
    ]
    assert not found, "\n".join(found)


def test_commands_that_a_message_names_exist():
    found = [
        f"{one}: {why}"
        for one in voice.list_messages()
        for program, words, flags in voice.find_commands(one.text)
        if (why := explain_unknown(program, words, flags))
    ]
    assert not found, "\n".join(found)


def explain_unknown(program, words, flags):
    """Why a command cannot be typed; empty if it can."""
    verb = ALIASES.get(words[0], words[0])
    if words[0] in NOT_VERBS or verb not in VERBS:
        # In a client the rest of a prompt is a task, so only what stands alone can be checked there.
        fine = program == "ulw" or words[0] in NOT_VERBS or " ".join(words) in IN_CLIENT
        return "" if fine else f"no verb {words[0]}"
    commands = load_commands(verb)
    names = {one.name for one in commands}
    chosen = [one for one in commands if one.name == (words[1] if words[1:] else "")]
    of_verb = chosen or [one for one in commands if one.name in ("", "list", "show")] or commands
    known = [flag for one in of_verb for flag in (*one.flags, *EVERYWHERE)]
    allowed = {name for flag in known for name in (flag.name, *flag.aliases)}
    unknown = [flag for flag in flags if flag not in allowed]
    if unknown:
        return f"{verb} {'/'.join(sorted(names))} has no {unknown[0]}"
    return ""


def test_the_page_of_messages_is_up_to_date():
    with open(messages_page.PAGE, encoding="utf-8") as file:
        assert file.read() == messages_page.render_page(), "run: make generate"
    with open(messages_page.BEFORE, encoding="utf-8") as file:
        assert len(set(json.load(file)) & set(messages_page.list_screens())) >= 30


# What a reader does after a screen: a command, or what its last line asks for.
NEXT = re.compile(r"\b(?:ulw|ultrawork) [a-z<]|\bulw: |^  cleared by|BLOCKED: why|\.gitignore|with ulw\b|Finish or", re.MULTILINE)  # fmt: skip
NOTHING_TO_DO = ("Goal extended", "`ulw why`, the actions")


@pytest.mark.parametrize("moment", messages_page.list_screens())
def test_every_screen_says_what_to_do_next(moment):
    text = messages_page.list_screens()[moment]
    assert bool(NEXT.search(text)) is (moment not in NOTHING_TO_DO), text


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("the agent was let go", True),
        ("which tests fail is not told", True),
        ("which tests fail is told elsewhere", True),
        ("nobody is here", True),
        ("sent back twice, so the agent was allowed to stop", False),
        ("nothing broke", False),
        ("so nothing broke here", True),
    ],
)
def test_a_banned_phrase_is_found_wherever_it_stands(text, wrong):
    assert bool(voice.find_banned(text)) is wrong


def test_a_command_without_its_verb_or_flag_is_found():
    assert explain_unknown("ultrawork", ["nonsense"], [])
    assert explain_unknown("ultrawork", ["verify"], ["--nonsense"])
    assert not explain_unknown("ultrawork", ["verify"], ["--quick"])
