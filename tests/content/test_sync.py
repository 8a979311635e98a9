"""Sync makes the files what the roster says, once, and leaves what was written by hand."""

import os

import pytest

from support.prompts import library
from ultrawork.core.errors import NotFound

READER = """\
---
name: reader
description: "Use to look."
model: haiku
tools: Read, Grep
---
"""


def test_sync_writes_what_is_stale_and_nothing_twice(shelf):
    shelf.swap("prompts/roster.toml", "Use to look.", "Use to look closer.")
    assert shelf.sync() == ["plugin/agents/reader.md"]
    assert shelf.sync() == []
    assert shelf.complaints() == []


def test_a_new_file_needs_only_its_words(shelf):
    """The library of these tests is written without heads; the first sync made them."""
    text = shelf.read("plugin/agents/reader.md")
    assert text.startswith(READER)
    assert "<!-- fragment: closing -->\nWhen all is done close" in text


def test_a_member_of_a_family_is_written_whole(shelf):
    os.unlink(shelf.path("plugin/agents/maker.md"))
    assert shelf.sync() == ["plugin/agents/maker.md"]
    text = shelf.read("plugin/agents/maker.md")
    assert "model: inherit\ndisallowedTools: Agent\n" in text
    assert "You make things.\n\n- first this\n- then that\n" in text


def test_a_skill_has_its_hint_and_its_permissions_in_its_head(shelf):
    head = shelf.read("plugin/skills/show/SKILL.md").split("---")[1]
    assert head == (
        '\nname: show\ndescription: "Show it."\nargument-hint: "[N]"\n'
        "disable-model-invocation: true\nallowed-tools: Bash(ultrawork status:*)\n"
    )


def test_words_written_by_hand_are_kept(shelf):
    shelf.swap("plugin/agents/reader.md", "word7 ", "\n\n    a block of code\n\n- mine\n")
    before = shelf.read("plugin/agents/reader.md")
    shelf.swap("prompts/fragments/closing.md", "quietly", "softly")
    shelf.sync()
    assert shelf.read("plugin/agents/reader.md") == before.replace("quietly", "softly")


def test_a_broken_file_is_left_alone(shelf):
    shelf.swap("plugin/agents/reader.md", "<!-- end: closing -->", "")
    before = shelf.read("plugin/agents/reader.md")
    assert shelf.sync() == []
    assert shelf.read("plugin/agents/reader.md") == before


def test_a_folder_without_a_roster_is_named(tmp_path):
    with pytest.raises(NotFound, match=r"has no prompts/roster\.toml"):
        library.load(str(tmp_path))
