set -eu
printf 'def people(names):\n    return list(names)\n' >book.py
printf 'import unittest\n\nfrom book import people\n\n\nclass BookTest(unittest.TestCase):\n    def test_order(self):\n        self.assertEqual(people(["b", "a"]), ["a", "b"])\n' >test_book.py
printf 'test:\n\tpython3 -m unittest -q\n' >Makefile
git init -q .
git add -A
git -c user.name=eval -c user.email=eval@example.org commit -q -m start
