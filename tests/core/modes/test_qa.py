import pytest

from ultrawork.core.errors import UsageError
from ultrawork.core.modes import loops
from ultrawork.core.verdict.gate import ASKED, BUILD, LINT, TEST, TYPES, Gate


def gate(name, kind, command="make x"):
    return Gate(name=name, kind=kind, argv=["x"], command=command, source="Makefile", reason="")


GATES = [
    gate("test", TEST, "make test"), gate("lint", LINT), gate("types", TYPES), gate("build", BUILD),
    gate("web/e2e", "FUNCTIONALITY", "npm run e2e"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "kind", "goal", "names"),
    [
        ("", "tests", "", ["test"]),
        ("fix the suite", "tests", "fix the suite", ["test"]),
        ("--tests", "tests", "", ["test"]),
        ("--lint fix it", "lint", "fix it", ["lint"]),
        ("mend --typecheck please", "typecheck", "mend please", ["types"]),
        ("--build", "build", "", ["build"]),
        ("--custom web/e2e", "custom", "", ["web/e2e"]),
        ("--custom 'web/*' now", "custom", "now", ["web/e2e"]),
        ('--custom "npm run e2e"', "custom", "", ["web/e2e"]),
    ],
)
def test_the_goal_chooses_the_checks(words, kind, goal, names):
    wanted = loops.parse_goal(words)
    assert (wanted.kind, wanted.goal) == (kind, goal)
    assert [one.name for one in loops.select_gates(wanted, GATES)] == names


def test_a_command_that_is_no_check_yet_becomes_one():
    (made,) = loops.select_gates(loops.parse_goal('--custom "sh smoke.sh --fast" fix it'), GATES)
    assert (made.name, made.command, made.source) == ("custom", "sh smoke.sh --fast", ASKED)
    assert made.argv == ("sh", "-c", "sh smoke.sh --fast")
    bare = loops.parse_goal("--custom sh smoke.sh --fast")
    assert bare.custom == "sh smoke.sh --fast"


@pytest.mark.parametrize("words", ["--lint --tests", "--speed", "--custom", '--custom ""'])
def test_what_it_does_not_know_gets_one_sentence(words):
    with pytest.raises(UsageError) as error:
        loops.parse_goal(words)
    assert len(str(error.value)) <= 100


def test_a_kind_without_a_check_chooses_nothing():
    assert loops.select_gates(loops.parse_goal("--lint"), [gate("test", TEST)]) == []


SAME = [
    ("A failed at x:1:2 in 12ms", "A failed  at x:9:7 in 99ms"),
    ("x.py:12:34 boom", "X.py:3:4 boom"),
    ("10:22:31 failed in 0.12s", "23:01:59 failed in 14 s"),
    ("at 2026-11-15T10:00:01.22Z: red", "at 2025-01-01T11:30:59Z: red"),
    ("  3:15  error no-var", "112:5  error no-var"),
    ("2:bad", "17:bad"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_times_and_places_do_not_make_another_failure(first, second):
    assert loops.normalise_failure(first) == loops.normalise_failure(second)


@pytest.mark.parametrize(
    ("first", "second"), [("200 != 401", "200 != 402"), ("test_a failed", "test_b failed"), ("a.py:1 x", "b.py:1 x")]
)
def test_other_failures_stay_other_failures(first, second):
    assert loops.normalise_failure(first) != loops.normalise_failure(second)


def test_a_failure_is_counted_in_a_row():
    assert loops.count_repeats([], "a") == 1
    assert loops.count_repeats(["a", "b", "a"], "a") == 2
    assert loops.count_repeats(["a", "a"], "a") == 3
