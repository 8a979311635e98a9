import pytest

from ultrawork.core.prompt.prose import BREAK, OPAQUE, keep_own_words


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("run `x y` now", "run _____ now"),
        ("run ``a ` b`` now", "run _________ now"),
        ("one ` alone", "one ` alone"),
        ("a `b\n\nc` d", "a `b\n\nc` d"),
        ("see\n```\ncode\n```\nend", "see\n////////////\nend"),
        ("see ```\ncode\n``` end", "see //////////// end"),
        ("see\n```\nnever closed", "see\n////////////////"),
        ("~~~\ncode\n~~~\nend", "////////////\nend"),
        ("a <b>c</b> d", "a ________ d"),
        ("a <br/> d", "a _____ d"),
        ("a <b>c d", "a ___c d"),
        ("<p>a<p>b</p>c</p> d", "_________________ d"),
        ("a <!-- b --> c", "a __________ c"),
        ("if a < b and c > d", "if a < b and c > d"),
        ("> quoted\nown", "________\nown"),
        ("$ command\nown", "_________\nown"),
        ("| cell |\nown", "________\nown"),
        ("# title\nown", "_______\nown"),
        ("#12 own", "#12 own"),
        ("why?\n\n    code\n    more\nown", "why?\n\n________\n________\nown"),
        ("- item\n\n    own", "- item\n\n    own"),
        ("    own", "    own"),
        ("2026-11-15 14:02 line\nown", "_____________________\nown"),
        ("[14:02:11] line\nown", "_______________\nown"),
        ("ERROR: line\nown", "___________\nown"),
        ('say "this" own', "say ______ own"),
        ("say 'this' own", "say ______ own"),
        ("don't and users' own", "don't and users' own"),
        ("say “this” own", "say ______ own"),
        ("sag „das“ own", "sag _____ own"),
        ("dis « ceci » own", "dis ________ own"),
        ("「これ」own", "____own"),
        ('a 5" screen and a 6" one', 'a 5" screen and a 6" one'),
        ('unclosed " own', 'unclosed " own'),
    ],
)
def test_what_is_not_the_persons_own_is_blanked_in_its_place(text, own):
    assert keep_own_words(text).replace(OPAQUE, "_") == own.replace("/", BREAK)
