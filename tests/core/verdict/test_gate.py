"""Gates as values: stored whole, and for which paths they are."""

import pytest

from ultrawork.core.verdict.gate import TEST, Gate, is_for_paths, read_document


def gate(**more):
    return Gate(
        name="test", kind=TEST, argv=["make", "test"], command="make test", source="Makefile:1", reason="r", **more
    )


def test_a_gate_comes_back_from_its_document():
    whole = gate(
        definition="d",
        files=["Makefile"],
        where="web",
        runner="pytest",
        timeout=3.0,
        needs=["docker"],
        env={"A": "1"},
        when=["*.py"],
        required=False,
    )
    assert read_document(whole.document()).document() == whole.document()


def test_keys_of_a_later_version_are_passed_over():
    assert read_document({**gate().document(), "later": 1}).name == "test"


def test_the_command_is_the_definition_where_there_is_no_other():
    assert gate().definition == "make test"


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("web/**", "web/src/a.ts", True),
        ("web/**", "webs/a.ts", False),
        ("web", "web/src/a.ts", True),
        ("web/", "web/a.ts", True),
        ("web/*.ts", "web/a.ts", True),
        ("web/*.ts", "web/src/a.ts", False),
        ("**/*.ts", "a.ts", True),
        ("**/*.ts", "web/src/a.ts", True),
        ("*.ts", "web/src/a.ts", True),
        ("*.ts", "web/a.tsx", False),
        ("src/?.c", "src/a.c", True),
        ("src/?.c", "src/ab.c", False),
        ("a+b/x", "a+b/x", True),
        ("a+b/x", "aab/x", False),
    ],
)
def test_a_gate_may_be_for_certain_paths_only(glob, path, fits):
    assert is_for_paths(gate(when=[glob]), ["README.md", path]) is fits


def test_a_gate_without_paths_concerns_every_change():
    assert is_for_paths(gate(), [])
