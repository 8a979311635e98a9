"""What can be wrong with the prompt files: heads, lengths, copies, and what they speak of."""

from ..core.check import shown
from . import blocks, compose, front, mentions, overlap
from .library import FAMILIES, FRAGMENTS
from .records import SKILL, Agent, Skill
from .roster import ROSTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .library import Library
    from .records import Member

    Found = Iterator[tuple[str, str]]

AGENT_WORDS = (150, 400)
SKILL_WORDS = (60, 700)


def files(library: "Library") -> "Found":
    """A row for each file and a file for each row."""
    rows = {one.path: one for one in library.members}
    for path in library.files:
        if path not in rows:
            yield path, f"it has no row in {ROSTER}"
    for path, one in rows.items():
        if path not in library.files and not one.family:
            yield path, f"{one.name} is in {ROSTER}, but this file is not there; write it"


def heads(library: "Library") -> "Found":
    """Readable, and nothing in them that a client would not understand or ignore."""
    for one in library.members:
        text = library.files.get(one.path, "")
        if not text.startswith(front.FENCE):
            continue  # `sync` writes the first one
        try:
            found, _ = front.read(text)
        except front.HeadError as error:
            yield one.path, str(error)
            continue
        for key in found:
            if key not in compose.KEYS[one.kind]:
                yield one.path, f"the head has the key {shown(key)}; what it says is in {ROSTER}"


def lengths(library: "Library") -> "Found":
    for one in library.members:
        if one.path not in library.files:
            continue
        low, high = _limits(one)
        count = len(overlap.words(library.body(one)))
        if not low <= count <= high:
            yield one.path, f"it has {count} words; {_article(one)} has {low} to {high}"


def _limits(member: "Member") -> tuple[int, int]:
    """A skill whose work the hook does may be a single line."""
    if isinstance(member, Agent):
        return AGENT_WORDS
    low, high = SKILL_WORDS
    return (1 if isinstance(member, Skill) and member.hook else low), high


def _article(member: "Member") -> str:
    return "a skill" if member.kind == SKILL else "an agent"


def marks(library: "Library") -> "Found":
    for path, text in library.files.items():
        try:
            blocks.parts(text)
        except blocks.BlockError as error:
            yield path, str(error)


def pasted(library: "Library") -> "Found":
    """The words of a fragment are named, never copied."""
    for path, text in _own_texts(library):
        for name, fragment in library.fragments.items():
            words = overlap.shared(fragment, text)
            if words:
                yield path, f'"{words}" is a copy from the fragment {name}; name it in {ROSTER}'


def _own_texts(library: "Library") -> "Found":
    """What is written by hand: bodies outside of fragments, and families."""
    by_hand = {one.path for one in library.members if not one.family}
    for path, text in library.files.items():
        if path in by_hand:
            try:
                yield path, blocks.own_words(front.body(text))
            except (blocks.BlockError, front.HeadError):
                continue  # told by another rule
    for name, text in library.families.items():
        yield f"{FAMILIES}/{name}.md", text


def mentioned(library: "Library") -> "Found":
    """Every agent and skill that a text speaks of is there."""
    for path, text in texts(library):
        for one in mentions.names(text):
            known = library.skills if one.typed else {**library.agents, **library.skills}
            if one.name not in known:
                kind = "skill" if one.typed else "agent or skill"
                yield path, f"it speaks of ultrawork:{one.name}; there is no such {kind}"


def texts(library: "Library") -> "Found":
    """Every text once: own words, fragments, families, triggers."""
    yield from _own_texts(library)
    for name, text in library.fragments.items():
        yield f"{FRAGMENTS}/{name}.md", text
    for one in library.members:
        yield ROSTER, "\n".join([one.trigger, *map(str, one.slots.values())])
