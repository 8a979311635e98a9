"""Fragments stand in a prompt between two comment lines, each once, and stay where they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.prompts import blocks

WANTED = {"one": "first words", "two": "second\n\nwords"}
LINES = st.lists(
    st.sampled_from(["", "text", "- item", "    code", "<!-- a comment -->"])
    | st.sampled_from(["one", "two", "three"]).map(
        lambda name: f"<!-- fragment: {name} -->\nold\n<!-- end: {name} -->"
    ),
    max_size=8,
).map("\n".join)


@given(LINES, st.sets(st.sampled_from(sorted(WANTED))))
def test_expanding_twice_changes_nothing_more(body, names):
    wanted = {name: WANTED[name] for name in sorted(names)}
    once = blocks.expand(body, wanted)
    assert blocks.expand(once, wanted) == once
    assert [part.name for part in blocks.split_parts(once) if part.name].count("one") == ("one" in wanted)


@given(LINES)
def test_own_words_survive_expansion(body):
    own = blocks.extract_own_words(body).split()
    assert blocks.extract_own_words(blocks.expand(body, WANTED)).split() == own


def test_a_fragment_is_written_where_its_comments_stand_and_else_at_the_end():
    body = "before\n<!-- fragment: two -->\nstale\n<!-- end: two -->\nafter"
    assert blocks.expand(body, WANTED) == (
        "before\n\n<!-- fragment: two -->\nsecond\n\nwords\n<!-- end: two -->\n\nafter\n\n"
        "<!-- fragment: one -->\nfirst words\n<!-- end: one -->\n"
    )


def test_a_fragment_that_is_no_longer_wanted_goes():
    body = "before\n\n<!-- fragment: gone -->\nstale\n<!-- end: gone -->\n\nafter"
    assert blocks.expand(body, {}) == "before\n\nafter\n"


@pytest.mark.parametrize(
    "body",
    [
        "<!-- fragment: one -->\nno end",
        "<!-- end: one -->",
        "<!-- fragment: one -->\n<!-- end: two -->",
        "<!-- fragment: one -->\n<!-- fragment: two -->\n<!-- end: two -->\n<!-- end: one -->",
    ],
)
def test_comments_without_a_partner_are_refused(body):
    with pytest.raises(blocks.BlockError):
        blocks.expand(body, WANTED)


def test_slots_take_a_text_or_a_list():
    family = "Look at {{focus}}.\n\n{{steps}}\n\nAgain {{focus}}."
    assert blocks.list_slots(family) == ["focus", "steps"]
    filled = blocks.fill(family, {"focus": "tests", "steps": ["read", "run"]})
    assert filled == "Look at tests.\n\n- read\n- run\n\nAgain tests."
