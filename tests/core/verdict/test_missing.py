"""A test that fails, and one that could not run for want of a name."""

import pytest

from ultrawork.core.verdict.missing import find_failing_line, find_missing, is_unrunnable, list_missing_names

MISSING = {
    "ImportError: cannot import name 'sale' from 'shop' (shop.py)": "sale",
    "ModuleNotFoundError: No module named 'shop.tax'": "tax",
    "NameError: name 'sale' is not defined": "sale",
    "AttributeError: module 'shop' has no attribute 'sale'": "sale",
    "TypeError: label() got an unexpected keyword argument 'upper'": "upper",
    "TypeError: label() takes 1 positional argument but 2 were given": "label",
    "TypeError: label() missing 1 required positional argument: 'x'": "label",
    "TypeError: shop.sale is not a function": "sale",
    "ReferenceError: sale is not defined": "sale",
    "SyntaxError: The requested module './shop.js' does not provide an export named 'sale'": "sale",
    "./shop_test.go:9:7: undefined: Sale": "Sale",
    "./shop_test.go:9:7: undefined: shop.Sale": "Sale",
    "too many arguments in call to shop.Label": "Label",
    "error[E0425]: cannot find function `sale` in this scope": "sale",
    "NoMethodError: undefined method `sale' for Shop:Module": "sale",
    "NameError: uninitialized constant Shop::Tax": "Tax",
    "A.java:9: error: cannot find symbol\n  hall.sale(2)\n      ^\n  symbol:   method sale(int)\n": "sale",
    "[ERROR] A.java:[9,4] cannot find symbol\n[ERROR]   symbol:   class Sale\n": "Sale",
    "A.java:9: error: cannot find symbol": "",
}
FAILURES = (
    "AssertionError: 200 != 180",
    "assert 5 == 6",
    "Expected 3, received 4",
    "got 5, want 6",
    "ValueError: too small",
    "panic: index out of range",
)


def is_test(path):
    return path.startswith("tests/")


@pytest.mark.parametrize(("said", "name"), MISSING.items())
def test_what_is_missing_is_read_from_the_message(said, name):
    assert find_missing(said) == name
    assert is_unrunnable(said, is_test)


@pytest.mark.parametrize("said", FAILURES)
def test_a_failure_misses_nothing(said):
    assert find_missing(said) is None
    assert not is_unrunnable(said, is_test)


def test_an_error_inside_the_product_is_a_failure():
    said = "AttributeError: 'NoneType' object has no attribute 'price'"
    assert not is_unrunnable(f"shop.py:12  {said}", is_test)
    assert not is_unrunnable(f"tests/test_shop.py:4  {said} (in shop.py:12)", is_test)
    assert is_unrunnable(f"tests/test_shop.py:4  {said}", is_test)


def test_all_missing_names_of_an_output_are_listed():
    text = "./a_test.go:3: undefined: Sale\n./a_test.go:9: undefined: Tax\n./a_test.go:12: undefined: Sale"
    assert list_missing_names(text) == ["Sale", "Tax"]


def test_a_message_may_begin_with_its_place():
    assert find_failing_line("tests/test_a.py:41  AssertionError: 1 != 2") == ("tests/test_a.py", 41)
    assert find_failing_line("AssertionError: 1 != 2") is None
