"""The agents and skills that ultrawork ships, and those that a user or a project keeps beside them; any of them by
name.

A prompt file is a header between two lines of three dashes, and the text below it. It is read leniently, since people
write them: real headers have unquoted colons, tabs, nested maps and no end. Nothing is refused: what is clear is used,
what is not is a line in `doubts`."""

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence

from ..core import errors
from ..core.check import find_nearest, quote
from ..core.value import Value
from ..store.atomic import list_folder, read_text
from ..store.codec import loads

HeadValue = str | int | float | bool | list[str]
Head = dict[str, HeadValue]
AGENT = "agent"
SKILL = "skill"
FENCE = "---"
LONGEST = 200_000
_END = f"\n{FENCE}\n"
_ENTRY = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,63})\s*:(?:\s+(.*))?")
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_BLOCK = re.compile(r"[>|][+-]?[0-9]?")
_COMMENT = re.compile(r"<!--.*-->")


class PromptFile(Value):
    """What a file says about itself; `doubts` are the lines that could not be understood."""

    head: Head
    body: str
    doubts: list[str]


def get_body(text: str) -> str:
    """Return what follows the header; a file without one is all body."""
    _, end, body = text.partition(_END)
    return body if end and text.startswith(f"{FENCE}\n") else text


def get_prompt(text: str) -> str:
    """Return the body as an agent reads it, without our comment lines."""
    return "\n".join(line for line in get_body(text).split("\n") if not _COMMENT.fullmatch(line.strip())).strip()


def parse(text: str) -> PromptFile:
    text = text[:LONGEST].removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if lines[0].strip() != FENCE:
        return PromptFile({}, text, ["no header: the file does not start with ---"])
    end = next((n for n, line in enumerate(lines[1:], 1) if line.strip() == FENCE), None)
    if end is None:
        return PromptFile({}, text, ["the header is not closed"])
    head, doubts = _entries(lines[1:end])
    return PromptFile(head, "\n".join(lines[end + 1 :]), doubts)


def _entries(lines: list[str]) -> tuple[Head, list[str]]:
    head: Head = {}
    doubts: list[str] = []
    for first, more in _groups(lines):
        match = _ENTRY.fullmatch(first.rstrip())
        if match is None:
            doubts.append(f"could not parse: {first.strip()[:80]}")
            continue
        value = _value(match.group(2) or "", more)
        if value is None:
            doubts.append(f"could not read the value of {match.group(1)}")
        else:
            head[match.group(1)] = value
    return head, doubts


def _groups(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Return each unindented line, with the indented ones (and items) that belong to it."""
    groups: list[tuple[str, list[str]]] = []
    for line in lines:
        inner = not line.strip() or line[:1] in " \t" or line.startswith("- ")
        if inner and groups:
            groups[-1][1].append(line.strip())
        elif line.strip() and not line.startswith("#"):
            groups.append((line, []))
    return groups


def _value(given: str, more: list[str]) -> HeadValue | None:
    text = given.strip()
    below = [line for line in more if line]
    if _BLOCK.fullmatch(text):
        return (" " if text[0] == ">" else "\n").join(below)
    if not text and below and all(line.startswith("- ") for line in below):
        return [_text(line[2:].strip()) for line in below]
    if not text:
        return None
    if text[0] == "[" and text.endswith("]"):
        return [_text(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    return _scalar(" ".join([text, *below]))


def _scalar(text: str) -> HeadValue:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    number = _NUMBER.fullmatch(text)
    if number:
        return float(text) if number.group(1) else int(text)
    return _text(text)


def _text(text: str) -> str:
    """Return the text without quotes and a trailing comment."""
    close = text[:1]
    if close not in ("'", '"') or not close:
        return text.partition(" #")[0].rstrip()
    end = text.rfind(close)
    inner = text[1:end] if end > 0 else text[1:]
    if close == "'":
        return inner.replace("''", "'")
    try:
        return str(loads(f'"{inner}"'))
    except ValueError:
        return inner.replace('\\"', '"')


MOST = 500
# For a longer page the client cuts its description, or the model forgets its end.
LONGEST_TRIGGER = 1_024
MOST_LINES = 500
# The client's own, and what sessions learned.
_FOLDERS = {".claude/agents": AGENT, ".claude/skills": SKILL, ".claude/commands": SKILL, ".omc/skills": SKILL}


class OwnMember(Value):
    doubts: list[str]
    kind: str
    name: str
    path: str
    scope: str
    trigger: str
    lines: int = 0


def list_members(project: str, home: str) -> list[OwnMember]:
    """Return the project's members first; links that lead out of their folder are ignored."""
    return [
        _make_own_member(kind, scope, path, _read(path))
        for scope, base in (("project", project), ("person", home))
        for folder, kind in _FOLDERS.items()
        for path in _files(f"{base}/{folder}")
    ]


def find_faults(own: Sequence[OwnMember], ours: Mapping[str, Container[str]]) -> Iterator[str]:
    """Yield faults: headers, triggers, sizes, and duplicate names or triggers."""
    seen: dict[tuple[str, str], str] = {}
    for own_member in own:
        yield from (f"{own_member.path}: {doubt}" for doubt in own_member.doubts)
        if not own_member.trigger:
            yield f"{own_member.path}: has no description, so no model knows when to use it"
        elif len(own_member.trigger) > LONGEST_TRIGGER:
            yield f"{own_member.path}: its description has {len(own_member.trigger):,} characters; at most {LONGEST_TRIGGER:,}"
        if own_member.lines > MOST_LINES:
            yield f"{own_member.path}: it has {own_member.lines} lines; at most {MOST_LINES}, the rest in files beside it"
        if own_member.name in ours[own_member.kind]:
            yield f"{own_member.path}: ultrawork has {own_member.kind} {own_member.name} too; ours is ultrawork:{own_member.name}"
        for key in ((own_member.kind, f"name {own_member.name}"), (own_member.kind, f"trigger {own_member.trigger}")):
            first = seen.setdefault(key, own_member.path)
            if first != own_member.path and own_member.trigger:
                yield f"{own_member.path}: it has the same {key[1].partition(' ')[0]} as {first}"


def _make_own_member(kind: str, scope: str, path: str, prompt_file: PromptFile) -> OwnMember:
    file = os.path.basename(path)
    default = os.path.basename(os.path.dirname(path)) if file == "SKILL.md" else file[:-3]
    return OwnMember(
        kind=kind,
        scope=scope,
        path=path,
        name=str(prompt_file.head.get("name") or default),
        trigger=str(prompt_file.head.get("description") or ""),
        doubts=prompt_file.doubts,
        lines=prompt_file.body.count("\n") + 1,
    )


def _files(folder: str) -> Iterator[str]:
    count = 0
    for inner, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            fits = name == "SKILL.md" if folder.endswith("/.claude/skills") else name.endswith(".md")
            if fits and count < MOST and not os.path.islink(f"{inner}/{name}"):
                count += 1
                yield f"{inner}/{name}"


def _read(path: str) -> PromptFile:
    text = read_text(path)
    return PromptFile({}, "", ["could not read it"]) if text is None else parse(text)


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
