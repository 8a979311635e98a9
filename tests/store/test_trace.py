"""The trace of a session: bounded however long it lasts, and whole over the turn of its file."""

import os

import pytest

from ultrawork.store import trace
from ultrawork.store.paths import Home


@pytest.fixture
def home(tmp_path):
    return Home(str(tmp_path))


def fill(home, megabytes, mark=0):
    """Entries as long as they may be, numbered."""
    for number in range(mark, mark + megabytes * 1_000_000 // 3_900):
        trace.append(home, "s", {"n": number, "what": "x" * 3_860})
    return number + 1


def size(home):
    folder = os.path.dirname(trace.locate(home, "s"))
    return sum(os.path.getsize(f"{folder}/{name}") for name in os.listdir(folder))


@pytest.mark.slow
def test_it_is_turned_over_and_never_grows_beyond_two_files(home):
    count = fill(home, 30)
    assert sorted(os.listdir(home.session("s"))) == ["trace.jsonl", "trace.jsonl.1"]
    assert size(home) < 17_000_000
    assert trace.read_all(home, "s")[-1]["n"] == count - 1


def test_what_was_said_before_a_turn_is_still_read_after_it(home):
    trace.append(home, "s", {"todo": "open", "n": -1})
    file = trace.locate(home, "s")
    mark = fill(home, 7)
    while not os.path.exists(file + ".1"):
        mark = fill(home, 1, mark)
    numbers = [entry["n"] for entry in trace.read_all(home, "s")]
    assert numbers == list(range(-1, mark))
    assert trace.find_holding(home, "s", '"todo"') == [{"todo": "open", "n": -1}]
    assert [entry["n"] for entry in trace.read_tail(home, "s", size=20_000)][-1] == mark - 1


def test_a_long_entry_is_cut_and_lines_that_are_torn_are_passed_over(home):
    trace.append(home, "s", {"what": "x" * 10_000, "n": 1})
    with open(trace.locate(home, "s"), "a", encoding="utf-8") as file:
        file.write('{"n": 2\n')
    trace.append(home, "s", {"n": 3})
    first, last = trace.read_all(home, "s")
    assert (first["cut"], len(first["what"]), last) == (True, 2_000, {"n": 3})
