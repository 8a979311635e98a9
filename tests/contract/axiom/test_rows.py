"""Every requirement of document 004 on Axiom has a test that shows it."""

from support import conformance


def test_there_are_all_the_rows_in_their_order():
    rows = conformance.rows(conformance.AXIOM)
    assert list(rows) == [str(number) for number in range(1, 19)]
    assert all(row["tests"] for row in rows.values())
