"""Every requirement of document 004 on the core pipeline has a test that shows it."""

from support import conformance


def test_there_are_all_the_rows_in_their_order():
    rows = conformance.rows(conformance.CORE)
    assert list(rows) == [str(number) for number in range(1, 48)]
    assert all(row["tests"] for row in rows.values())
