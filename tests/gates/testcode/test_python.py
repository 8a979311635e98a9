"""Tests in Python source, and the changes that do and do not count."""

import pytest

from ultrawork.gates.testcode.cases import list_cases, list_changed_tests

SOURCE = """
import pytest, unittest

def helper(): pass

def test_plain():
    assert 1

async def test_async():
    assert await thing() == 2

class TestBox:
    def test_inside(self):
        with pytest.raises(ValueError):
            open_box()
    class TestDeep:
        def test_deep(self): pass

class Pay(unittest.TestCase):
    def setUp(self): pass
    def test_adds(self):
        self.assertEqual(add(1, 1), 2)

if sys.version_info > (3, 12):
    def test_new(): pass
if False:
    def test_never(): pass
"""


def parts(text, path="test_a.py"):
    return ["::".join(case.parts) for case in list_cases(path, text)]


def only(text, path="test_a.py"):
    (case,) = list_cases(path, text)
    return case


def kinds(before, after):
    return {change.parts[-1]: change.kind for change in list_changed_tests(before, after, "test_a.py")}


def test_tests_are_found_in_modules_and_classes():
    assert parts(SOURCE) == [
        "test_plain",
        "test_async",
        "TestBox::test_inside",
        "TestBox::TestDeep::test_deep",
        "Pay::test_adds",
        "test_new",
    ]


def test_used_names_and_lines_are_known():
    cases = {case.parts[-1]: case for case in list_cases("test_a.py", SOURCE)}
    assert "open_box" in cases["test_inside"].names
    assert cases["test_plain"].lines == (6, 7)


def test_the_last_of_two_tests_of_one_name_is_the_one_that_runs():
    assert only("def test_a():\n    assert 1\ndef test_a():\n    pass\n").lines == (3, 4)


@pytest.mark.parametrize(
    "mark",
    [
        "@pytest.mark.skip",
        "@pytest.mark.skip(reason='later')",
        "@unittest.skip('later')",
        "@pytest.mark.xfail",
        "@pytest.mark.xfail(strict=False)",
        "@unittest.expectedFailure",
        "@pytest.mark.skipif(True, reason='x')",
        "@unittest.skipUnless(False, 'x')",
        "@pytest.mark.xfail(1, reason='x')",
    ],
)
def test_a_mark_that_always_holds_puts_a_test_away(mark):
    case = only(f"{mark}\ndef test_a(): assert 1\n")
    assert (case.skipped, case.conditional) == (True, False)


@pytest.mark.parametrize(
    "mark",
    [
        "@pytest.mark.skipif(sys.platform == 'win32', reason='x')",
        "@pytest.mark.skipif('sys.platform == \"win32\"')",
        "@unittest.skipIf(NO_NET, 'x')",
        "@pytest.mark.xfail(sys.version_info < (3, 12), reason='x')",
    ],
)
def test_a_mark_on_a_condition_is_told_apart(mark):
    case = only(f"{mark}\ndef test_a(): assert 1\n")
    assert (case.skipped, case.conditional) == (True, True)


@pytest.mark.parametrize("mark", ["@pytest.mark.skipif(False, reason='x')", "@pytest.mark.slow", "@patch('x.y')"])
def test_other_marks_put_nothing_away(mark):
    assert not only(f"{mark}\ndef test_a(): assert 1\n").skipped


@pytest.mark.parametrize(
    "text",
    [
        "pytestmark = pytest.mark.skip\ndef test_a(): assert 1\n",
        "pytestmark = [pytest.mark.slow, pytest.mark.skip]\ndef test_a(): assert 1\n",
        "pytest.skip('later', allow_module_level=True)\ndef test_a(): assert 1\n",
        "raise unittest.SkipTest\ndef test_a(): assert 1\n",
        "@pytest.mark.skip\nclass TestX:\n    def test_a(self): assert 1\n",
        "class TestX:\n    __test__ = False\n    def test_a(self): assert 1\n",
        "def test_a():\n    pytest.skip('later')\n    assert 1\n",
        "class T:\n    def test_a(self):\n        self.skipTest('later')\n",
    ],
)
def test_whatever_skips_a_file_a_class_or_the_test_itself_is_seen(text):
    case = only(text)
    assert (case.skipped, case.conditional) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "def test_a():\n    if not NET:\n        pytest.skip('x')\n    assert 1\n",
        "np = pytest.importorskip('numpy')\ndef test_a(): assert 1\n",
    ],
)
def test_a_skip_within_a_branch_is_conditional(text):
    assert only(text).conditional


FORMATTING = [
    ("def test_a():\n    assert f('x', 1)\n", 'def test_a():\n    assert f(\n        "x",\n        1,\n    )\n'),
    ("def test_a():\n    assert 1\n", "def test_a():\n    # why\n    assert 1  # yes\n"),
    ("def test_a():\n    assert 1\n", 'def test_a():\n    """Says more."""\n    assert 1\n'),
    ("import b, a\ndef test_a():\n    assert 1\n", "import a\nimport b\n\n\ndef test_a():\n    assert 1\n"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), FORMATTING)
def test_formatting_comments_and_docstrings_do_not_count(before, after):
    assert list_changed_tests(before, after, "test_a.py") == []


def test_what_happened_to_each_test():
    before = "def test_a(): assert 1\ndef test_b(): assert 2\ndef test_c(): assert 3\n"
    after = "@pytest.mark.skip\ndef test_a(): assert 1\ndef test_b(): assert 0\ndef test_d(): pass\n"
    assert kinds(before, after) == {"test_a": "skipped", "test_b": "changed", "test_c": "removed", "test_d": "added"}
    assert kinds(after, before)["test_a"] == "unskipped"


def test_a_conditional_skip_made_unconditional_is_a_skip():
    before = "@pytest.mark.skipif(A, reason='')\ndef test_a(): pass\n"
    assert kinds(before, "@pytest.mark.skip\ndef test_a(): pass\n") == {"test_a": "skipped"}
    assert kinds(before, before.replace("(A", "(B")) == {}


def test_fewer_parameters_are_a_change():
    before = "@pytest.mark.parametrize('n', [1, 2])\ndef test_a(n): assert n\n"
    assert kinds(before, before.replace("[1, 2]", "[1]")) == {"test_a": "changed"}


def test_a_change_shows_the_first_lines_that_differ_and_where():
    before = "def test_a():\n    x = f()\n    assert x == 200\n"
    (change,) = list_changed_tests(before, "\n" + before.replace("200", "401"), "tests/test_a.py")
    assert (change.before, change.after) == ("assert x == 200", "assert x == 401")
    assert change.where == "tests/test_a.py:2"
    assert change.name == "tests/test_a.py::test_a"
    assert "f" in change.names


def test_a_new_and_a_deleted_file_add_and_remove_their_tests():
    text = "def test_a(): pass\n"
    assert kinds(None, text) == {"test_a": "added"}
    assert kinds(text, None) == {"test_a": "removed"}


def test_a_file_that_cannot_be_read_is_left_to_the_runs():
    assert list_changed_tests("def test_a(): pass\n", "def test_a(:\n", "test_a.py") == []
