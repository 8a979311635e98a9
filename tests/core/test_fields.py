"""Reaching into a document with a path."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.check import pick_field
from ultrawork.core.errors import NotFound

DOCUMENT = {
    "phase": "PLANNING",
    "plan": {"approved_at": None},
    "explorers": [{"id": "overview"}, {"id": "exp-1"}],
    "empty": [],
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("phase", "PLANNING"),
        ("plan", {"approved_at": None}),
        ("plan.approved_at", None),
        ("explorers[1].id", "exp-1"),
        ("explorers.1.id", "exp-1"),
        ("explorers[01].id", "exp-1"),
        ("empty", []),
    ],
)
def test_a_path_gives_what_lies_there(path, value):
    assert pick_field(DOCUMENT, path) == value


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "nothing",
        "phase.more",
        "plan.nothing",
        "explorers[2]",
        "explorers[-1]",
        "explorers[0000000000000000002]",
        "explorers[" + "9" * 5000 + "]",
        "explorers[٣]",
        "empty[0]",
        "x" * 10_000_000,
    ],
)
def test_a_path_to_nothing_is_refused(path):
    with pytest.raises(NotFound, match="no field"):
        pick_field(DOCUMENT, path)


def test_the_refusal_names_what_is_known_there():
    with pytest.raises(NotFound, match="known here: phase, plan, explorers, empty"):
        pick_field(DOCUMENT, "phas")


@given(st.text(alphabet="explorsidan[]0123456789."))
def test_no_path_does_anything_but_give_or_refuse(path):
    try:
        pick_field(DOCUMENT, path)
    except NotFound:
        pass
