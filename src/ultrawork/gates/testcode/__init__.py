"""Which tests a source file defines, and what became of them."""

from .case import TestCase
from .changes import TestChange, changed_tests
from .languages import cases_in, transplanted

__all__ = [
    "TestCase",
    "TestChange",
    "cases_in",
    "changed_tests",
    "transplanted",
]
