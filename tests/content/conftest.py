"""A small library that is in order, for tests to break."""

import pytest

ROSTER = """\
[agents.reader]
lane = "look"
tier = "low"
profile = "quiet"
trigger = "Use to look."
fragments = ["readonly", "closing"]

[agents.looker]
lane = "look"
tier = "low"
profile = "quiet"
same = "reader"
trigger = "Look as people call it."

[agents.maker]
lane = "make"
tier = "given"
profile = "loud"
family = "made"
trigger = "Use to make."
fragments = ["closing"]
slots = {what = "things", steps = ["first this", "then that"]}

[skills.show]
lane = "look"
person = true
hint = "[N]"
allow = ["Bash(ultrawork status:*)"]
trigger = "Show it."
fragments = ["closing"]

[skills.answered]
lane = "look"
hook = true
trigger = "Use when asked."
"""
PROFILES = """\
[tiers]
low = "haiku"
given = "inherit"

[profiles.quiet]
tools = ["Read", "Grep"]

[profiles.loud]
without = ["Agent"]
"""


def prose(count, word="word"):
    return " ".join(f"{word}{number}" for number in range(count))


FILES = {
    "content/roster.toml": ROSTER,
    "content/profiles.toml": PROFILES,
    "content/fragments/readonly.md": "You look and touch nothing at all while you are here.\n",
    "content/fragments/closing.md": "When all is done close the door behind you quietly.\n",
    "content/families/made.md": f"You make {{{{what}}}}.\n\n{{{{steps}}}}\n\n{prose(150)}\n",
    "agents/reader.md": f"Ask `ultrawork:maker` for more, or type /ultrawork:show.\n\n{prose(150)}\n",
    "skills/show/SKILL.md": f"Run `ultrawork task list --status pending | head --lines 3`.\n\n{prose(60)}\n",
    "skills/answered/SKILL.md": "$ARGUMENTS\n",
}


class Shelf:
    """A folder with a library in it, and the program over it."""

    def __init__(self, root, program):
        self.root = root
        self.program = program

    def path(self, name):
        return self.root / name

    def read(self, name):
        return self.path(name).read_text(encoding="utf-8")

    def write(self, name, text):
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_text(text, encoding="utf-8")

    def swap(self, name, old, new):
        text = self.read(name)
        assert old in text
        self.write(name, text.replace(old, new))

    def call(self, word):
        return self.program.call("content", word, "--root", str(self.root), "--json")

    def complaints(self):
        answer = self.call("check")
        assert answer.status == (0 if answer.data["ok"] else 1)
        return answer.data["complaints"]


@pytest.fixture
def shelf(tmp_path, program):
    shelf = Shelf(tmp_path / "library", program)
    for name, text in FILES.items():
        shelf.write(name, text)
    assert shelf.call("sync").status == 0
    return shelf
