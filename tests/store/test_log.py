"""What went wrong inside, for those who fix it."""

import os

from ultrawork.store import log


def test_lines_are_appended_with_time_and_process(home):
    path = log.write(home, "cli", "first\n")
    log.write(home, "cli", "second")
    with open(path, encoding="utf-8") as file:
        first, second = file.read().splitlines()
    assert first.endswith(f"Z {os.getpid()} first")
    assert second.endswith(" second")
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_a_log_is_turned_over_at_a_megabyte(home):
    path = log.write(home, "cli", "x" * 1_000_001)
    log.write(home, "cli", "after")
    assert os.stat(path + ".1").st_size > 1_000_000
    assert os.stat(path).st_size < 100
