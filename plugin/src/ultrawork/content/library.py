"""The agents and skills that ultrawork ships, and any of them by name, else one that a project or a user keeps."""

from collections.abc import Sequence

from ..core import errors
from ..core.check import find_nearest, quote
from ..core.value import Value
from ..store.atomic import list_folder, read_text
from .own_files import OwnMember
from .prompt_file import AGENT, SKILL, get_prompt, parse

_OURS = "ultrawork:"


class LibraryMember(Value):
    """One of ours. `model` is empty for a skill; `listed` says whether every session lists it to the model."""

    kind: str
    name: str
    path: str
    trigger: str
    prompt: str
    model: str = ""
    listed: bool = True

    def document(self) -> dict[str, object]:
        shown = {key: value for key, value in super().document().items() if key != "prompt"}
        return {**shown, "words": self.count_words()}

    def count_words(self) -> int:
        return len(self.prompt.split())


class FoundPage(Value):
    """`text` is the page without its header."""

    member: LibraryMember | OwnMember
    text: str


def load(root: str) -> list[LibraryMember]:
    """Return the agents, then the skills, as their files say."""
    agents = [(AGENT, f"agents/{name}") for name in list_folder(f"{root}/agents") if name.endswith(".md")]
    skills = [(SKILL, f"skills/{name}/SKILL.md") for name in list_folder(f"{root}/skills")]
    members = [_make_member(kind, path, read_text(f"{root}/{path}") or "") for kind, path in (*agents, *skills)]
    return [member for member in members if member.name]


def _make_member(kind: str, path: str, text: str) -> LibraryMember:
    head = parse(text).head
    return LibraryMember(
        kind,
        str(head.get("name", "")),
        path,
        str(head.get("description", "")),
        get_prompt(text),
        str(head.get("model", "")),
        not head.get("disable-model-invocation"),
    )


def list_models(root: str) -> dict[str, str]:
    """Return the model that each agent's file names."""
    return {member.name: member.model for member in load(root) if member.kind == AGENT}


def measure_listed(members: Sequence[LibraryMember]) -> int:
    """Return the characters of names and triggers that every session carries."""
    return sum(len(member.name) + len(member.trigger) for member in members if member.listed)


def find_page(name: str, root: str, own: Sequence[OwnMember], kinds: Sequence[str] = ()) -> FoundPage:
    """Return a page: skills before agents, ours before others; `plan/template.md` is a file beside a skill. An error
    names the nearest."""
    plain = name.removeprefix(_OURS)
    members = load(root)
    for kind in kinds or (SKILL, AGENT):
        for member in members:
            if (member.kind, member.name) == (kind, plain):
                return FoundPage(member, member.prompt)
    beside = _find_beside(plain, root, members)
    if beside is not None:
        return beside
    for mine in own:
        if mine.name == name and (not kinds or mine.kind in kinds):
            return FoundPage(mine, parse(read_text(mine.path) or "").body.strip())
    names = sorted({*(member.name for member in members), *(own_member.name for own_member in own)})
    close = find_nearest(plain, names)
    hint = f"did you mean {close}?" if close else "see ultrawork content list"
    raise errors.NotFound(f"no agent or skill {quote(name)}; {hint}")


def _find_beside(name: str, root: str, members: Sequence[LibraryMember]) -> FoundPage | None:
    """Return a file beside a skill's page."""
    folder, _, file = name.partition("/")
    if file not in list_folder(f"{root}/skills/{folder}") or file in ("SKILL.md", "agents"):
        return None
    skill = next((member for member in members if member.path == f"skills/{folder}/SKILL.md"), None)
    text = read_text(f"{root}/skills/{name}")
    return None if skill is None or text is None else FoundPage(skill, text.strip())


def list_lines(members: Sequence[LibraryMember]) -> list[str]:
    """Return skills, then agents, each in one line, for people who search."""
    ordered = sorted(members, key=lambda member: (member.kind != SKILL, member.name))
    return [f"{member.name} ({member.kind}): {member.trigger}" for member in ordered]
