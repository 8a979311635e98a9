"""Any agent or skill by name: ours, else the project's or the user's own."""

from collections.abc import Sequence

from ..core import errors
from ..core.check import find_nearest, quote
from ..core.value import Value
from . import own_files
from .library import Library, read_text
from .own_files import OwnMember
from .roster import AGENT, SKILL, RosterMember

_OURS = "ultrawork:"


class FoundPage(Value):
    """`member` is of the roster or someone's own; `text` is the page without its header."""

    member: RosterMember | OwnMember
    text: str


def find_page(name: str, library: Library, own: Sequence[OwnMember], kinds: Sequence[str] = ()) -> FoundPage:
    """Return a page: skills before agents, ours before others; `plan/template.md` is a file beside a skill. An error
    names the nearest."""
    plain = name.removeprefix(_OURS)
    skill = library.skills.get(plain.partition("/")[0])
    if skill is not None and f"skills/{plain}" in library.helpers:
        return FoundPage(skill, library.helpers[f"skills/{plain}"].strip())
    for kind in kinds or (SKILL, AGENT):
        for member in library.members:
            if (member.kind, member.name) == (kind, plain):
                return FoundPage(member, library.body(member))
    for mine in own:
        if mine.name == name and (not kinds or mine.kind in kinds):
            return FoundPage(mine, own_files.parse(read_text(mine.path) or "").body.strip())
    names = sorted({*(member.name for member in library.members), *(own_member.name for own_member in own)})
    close = find_nearest(plain, names)
    hint = f"did you mean {close}?" if close else "see ultrawork content list"
    raise errors.NotFound(f"no agent or skill {quote(name)}; {hint}")


def list_lines(library: Library) -> list[str]:
    """Return skills, then agents, each in one line, for people who search."""
    ordered = sorted(library.members, key=lambda roster_member: (roster_member.kind != SKILL, roster_member.name))
    return [f"{member.name} ({member.kind}): {member.trigger}" for member in ordered]
