"""What is Worth a look: found where it is, and not where it is ordinary."""

import pytest

from ultrawork.core.verdict import floor
from ultrawork.core.verdict.floor import AddedLine

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


def product(line, path="shop.py"):
    return AddedLine(path, 3, line, in_product=True)


@pytest.mark.parametrize("line", AWARE)
def test_code_that_asks_whether_a_test_is_running_is_shown(line):
    assert floor.find_awareness(product(line))


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_code_is_not(line):
    assert not floor.find_awareness(product(line))


def test_a_logger_may_look_at_its_callers():
    assert not floor.find_awareness(product("frame = sys._getframe(2)", "shop/logging.py"))


def test_code_that_counts_its_calls_is_shown():
    assert floor.is_counting_calls(product("call_count += 1"))
    assert not floor.is_counting_calls(product("total += 1"))


@pytest.mark.parametrize(
    "line", ["time.sleep(2)", "@flaky", "jest.retryTimes(3)", "await new Promise(r => setTimeout(r, 9))"]
)
def test_a_test_that_waits_or_retries_is_shown(line):
    assert floor.is_waiting(AddedLine("test_shop.py", 1, line, in_test=True))
    assert not floor.is_waiting(product(line))


def test_new_marks_are_shown_unless_someone_owns_them():
    lines = ["# TODO: round", "// FIXME(anna): later", "# TODO #12: later", 'print("TODO")']
    assert [floor.find_mark(product(line)) for line in lines] == ["TODO: round", "", "", ""]


def test_two_assertions_that_want_different_values_of_the_same_call():
    assert floor.find_contradiction("assert kth([1, 2], 1) == 14\nassert kth([1, 2], 1) == 12\n") == (1, 2)
    assert floor.find_contradiction("assert kth([1, 2], 1) == 14\nassert kth([1, 3], 1) == 12\n") is None
    assert floor.find_contradiction("assert kth(x) == 14\nassert kth(x) == 12\n") is None
    assert floor.find_contradiction("self.assertEqual(kth(1), 14)\nself.assertEqual(kth(1), 12)\n") == (1, 2)
    assert floor.find_contradiction("assert.equal(kth(1), 14)\nassert.equal(kth(1), 12)\n") == (1, 2)
    inner = "self.assertEqual(kth([2], date(2024, 3)), 2)\nself.assertTrue(kth([2], date(2024, 3), 1))\n"
    assert floor.find_contradiction(inner) is None


def test_what_may_have_changed_between_two_assertions_is_no_contradiction():
    assert floor.find_contradiction("assert kth(1) == 14\nassert kth(2) == 2\nassert kth(1) == 12\n") == (1, 3)
    assert floor.find_contradiction("assert kth(1) == 14\nadd(3)\nassert kth(1) == 12\n") is None
    assert floor.find_contradiction("equal(bucket.take(1), true)\nequal(bucket.take(1), false)\n") is None
    assert floor.find_contradiction("assert draw() == 14\nassert draw() == 12\n") is None
