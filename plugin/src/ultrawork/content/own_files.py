"""Agents and skills that a user or a project keeps beside ours, read leniently.

Real headers have unquoted colons, tabs, nested maps and no end. Nothing is refused: what is clear is used, what is not
is a line in `doubts`. A header that the strict reader accepts is read the same here."""

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence

from ..core.value import Value
from . import front_matter
from .front_matter import KEY, Head, HeadValue
from .roster import AGENT, SKILL

LONGEST = 200_000
_ENTRY = re.compile(rf"({KEY})\s*:(?:\s+(.*))?")
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_PAIRS = {'"': '"', "'": "'"}
_BLOCK = re.compile(r"[>|][+-]?[0-9]?")


class PromptFile(Value):
    """What a file says about itself; `doubts` are the lines that could not be understood."""

    head: Head
    body: str
    doubts: list[str]


def parse(text: str) -> PromptFile:
    text = text[:LONGEST].removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        head, body = front_matter.parse_text(text)
    except front_matter.HeadError:
        return _guessed(text)
    return PromptFile(head, body, [])


def _guessed(text: str) -> PromptFile:
    lines = text.split("\n")
    if lines[0].strip() != front_matter.FENCE:
        return PromptFile({}, text, ["no header: the file does not start with ---"])
    end = next((n for n, line in enumerate(lines[1:], 1) if line.strip() == front_matter.FENCE), None)
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
    close = _PAIRS.get(text[:1])
    if close is None:
        return text.partition(" #")[0].rstrip()
    end = text.rfind(close)
    inner = text[1:end] if end > 0 else text[1:]
    return inner.replace("''", "'") if close == "'" else inner.replace('\\"', '"')


MOST = 500
# For a longer page the client cuts its description, or the model forgets its end.
LONGEST_TRIGGER = 1_024
MOST_LINES = 500
# The client's own, and what sessions learned.
_FOLDERS = {
    ".claude/agents": AGENT,
    ".claude/skills": SKILL,
    ".claude/commands": SKILL,
    ".omc/skills": SKILL,
}


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
        _make_member(kind, scope, path, _read(path))
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
        for key in (
            (own_member.kind, f"name {own_member.name}"),
            (own_member.kind, f"trigger {own_member.trigger}"),
        ):
            first = seen.setdefault(key, own_member.path)
            if first != own_member.path and own_member.trigger:
                yield f"{own_member.path}: it has the same {key[1].partition(' ')[0]} as {first}"


def _make_member(kind: str, scope: str, path: str, prompt_file: PromptFile) -> OwnMember:
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
    try:
        with open(path, "rb") as file:
            return parse(file.read(LONGEST).decode("utf-8", "replace"))
    except OSError as error:
        return PromptFile({}, "", [f"could not read it: {error.strerror}"])
