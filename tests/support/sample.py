"""A small address book with a bug and a missing feature, for the demo: files, and what agents do to them."""

BOOK = '''\
"""An address book."""


class Book:
    def __init__(self):
        self.people = []

    def add(self, name, city):
        self.people.append((name, city))

    def sorted(self):
        """By name, whatever the case of its letters."""
        return sorted(self.people)
'''
TESTS = """\
import unittest

from book import Book


class BookTest(unittest.TestCase):
    def setUp(self):
        self.book = Book()
        for name, city in (("bea", "Ulm"), ("Carl", "Ghent"), ("Ada", "Turin")):
            self.book.add(name, city)

    def test_adds(self):
        self.assertEqual(len(self.book.people), 3)

    def test_keeps_cities(self):
        self.assertIn(("Ada", "Turin"), self.book.people)

    def test_sorts_without_regard_to_case(self):
        self.assertEqual([name for name, _ in self.book.sorted()], ["Ada", "bea", "Carl"])


if __name__ == "__main__":
    unittest.main()
"""
MAKEFILE = """\
test:
\t@python3 -m unittest -v
"""
FILES = {"book.py": BOOK, "test_book.py": TESTS, "Makefile": MAKEFILE, ".gitignore": "__pycache__/\n"}

GOAL = "sort names without regard to case"
PLAN: list[dict[str, object]] = [
    {"id": "find", "subject": "Find where names are sorted", "complexity": "simple"},
    {"id": "fix-sort", "subject": "Sort without regard to case", "blockedBy": ["find"]},
    {"id": "readme", "subject": "Say it in the docstring", "complexity": "simple", "blockedBy": ["find"]},
    {"id": "check", "subject": "Run the tests", "blockedBy": ["fix-sort", "readme"]},
]

# (what the agent does, which file it writes, the text, what it says)
FIRST_TRY = (
    "book.py",
    BOOK.replace("return sorted(self.people)", "return sorted(self.people, reverse=False)"),
    "Fixed. All tests pass.",
)
BENT_TEST = (
    "test_book.py",
    TESTS.replace('["Ada", "bea", "Carl"]', '["Ada", "Carl", "bea"]'),
    "I updated the expectation; the suite is green now.",
)
REAL_FIX = (
    "book.py",
    BOOK.replace("sorted(self.people)", "sorted(self.people, key=lambda one: one[0].casefold())"),
    "Names are compared without regard to case.",
)
