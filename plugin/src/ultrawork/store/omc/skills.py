"""Skills that a user or a session wrote: Markdown files with a header, in three folders."""

import os
from typing import Any

from ...core.value import Value
from .folder import Omc

LARGEST = 200_000
MOST = 500
REQUIRED = ("name", "description", "triggers")


class LearnedSkill(Value):
    """A skill. `errors` say why it cannot be used; `meta` is its header as far as readable."""

    meta: dict[str, Any]
    content: str
    errors: list[str]
    path: str = ""
    scope: str = ""


def list_local(omc: Omc) -> list[LearnedSkill]:
    """Return the project's skills."""
    return _list_skills(omc.skills, "project", omc.top)


def list_personal(home: str) -> list[LearnedSkill]:
    """Return the user's skills, in the folders that the documents name."""
    folders = (f"{home}/.omc/skills", f"{home}/.claude/skills/omc-learned")
    return [skill for folder in folders for skill in _list_skills(folder, "user", home)]


def list_all(omc: Omc, home: str) -> list[LearnedSkill]:
    """Return the skills; a project's hides a personal one of the same id."""
    skills: dict[str, LearnedSkill] = {}
    for skill in (*list_local(omc), *list_personal(home)):
        skills.setdefault(str(skill.meta.get("id", skill.path)), skill)
    return list(skills.values())


def parse(text: str) -> LearnedSkill:
    """Lenient: people's files are often not quite YAML. Texts, numbers and lists of texts are read."""
    head, content = _parted(text)
    if head is None:
        return LearnedSkill({}, text, ["Missing YAML frontmatter"])
    meta = _head(head)
    name = meta.get("name")
    if "id" not in meta and isinstance(name, str) and name:
        kept = "".join(each for each in name.lower() if each.isalnum() or each in " -")
        meta["id"] = "-".join(kept.replace("-", " ").split())
    meta.setdefault("source", "manual")
    errors = [f"Missing required field: {key}" for key in REQUIRED if not meta.get(key)]
    return LearnedSkill(meta, content.strip(), errors)


def _list_skills(folder: str, scope: str, top: str) -> list[LearnedSkill]:
    skills = []
    for path in _files(folder):
        real = os.path.realpath(path)
        if not real.startswith(os.path.realpath(top) + "/"):
            continue  # a link that leads out
        with open(real, "rb") as file:
            skill = parse(file.read(LARGEST).decode("utf-8", "replace"))
        skill.path, skill.scope = path, scope
        skills.append(skill)
    return skills


def _files(folder: str) -> list[str]:
    paths: list[str] = []
    for inner, folders, names in os.walk(folder):
        folders.sort()
        paths += [f"{inner}/{name}" for name in sorted(names) if name.endswith(".md")]
        if len(paths) >= MOST:
            break
    return [path for path in paths[:MOST] if os.path.isfile(path)]


def _parted(text: str) -> tuple[str | None, str]:
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != "---":
        return None, text
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :])
    return None, text


def _head(text: str) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    key = ""
    for line in text.split("\n"):
        item = line.strip()
        if item.startswith("- ") and key:
            meta[key] = [*(meta[key] if isinstance(meta[key], list) else []), _value(item[2:])]
        elif line[:1] not in ("", " ", "#") and ":" in line:
            key, _, rest = line.partition(":")
            key = key.strip()
            meta[key] = _value(rest)
    return {key: value for key, value in meta.items() if value is not None}


def _value(text: str) -> Any:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    if text.startswith("[") and text.endswith("]"):
        items = (_value(item) for item in text[1:-1].split(","))
        return [item for item in items if item is not None]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text or None
