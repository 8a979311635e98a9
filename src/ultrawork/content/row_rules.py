"""What can be wrong with the roster: names, triggers, tiers, tools, and what its rows refer to."""

import re

from ..core.check import shown
from . import blocks, mentions, overlap, tools
from .library import FAMILIES, FRAGMENTS
from .roster import PROFILES, ROSTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .library import Library
    from .records import Profile

    Found = Iterator[tuple[str, str]]

TRIGGER = 160
ALL_TRIGGERS = 12_000
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


def promises(library: "Library") -> "Found":
    """An agent that promises to change nothing, or to work alone, has no tool for it."""
    for agent in library.agents.values():
        profile = library.profiles.get(agent.profile)
        for name in agent.fragments:
            broken = tools.PROMISES.get(name, frozenset()).intersection(_offered(profile))
            if broken:
                yield (
                    ROSTER,
                    f"{agent.name} promises {name}, but its profile has {min(broken)}",
                )


def _offered(profile: "Profile | None") -> frozenset[str]:
    if profile is None:
        return frozenset()
    return frozenset(profile.tools) or tools.TOOLS.difference(profile.without)


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
