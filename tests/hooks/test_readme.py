"""The screen of the README is a run of its own example: whoever changes our words changes that page."""

import re

from support.floor import REPOSITORY
from support.scene import Scene, refused

FILES = {
    "Makefile": "test:\n\t@python3 -m unittest -v\n",
    "auth/__init__.py": "",
    "auth/session.py": (
        "def answer(token, now):\n"
        '    """The status for a request; `now` is in milliseconds."""\n'
        '    if token["user"] is None:\n'
        "        return 401\n"
        '    return 401 if token["until"] < now / 1_000_000 else 200\n'
    ),
    "test_session.py": (
        "import unittest\n\nfrom auth.session import answer\n\n\n"
        "class SessionTest(unittest.TestCase):\n"
        "    def test_valid_token(self):\n"
        '        self.assertEqual(answer({"user": "a", "until": 9}, 5000), 200)\n\n'
        "    def test_nobody(self):\n"
        '        self.assertEqual(answer({"user": None, "until": 9}, 5000), 401)\n\n'
        "    def test_expired_token(self):\n"
        '        self.assertEqual(answer({"user": "a", "until": 3}, 5000), 401)\n'
    ),
    ".gitignore": "__pycache__/\n",
}
WRONG = FILES["auth/session.py"].replace("1_000_000", "100_000")
RIGHT = FILES["auth/session.py"].replace("1_000_000", "1000")


def screen():
    """What the README shows, each thing that ultrawork says as one text."""
    with open(f"{REPOSITORY}/README.md", encoding="utf-8") as file:
        block = file.read().split("```")[1]
    said = re.split(r"(?m)^[\u276f\u25cf].*\n|^  \u23bf  ", block)
    texts = [re.sub(r"(?m)^ {5}", "", one).strip() for one in said if "ultrawork:" in one]
    return [text.partition("ultrawork: ")[2] for text in texts]


def told(text):
    """Without what no two runs share: how long it took."""
    return re.sub(r"after [\d.]+ m?s", "after 0.3 s", text).partition("ultrawork: ")[2].strip()


def test_the_readme_shows_what_really_happens(tmp_path):
    scene = Scene(str(tmp_path), FILES)
    on = told(scene.prompt("ulw fix the login bug")["systemMessage"])
    scene.edit("auth/session.py", WRONG)
    sent_back = told(refused(scene.stop("Done. The bug is fixed and all tests pass.")))
    scene.edit("auth/session.py", RIGHT)
    passed = told(scene.stop("The expiry was compared in the wrong unit. Mended.")["systemMessage"])
    assert screen() == [on, sent_back, passed]
