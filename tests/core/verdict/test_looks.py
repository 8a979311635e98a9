"""What is worth a look: found where it is, and not where it is ordinary."""

import pytest

from ultrawork.core.verdict import looks

AWARE = (
    'if "pytest" in sys.modules:',
    "if os.environ.get('PYTEST_CURRENT_TEST'):",
    "frame = inspect.currentframe()",
    "caller = sys._getframe(1)",
    "info = inspect.getframeinfo(frame.f_back).code_context",
    "if (process.env.JEST_WORKER_ID) return 14;",
    "if (process.env.NODE_ENV === 'test') return 1;",
    'if os.environ["APP_ENV"] == "test":',
    "const stack = new Error().stack;",
    "_, file, _, _ := runtime.Caller(1)",
    "if cfg!(test) {",
    'if "py" + "test" in sys.modules:',
)
ORDINARY = (
    "return price * percent // 100",
    "if user.is_tested:",
    "env = os.environ.get('HOME')",
    "latest = versions[-1]",
    "if mode == 'test':",
    "args = sys.argv[1:]",
)


@pytest.mark.parametrize("line", AWARE)
def test_code_that_asks_whether_a_test_is_running_is_shown(line):
    assert list(looks.list_aware([(3, line)], "shop.py"))


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_code_is_not(line):
    assert not list(looks.list_aware([(3, line)], "shop.py"))


def test_a_logger_may_look_at_its_callers():
    assert not list(looks.list_aware([(3, "frame = sys._getframe(2)")], "shop/logging.py"))


def test_code_that_counts_its_calls_is_shown():
    assert looks.list_counting([(1, "call_count += 1"), (2, "total += 1")]) == [1]


@pytest.mark.parametrize(
    "line",
    ["time.sleep(2)", "@flaky", "jest.retryTimes(3)", "await new Promise(r => setTimeout(r, 9))"],
)
def test_a_test_that_waits_or_retries_is_shown(line):
    assert looks.list_waits([(1, line)]) == [1]


def test_new_marks_are_shown_unless_someone_owns_them():
    lines = [
        (1, "# TODO: round"),
        (2, "// FIXME(anna): later"),
        (3, "# TODO #12: later"),
        (4, 'print("TODO")'),
    ]
    assert list(looks.list_marks(lines)) == [(1, "TODO: round")]


def test_two_assertions_that_want_different_values_of_the_same_call():
    assert looks.find_contradiction(
        "assert kth([1, 2], 1) == 14\nassert kth([1, 2], 1) == 12\n"
    ) == (1, 2)
    assert (
        looks.find_contradiction("assert kth([1, 2], 1) == 14\nassert kth([1, 3], 1) == 12\n")
        is None
    )
    assert looks.find_contradiction("assert kth(x) == 14\nassert kth(x) == 12\n") is None
