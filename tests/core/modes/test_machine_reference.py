"""The page about modes says what the tables say."""

import pytest

from support.floor import REPOSITORY
from ultrawork.core.modes import modes, tables

OVER = {tables.FULL: "a plan", tables.LIGHT: "`ulw`", tables.SWARM: "a shared list"}


@pytest.fixture(scope="module")
def page():
    with open(f"{REPOSITORY}/docs/reference/modes.md", encoding="utf-8") as file:
        return file.read()


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


@pytest.mark.parametrize("mode", modes.ALL)
def test_phases_and_limits_are_those_of_the_table(page, mode):
    machine = tables.find(mode)
    (row,) = [cells(line) for line in page.splitlines() if line.startswith(f"| `{mode}` |")]
    working = [one for one in machine.moves if one not in (*machine.ends, tables.CANCELLED)]
    limits = ", ".join(f"{name} {most}" for name, most in machine.limits.items())
    said = {"ultrawork": "those of a stop", "swarm": "none"}.get(mode, limits)
    assert row[:4] == [f"`{mode}`", OVER[machine.base], ", ".join(working), said]
