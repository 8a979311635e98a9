"""Silent workers, and seats that fail."""

import pytest

from ultrawork.core.modes import modes, shared_files
from ultrawork.core.modes.shared_files import ASK, REPLACE


@pytest.mark.parametrize(
    ("quiet", "commanding", "what"),
    [
        (0, False, ""),
        (299, False, ""),
        (300, False, ASK),
        (599, False, ASK),
        (600, False, REPLACE),
        (600, True, ""),
        (900, True, ASK),
        (1200, True, REPLACE),
    ],
)
def test_five_minutes_of_silence_are_asked_about_and_ten_end_it(quiet, commanding, what):
    assert shared_files.judge_silence(modes.TEAM, quiet, commanding=commanding) == what


def test_other_modes_have_no_watchdog():
    assert shared_files.judge_silence(modes.AUTOPILOT, 10_000, commanding=False) == ""


def test_a_seat_that_failed_twice_gets_no_task_any_more():
    found = shared_files.take_seat({}, "c1", 2)
    assert found["worker-1"]["call"] == "c1"
    found = shared_files.take_seat(found, "c2", 2)
    assert found["worker-2"]["call"] == "c2"
    for call in ("c1", "c3"):
        found = shared_files.leave_seat(found, call, failed=True)
        found = shared_files.take_seat(found, "c3", 2)
    assert found["worker-1"] == {"call": "", "failures": 2}
    assert shared_files.count_retired({shared_files.KEY: found}) == 1
    assert shared_files.take_seat(found, "c4", 2)["worker-1"]["call"] == ""


def test_who_ends_well_leaves_the_seat_as_good_as_it_was():
    found = shared_files.leave_seat(shared_files.take_seat({}, "c1", 1), "c1", failed=False)
    assert found == {"worker-1": {"call": "", "failures": 0}}
    assert shared_files.read_seats({}) == {}
