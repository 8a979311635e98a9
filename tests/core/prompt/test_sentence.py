import pytest

from ultrawork.core.prompt.sentence import (
    Sentence,
    find_places,
    find_word_after,
    find_word_before,
    find_words,
    is_alone,
    skip_word,
    skip_word_back,
    split_tokens,
)


def said(text, places):
    return [text[start:end] for start, end in places]


def test_places_are_all_and_words_are_whole_the_longer_first_and_in_their_order():
    text = "teams: a team, a team build and_team"
    assert len(list(find_places(text, ["team"]))) == 4
    assert said(text, find_words(text, ["build", "team", "team build"])) == ["team", "team build"]


def test_a_letter_of_a_script_without_blanks_ends_a_word():
    text = "このteamで直して"
    assert said(text, find_words(text, ["team"])) == ["team"]


def test_no_more_places_are_looked_at_than_asked_for():
    assert len(list(find_words("team " * 50, ["team"], most=7))) == 7
    assert list(find_words("team", [""])) == []


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("use ulw now", True),
        ("use **ulw** now", True),
        ("ulwで直して", True),
        ("a/b/ulw", False),
        ("me@ulw", False),
        ("--ulw", False),
        ("ulw_x", False),
        ("x:ulw", False),
        ("ulw.py/x", False),
        ("see http://x/ulw", False),
    ],
)
def test_a_word_by_itself_is_no_part_of_a_name_a_path_or_a_flag(text, alone):
    start = text.index("ulw")
    assert is_alone(text, start, start + 3) is alone


def test_neighbours_stand_on_the_same_line_and_leave_marks_out():
    text = "a team, of five\nagents"
    assert find_word_after(text, 1) == ("team", 6)
    assert find_word_after(text, 6) == ("", 6)
    assert find_word_before(text, 10) == ("", 10)
    assert find_word_before(text, 11) == ("of", 8)
    assert skip_word(text, 1, ("team",)) == 6
    assert skip_word_back(text, 11, ("team",)) == 11


def test_a_sentence_is_cut_into_its_clauses():
    text = "One. Hey you, please use ulw for v1.2 - now: fix it? Two"
    sentence = Sentence(text, text.index("ulw"), text.index("ulw") + 3)
    assert sentence.lead == ["hey", "you"]
    assert sentence.before == ["please", "use"]
    assert sentence.after == ["for", "v1.2"]
    assert sentence.tail == ["now", "fix", "it"]
    assert sentence.question


def test_apostrophes_hyphens_and_vowel_signs_belong_to_their_word():
    assert split_tokens("Don\u2019t 'peux-tu' उपयोग करें!") == ["don't", "peux-tu", "उपयोग", "करें"]
