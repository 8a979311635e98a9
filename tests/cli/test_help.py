"""Every verb explains itself, without needing a state folder."""

import os
import shlex
import sys

import pytest

from ultrawork.cli.environment import parse_flags
from ultrawork.cli.help import explain_argument, name_arguments
from ultrawork.cli.verbs_table import ALIASES, PEOPLE, VERBATIM, VERBS


def commands(verb):
    name = VERBS[verb].full_name
    __import__(name)
    return sys.modules[name].COMMANDS


def words(verb, command):
    return [verb, command.name] if command.name else [verb]


def is_own_page(verb, command):
    return bool(command.name) or len(commands(verb)) == 1


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("word", ["--help", "-h"])
def test_every_command_shows_its_flags_arguments_and_examples(program, verb, word):
    for command in commands(verb):
        answer = program.call(*words(verb, command), word)
        assert (answer.status, answer.err) == (0, "")
        assert answer.out.startswith(f"Usage: ultrawork {' '.join(words(verb, command))}")
        if not is_own_page(verb, command):
            continue
        for flag in command.flags:
            assert f"  {flag.usage}" in answer.out
            assert flag.help in answer.out
        for argument in name_arguments(command.rest):
            assert explain_argument(verb, argument) in answer.out
        assert all(f"\n  {example}\n" in answer.out for example in command.examples)
        assert command.examples


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_has_its_summary_two_examples_and_related_verbs(program, verb):
    out = program.call(verb, "--help").out
    assert f"\n{VERBS[verb].help}.\n" in out
    shown = out.partition("\nExamples:\n")[2].partition("\n\n")[0].splitlines()
    assert len(shown) >= 2
    assert f"\nRelated: {', '.join(VERBS[verb].related)}\n" in out
    assert set(VERBS[verb].related) <= set(VERBS) - {verb}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_lists_all_of_its_commands(program, verb):
    out = program.call(verb, "--help").out
    named = [command for command in commands(verb) if command.name]
    listed = out.partition("\nCommands:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == [command.name for command in named]
    assert all(command.help in out for command in named)


def list_examples():
    return [(verb, example) for verb in VERBS for command in commands(verb) for example in command.examples]


@pytest.mark.parametrize(("verb", "example"), list_examples())
def test_every_example_is_understood_by_the_verb_it_stands_at(verb, example):
    if example == "make demo":
        return
    typed = shlex.split(example.replace(")", " )").replace("<(", "<( "))
    typed = typed[typed.index("ultrawork") + 1 :]
    typed = [word for word in typed if word not in ("|", "source", ")", "<", "report.md", "<(")]
    if not typed:
        assert (verb, example) == ("here", "ultrawork")
        return
    assert typed[0] == verb
    if verb in VERBATIM:
        return
    known = {command.name: command for command in commands(verb)}
    name = typed[1] if len(typed) > 1 and typed[1] in known else ""
    command = known[name]
    rest = typed[2:] if name else typed[1:]
    given = parse_flags(rest, command.flags, rest=command.rest, verb=verb).rest
    optional = not command.rest or command.rest.startswith(("[", "|"))
    assert given or optional or any(flag.required for flag in command.flags)


@pytest.mark.parametrize("verb", VERBS)
def test_help_stays_within_the_screen(program, verb):
    for command in commands(verb):
        out = program.call(*words(verb, command), "--help").out
        assert [line for line in out.splitlines() if len(line) > 100] == []


def test_help_makes_no_state_folder(program):
    program.call("session", "new", "--help")
    program.call("--help")
    assert not os.path.exists(program.home)


def test_help_needs_neither_home_nor_state_folder(program):
    for words in (["--help"], ["task", "--help"], ["task", "create", "--help"]):
        assert program.call(*words, env={"HOME": "", "ULTRAWORK_HOME": ""}).status == 0


def test_the_overview_groups_verbs_by_purpose_and_shows_all_on_demand(program):
    short, long = program.call("--help").out, program.call("--help", "--all").out
    assert all(f"\n{group}:\n" in short for group in PEOPLE)
    for verb, row in VERBS.items():
        assert (f"\n  {verb} " in short) == (row.group in PEOPLE)
        assert f"\n  {verb} " in long
        assert row.help in long
    assert all(f"\n  {alias} " in long for alias in ALIASES)
    assert [line for line in long.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("word", ["help", "-h", "--help"])
def test_help_has_three_names(program, word):
    assert program.call(word).out == program.call("--help").out


def test_help_takes_the_name_of_a_verb(program):
    assert program.call("help", "gates").out == program.call("gates", "--help").out


def test_every_alias_leads_to_a_verb():
    assert set(ALIASES.values()) <= set(VERBS)
    assert not set(ALIASES) & set(VERBS)
