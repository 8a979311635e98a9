"""Rounds over a set: the oldest runs come first, until the time is up, and what ended is kept."""

import itertools
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from support.floor import REPOSITORY

sys.path.insert(0, f"{REPOSITORY}/bench")
import rounds

FIELDS = rounds.Fields(key=("name",), outcome=("outcome", "right"))
RUNS = [rounds.Run((name,), name) for name in ("new", "young", "old")]
DONE = {"outcome": "PASS", "right": True, "sent_back": 0}
OLD = {**DONE, "name": "old", "date": "2026-11-18", "ultrawork": "aaaa"}
YOUNG = {**DONE, "name": "young", "date": "2026-11-19T10:00:00Z", "ultrawork": "bbbb"}


@pytest.fixture
def results(tmp_path):
    """Results of two of three runs, in a file, and of one that left the set."""
    path = tmp_path / "some.json"
    path.write_text(json.dumps({"played": [YOUNG, OLD, {**OLD, "name": "gone"}]}))
    return rounds.Results(str(path), RUNS, FIELDS)


def read(results):
    with open(results.path, encoding="utf-8") as file:
        return json.load(file)


def repeat(results, play, ticks=None):
    """One run at a time; with `ticks`, no run begins once so many were begun."""
    clock = itertools.count()
    until = len(RUNS) if ticks is None else ticks
    with ThreadPoolExecutor(1) as pool:
        rounds.repeat_oldest(RUNS, play, results, pool, workers=1, until=until, clock=lambda: next(clock))


def test_runs_that_were_never_played_come_first_and_then_the_oldest(results):
    began = []
    repeat(results, lambda name: began.append(name) or [{**DONE, "name": name}])
    assert began == ["new", "old", "young"]
    assert [row["name"] for row in read(results)["played"]] == ["new", "young", "old"]


def test_no_run_begins_after_the_time_and_the_next_call_goes_on_there(results):
    began = []
    play = lambda name: began.append(name) or [{**DONE, "name": name}]  # noqa: E731
    repeat(results, play, ticks=1)
    assert began == ["new"]
    assert {row["name"]: row["ultrawork"] for row in read(results)["played"]} == {
        "new": results.code,
        "young": "bbbb",
        "old": "aaaa",
    }
    again = rounds.Results(results.path, RUNS, FIELDS)
    repeat(again, play, ticks=1)
    assert began == ["new", "old"]


def test_the_report_names_what_changed_and_the_oldest_row(results):
    outcomes = {"new": DONE, "old": {**DONE, "outcome": "UNVERIFIED", "right": False, "sent_back": 2}}
    repeat(results, lambda name: [{**outcomes[name], "name": name}], ticks=2)
    assert results.report().splitlines() == [
        "some: 2 of 3 runs played now (1 for the first time), 1 changed their outcome",
        "  old: PASS right -> UNVERIFIED not right sent back",
        "  the oldest row is of 2026-11-19, with bbbb",
    ]


def test_a_run_that_breaks_off_or_cannot_be_played_leaves_its_row_and_the_others_go_on(results, capsys):
    def play(name):
        if name == "old":
            raise OSError("no space")
        return [] if name == "new" else [{**DONE, "name": name}]

    repeat(results, play)
    assert "old: not played: no space" in capsys.readouterr().err
    assert [(row["name"], row["ultrawork"]) for row in read(results)["played"]] == [
        ("young", results.code),
        ("old", "aaaa"),
    ]
    assert "never played: 1" in results.report()


def test_a_run_of_several_rows_is_replaced_as_one_and_only_what_it_had_before_can_change(tmp_path):
    path = tmp_path / "some.json"
    honest = {**OLD, "variant": "honest"}
    path.write_text(json.dumps({"played": [honest, {**OLD, "variant": "mutant"}]}))
    results = rounds.Results(str(path), [RUNS[2]], FIELDS)
    results.keep(("old",), [{**DONE, "name": "old", "variant": "honest"}, {**DONE, "name": "old", "variant": "hunk"}])
    assert [row["variant"] for row in read(results)["played"]] == ["honest", "hunk"]
    assert results.changes == []


def test_only_takes_a_key_a_word_or_a_pattern():
    runs = [rounds.Run((name,), name, (language,)) for name, language in (("cart-1", "Java"), ("cart-2", "JavaScript"))]
    for only, names in (("Java", ["cart-1"]), ("cart-2", ["cart-2"]), ("cart-*", ["cart-1", "cart-2"])):
        chosen = rounds.choose(runs, SimpleNamespace(only=[only], sample=0, seed=1))
        assert [run.job for run in chosen] == names
