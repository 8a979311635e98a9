"""Every verb explains itself, without needing a state folder."""

import os
import sys

import pytest

from ultrawork.cli.verbs_table import ALIASES, VERBS


def commands(verb):
    name = VERBS[verb].full_name
    __import__(name)
    return sys.modules[name].COMMANDS


def words(verb, command):
    return [verb, command.name] if command.name else [verb]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("word", ["--help", "-h"])
def test_every_command_shows_its_flags_and_an_example(program, verb, word):
    for command in commands(verb):
        answer = program.call(*words(verb, command), word)
        assert (answer.status, answer.err) == (0, "")
        assert answer.out.startswith(f"Usage: ultrawork {' '.join(words(verb, command))}")
        for flag in command.flags:
            assert f"  {flag.usage}" in answer.out
            assert flag.help in answer.out
        assert f"\nExample: {command.example}\n" in answer.out
        spoken = " ".join(words(verb, command))
        assert command.example.endswith(f"make {verb}") or f"ultrawork {spoken}" in command.example


@pytest.mark.parametrize("verb", VERBS)
def test_help_stays_within_the_screen(program, verb):
    for command in commands(verb):
        out = program.call(*words(verb, command), "--help").out
        assert [line for line in out.splitlines() if len(line) > 100] == []


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_lists_its_commands(program, verb):
    answer = program.call(verb, "--help")
    assert answer.status == 0
    assert answer.out.startswith(f"Usage: ultrawork {verb}")


def test_help_makes_no_state_folder(program):
    program.call("session", "new", "--help")
    program.call("--help")
    assert not os.path.exists(program.home)


def test_help_needs_neither_home_nor_state_folder(program):
    for words in (["--help"], ["task", "--help"], ["task", "create", "--help"]):
        assert program.call(*words, env={"HOME": "", "ULTRAWORK_HOME": ""}).status == 0


def test_the_overview_shows_the_first_shelf_and_all_of_them_on_demand(program):
    short, long = program.call("--help").out, program.call("--help", "--all").out
    first = next(iter(VERBS.values())).shelf
    for verb, row in VERBS.items():
        assert (f"  {verb} " in short) == (row.shelf == first)
        assert f"  {verb} " in long
        assert row.help in long


@pytest.mark.parametrize("word", ["help", "-h", "--help"])
def test_help_has_three_names(program, word):
    assert program.call(word).out == program.call("--help").out


def test_every_alias_leads_to_a_verb():
    assert set(ALIASES.values()) <= set(VERBS)
    assert not set(ALIASES) & set(VERBS)
