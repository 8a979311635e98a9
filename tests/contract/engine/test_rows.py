"""What the engine promises where something goes wrong has a test, and something that takes it away."""

from support import conformance


def test_every_row_is_there_and_can_be_taken_away():
    rows = conformance.rows(conformance.ENGINE)
    findings = [str(number) for number in range(1, 19)] + [f"S{number}" for number in range(1, 12)]
    assert list(rows)[: len(findings)] == findings
    assert all(row["tests"] and row["breaks"] for row in rows.values())
