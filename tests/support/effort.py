"""How much a test tries: a little in every run, very much before a release (`make test-all`)."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from . import clients

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

LONG = "house"
# A mechanism that differs between versions of the client; the other tests run the oldest before a release only.
BOTH_CLAUDES = pytest.mark.parametrize("claude_program", [clients.OLDEST_CLAUDE, clients.NEWEST], indirect=True)
# What the oldest one does the same is shown before a release.
NEWEST_FIRST = pytest.mark.parametrize(
    "claude_program", [pytest.param(clients.OLDEST_CLAUDE, marks=pytest.mark.release), clients.NEWEST], indirect=True
)


def is_long_run() -> bool:
    """`tests/conftest.py` chooses the profile of a run."""
    return settings.get_current_profile_name() == LONG


def amount(usual: int, long: int) -> int:
    """How many examples, seeds or rounds."""
    return long if is_long_run() else usual


def rows_of(table: Iterable[Any], *, in_ci: Collection[Any]) -> "list[ParameterSet]":
    """Return a case per row; those that repeat a mechanism with other data wait for a release."""
    rows = list(table)
    assert set(in_ci) <= set(rows), f"no such rows: {sorted(set(in_ci) - set(rows))}"
    return [pytest.param(row, id=str(row), marks=() if row in in_ci else pytest.mark.release) for row in rows]
