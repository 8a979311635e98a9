"""The code that confirms an approval: shown once, typed once, for one command in one checkout, for ten minutes."""

import pytest

from ultrawork.store import consents
from ultrawork.store.paths import Home

PLACE, COMMAND = "/src/shop", "ultrawork gates allow"


@pytest.fixture
def home(tmp_path):
    return Home(str(tmp_path))


@pytest.fixture
def code(home):
    consents.request(home, PLACE, COMMAND, "/dev/pts/7", 0.0)
    shown, command, terminal = consents.issue_code(home, PLACE, 1.0)
    assert (command, terminal) == (COMMAND, "/dev/pts/7")
    return shown


def test_a_code_approves_its_command_once(home, code):
    assert consents.issue_code(home, PLACE, 2.0) == ("", "", "")
    assert not consents.is_taken(home, PLACE, COMMAND, 2.0)
    assert consents.give(home, PLACE, f" {code.lower()} ", 3.0) == COMMAND
    assert not consents.is_taken(home, PLACE, "ultrawork accept fine", 4.0)
    assert consents.is_taken(home, PLACE, COMMAND, 4.0)
    assert not consents.is_taken(home, PLACE, COMMAND, 4.0)


def test_another_code_or_checkout_or_a_late_one_approves_nothing(home, code):
    assert consents.give(home, PLACE, "", 2.0) == ""
    assert consents.give(home, PLACE, "AAAAA" if code != "AAAAA" else "CCCCC", 2.0) == ""
    assert consents.give(home, "/src/other", code, 2.0) == ""
    assert consents.give(home, PLACE, code, consents.LASTS + 1.0) == ""


def test_the_code_stands_in_no_file(home, code, tmp_path):
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(code.encode() in path.read_bytes() for path in files)


def test_a_request_for_another_command_takes_the_place_of_the_first(home, code):
    consents.request(home, PLACE, "ultrawork accept fine", "/dev/pts/7", 2.0)
    assert consents.give(home, PLACE, code, 3.0) == ""
