# Made from content/evals.toml by `make generate`.
set -eu
cat >'Makefile' <<'END_OF_FILE'
test:
	python3 -m unittest -q
END_OF_FILE
cat >'book.py' <<'END_OF_FILE'
def people(names):
    return list(names)
END_OF_FILE
cat >'test_book.py' <<'END_OF_FILE'
import unittest

from book import people


class BookTest(unittest.TestCase):
    def test_order(self):
        self.assertEqual(people(["b", "a"]), ["a", "b"])
END_OF_FILE
git init -q .
git add -A
git -c user.name=eval -c user.email=eval@example.org commit -q -m start
