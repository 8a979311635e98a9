import pytest

from support.screen import Screen


def shown(text, rows=6, columns=10):
    screen = Screen(rows, columns)
    screen.feed(text)
    return screen.text()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\r\ntwo", "one\ntwo"),
        ("0123456789ab", "0123456789\nab"),
        ("abc\rX", "Xbc"),
        ("ab\b\bX", "Xb"),
        ("a\tb", "a       b"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[3;4Hx", "\n\n   x"),
        ("one\r\ntwo\x1b[A\x1b[2K", "\ntwo"),
        ("abcdef\x1b[3G\x1b[K", "ab"),
        ("abcdef\x1b[3G\x1b[1K", "   def"),
        ("abc\x1b[2J", ""),
        ("a\r\nb\r\nc\x1b[2;1H\x1b[J", "a"),
        ("a\r\nb\x1b[1;1H\x1b[Lx", "x\na\nb"),
        ("a\r\nb\x1b[1;1H\x1b[M", "b"),
        ("abcd\x1b[2G\x1b[2P", "ad"),
        ("abcd\x1b[2G\x1b[2@", "a  bcd"),
        ("abcd\x1b[2G\x1b[2X", "a  d"),
        ("\x1b7abc\x1b8X", "Xbc"),
        ("日本\x1b[1;5Hx", "日本x"),
        ("a\u0301b", "\u00e1b"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1bP some string \x1b\\text", "text"),
        ("old\x1b[?1049hnew", "new"),
        ("\x1b[2;3r\x1b[3;1Hx\nlow\x1b[1;1Htop", "top\nx\n low"),
        ("\x1bMtop", "top"),
        ("\x1b[1;2r\x1b[4;7HddccY", "\n\n\n      ddcc\nY"),
        ("a\r\nb\x1b[2;3r\x1b[rX", "X\nb"),
        ("abc\x1b[Mx", "x"),
        ("a\r\nb\x1b[S\rX", "a\nb\nX"),
        ("\x1b[<u\x1b[4:3mtext", "text"),
    ],
)
def test_a_sequence_leaves_what_a_terminal_would_show(text, expected):
    assert shown(text) == expected


def test_lines_that_scroll_off_are_kept():
    assert shown("a\r\nb\r\nc\r\nd", rows=2) == "a\nb\nc\nd"


def test_erasing_the_scrolled_lines_forgets_them():
    assert shown("a\r\nb\r\nc\x1b[3J", rows=2) == "b\nc"


def test_a_sequence_may_arrive_in_two_pieces():
    screen = Screen(2, 20)
    screen.feed("a\x1b[3")
    screen.feed("1mb")
    assert screen.text() == "ab"


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("\x1b[c", "\x1b[?62;22c"),
        ("xy\x1b[6n", "\x1b[1;3R"),
        ("\x1b[?u", "\x1b[?0u"),
        ("\x1b]11;?\x07", "\x1b]11;rgb:0000/0000/0000\x1b\\"),
        ("\x1b[?2026$p", "\x1b[?2026;0$y"),
    ],
)
def test_a_query_is_answered_and_shows_nothing(query, answer):
    screen = Screen()
    screen.feed(query)
    assert screen.answers == [answer]
    assert screen.text().strip("xy") == ""
