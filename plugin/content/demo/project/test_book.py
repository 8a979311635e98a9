import unittest

from book import Book


class BookTest(unittest.TestCase):
    def setUp(self):
        self.book = Book()
        for name, city in (("Ada", "Turin"), ("Bea", "Ulm"), ("Carl", "Ulm")):
            self.book.add(name, city)

    def test_adds(self):
        self.assertEqual(len(self.book.people), 3)

    def test_sorts_by_name(self):
        self.assertEqual([name for name, _ in self.book.sorted()], ["Ada", "Bea", "Carl"])


if __name__ == "__main__":
    unittest.main()
