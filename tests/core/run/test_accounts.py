"""Which account is asked next, where machines have several."""

import pytest

from ultrawork.core.run.crew import ANY, AccountSeat, choose_account, find_wait_end, name_provider, split_provider


@pytest.mark.parametrize(
    ("seats", "most", "counted", "chosen"),
    [
        ([AccountSeat("a", 4), AccountSeat("b", 4)], 0, False, ANY),
        ([AccountSeat("a", 4, wait=9.0), AccountSeat("b", 4)], 0, False, "b"),
        ([AccountSeat("a", 4, wait=9.0), AccountSeat("b", 4, wait=1.0)], 0, False, None),
        ([AccountSeat("a", 4, 2), AccountSeat("b", 8, 3)], 6, True, "b"),
        ([AccountSeat("a", 4, 2), AccountSeat("b", 8, 3)], 3, True, "a"),
        ([AccountSeat("a", 4, 2), AccountSeat("b", 8, 2)], 2, True, None),
        ([AccountSeat(ANY, 0, 1)], 2, True, ANY),
    ],
)
def test_the_one_with_the_most_room_is_asked(seats, most, counted, chosen):
    assert choose_account(seats, most=most, counted=counted) == chosen


def test_a_program_waits_until_the_first_of_its_accounts_may_be_asked():
    blocked = {"claude@a": 30.0, "claude@b": 20.0, "claude": 90.0}
    assert find_wait_end("claude", ["a", "b"], blocked) == 20.0
    assert find_wait_end("claude", ["a", "c"], blocked) == 0.0
    assert find_wait_end("claude", [], blocked) == 90.0


@pytest.mark.parametrize("account", ["", "ab12"])
def test_the_name_of_a_provider_tells_its_account(account):
    assert split_provider(name_provider("claude", account)) == ("claude", account)
