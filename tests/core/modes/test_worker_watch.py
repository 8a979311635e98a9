"""Silent workers, and seats that fail."""

import pytest

from ultrawork.core.modes import modes, worker_watch
from ultrawork.core.modes.worker_watch import ASK, REPLACE


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
    assert worker_watch.judge_silence(modes.TEAM, quiet, commanding=commanding) == what


def test_other_modes_have_no_watchdog():
    assert worker_watch.judge_silence(modes.AUTOPILOT, 10_000, commanding=False) == ""


def test_a_seat_that_failed_twice_gets_no_task_any_more():
    found = worker_watch.take_seat({}, "c1", 2)
    assert found["worker-1"]["call"] == "c1"
    found = worker_watch.take_seat(found, "c2", 2)
    assert found["worker-2"]["call"] == "c2"
    for call in ("c1", "c3"):
        found = worker_watch.leave_seat(found, call, failed=True)
        found = worker_watch.take_seat(found, "c3", 2)
    assert found["worker-1"] == {"call": "", "failures": 2}
    assert worker_watch.count_retired({worker_watch.KEY: found}) == 1
    assert worker_watch.take_seat(found, "c4", 2)["worker-1"]["call"] == ""


def test_who_ends_well_leaves_the_seat_as_good_as_it_was():
    found = worker_watch.leave_seat(worker_watch.take_seat({}, "c1", 1), "c1", failed=False)
    assert found == {"worker-1": {"call": "", "failures": 0}}
    assert worker_watch.read_seats({}) == {}
