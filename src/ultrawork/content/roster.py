"""The tables `content/roster.toml` and `content/profiles.toml`, read into records key by key."""

from ..core.check import nearest, shown
from ..core.errors import UsageError
from ..store.settings import parse
from .records import Agent, Complaint, Profile, Skill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .records import Member

ROSTER = "content/roster.toml"
PROFILES = "content/profiles.toml"
RULE = "roster"


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_slots(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(one, str) or _is_texts(one) for one in value.values()
    )


_KINDS: "dict[str, tuple[str, Callable[[object], bool]]]" = {
    "text": ("a text", lambda value: isinstance(value, str)),
    "texts": ("a list of texts", _is_texts),
    "switch": ("true or false", lambda value: isinstance(value, bool)),
    "slots": ("a table of texts or lists of texts", _is_slots),
}
_SHARED = {
    "lane": "text",
    "trigger": "text",
    "fragments": "texts",
    "family": "text",
    "slots": "slots",
}
_AGENT = {**_SHARED, "tier": "text", "profile": "text"}
_SKILL = {**_SHARED, "person": "switch", "hook": "switch", "hint": "text", "allow": "texts"}
_PROFILE = {"tools": "texts", "without": "texts"}
# Section of the roster → its record, the keys of a row, and those that must be there.
_SECTIONS: "dict[str, tuple[Callable[..., Member], dict[str, str], tuple[str, ...]]]" = {
    "agents": (Agent, _AGENT, ("lane", "trigger", "tier", "profile")),
    "skills": (Skill, _SKILL, ("lane", "trigger")),
}


class Tables:
    """What both files say, and what is wrong with them."""

    def __init__(self) -> None:
        self.members: list[Member] = []
        self.profiles: dict[str, Profile] = {}
        self.tiers: dict[str, str] = {}
        self.complaints: list[Complaint] = []

    def complain(self, path: str, what: str) -> None:
        self.complaints.append(Complaint(path, RULE, what))

    def takes(self, path: str, wrong: list[str]) -> bool:
        """Whether nothing is wrong; what is becomes complaints."""
        for what in wrong:
            self.complain(path, what)
        return not wrong


def read(roster: str, profiles: str) -> Tables:
    """The texts of the two files."""
    tables = Tables()
    _members(_parsed(roster, ROSTER, tables), tables)
    _profiles(_parsed(profiles, PROFILES, tables), tables)
    return tables


def _parsed(text: str, path: str, tables: Tables) -> "Mapping[str, Any]":
    try:
        return parse(text, path)
    except UsageError as error:
        tables.complain(path, str(error).removeprefix(f"{path} is "))
        return {}


def _members(document: "Mapping[str, Any]", tables: Tables) -> None:
    for section, rows in document.items():
        if section not in _SECTIONS or not isinstance(rows, dict):
            tables.complain(ROSTER, f"no section {shown(section)}; known: agents, skills")
            continue
        record, known, needed = _SECTIONS[section]
        for name, row in rows.items():
            if tables.takes(ROSTER, _wrong(f"{section}.{name}", row, known, needed)):
                tables.members.append(record(name, **row))


def _profiles(document: "Mapping[str, Any]", tables: Tables) -> None:
    for section, rows in document.items():
        if section not in ("tiers", "profiles") or not isinstance(rows, dict):
            tables.complain(PROFILES, f"no section {shown(section)}; known: tiers, profiles")
        elif section == "profiles":
            for name, row in rows.items():
                if tables.takes(PROFILES, _wrong(f"profiles.{name}", row, _PROFILE)):
                    tables.profiles[name] = Profile(name, **row)
        elif tables.takes(PROFILES, _wrong("tiers", rows, dict.fromkeys(rows, "text"))):
            tables.tiers = dict(rows)


def _wrong(
    name: str, row: object, known: "Mapping[str, str]", needed: tuple[str, ...] = ()
) -> list[str]:
    """A row has the keys it needs and no other ones, each of its kind; else this says what is wrong."""
    if not isinstance(row, dict):
        return [f"{name} is no table"]
    wrong = [f"{name} lacks {key}" for key in needed if key not in row]
    for key, value in row.items():
        if key not in known:
            close = nearest(key, known)
            hint = f"did you mean {close}?" if close else f"known: {', '.join(known)}"
            wrong.append(f"{name} has the unknown key {shown(key)}; {hint}")
        elif not _KINDS[known[key]][1](value):
            wrong.append(f"{key} of {name} is {shown(value)}, not {_KINDS[known[key]][0]}")
    return wrong
