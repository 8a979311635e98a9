import pytest

from ultrawork.core.stop import last_message


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("Done. All tests pass.", "All tests pass"),
        ("The bug is fixed and all tests pass.", "all tests pass"),
        ("I fixed the bug; everything works now, all green!", "all green"),
        ("The bug **is fixed**.", "The bug **is fixed"),
        ("It should work now.", "It should work now"),
        ("I looked around.", ""),
        ("```\nall tests pass\n```\nLooking.", ""),
        ("> all tests pass\nthat is what the log says", ""),
        ("The log says `tests pass` but I doubt it.", ""),
        ("Now I fixed the `total. of` bug. Bye.", "Now I fixed the `total. of` bug"),
    ],
)
def test_a_claim_is_quoted_in_the_agents_own_words(message, claim):
    assert last_message.find_claim(message) == claim


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Hi.\nI changed `total()` in `shop.py`.\n", "I changed `total()` in `shop.py`."),
        ("I am done.\n```\nlog\n```\n> quoted", "I am done."),
        ("", ""),
    ],
)
def test_the_last_words_keep_their_code(message, words):
    assert last_message.find_last_words(message) == words


def test_a_long_claim_is_shortened():
    assert len(last_message.find_claim("x" * 200 + " all tests pass")) == 80


@pytest.mark.parametrize(
    ("message", "blocked"),
    [
        ("I tried.\nBLOCKED: no network here", "no network here"),
        ("**BLOCKED: no key**", "no key"),
        ("`blocked: no key`", "no key"),
        ("BLOCKED:", "no reason given"),
        ("BLOCKED: early\nBut then I went on.", ""),
        ("It is not BLOCKED: really", ""),
        ("", ""),
    ],
)
def test_blocked_counts_as_the_last_line_only(message, blocked):
    assert last_message.find_blocked_reason(message) == blocked


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("Which database do you want?", True),
        ("Should I drop the table? (yes/no)", True),
        ("どちらにしますか\uff1f", True),
        ("Which one do you want?\n- postgres\n- sqlite", True),
        ("Why did it fail? Because of the path. I fixed it.", False),
        ("Done. Is there anything else I can do?", False),
        ("Fixed. Would you like me to also update the docs?", False),
        ("```\nwhat?\n```", False),
        ("All done.", False),
        ("", False),
    ],
)
def test_a_question_to_the_person_is_told_from_talk_and_courtesy(message, asks):
    assert last_message.has_question(message) is asks


@pytest.mark.parametrize(
    ("message", "admits"),
    [
        ("I could not fix it, test_x still fails.", True),
        ("The suite is failing on my side.", True),
        ("All green.", False),
        ("`tests fail` was the old output.", False),
    ],
)
def test_an_agent_that_says_red_itself_is_heard(message, admits):
    assert last_message.has_admission(message) is admits


@pytest.mark.parametrize(
    ("message", "aborted"),
    [
        ("Prompt is too long", True),
        ("[Request interrupted by user]", True),
        ("The prompt is too long to read, so I split it.", False),
        ("Done.", False),
    ],
)
def test_a_turn_that_could_not_go_on_is_told_by_its_first_words(message, aborted):
    assert bool(last_message.explain_abort(message)) is aborted


@pytest.mark.parametrize(
    ("reason", "by_person", "no_room"),
    [
        ("", False, False),
        ("Cancel", True, False),
        ("user_interrupt", True, False),
        ("ctrl_c_pressed", True, False),
        ("cancellation", False, False),
        ("context_limit_reached", False, True),
        ("max_tokens", False, True),
        ("end_turn", False, False),
    ],
)
def test_what_a_client_tells_beside_the_message(reason, by_person, no_room):
    assert bool(last_message.explain_person_stop(reason)) is by_person
    assert bool(last_message.explain_full_context(reason)) is no_room


def test_a_person_who_asked_for_the_end_needs_no_reason():
    assert last_message.explain_person_stop("", requested=True) == "you ended the turn"


@pytest.mark.parametrize(
    ("reason", "name", "why"),
    [
        ("test test_total is wrong: 1 + 2 is 3", "test_total", "1 + 2 is 3"),
        ("Test `counts the last page` is wrong, 21 lines are 3 pages", "counts the last page", "21 lines are 3 pages"),
        ("test tests/test_a.py::test_b[1-2] is wrong", "tests/test_a.py::test_b[1-2]", "no reason given"),
        ("the test is wrong: 1 + 2 is 3", "", ""),
        ("no network", "", ""),
        ("test test_x is wrongly named", "", ""),
    ],
)
def test_a_test_that_is_called_wrong_is_known_by_its_name(reason, name, why):
    assert last_message.find_disputed_test(reason) == (name, why)


def test_a_long_reason_is_kept_up_to_three_hundred_characters():
    reason = last_message.find_blocked_reason(f"BLOCKED: {'why ' * 200}")
    assert 290 < len(reason) <= 300
    assert last_message.find_blocked_reason("BLOCKED: see `assert x`") == "see `assert x`"


@pytest.mark.parametrize(
    "message",
    ["Done.", "**Done!** I looked.", "The bug is fixed.", "All tests pass.", "Alle Tests sind grün.", "Les tests passent.",
     "Todas las pruebas pasan.", "バグを修正しました。", "테스트가 모두 통과합니다.", "It works now."],
)  # fmt: skip
def test_a_claim_is_heard_in_any_turn(message):
    assert last_message.has_claim(message)


@pytest.mark.parametrize(
    "message",
    ["It sorts.", "Parsing is done in parser.py.", "Run `make test` to see whether `all tests pass`.", "I would fix it so.", ""],
)  # fmt: skip
def test_an_explanation_is_no_claim(message):
    assert not last_message.has_claim(message)


def test_what_is_said_of_checks_is_told_from_what_is_said_of_the_work():
    assert last_message.has_check_claim("All tests pass. Shall I commit?")
    assert not last_message.has_check_claim("The parser is fixed. Which format do you want?")
