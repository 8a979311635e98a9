"""Which tests a source file defines, and what became of them."""

from .case import TestCase
from .cases import TestChange, list_cases, list_changed_tests, transplant_tests

__all__ = [
    "TestCase",
    "TestChange",
    "list_cases",
    "list_changed_tests",
    "transplant_tests",
]
