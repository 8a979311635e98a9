"""Claims of reviewers: what confirms them, what refutes them, whose word has weight."""

import pytest

from ultrawork.core import reviews
from ultrawork.core.reviews import CONFIRMED, FIXED, OPINION, PENDING, REFUTED, ReviewClaim

PATHS = ["shop.py", "src/cart/total.py", "tests/test_shop.py"]


def claim(**more):
    return ReviewClaim(**{"id": "1", "reviewer": "codex", "title": "t", "command": "pytest -q", **more})


@pytest.mark.parametrize(
    ("status", "command", "exit_code", "wanted"),
    [
        (PENDING, "python shop.py", 1, CONFIRMED),
        (PENDING, "python shop.py", 0, REFUTED),
        (CONFIRMED, "python shop.py", 0, FIXED),
        (CONFIRMED, "python shop.py", 1, CONFIRMED),
        (PENDING, "python shop.py", 127, ""),
        (PENDING, "python shop.py", None, ""),
        (PENDING, "python -m pytest -q", 1, CONFIRMED),
        (PENDING, "python -m pytest -q", 5, ""),
        (PENDING, "pytest no_such_file.py", 4, ""),
    ],
)
def test_red_confirms_green_refutes_and_what_could_not_run_says_nothing(status, command, exit_code, wanted):
    assert reviews.settle_claim(claim(status=status, command=command), exit_code) == wanted


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("false", False),
        ("exit 1", False),
        ("false || pytest", False),
        ("grep -q x /etc/hostname", False),
        ("python -c 'import shop; assert shop.total([]) == 0'", True),
        ("test -s src/cart/total.py", True),
        ("cd src && ls cart", True),
        ("pytest -k total", True),
        ("", False),
    ],
)
def test_a_command_that_cannot_look_at_these_files_shows_nothing(command, wanted):
    assert reviews.is_about_files(command, PATHS) is wanted


def test_an_answer_is_read_with_what_is_odd_in_it_put_right():
    raw = {
        "findings": [
            {"title": " two\nlines ", "path": "a.py", "line": 7, "severity": "HIGH", "command": "make t"},
            {"title": "no command", "line": "x", "severity": "?"},
            {"title": "long", "command": "x" * 1001},
            {"command": "make"},
            "nonsense",
        ]
    }  # fmt: skip
    first, second, third = reviews.read_claims(raw, "gemini")
    assert (first.title, first.where, first.severity, first.status) == ("two lines", "a.py:7", "high", PENDING)  # fmt: skip
    assert [one.status for one in (second, third)] == [OPINION, OPINION]
    assert (second.severity, second.line) == ("medium", 0)
    for none in (None, {}, {"findings": "x"}, {"findings": None}):
        assert reviews.read_claims(none, "x") == []


def test_what_two_found_by_different_commands_comes_first_and_the_refuted_last():
    def at(line, by, status=CONFIRMED, command="a"):
        return claim(reviewer=by, path="p", line=line, status=status, command=command)

    alone = at(90, "codex")
    shared = [at(10, "codex", command="a"), at(12, "gemini", command="b")]
    echoed = [at(50, "codex", command="c"), at(50, "gemini", command="c")]
    refuted, opinion = at(1, "codex", REFUTED), at(2, "codex", OPINION, "")
    ranked = reviews.rank_claims([refuted, opinion, alone, *echoed, *shared])
    assert ranked[:2] == shared
    assert ranked[-1] == refuted
    assert not reviews.is_corroborated(echoed[0], ranked)


def test_precision_counts_only_what_was_run():
    found = [claim(status=one) for one in (CONFIRMED, FIXED, REFUTED, OPINION, OPINION, PENDING)]
    [record] = reviews.count_records(found)
    assert record.document() == {"reviewer": "codex", "confirmed": 2, "refuted": 1, "opinions": 2, "pending": 1}  # fmt: skip
    assert record.precision == 2 / 3
    assert reviews.count_records([claim(status=OPINION)])[0].precision is None
