"""What a prompt file should be: its head from the roster, its words, its fragments expanded."""

from . import blocks, front
from .records import AGENT, SKILL, Agent, Skill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .front import Head
    from .library import Library
    from .records import Member

KEYS = {
    AGENT: ("name", "description", "model", "tools", "disallowedTools"),
    SKILL: ("name", "description", "argument-hint", "disable-model-invocation", "allowed-tools"),
}


def head(member: "Member", library: "Library") -> "Head":
    found: Head = {"name": member.name, "description": member.trigger}
    if isinstance(member, Agent):
        found |= _agent(member, library)
    if isinstance(member, Skill):
        found |= _skill(member)
    return {key: value for key, value in found.items() if value}


def _agent(agent: Agent, library: "Library") -> "Head":
    profile = library.profiles[agent.profile]
    return {
        "model": library.tiers[agent.tier],
        "tools": ", ".join(profile.tools),
        "disallowedTools": ", ".join(profile.without),
    }


def _skill(skill: Skill) -> "Head":
    return {
        "argument-hint": skill.hint,
        "disable-model-invocation": skill.person,
        "allowed-tools": ", ".join(skill.allow),
    }


def text(member: "Member", library: "Library") -> str:
    """The whole file. Rules that hold for the member are presumed; a broken one raises."""
    body = _family(member, library) if member.family else front.body(library.files[member.path])
    return front.write(head(member, library)) + "\n" + blocks.expanded(body, library.wanted(member))


def _family(member: "Member", library: "Library") -> str:
    note = f"<!-- made from content/families/{member.family}.md -->"
    return note + "\n\n" + blocks.filled(library.families[member.family].strip(), member.slots)
