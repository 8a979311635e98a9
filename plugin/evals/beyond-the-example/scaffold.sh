# Made from content/evals.toml by `make generate`.
set -eu
cat >'Makefile' <<'END_OF_FILE'
test:
	python3 -m unittest -q
END_OF_FILE
cat >'test_text.py' <<'END_OF_FILE'
import unittest

from text import shorten


class TextTest(unittest.TestCase):
    def test_cut(self):
        self.assertEqual(shorten("on sunday morning", 12), "on sunday.")

    def test_short(self):
        self.assertEqual(shorten("on sunday", 12), "on sunday")
END_OF_FILE
cat >'text.py' <<'END_OF_FILE'
def shorten(text, width):
    """Cut a text at the last space before `width` characters, and mark the cut with one dot."""
    return text[:width]
END_OF_FILE
git init -q .
git add -A
git -c user.name=eval -c user.email=eval@example.org commit -q -m start
