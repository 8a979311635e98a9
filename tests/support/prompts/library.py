"""Load everything that prompts are made of, once, from a checkout."""

import os

from ultrawork.content.library import get_prompt
from ultrawork.core.errors import NotFound
from ultrawork.store.atomic import read_text

from . import roster
from .roster import ContentComplaint, RosterAgent, RosterMember, RosterSkill, ToolProfile

FRAGMENTS = "prompts/fragments"
FAMILIES = "prompts/families"
POLICY = "agents/openai.yaml"
# A page names a file beside it by a command that needs no permission in any client.
BESIDE = "`ultrawork content show "


class Library:
    """
    `files` are the prompt files by path, `helpers` the files beside them, `complaints` problems found while
    reading.
    """

    def __init__(self, root: str, tables: roster.RosterTables) -> None:
        self.root = root
        self.members: list[RosterMember] = tables.members
        self.profiles: dict[str, ToolProfile] = tables.profiles
        self.tiers = tables.tiers
        self.complaints: list[ContentComplaint] = tables.complaints
        self.fragments = _folder(root, FRAGMENTS)
        self.families = _folder(root, FAMILIES)
        self.files = _files(root)
        self.policies = _policies(root)
        self.helpers = _helpers(root)

    @property
    def agents(self) -> dict[str, RosterAgent]:
        return {member.name: member for member in self.members if isinstance(member, RosterAgent)}

    @property
    def skills(self) -> dict[str, RosterSkill]:
        return {member.name: member for member in self.members if isinstance(member, RosterSkill)}

    def pick_fragments(self, member: RosterMember) -> dict[str, str]:
        """Return the fragments of a member that exist."""
        return {name: self.fragments[name] for name in member.fragments if name in self.fragments}

    def get_namesake(self, member: RosterMember) -> RosterMember:
        """Return the member of the same kind whose text this one repeats."""
        return next(
            roster_member
            for roster_member in self.members
            if (roster_member.kind, roster_member.name) == (member.kind, member.same)
        )

    def body(self, member: RosterMember) -> str:
        """Return a member's text without head and comment lines; empty if it cannot be parsed."""
        return get_prompt(self.files.get(member.path, ""))


def load(root: str) -> Library:
    texts = [read_text(f"{root}/{path}") for path in (roster.ROSTER, roster.PROFILES)]
    if texts[0] is None or texts[1] is None:
        raise NotFound(f"{root} has no {roster.ROSTER}")
    return Library(root, roster.read_tables(texts[0], texts[1]))


def _folder(root: str, folder: str) -> dict[str, str]:
    names = _names(f"{root}/{folder}")
    read = {name: read_text(f"{root}/{folder}/{name}") for name in names if name.endswith(".md")}
    return {name.removesuffix(".md"): text for name, text in read.items() if text is not None}


def _files(root: str) -> dict[str, str]:
    agents = [f"plugin/agents/{name}" for name in _names(f"{root}/plugin/agents") if name.endswith(".md")]
    skills = [f"plugin/skills/{name}/SKILL.md" for name in _names(f"{root}/plugin/skills")]
    read = {path: read_text(f"{root}/{path}") for path in (*agents, *skills)}
    return {path: text for path, text in read.items() if text is not None}


def _policies(root: str) -> dict[str, str]:
    """Read the files that hide a skill from a client that lists every skill."""
    paths = [f"plugin/skills/{name}/{POLICY}" for name in _names(f"{root}/plugin/skills")]
    read = {path: read_text(f"{root}/{path}") for path in paths}
    return {path: text for path, text in read.items() if text is not None}


def _helpers(root: str) -> dict[str, str]:
    """Read files beside a skill's page, which agents open only if the page is not enough."""
    paths = [
        f"plugin/skills/{skill}/{name}"
        for skill in _names(f"{root}/plugin/skills")
        for name in _names(f"{root}/plugin/skills/{skill}")
        if name not in ("SKILL.md", "agents")
    ]
    read = {path: read_text(f"{root}/{path}") for path in paths}
    return {path: text for path, text in read.items() if text is not None}


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
