"""Every requirement of the documents on sessions has a test that shows it, and the page says which."""

from support import conformance, row_mutants
from support.floor import REPOSITORY


def test_there_are_all_the_rows_in_their_order():
    assert list(conformance.rows()) == [str(number) for number in range(1, 64)]


def test_every_row_names_tests_that_are_there():
    assert all(row["tests"] for row in conformance.rows().values())
    assert conformance.missing() == []


def test_the_page_is_made_from_the_rows():
    with open(conformance.PAGE, encoding="utf-8") as file:
        assert file.read() == conformance.page(), "python -m support.conformance"


def test_a_test_that_is_gone_would_be_found():
    assert conformance.exists("tests/contract/sessions/test_rows.py::test_a_test_that_is_gone_would_be_found")  # fmt: skip
    assert not conformance.exists("tests/contract/sessions/test_rows.py::test_gone")
    assert not conformance.exists("tests/contract/sessions/test_gone.py")


def test_what_takes_a_row_away_still_stands_in_the_code_and_a_test_without_a_client_could_notice():
    """`make row-mutants` does it; here only that it can."""
    found = row_mutants.list_breaks()
    every = [(part, name) for part in row_mutants.PARTS for name in conformance.rows(part)]
    assert list(dict.fromkeys((one.part, one.row) for one in found)) == every
    for one in found:
        with open(f"{REPOSITORY}/{one.path}", encoding="utf-8") as file:
            assert one.mutate(file.read())
        assert one.tests, one.row
