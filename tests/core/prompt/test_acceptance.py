import pytest

from ultrawork.core.prompt.acceptance import find_test_name

KNOWN = {"pages.test.js > counts the last page", "test_book.py::BookTest::test_adds"}


@pytest.mark.parametrize(
    ("reason", "name"),
    [
        ("test test_total", "test_total"),
        ("Test tests/test_a.py::test_b[1-2]", "tests/test_a.py::test_b[1-2]"),
        ("test TestTotal", "TestTotal"),
        ("test `total`", "total"),
        ('test "sorts by name"', "sorts by name"),
        ("test counts the last page", "counts the last page"),
        ("test test_adds", "test_adds"),
        ("test", ""),
        ("test is flaky", ""),
        ("test flaky", ""),
        ("test CI", ""),
        ("tests need a licence", ""),
        ("the test test_total is wrong", ""),
        ("known flake", ""),
    ],
)
def test_a_test_is_told_from_a_reason(reason, name):
    assert find_test_name(reason, KNOWN) == name
