"""What a removed test was about."""

from ultrawork.gates.judge import test_change


def test_a_name_that_vanished_is_found():
    base, now = {"old_login", "add"}, {"add"}
    used = {"add", "old_login", "print"}
    assert test_change.find_vanished_name(used, base.__contains__, now.__contains__) == "old_login"
    assert test_change.find_vanished_name({"add"}, base.__contains__, now.__contains__) == ""
