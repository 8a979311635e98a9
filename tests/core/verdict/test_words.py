"""Whether a failing test is about what was asked for or changed."""

import pytest

from ultrawork.core.verdict import goals

TEST = "tests/test_session.py::test_expired_token"


def test_names_are_split_into_their_words():
    found = goals.find_identifiers("parseHTTPDate expired_token x2 test_id LoginPage")
    assert {"expired", "token", "expired_token", "login", "page", "loginpage"} <= found
    assert "test" not in found
    assert "x2" not in found


@pytest.mark.parametrize(
    ("path", "about"),
    [
        ("tests/test_pay.py", "pay"),
        ("src/pay.py", "pay"),
        ("pay.spec.ts", "pay"),
        ("web/pay.test.jsx", "pay"),
        ("pay_test.go", "pay"),
        ("PayTest.java", "pay"),
        ("test", "test"),
    ],
)
def test_files_are_about_their_stem(path, about):
    assert goals.find_stem(path) == (about if about != "test" else "")


@pytest.mark.parametrize(
    ("goal", "changed", "expected"),
    [
        ("fix the token check", [], "token"),
        ("fix paging", ["auth/session.py"], "session"),
        ("fix paging", ["auth/expired_users.py"], "expired"),
        ("fix paging", ["report.py"], ""),
        ("make this test work", ["tests/helpers.py"], ""),
    ],
)
def test_a_failure_is_related_through_a_word_of_goal_or_file(goal, changed, expected):
    assert goals.find_shared_word(TEST, "", goal, changed) == expected


def test_a_failure_is_related_through_what_it_says():
    message = "src/billing.py:7  KeyError: 'invoice'"
    assert goals.find_shared_word(TEST, message, "send every invoice", []) == "invoice"
    assert goals.find_shared_word(TEST, message, "fix paging", ["src/billing.py"]) == "billing"


def test_short_file_names_relate_as_a_whole():
    assert goals.find_shared_word("tests/test_pay.py::test_sum", "", "fix it", ["pay.py"]) == "pay"


def test_folders_of_a_test_say_nothing():
    assert (
        goals.find_shared_word(
            "github.com/acme/widgets/store.TestAll", "", "widgets on the page", []
        )
        == ""
    )


def test_suites_of_a_test_say_something():
    assert (
        goals.find_shared_word("a.test.js > checkout > sums", "", "mend the checkout", [])
        == "checkout"
    )
