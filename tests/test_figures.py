"""Page and chart of figures are made from results alone, and no figure comes without a date, versions and a command."""

import json
import os
import sys
import time
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest

from support.floor import REPOSITORY

sys.path.insert(0, f"{REPOSITORY}/bench")
import figures
import figures_chart
import figures_run

STAMP = {"date": "2026-11-18", "versions": {"ultrawork": "0.2.0"}, "command": "python bench/x.py"}
BUG = {"task": "bug", "sent_back": 0}
IMPOSSIBLE = [
    {**BUG, "agent": "claims", "honesty": "cheat", "outcome": "UNVERIFIED", "sent_back": 2, "right": True},
    {**BUG, "agent": "claims", "honesty": "cheat", "outcome": "PASS", "right": False},
    {**BUG, "agent": "fixes", "honesty": "honest", "outcome": "PASS", "right": True},
    {**BUG, "agent": "special-cases", "honesty": "limit", "outcome": "PASS", "right": False},
]  # fmt: skip
TIMES = {"kind": "fix", "strength": "proved", "stop_cpu": 6.0, "suite_cpu": 2.0}
COMMITS = [
    {"variant": "honest", "after": "green", "outcome": "PASS", "sent_back": 0, **TIMES},
    {"variant": "honest", "after": "green", "outcome": "PASS", "sent_back": 1, "asked": True, **TIMES},
    {"variant": "honest", "after": "red", "outcome": "UNVERIFIED", "sent_back": 2, **TIMES},
    {**TIMES, "variant": "one hunk missing", "after": "red", "outcome": "UNVERIFIED", "sent_back": 2},
]  # fmt: skip
PEERS = [
    {"system": "nothing", "honesty": "lie", "accepted": True, "sent_back": 0, "requests": 2},
    {"system": "nothing", "honesty": "honest", "accepted": True, "sent_back": 0, "requests": 2},
    {"system": "ultrawork", "honesty": "lie", "accepted": False, "sent_back": 2, "requests": 4},
    {"system": "ultrawork", "honesty": "honest", "accepted": True, "sent_back": 0, "requests": 2},
]
CASE = {"kind": "claim", "language": "Go", "accepted": False, "asked": False, "right": True}
ORDINARY = [
    {**CASE, "honesty": "lie", "verdict": "UNVERIFIED", "sent_back": 1},
    {**CASE, "honesty": "lie", "verdict": "PASS", "sent_back": 0},
    {**CASE, "honesty": "lie", "verdict": "PASS", "sent_back": 0, "accepted": True, "right": False},
    {**CASE, "honesty": "honest", "verdict": "PASS", "sent_back": 1, "asked": True},
]
PLAYED = {"ordinary": ORDINARY, "impossible": IMPOSSIBLE, "commits": COMMITS, "peers": PEERS}


@pytest.fixture
def results(tmp_path):
    """A function that writes results of sets and reads them back as figures."""

    def write(**documents):
        for name, document in documents.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(document))
        return figures.read_all(str(tmp_path))

    return write


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_each_set_counts_what_its_runs_show(results):
    found = results(**{name: {**STAMP, "played": runs} for name, runs in PLAYED.items()})
    told = {figure.label: figure.text for one in found for figure in one.figures}
    assert told == {
        "careless lies that were accepted": "1 of 3",
        "careless lies that ended with PASS and were named": "1 of 3",
        "ordinary work that was sent back": "0 of 1",
        "ordinary work that ended as it should": "1 of 1",
        "cheats that ended with PASS": "1 of 2",
        "honest runs that were sent back": "0 of 1",
        "honest runs that ended as they should": "1 of 1",
        "special cases that passed (a documented limit)": "1 of 1",
        "honest commits that passed": "2 of 2",
        "honest commits that were sent back": "0 of 2",
        "broken commits that passed": "0 of 1",
        "processor time of a verdict, in runs of the bare suite (median)": "3",
        "lies accepted without anything": "1 of 1; honest runs sent back 0 of 1",
        "lies accepted with ultrawork": "0 of 1; honest runs sent back 0 of 1",
    }


def test_what_is_behind_the_figures_is_on_the_page(results):
    page = figures.render_page(results(**{name: {**STAMP, "played": runs} for name, runs in PLAYED.items()}))
    for row in (
        "| lie | 3 | 2 | 1 | 1 |",
        "| cheat | bug | claims | 2 | 1 | 1 |",
        "| fix | 2 | 2 | 2 proved | 0 | 1 | 0 |",
        "| ultrawork | 0 of 1 | 1 of 1 | 0 of 1 | 1 | not counted | not counted |",
    ):
        assert row in page, page


@pytest.mark.parametrize("missing", ["date", "versions", "played"])
def test_results_that_nobody_could_repeat_are_refused(results, missing):
    document = {**STAMP, "played": IMPOSSIBLE}
    del document[missing]
    with pytest.raises(figures.UnfoundedError, match=r"bench/impossible\.json"):
        results(impossible=document)


def test_every_set_on_the_page_has_its_date_versions_and_command(results):
    page = figures.render_page(results(commits={**STAMP, "played": COMMITS}))
    for told in ("4 (2026-11-18)", "- versions: ultrawork 0.2.0\n", "`python bench/x.py`"):
        assert told in page
    missing = page.partition("## Not measured yet")[2]
    assert "bench/impossible.py" in missing
    assert "bench/commits.py" not in missing


def test_a_sample_is_called_a_sample(results):
    document = {**STAMP, "played": IMPOSSIBLE}
    (whole,) = results(impossible=document)
    assert "- played: 4 runs: " in figures.render_page([whole])
    (part,) = results(impossible={**document, "sample": 3, "seed": 1})
    assert "- played: a sample of 3, drawn with seed 1: " in figures.render_page([part])
    assert "a sample of 3" in figures_chart.render_chart([part], figures.REPEAT)


@pytest.mark.parametrize(
    ("commits", "origin"),
    [
        ("bb", "4 runs: 2 (2026-11-20, b), 2 (2026-11-18, a to b)"),
        ("bc", "4 runs: 1 (2026-11-20, c), 1 (2026-11-20, b), 2 (2026-11-18, a to b)"),
        ("bcd", "4 runs: 1 (2026-11-20, d), 1 (2026-11-20, c), 2 (2026-11-18 to 2026-11-20, 2 other commits)"),
    ],
)  # fmt: skip
def test_the_page_says_how_many_runs_are_of_which_day_and_commit(results, commits, origin):
    """Rows of before runs kept their own date are of the day and the commits of their document."""
    new = [
        {**row, "date": "2026-11-20T00:30:00Z", "ultrawork": one} for row, one in zip(IMPOSSIBLE, commits, strict=False)
    ]
    stamp = {**STAMP, "versions": {"ultrawork": "0.2.0", "commit": "a to b"}}
    (found,) = results(impossible={**stamp, "played": [*new, *IMPOSSIBLE[len(new) :]]})
    assert f"- played: {origin}\n" in figures.render_page([found])
    assert "2026-11-18 to 2026-11-20" in figures_chart.render_chart([found], figures.REPEAT)


def test_each_set_gets_its_share_of_what_is_left_and_the_last_one_all_of_it():
    left, given = 60, {}
    for one, share in figures_run.share_out(figures.SETS):
        given[one.name] = share * left
        left -= given[one.name]
    assert given == pytest.approx({one.name: 60 * one.share for one in figures.SETS})
    assert left == pytest.approx(0)


def test_a_driver_that_goes_on_after_its_time_is_interrupted_with_its_workers(tmp_path):
    """What is left of them would hold the pipe open for a minute."""
    driver = tmp_path / "driver.py"
    driver.write_text("import subprocess\nsubprocess.run(['sleep', '60'])\n")
    reads, writes = os.pipe()
    began = time.monotonic()
    with open(reads, "rb") as left, open(writes, "wb") as told:
        assert figures_run.run_driver(SimpleNamespace(driver=str(driver)), [], 0.3, told, grace=0) == 1
        told.close()
        assert (left.read(), time.monotonic() - began < 30) == (b"", True)


def test_the_chart_is_one_picture_that_says_every_figure_in_words(results):
    found = results(**{name: {**STAMP, "played": runs} for name, runs in PLAYED.items()})
    text = figures_chart.render_chart(found, figures.REPEAT)
    words = " ".join(ET.fromstring(text).itertext())
    assert all(figure.text in words for one in found for figure in one.figures)
    assert (STAMP["date"] in words, figures.REPEAT in words) == (True, True)
    assert "prefers-color-scheme: dark" in text


def test_the_page_and_the_chart_are_those_of_the_results():
    measured = figures.read_all()
    assert read(figures.PAGE) == figures.render_page(measured), "python bench/figures.py"
    assert os.path.exists(figures.CHART) is bool(measured)
    if measured:
        assert read(figures.CHART) == figures_chart.render_chart(measured, figures.REPEAT)
    assert ("docs/pictures/figures.svg" in read(f"{REPOSITORY}/README.md")) is bool(measured)


def test_the_command_of_a_set_starts_its_own_driver():
    for one in figures.SETS:
        assert one.command.startswith(f"python bench/{one.name}.py")
    with open(f"{REPOSITORY}/Makefile", encoding="utf-8") as file:
        assert "bench/figures.py --run --minutes $(MINUTES)" in file.read()
