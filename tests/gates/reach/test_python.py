"""Tests of Python, traced: what each entered during its own call, and nothing else."""

import glob
import os
import shutil
import subprocess
import sys

import pytest

from ultrawork.core.verdict.reach import ENTERED, NOT_ENTERED, UNDECIDABLE, find_entered
from ultrawork.gates.reach.changes import compare_code

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"

SHOP = """
LIMIT = 3


def logged(function):
    def inner(*args):
        return function(*args)

    return inner


def total(prices):
    return sum(prices)


@logged
def tax(price):
    return price * 2


class Basket:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    @property
    def size(self):
        return len(self.items)


def count_up(end):
    yield from range(end)


async def fetch():
    return 1


def work(results):
    results.append(1)


setting = tax(1)
"""

TESTS = """
import asyncio
import json
import threading

import pytest

import shop


@pytest.fixture
def basket():
    made = shop.Basket()
    yield made
    made.add("at the end")


@pytest.fixture(scope="module")
def dear():
    return shop.tax(4)


def test_total():
    assert shop.total([1, 2]) == 3


def test_only_imported():
    assert shop.LIMIT == 3


def test_decorated():
    assert shop.tax(1) == 2


def test_fixture(basket):
    assert basket.size == 0


def test_fixture_of_the_module(dear):
    assert dear == 8


def test_generator():
    assert list(shop.count_up(2)) == [0, 1]


def test_async():
    assert asyncio.run(shop.fetch()) == 1


def test_thread():
    results = []
    one = threading.Thread(target=shop.work, args=[results])
    one.start()
    one.join()
    assert results


@pytest.mark.parametrize("kind", ["total", "basket"])
def test_cases(kind):
    assert shop.total([]) == 0 if kind == "total" else shop.Basket()


def test_data():
    with open("rates.json") as file:
        assert json.load(file) == {}


def test_child():
    import subprocess
    subprocess.run(["true"])


def test_red():
    assert shop.total([1]) == 2
"""


@pytest.mark.slow
def test_each_test_tells_what_it_entered_itself(trace):
    found = trace({"shop.py": SHOP, "test_shop.py": TESTS, "rates.json": "{}"}, PYTEST)

    def entered(name):
        return found.entered(f"test_shop.py::{name}")

    assert found.reach.complete, found.reach.reason
    assert set(found.reach.tests) == set(found.report.outcomes)
    assert entered("test_total") == {"total"}
    assert entered("test_only_imported") == set()
    assert entered("test_decorated") == {"logged.<locals>.inner", "tax"}
    assert entered("test_fixture") == {"Basket.__init__", "Basket.size", "Basket.add"}
    assert entered("test_fixture_of_the_module") == set()
    assert entered("test_generator") == {"count_up"}
    assert entered("test_async") == {"fetch"}
    assert entered("test_thread") == {"work"}
    assert entered("test_cases[total]") == {"total"}
    assert entered("test_cases[basket]") == {"Basket.__init__"}
    assert entered("test_red") == {"total"}
    tests = found.reach.tests
    assert tests["test_shop.py::test_data"].opened == {"rates.json"}
    assert tests["test_shop.py::test_child"].children
    assert [name for name, one in tests.items() if one.children] == ["test_shop.py::test_child"]
    decorated = compare_code("shop.py", SHOP, SHOP.replace("price * 2", "price * 3"))
    assert find_entered(found.reach, "test_shop.py::test_decorated", [decorated]) == ENTERED
    assert find_entered(found.reach, "test_shop.py::test_total", [decorated]) == NOT_ENTERED


UNITTEST = """
import json
import os
import sys
import unittest

import checks
import expected
import shop

with open("cases.json") as file:
    CASES = json.load(file)


class ShopTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shop.Basket().add("for all")

    def setUp(self):
        self.basket = shop.Basket()

    def test_each(self):
        for case in CASES:
            with self.subTest(case=case):
                checks.same(shop.total(case), expected.TOTAL)

    def test_only_set_up(self):
        pass

    def test_two_children(self):
        os.spawnlp(os.P_WAIT, "true", "true")


class UnfriendlyTest(unittest.TestCase):
    def test_switches_tracing_off(self):
        sys.setprofile(None)
        for tool in range(6) if hasattr(sys, "monitoring") else ():
            sys.monitoring.free_tool_id(tool)
        shop.total([])
"""
CHECKS = "def same(one, two):\n    if one != two:\n        raise AssertionError(one, two)\n"


def test_unittest_through_make_with_a_path_of_its_own(trace):
    """The recipe sets PYTHONPATH itself, and a sitecustomize of the project is still loaded."""
    found = trace(
        {
            "Makefile": "test:\n\t@PYTHONPATH=src python3 -m unittest -v\n",
            "src/shop.py": SHOP,
            "src/sitecustomize.py": "import os\nos.environ['SEEN'] = '1'\n",
            "src/checks.py": CHECKS,
            "src/expected.py": "TOTAL = 3\n",
            "cases.json": "[[1, 2], [3]]",
            "test_shop.py": UNITTEST + "\n\nassert os.environ['SEEN']\n",
        },
        "make test",
        runner="",
        definition="PYTHONPATH=src python3 -m unittest -v",
    )
    tests = found.reach.tests
    assert set(tests) == set(found.report.outcomes)
    assert found.report.failed == []
    own = "test_shop.ShopTest."
    assert found.entered(own + "test_each") == {"Basket.__init__", "total", "same"}
    assert found.entered(own + "test_only_set_up") == {"Basket.__init__"}
    assert tests[own + "test_two_children"].children
    assert tests["test_shop.UnfriendlyTest.test_switches_tracing_off"].trouble
    assert "src/shop.py" in found.reach.loaded
    changed = SHOP.replace("return sum(prices)", "return 0")
    change = compare_code("src/shop.py", SHOP, changed)
    assert find_entered(found.reach, own + "test_each", [change]) == ENTERED
    assert find_entered(found.reach, own + "test_only_set_up", [change]) == NOT_ENTERED
    around = compare_code("src/shop.py", SHOP, SHOP.replace("LIMIT = 3", "LIMIT = 4"))
    assert find_entered(found.reach, own + "test_only_set_up", [around]) == UNDECIDABLE


BROKEN = """
import json
import unittest

import shop


class ShopTest(unittest.TestCase):
    def test_before(self):
        self.assertEqual(shop.total([1]), 1)

    def test_breaks_what_the_tracer_needs(self):
        json.dumps = None
        self.assertEqual(shop.total([1]), 1)
"""


def test_a_tracer_that_fails_makes_the_trace_incomplete_and_no_test_red(trace):
    files = {"shop.py": SHOP, "test_shop.py": BROKEN}
    found = trace(files, f"{sys.executable} -m unittest -v", runner="unittest")
    assert found.report.failed == []
    assert found.report.ran == 2
    assert not found.reach.complete
    assert found.reach.reason
    change = compare_code("shop.py", SHOP, SHOP.replace("return len", "return 0 * len"))
    for name in found.report.outcomes:
        assert find_entered(found.reach, name, [change]) == UNDECIDABLE


@pytest.mark.parametrize(("command", "runner"), [("go test ./...", "go"), ("echo 'ok 1'", "")])
def test_a_gate_of_another_language_cannot_be_traced(trace, command, runner):
    assert trace({}, command, runner=runner) is None


PARALLEL = """
import multiprocessing
import unittest


def run(name):
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    return unittest.TextTestRunner(verbosity=0).run(suite).wasSuccessful()


if __name__ == "__main__":
    import test_shop

    names = ["test_shop.ShopTest.test_each", "test_shop.ShopTest.test_only_set_up"]
    pool = multiprocessing.get_context("fork").Pool(2)
    assert pool.map(run, names, chunksize=1) == [True, True]
    pool.terminate()
    pool.join()
"""


@pytest.mark.slow
def test_forked_workers_that_are_ended_without_a_word_have_told_all(trace):
    """As the test command of Django runs in parallel."""
    files = {"shop.py": SHOP, "checks.py": CHECKS, "expected.py": "TOTAL = 3\n"}
    found = trace(
        {**files, "cases.json": "[[1, 2]]", "test_shop.py": UNITTEST, "manage.py": PARALLEL},
        f"{sys.executable} manage.py",
        runner="unittest",
    )
    assert found.reach.complete, found.reach.reason
    assert found.entered("test_shop.ShopTest.test_each") == {"Basket.__init__", "total", "same"}
    assert found.entered("test_shop.ShopTest.test_only_set_up") == {"Basket.__init__"}


@pytest.mark.slow
def test_workers_of_xdist_tell_of_their_tests_too(trace):
    environ = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": ""}
    files = {"shop.py": SHOP, "test_shop.py": TESTS, "rates.json": "{}"}
    found = trace(files, f"{PYTEST} -n 2", environ=environ)
    assert found.reach.complete, found.reach.reason
    assert set(found.reach.tests) == set(found.report.outcomes)
    assert found.entered("test_shop.py::test_total") == {"total"}
    assert found.entered("test_shop.py::test_only_imported") == set()


def find_python(version):
    """On the path, or where pyenv keeps those that it does not show there."""
    kept = glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python"))
    for program in [*kept, shutil.which(f"python{version}")]:
        asked = subprocess.run([program, "-c", ""], check=False) if program else None
        if asked and asked.returncode == 0:
            return program
    return None


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"])
def test_every_python_tells_the_same(trace, version):
    program = find_python(version)
    if program is None:
        pytest.skip(f"no Python {version}")
    files = {"shop.py": SHOP, "checks.py": CHECKS, "expected.py": "TOTAL = 3\n"}
    found = trace(
        {**files, "cases.json": "[[1, 2], [3]]", "test_shop.py": UNITTEST},
        f"{program} -m unittest -v",
        runner="unittest",
    )
    own = "test_shop.ShopTest."
    names = {name.rpartition(".")[2] for name in found.entered(own + "test_each")}
    assert names == {"__init__", "total", "same"}
    assert found.reach.tests[own + "test_two_children"].children
    assert found.reach.tests["test_shop.UnfriendlyTest.test_switches_tracing_off"].trouble
    assert found.report.failed == []
