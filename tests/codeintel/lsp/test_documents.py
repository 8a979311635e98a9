import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.codeintel.lsp.documents import UTF16, UTF32, DocumentText
from ultrawork.core.errors import UsageError


def test_a_wide_character_counts_as_two_units_for_a_utf16_server():
    text = DocumentText("x = '🙂' + y\n", UTF16)
    assert text.position(1, 10) == {"line": 0, "character": 11}
    assert text.place({"line": 0, "character": 11}) == (1, 10)


def test_a_wide_character_counts_once_for_a_utf32_server():
    assert DocumentText("x = '🙂' + y\n", UTF32).position(1, 10) == {"line": 0, "character": 10}


def test_only_the_protocols_line_ends_end_a_line():
    text = DocumentText("a\r\nb\rc\nd\x0be\u2028f")
    assert [text.line(n) for n in range(1, 5)] == ["a", "b", "c", "d\x0be\u2028f"]


def test_a_line_behind_the_end_is_refused_with_the_height():
    with pytest.raises(UsageError, match="the file has 2 lines"):
        DocumentText("one\ntwo").position(3, 0)


def test_a_character_behind_the_end_of_its_line_is_refused():
    with pytest.raises(UsageError, match="line 1 has 3"):
        DocumentText("one\ntwo").position(1, 4)


def test_a_servers_position_behind_the_text_means_its_end():
    assert DocumentText("ab\ncd").offset({"line": 9, "character": 9}) == 5


@given(st.text(st.sampled_from("aé🙂\n\r"), max_size=30), st.sampled_from([UTF16, UTF32]), st.data())
def test_every_place_survives_the_way_to_the_server_and_back(content, encoding, data):
    text = DocumentText(content, encoding)
    line = data.draw(st.integers(1, text.height))
    column = data.draw(st.integers(0, len(text.line(line))))
    assert text.place(text.position(line, column)) == (line, column)
