import pytest

from ultrawork.core import think


@pytest.mark.parametrize(
    "text",
    [
        "think about this", "THINK about this", "Please think hard", "ultrathink", "piensa en esto",
        "bitte denken Sie", "请思考这个问题", "이것에 대해 생각해주세요", "think about ```code```", "подумай",
    ],
)  # fmt: skip
def test_a_person_asks_for_thought_in_many_languages(text):
    assert think.wants(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "```\nthink\n```", "Use `think` command", "I think it is broken", "what do you think?",
        "rethinking it", "the denkmal", "I don't think so",
    ],
)  # fmt: skip
def test_opinions_code_and_parts_of_words_are_no_request(text):
    assert not think.wants(text)


def test_only_the_strongest_word_is_the_strongest():
    assert think.ultra("UltraThink now")
    assert not think.ultra("```ultrathink```")
    assert not think.ultra("think about this")
