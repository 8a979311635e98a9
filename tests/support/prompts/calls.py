"""Whether the program understands every call of it that a prompt makes."""

from collections.abc import Iterator

from ultrawork.cli.main import load_commands
from ultrawork.cli.verbs_table import ALIASES, VERBS

from . import rules, text_scan
from .library import Library
from .roster import ROSTER, ContentComplaint

RULE = "verbs"


def list_complaints(library: Library) -> list[ContentComplaint]:
    """Return complaints about calls in prompts that the program does not understand."""
    content_complaints = [
        ContentComplaint(path, RULE, what)
        for path, text in rules.list_texts(library)
        for words in text_scan.find_calls(text)
        for what in _misunderstood(words)
    ]
    for skill in library.skills.values():
        for tool in skill.allow:
            words = text_scan.parse_allowed(tool) or []
            content_complaints += [ContentComplaint(ROSTER, RULE, what) for what in _misunderstood(words)]
    return content_complaints


def _misunderstood(words: list[str]) -> Iterator[str]:
    if not words:
        return
    verb = ALIASES.get(words[0], words[0])
    if verb not in VERBS:
        yield f"it calls ultrawork {words[0]}, but there is no such verb"
        return
    commands = load_commands(verb)
    by_name = {command.name: command for command in commands}
    named = next((word for word in words[1:] if not word.startswith("-")), "")
    command = by_name.get(named) or by_name.get("")
    if command is None:
        yield f"it calls ultrawork {verb} {named}; known: {', '.join(by_name)}"
        return
    known = {spelling for flag in command.flags for spelling in (flag.name, *flag.aliases)}
    for word in words[1:]:
        if word.startswith("--") and word.partition("=")[0] not in known:
            yield f"it calls ultrawork {verb} {command.name} with {word}, an unknown flag"
