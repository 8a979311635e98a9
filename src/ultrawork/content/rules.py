"""What can be wrong with the library: one function a rule, and the table of them."""

import re

from ..core.check import shown
from . import blocks, compose, front, mentions, overlap, tools
from .library import FAMILIES, FRAGMENTS
from .records import SKILL, Agent, Complaint, Skill
from .roster import PROFILES, ROSTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .library import Library
    from .records import Member

    Found = Iterator[tuple[str, str]]

TRIGGER = 160
ALL_TRIGGERS = 12_000
AGENT_WORDS = (150, 400)
SKILL_WORDS = (60, 700)
FRAGMENT_WORDS = 120
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NAME_LENGTH = 40


def names(library: "Library") -> "Found":
    """Small letters, digits and single dashes; one name is one thing, agent or skill."""
    seen: set[str] = set()
    for one in library.members:
        if not _NAME.fullmatch(one.name) or len(one.name) > _NAME_LENGTH:
            yield ROSTER, f"{shown(one.name)} is no name: small letters, digits, single dashes"
        if one.name in seen:
            yield ROSTER, f"{one.name} is an agent and a skill; give one of them another name"
        seen.add(one.name)


def triggers(library: "Library") -> "Found":
    """Each is short, and all that the model always sees stay within a budget together."""
    for one in library.members:
        if not one.trigger or "\n" in one.trigger or len(one.trigger) > TRIGGER:
            said = f"{len(one.trigger)} characters" if one.trigger else "nothing"
            yield ROSTER, f"the trigger of {one.name} has {said}; one line of at most {TRIGGER}"
    total = listed_size(library)
    if total > ALL_TRIGGERS:
        yield ROSTER, f"all triggers together have {total:,} characters; at most {ALL_TRIGGERS:,}"


def listed_size(library: "Library") -> int:
    """Characters of names and triggers that every session carries."""
    return sum(len(one.name) + len(one.trigger) for one in library.members if one.listed)


def tiers(library: "Library") -> "Found":
    for tier, model in library.tiers.items():
        if model not in tools.MODELS:
            yield PROFILES, f"tier {tier} names {shown(model)}; known: {', '.join(tools.MODELS)}"
    for agent in library.agents.values():
        if agent.tier not in library.tiers:
            yield ROSTER, f"{agent.name} has the unknown tier {shown(agent.tier)}"


def profiles(library: "Library") -> "Found":
    """Real tools; given, or taken away; and each profile has an agent."""
    used = {agent.profile for agent in library.agents.values()}
    for agent in library.agents.values():
        if agent.profile not in library.profiles:
            yield ROSTER, f"{agent.name} has the unknown profile {shown(agent.profile)}"
    for one in library.profiles.values():
        if bool(one.tools) == bool(one.without):
            yield PROFILES, f"profile {one.name} needs either tools or without"
        if one.name not in used:
            yield PROFILES, f"no agent has the profile {one.name}; take it away"
        for tool in (*one.tools, *one.without):
            if tool not in tools.TOOLS:
                yield PROFILES, f"profile {one.name} names {shown(tool)}, which no client has"


def allowances(library: "Library") -> "Found":
    """What a skill may do without asking is a verb of the program, never a shell."""
    for skill in library.skills.values():
        for tool in skill.allow:
            if mentions.allowed(tool) is None:
                yield (
                    ROSTER,
                    f"{skill.name} allows {shown(tool)}; only Bash(ultrawork VERB:*) may be allowed",
                )


def fragments(library: "Library") -> "Found":
    used = {name for one in library.members for name in one.fragments}
    for one in library.members:
        for name in one.fragments:
            if name not in library.fragments:
                yield ROSTER, f"{one.name} names the fragment {shown(name)}, which is not there"
    for name, text in library.fragments.items():
        path = f"{FRAGMENTS}/{name}.md"
        count = len(overlap.words(text))
        if name not in used:
            yield path, "no agent or skill uses it; take it away"
        if not 0 < count <= FRAGMENT_WORDS:
            yield path, f"it has {count} words; a fragment has 1 to {FRAGMENT_WORDS}"


def families(library: "Library") -> "Found":
    """Every slot of a family is filled, and no other one is."""
    used = {one.family for one in library.members if one.family}
    for name in library.families:
        if name not in used:
            yield f"{FAMILIES}/{name}.md", "no agent or skill is of this family; take it away"
    for one in library.members:
        if one.family and one.family not in library.families:
            yield ROSTER, f"{one.name} is of the family {shown(one.family)}, which is not there"
            continue
        wanted = set(blocks.slots(library.families[one.family])) if one.family else set()
        for slot in sorted(wanted ^ set(one.slots)):
            state = "lacks" if slot in wanted else "has no place for"
            yield ROSTER, f"{one.name} {state} the slot {slot}"


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


RULES: "dict[str, Callable[[Library], Found]]" = {
    "names": names,
    "triggers": triggers,
    "tiers": tiers,
    "profiles": profiles,
    "allowances": allowances,
    "fragments": fragments,
    "families": families,
    "files": files,
    "heads": heads,
    "lengths": lengths,
    "marks": marks,
    "pasted": pasted,
    "mentions": mentioned,
}


def complaints(library: "Library") -> list[Complaint]:
    """What is wrong, by all rules; whether files are up to date is `sync`'s question."""
    found = list(library.complaints)
    for rule, look in RULES.items():
        found += [Complaint(path, rule, what) for path, what in look(library)]
    return found
