"""Every failure that a person can act on, and the exit status it has."""

import pytest

from ultrawork.core import errors


@pytest.mark.parametrize(
    ("kind", "code", "status"),
    [
        (errors.UsageError, "usage", 2),
        (errors.NotFound, "not-found", 4),
        (errors.Conflict, "conflict", 5),
        (errors.Trouble, "trouble", 6),
    ],
)
def test_each_kind_has_a_stable_code_and_status(kind, code, status):
    assert issubclass(kind, errors.UltraworkError)
    assert (kind.code, kind.exit) == (code, status)


def test_every_exit_status_is_documented():
    numbers = {value for name, value in vars(errors).items() if name.startswith("EXIT_") and name != "EXIT_MEANINGS"}
    assert numbers == set(errors.EXIT_MEANINGS) == {0, 1, 2, 3, 4, 5, 6, 130}
