import pytest

from ultrawork.core.tool_failures import find_round


@pytest.mark.parametrize(
    ("calls", "length"),
    [
        ("aaaa", 0),
        ("aaaaa", 1),
        ("baaaaa", 1),
        ("aaaab", 0),
        ("abababab", 2),
        ("ababab", 0),
        ("abcabcabcabc", 3),
        ("abcdabcdabcdabcd", 4),
        ("abcdeabcdeabcdeabcde", 0),
        ("", 0),
    ],
)
def test_a_circle_is_the_same_call_five_times_or_a_round_four_times(calls, length):
    assert find_round(list(calls)) == length
