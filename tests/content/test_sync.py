"""Sync makes the files what the roster says, once, and leaves what was written by hand."""

import os

READER = """\
---
name: reader
description: "Use to look."
model: haiku
tools: Read, Grep
---
"""


def test_sync_writes_what_is_stale_and_nothing_twice(shelf):
    shelf.swap("content/roster.toml", "Use to look.", "Use to look closer.")
    assert shelf.call("sync").data["written"] == ["agents/reader.md"]
    assert shelf.call("sync").data["written"] == []
    assert shelf.complaints() == []


def test_a_new_file_needs_only_its_words(shelf):
    """The library of these tests is written without heads; the first sync made them."""
    text = shelf.read("agents/reader.md")
    assert text.startswith(READER)
    assert "<!-- fragment: closing -->\nWhen all is done close" in text


def test_a_member_of_a_family_is_written_whole(shelf):
    os.unlink(shelf.path("agents/maker.md"))
    assert shelf.call("sync").data["written"] == ["agents/maker.md"]
    text = shelf.read("agents/maker.md")
    assert "model: inherit\ndisallowedTools: Agent\n" in text
    assert "You make things.\n\n- first this\n- then that\n" in text


def test_a_skill_has_its_hint_and_its_permissions_in_its_head(shelf):
    head = shelf.read("skills/show/SKILL.md").split("---")[1]
    assert head == (
        '\nname: show\ndescription: "Show it."\nargument-hint: "[N]"\n'
        "disable-model-invocation: true\nallowed-tools: Bash(ultrawork status:*)\n"
    )


def test_words_written_by_hand_are_kept(shelf):
    shelf.swap("agents/reader.md", "word7 ", "\n\n    a block of code\n\n- mine\n")
    before = shelf.read("agents/reader.md")
    shelf.swap("content/fragments/closing.md", "quietly", "softly")
    shelf.call("sync")
    assert shelf.read("agents/reader.md") == before.replace("quietly", "softly")


def test_a_broken_file_is_left_alone(shelf):
    shelf.swap("agents/reader.md", "<!-- end: closing -->", "")
    before = shelf.read("agents/reader.md")
    assert shelf.call("sync").data["written"] == []
    assert shelf.read("agents/reader.md") == before


def test_a_folder_without_a_roster_is_named(program):
    answer = program.call("content", "check", "--root", program.place)
    assert answer.status == 4
    assert "has no content/roster.toml" in answer.err


def test_the_list_tells_what_makes_the_model_use_each(shelf):
    by_name = {one["name"]: one for one in shelf.call("list").data["members"]}
    assert by_name["reader"]["model"] == "haiku"
    assert by_name["reader"]["fragments"] == ["readonly", "closing"]
    assert by_name["maker"]["family"] == "made"
    assert (by_name["answered"]["listed"], by_name["show"]["listed"]) == (True, False)
    out = shelf.program.call("content", "list", "--root", str(shelf.root)).out
    assert "Use to look." in out
    assert "characters" in out
