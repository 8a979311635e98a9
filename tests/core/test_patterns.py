"""Patterns that are compiled when they are first used."""

import re

import pytest

from ultrawork.core.patterns import compile_late


def test_a_late_pattern_does_what_a_compiled_one_does():
    text, flags = r"(\w)=(\d)", re.IGNORECASE
    late, now = compile_late(text, flags), re.compile(text, flags)
    for word in ("findall", "fullmatch", "match", "search", "split"):
        assert str(getattr(late, word)("A=1")) == str(getattr(now, word)("A=1"))
    assert late.sub("x", "a=1 b=2") == "x x"
    assert (late.pattern, late.flags, late.groups) == (now.pattern, now.flags, now.groups)
    assert compile_late(b"a").search(b"ba").start() == 1


def test_nothing_is_compiled_until_it_is_used():
    broken = compile_late("(")
    with pytest.raises(re.error):
        broken.search("")
