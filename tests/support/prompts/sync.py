"""Update prompt files: the header from the roster, the text, fragments expanded, families filled."""

import os

from ultrawork.content.library import AGENT, SKILL
from ultrawork.store import atomic

from . import blocks, front_matter
from .front_matter import Head
from .library import POLICY, Library
from .roster import ContentComplaint, RosterAgent, RosterMember, RosterSkill

KEYS = {
    AGENT: ("name", "description", "model", "tools", "disallowedTools"),
    SKILL: ("name", "description", "argument-hint", "disable-model-invocation", "allowed-tools"),
}


def make_head(member: RosterMember, library: Library) -> Head:
    found: Head = {"name": member.name, "description": member.trigger}
    if isinstance(member, RosterAgent):
        found |= _agent(member, library)
    if isinstance(member, RosterSkill):
        found |= _skill(member)
    return {key: value for key, value in found.items() if value}


def _agent(agent: RosterAgent, library: Library) -> Head:
    profile = library.profiles[agent.profile]
    return {
        "model": library.tiers[agent.tier],
        "tools": ", ".join(profile.tools),
        "disallowedTools": ", ".join(profile.without),
    }


def _skill(skill: RosterSkill) -> Head:
    return {
        "argument-hint": skill.hint,
        "disable-model-invocation": skill.person,
        "allowed-tools": ", ".join(skill.allow),
    }


def render(member: RosterMember, library: Library) -> str:
    """Return the whole file. The member is presumed valid; a broken rule raises."""
    head = front_matter.render_head(make_head(member, library))
    return f"{head}\n{_words(member, library)}"


def _words(member: RosterMember, library: Library) -> str:
    """Return what is below the header."""
    if member.same:
        first = library.get_namesake(member)
        words = blocks.strip_marks(_words(first, library)).strip()
        return f"<!-- the same text as {first.path.removeprefix('plugin/')} -->\n\n{_joined(words)}"
    wanted = library.pick_fragments(member)
    if member.family:
        return _joined(_family(member, library), *wanted.values())
    return blocks.expand(front_matter.get_body(library.files[member.path]), wanted)


def _joined(*texts: str) -> str:
    """Return the joined text; fully generated files need no marks, which every agent would carry."""
    return "\n\n".join(text.strip() for text in texts) + "\n"


def _family(member: RosterMember, library: Library) -> str:
    note = f"<!-- made from prompts/families/{member.family}.md -->"
    return note + "\n\n" + blocks.fill(library.families[member.family].strip(), member.slots)


RULE = "stale"
# Some clients list every skill to the model unless this is beside it; typed, it still works.
_HIDDEN = "policy:\n  allow_implicit_invocation: false\n"


def find_stale(library: Library) -> dict[str, str]:
    """The files that differ from what they should be, with the text they should have."""
    wanted = {member.path: _text(member, library) for member in library.members}
    wanted |= {_policy(skill): _HIDDEN for skill in library.skills.values() if not skill.listed}
    there = {**library.files, **library.policies}
    return {path: text for path, text in wanted.items() if text is not None and there.get(path) != text}


def _policy(skill: RosterSkill) -> str:
    return f"plugin/skills/{skill.name}/{POLICY}"


def _text(member: RosterMember, library: Library) -> str | None:
    """Return the text; None if something is missing that a rule reports."""
    try:
        return render(member, library)
    except (KeyError, StopIteration, blocks.BlockError, front_matter.HeadError):
        return None


def list_complaints(library: Library) -> list[ContentComplaint]:
    what = "out of date; run make generate"
    return [ContentComplaint(path, RULE, what) for path in find_stale(library)]


def write(library: Library) -> list[str]:
    """Write what is stale; return the written paths."""
    stale = find_stale(library)
    for path, text in stale.items():
        os.makedirs(os.path.dirname(f"{library.root}/{path}"), exist_ok=True)
        atomic.write(f"{library.root}/{path}", text, mode=0o644)
    return list(stale)
