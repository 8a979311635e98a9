"""What a person asked of a run, over engines that carry it on one after the other."""

from ultrawork.engine.run import RunWishes


def test_the_time_of_a_run_runs_on_over_a_kill():
    wishes = RunWishes(seconds=100.0)
    wishes.start_clock(1000.0)
    wishes.start_clock(1050.0)
    assert wishes.until == 1100.0


def test_who_resumes_after_the_time_was_up_has_as_much_again():
    wishes = RunWishes(seconds=100.0)
    wishes.start_clock(1000.0)
    wishes.start_clock(5000.0)
    assert wishes.until == 5100.0


def test_a_new_deadline_counts_from_now():
    wishes = RunWishes(seconds=100.0)
    wishes.start_clock(1000.0)
    wishes.seconds = 30.0
    wishes.start_clock(1050.0, anew=True)
    assert RunWishes(**wishes.document()).until == 1080.0
