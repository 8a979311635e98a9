"""Agents and skills that a user or a project keeps beside ours."""

import os
from collections.abc import Container, Iterator, Mapping, Sequence

from ..core.value import Value
from ..store.atomic import read_text
from .prompt_file import AGENT, SKILL, PromptFile, parse

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
        for key in ((own_member.kind, f"name {own_member.name}"), (own_member.kind, f"trigger {own_member.trigger}")):
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
    text = read_text(path)
    return PromptFile({}, "", ["could not read it"]) if text is None else parse(text)
