"""A small library that is in order, for tests to break."""

import pytest

from support.prompts import library, list_complaints, sync

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
    "prompts/roster.toml": ROSTER,
    "prompts/profiles.toml": PROFILES,
    "prompts/fragments/readonly.md": "You look and touch nothing at all while you are here.\n",
    "prompts/fragments/closing.md": "When all is done close the door behind you quietly.\n",
    "prompts/families/made.md": f"You make {{{{what}}}}.\n\n{{{{steps}}}}\n\n{prose(150)}\n",
    "plugin/agents/reader.md": f"Ask `ultrawork:maker` for more, or type /ultrawork:show.\n\n{prose(150)}\n",
    "plugin/skills/show/SKILL.md": f"Run `ultrawork task list --status pending | head --lines 3`.\n\n{prose(60)}\n",
    "plugin/skills/answered/SKILL.md": "$ARGUMENTS\n",
}


class Shelf:
    """A checkout with a library in it."""

    def __init__(self, root):
        self.root = root

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

    def load(self):
        return library.load(str(self.root))

    def sync(self):
        """The paths that were written."""
        return sync.write(self.load())

    def complaints(self):
        return list_complaints(self.load())


@pytest.fixture
def shelf(tmp_path):
    shelf = Shelf(tmp_path / "library")
    for name, text in FILES.items():
        shelf.write(name, text)
    shelf.sync()
    return shelf
