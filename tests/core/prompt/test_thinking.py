import pytest

from ultrawork.core.prompt import thinking


@pytest.mark.parametrize(
    "text",
    [
        "think about this", "THINK about this", "Please think hard", "ultrathink", "piensa en esto",
        "bitte denken Sie", "请思考这个问题", "이것에 대해 생각해주세요", "think about ```code```", "подумай",
    ],
)  # fmt: skip
def test_a_person_asks_for_thought_in_many_languages(text):
    assert thinking.wants_thinking(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "```\nthink\n```", "Use `think` command", "I think it is broken", "what do you think?",
        "rethinking it", "the denkmal", "I don't think so",
    ],
)  # fmt: skip
def test_opinions_code_and_parts_of_words_are_no_request(text):
    assert not thinking.wants_thinking(text)


def test_only_the_strongest_word_is_the_strongest():
    assert thinking.wants_ultrathink("UltraThink now")
    assert not thinking.wants_ultrathink("```ultrathink```")
    assert not thinking.wants_ultrathink("think about this")
