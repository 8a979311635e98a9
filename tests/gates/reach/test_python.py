"""Tests of Python, traced: what each entered during its own call, and nothing else."""

import sys

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
    assert found.reach.read_by_tests == {"rates.json": {"test_shop.py::test_data"}}
