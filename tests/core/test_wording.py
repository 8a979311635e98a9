import pytest

from ultrawork.core import wording
from ultrawork.core.prompt import arming
from ultrawork.core.verdict.gate import LINT, TEST, Gate


def gate(name, command, kind=TEST):
    return Gate(name=name, kind=kind, argv=["sh", "-c", command], command=command, where=".", source="Makefile:1", reason="r", definition=command)  # fmt: skip


TESTS, LINTS = gate("test", "make test"), gate("lint", "ruff check .", LINT)


def test_the_person_reads_what_done_means_in_one_line():
    assert arming.tell_on([TESTS, LINTS]) == (
        "ultrawork: on. Done means these pass: `make test`, `ruff check`. Turn off: ulw off"
    )


def test_where_there_is_no_room_for_all_commands_the_names_stand_there():
    many = [gate(name, f"run the {name} of this") for name in ("test", "lint", "types", "build")]
    assert arming.tell_on(many) == (
        "ultrawork: on. Done means these pass: `run the test of this`, lint, types, build. Turn off: ulw off"
    )


def test_a_command_that_ends_with_dots_does_not_run_into_the_next_sentence():
    assert arming.tell_on([gate("test", "go test ./...")]) == (
        "ultrawork: on. Done means this passes: `go test ./...`. Turn off: ulw off"
    )


def test_what_will_run_is_named_whole():
    assert arming.name_commands(["make test", "ruff check ."]) == (
        "  I run make test, ruff check . myself. To opt out: ulw gates deny"
    )
    long = ["x" * 90, "y\n" * 80]
    lines = arming.name_commands(long).splitlines()
    assert lines[0] == "  I run these myself:"
    assert [line.strip() for line in lines[1:3]] == ["x" * 90, " ".join("y" * 80)]
    assert lines[-1] == "  To opt out: ulw gates deny"


def test_a_check_that_lacks_its_program_is_no_part_of_done():
    assert arming.tell_on([TESTS, LINTS], {"lint": "ruff"}) == (
        "ultrawork: on. Done means this passes: `make test`. Turn off: ulw off\n"
        "  Cannot run: lint (ruff is not installed)"
    )
    assert "`ruff check`. Turn off" in arming.tell_on([LINTS], {"lint": "ruff"})


def test_a_project_without_a_check_is_told_so_at_once():
    assert arming.tell_on([]) == ("ultrawork: on, but I found no checks in this project. Add one: ulw gates draft")


def test_the_models_block_is_the_loop_of_the_first_document():
    text = arming.write_instruction("fix the login bug", [TESTS, LINTS])
    assert "start 2-5 read-only helpers in parallel" in text
    assert "For external documentation use one foreground reader" in text
    assert text.splitlines()[0] == "ultrawork is on. Goal: fix the login bug"
    assert "  test: make test    lint: ruff check ." in text
    steps = ("2-5 read-only helpers in parallel", "1-3 small changes", "record progress", "`ultrawork verify`", "`BLOCKED: why`")  # fmt: skip
    assert all(step in text for step in steps)


@pytest.mark.parametrize("goal", ["fix it", "g" * 5000, "\u5de5" * 5000])
def test_the_models_block_stays_below_its_bound(goal):
    gates = [gate(f"gate{number}", "c" * 100) for number in range(20)]
    assert len(arming.write_instruction(goal, gates).encode()) <= 1500


def test_another_program_name_is_used_where_ours_is_not_on_the_path():
    text = arming.write_instruction("fix it", [TESTS], '"/plugins/u/bin/ultrawork"')
    assert '`"/plugins/u/bin/ultrawork" verify`' in text


@pytest.mark.parametrize(
    "line",
    [
        wording.READY, wording.NO_GATE, wording.NOT_ON, wording.FORK, wording.NO_GOAL, wording.tell_moved("UNVERIFIED"),
        arming.tell_on([gate("test", "x" * 300)]), wording.tell_goal("y" * 300), *wording.tell_background(["test"] * 40, "about 2 min left", passed=12).splitlines(),
        *wording.tell_off(3).splitlines(), *wording.HELP.splitlines(),
    ],
)  # fmt: skip
def test_what_is_said_fits_a_line_and_keeps_its_tone(line):
    assert len(line) <= wording.WIDTH
    assert "!" not in line
    assert "successfully" not in line


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (None, "ultrawork: off. Nothing verified."),
        (0, "ultrawork: off. 0 files changed, nothing verified."),
        (1, "ultrawork: off. 1 file changed, nothing verified."),
        (3, "ultrawork: off. 3 files changed, nothing verified."),
    ],
)
def test_switching_off_says_what_was_not_verified(changed, said):
    assert wording.tell_off(changed) == f"{said} Turn on again: ulw <task>"


def test_one_thing_is_told_in_the_singular():
    from ultrawork.core.wording import count_things

    told = [count_things(number, "session") for number in (0, 1, 2)]
    assert told == ["0 sessions", "1 session", "2 sessions"]


@pytest.mark.parametrize("sign", ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u180e", "\U000e0041"])
def test_what_has_no_width_is_not_shown(sign):
    assert wording.strip_controls(f"te{sign}st_x") == "test_x"
