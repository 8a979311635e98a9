"""The modules of words are what `words/` says, and the words are fit for the grammar."""

import os
import tomllib
from types import ModuleType

import pytest

from support import word_modules as words
from support.floor import PLUGIN
from support.word_modules import FOLDER
from ultrawork.core.modes import modes
from ultrawork.core.prompt import everyday_words, mode_words
from ultrawork.core.prompt.mode_request import may_name
from ultrawork.core.routing.evidence import read_terms, unpack_terms


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize("path", words.MODULES.values())
def test_a_committed_module_is_what_its_words_make(path):
    """A plugin is installed without `make generate`."""
    assert read(f"{PLUGIN}/src/ultrawork/{path}") == words.render_all()[path]


def test_committed_terms_are_what_their_words_make():
    """They are compared unpacked: zlib is not one program."""
    made = words.pack_all()
    assert {f"{words.TERMS}/{name}" for name in os.listdir(f"{PLUGIN}/src/ultrawork/{words.TERMS}")} == set(made)
    for path, packed in made.items():
        language = os.path.basename(path).removesuffix(".zlib")
        assert unpack_terms(read_terms(language)) == unpack_terms(packed)


def test_every_file_of_words_makes_a_module():
    assert {name.removesuffix(".toml") for name in os.listdir(FOLDER)} == set(words.MODULES)


def made_from(tables):
    module = ModuleType("made")
    exec(words.render_module("x", tables), vars(module))
    return module


def test_a_language_adds_its_words_to_those_of_the_others():
    sets, phrases = {"ands": {"en": "and", "de": "und"}}, {"ends": {"ja": ["で"], "ko": ["로"]}}
    made = made_from({"phrases": phrases, "sets": sets})
    assert frozenset({"and", "und"}) == made.ANDS
    assert made.ENDS == ("で", "로")
    assert made.ANDS is made.ANDS


def test_a_set_that_no_file_names_is_missed_as_in_any_module():
    assert not hasattr(made_from({"sets": {"ands": {"en": "and"}}}), "ORS")


def test_a_table_of_an_unknown_kind_is_refused():
    with pytest.raises(KeyError, match="set"):
        words.render_module("x", {"set": {"ands": {"en": "and"}}})


def spoken(value):
    if isinstance(value, str):
        yield value
    elif not isinstance(value, int):
        for one in value.values() if isinstance(value, dict) else value:
            yield from spoken(one)


@pytest.mark.parametrize("name", words.MODULES)
def test_words_are_in_lower_case_as_prompts_are_compared(name):
    with open(f"{FOLDER}/{name}.toml", "rb") as file:
        found = list(spoken(tomllib.load(file)))
    assert found
    assert [text for text in found if text != text.lower()] == []


def test_every_mode_has_its_names_and_the_cheap_question_knows_them():
    assert set(mode_words.NAMES) == set(modes.ALL)
    names = [name for names in mode_words.NAMES.values() for name in names]
    assert [name for name in (*names, *mode_words.CANCEL) if not may_name(f" {name} ")] == []


def test_every_everyday_phrase_has_a_stem_by_which_it_is_looked_for():
    groups = ("MAKING", "WANTING", "ALL_OF_IT", "LASTING", "KEEPING", "INSISTING")
    phrases = [phrase for group in groups for phrase in getattr(everyday_words, group)]
    missed = [one for one in phrases if not any(stem in one for stem in mode_words.EVERYDAY_STEMS)]
    assert missed == []
