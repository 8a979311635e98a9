"""The tables `prompts/roster.toml` and `prompts/profiles.toml`: agents, skills and profiles, read key by key."""

from collections.abc import Callable, Mapping, Sequence

from ultrawork.content.library import AGENT, SKILL
from ultrawork.core.check import find_nearest, quote
from ultrawork.core.errors import UsageError
from ultrawork.core.value import Value, fresh
from ultrawork.store.settings import parse

Slots = Mapping[str, str | Sequence[str]]


class RosterMember(Value):
    """A row of the roster. `family` is empty if its text is handwritten, or the `same` as another's."""

    kind = ""
    place = "{}"
    name: str
    lane: str
    trigger: str
    fragments: list[str] = fresh(list)
    family: str = ""
    slots: Slots = fresh(dict)
    same: str = ""

    @property
    def by_hand(self) -> bool:
        return not (self.family or self.same)

    @property
    def path(self) -> str:
        return self.place.format(self.name)

    @property
    def listed(self) -> bool:
        """Return whether every session lists it to the model."""
        return True


class RosterAgent(RosterMember):
    """`tier` names a model, `profile` a set of tools."""

    kind = AGENT
    place = "plugin/agents/{}.md"
    tier: str = ""
    profile: str = ""


class RosterSkill(RosterMember):
    """`person`: only a user starts it. `hook`: the hook does its work, the text is the rest. `hint` shows the
    arguments, `allow` are tools that need no permission while it runs."""

    kind = SKILL
    place = "plugin/skills/{}/SKILL.md"
    person: bool = False
    hook: bool = False
    hint: str = ""
    allow: list[str] = fresh(list)

    @property
    def listed(self) -> bool:
        return not self.person


class ToolProfile(Value):
    """The tools of an agent: exactly `tools`, or all but `without`."""

    name: str
    tools: list[str] = fresh(list)
    without: list[str] = fresh(list)


class ContentComplaint(Value):
    """One fault: where, by which rule, and what to do about it."""

    path: str
    rule: str
    what: str

    def __repr__(self) -> str:
        return f"{self.path}: {self.what}"


ROSTER = "prompts/roster.toml"
PROFILES = "prompts/profiles.toml"
RULE = "roster"


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_slots(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) or _is_texts(one) for one in value.values())


_KINDS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "text": ("a string", lambda value: isinstance(value, str)),
    "texts": ("a list of strings", _is_texts),
    "switch": ("true or false", lambda value: isinstance(value, bool)),
    "slots": ("a table of strings or lists of strings", _is_slots),
}
_SHARED = {"lane": "text", "trigger": "text", "fragments": "texts", "family": "text", "slots": "slots", "same": "text"}
_AGENT = {**_SHARED, "tier": "text", "profile": "text"}
_SKILL = {**_SHARED, "person": "switch", "hook": "switch", "hint": "text", "allow": "texts"}
_PROFILE = {"tools": "texts", "without": "texts"}
# Section of the roster → its record, the keys of a row, and the required ones.
_SECTIONS: dict[str, tuple[Callable[..., RosterMember], dict[str, str], tuple[str, ...]]] = {
    "agents": (RosterAgent, _AGENT, ("lane", "trigger", "tier", "profile")),
    "skills": (RosterSkill, _SKILL, ("lane", "trigger")),
}


class RosterTables(Value):
    """The content of both files, and their faults."""

    members: list[RosterMember] = fresh(list)
    profiles: dict[str, ToolProfile] = fresh(dict)
    tiers: dict[str, str] = fresh(dict)
    complaints: list[ContentComplaint] = fresh(list)

    def complain(self, path: str, what: str) -> None:
        self.complaints.append(ContentComplaint(path, RULE, what))

    def takes(self, path: str, wrong: list[str]) -> bool:
        """Return whether nothing is wrong; what is becomes complaints."""
        for what in wrong:
            self.complain(path, what)
        return not wrong


def read_tables(roster: str, profiles: str) -> RosterTables:
    """Return the texts of the two files."""
    tables = RosterTables()
    _members(_parsed(roster, ROSTER, tables), tables)
    _profiles(_parsed(profiles, PROFILES, tables), tables)
    return tables


def _parsed(text: str, path: str, tables: RosterTables) -> Mapping[str, object]:
    try:
        return parse(text, path)
    except UsageError as error:
        tables.complain(path, str(error).removeprefix(f"{path} is "))
        return {}


def _members(document: Mapping[str, object], tables: RosterTables) -> None:
    for section, rows in document.items():
        if section not in _SECTIONS or not isinstance(rows, dict):
            tables.complain(ROSTER, f"no section {quote(section)}; known: agents, skills")
            continue
        record, known, needed = _SECTIONS[section]
        for name, row in rows.items():
            if tables.takes(ROSTER, _wrong(f"{section}.{name}", row, known, needed)):
                tables.members.append(record(name, **row))


def _profiles(document: Mapping[str, object], tables: RosterTables) -> None:
    for section, rows in document.items():
        if section not in ("tiers", "profiles") or not isinstance(rows, dict):
            tables.complain(PROFILES, f"no section {quote(section)}; known: tiers, profiles")
        elif section == "profiles":
            for name, row in rows.items():
                if tables.takes(PROFILES, _wrong(f"profiles.{name}", row, _PROFILE)):
                    tables.profiles[name] = ToolProfile(name, **row)
        elif tables.takes(PROFILES, _wrong("tiers", rows, dict.fromkeys(rows, "text"))):
            tables.tiers = dict(rows)


def _wrong(name: str, row: object, known: Mapping[str, str], needed: tuple[str, ...] = ()) -> list[str]:
    """Return what is wrong with a row: missing keys, unknown keys, wrong types."""
    if not isinstance(row, dict):
        return [f"{name} is not a table"]
    wrong = [f"{name} lacks {key}" for key in needed if key not in row]
    for key, value in row.items():
        if key not in known:
            close = find_nearest(key, known)
            hint = f"did you mean {close}?" if close else f"known: {', '.join(known)}"
            wrong.append(f"{name} has the unknown key {quote(key)}; {hint}")
        elif not _KINDS[known[key]][1](value):
            wrong.append(f"{key} of {name} is {quote(value)}, not {_KINDS[known[key]][0]}")
    return wrong
