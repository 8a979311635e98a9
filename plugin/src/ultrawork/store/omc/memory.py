"""What is permanently known about a project: its stack, commands, notes and directives, as one JSON file."""

from collections.abc import Callable, Sequence
from typing import Any

from ...core import check
from ...core.errors import Trouble
from ..codec import dumps_pretty, loads
from .folder import Omc

Document = dict[str, Any]

SECTIONS = {
    "techStack": "techStack",
    "build": "build",
    "conventions": "conventions",
    "structure": "structure",
    "notes": "customNotes",
    "directives": "userDirectives",
}
PRIORITIES = ("high", "normal")
MOST = 20
HOT = 50
CATEGORY_LIMIT = 50
NOTE_LIMIT = 1_000
DIRECTIVE_LIMIT = 500


def make_blank(top: str) -> Document:
    return {
        "version": "1.0.0",
        "lastScanned": 0,
        "projectRoot": top,
        "techStack": {"languages": [], "frameworks": [], "packageManager": None, "runtime": None},
        "build": {"buildCommand": None, "testCommand": None, "lintCommand": None, "devCommand": None, "scripts": {}},
        "conventions": {"namingStyle": None, "importStyle": None, "testPattern": None, "fileOrganization": None},
        "structure": {"isMonorepo": False, "workspaces": [], "mainDirectories": [], "gitBranches": None},
        "customNotes": [],
        "directoryMap": {},
        "hotPaths": [],
        "userDirectives": [],
    }


def read(omc: Omc) -> Document | None:
    text = omc.read(omc.memory)
    return None if text is None else _loaded(text)


def get_section(document: Document, name: str) -> Any:
    return document.get(SECTIONS[name])


def write(omc: Omc, given: Document, *, merge: bool) -> Document:
    """Replace the whole, or merge by key: objects are merged into existing ones."""

    def edit(document: Document) -> Document:
        if not merge:
            return {**make_blank(omc.top), **given}
        merged = dict(document)
        for key, value in given.items():
            old = merged.get(key)
            nested = isinstance(old, dict) and isinstance(value, dict)
            merged[key] = {**(old or {}), **value} if nested else value
        return merged

    return change(omc, edit)


def add_note(omc: Omc, category: str, content: str, now: float, *, source: str = "manual") -> None:
    """Add a note; keep the last 20, without duplicates."""
    note = {
        "timestamp": round(now * 1000),
        "source": source,
        "category": check.clean_text(category, "category", CATEGORY_LIMIT),
        "content": check.clean_text(content, "content", NOTE_LIMIT),
    }

    def edit(document: Document) -> Document:
        notes = _list(document, "customNotes")
        same = [each for each in notes if _same(each, note, "category", "content")]
        return {**document, "customNotes": notes if same else [*notes, note][-MOST:]}

    change(omc, edit)


def learn(omc: Omc, commands: dict[str, str], facts: list[tuple[str, str]], now: float) -> None:
    """Store what commands showed: the first command of a kind stays, a fact is noted once."""
    for category, content in facts:
        add_note(omc, category, content[:NOTE_LIMIT], now, source="learned")
    known = get_section(read(omc) or {}, "build")
    fresh = {key: value for key, value in commands.items() if not (isinstance(known, dict) and known.get(key))}
    if fresh:
        write(omc, {"build": fresh}, merge=True)


def count_visits(omc: Omc, paths: Sequence[str], now: float) -> None:
    """Counts the files that are worked in most."""

    def edit(document: Document) -> Document:
        hot = {str(entry.get("path")): entry for entry in _list(document, "hotPaths") if isinstance(entry, dict)}
        for path in paths:
            count = int(hot.get(path, {}).get("accessCount") or 0) + 1
            seen = {"accessCount": count, "lastAccessed": round(now * 1000), "type": "file"}
            hot[path] = {"path": path, **seen}
        kept = sorted(hot.values(), key=lambda entry: -int(entry.get("accessCount") or 0))
        return {**document, "hotPaths": kept[:HOT]}

    if paths:
        change(omc, edit)


def summarize(document: Document) -> str:
    """Return one line for a new session; empty if nothing is known."""
    stack, build = _table(document, "techStack"), _table(document, "build")
    names = [entry.get("name") for key in ("languages", "frameworks") for entry in _list(stack, key)]
    parts = [", ".join(dict.fromkeys(str(name) for name in names if name))]
    manager = stack.get("packageManager")
    parts.append(f"uses {manager}" if manager else "")
    for key in ("build", "test", "lint"):
        command = build.get(f"{key}Command")
        parts.append(f"{key}: {command}" if command else "")
    return "; ".join(part for part in parts if part)


def add_directive(omc: Omc, directive: str, context: str, priority: str, now: float) -> None:
    """Add a directive; keep 20, high priority first; a repeated one is renewed."""
    made = {
        "timestamp": round(now * 1000),
        "directive": check.clean_text(directive, "directive", DIRECTIVE_LIMIT),
        "context": context,
        "source": "explicit",
        "priority": check.require_choice(priority, PRIORITIES, "priority"),
    }

    def edit(document: Document) -> Document:
        others = [each for each in _list(document, "userDirectives") if not _same(each, made, "directive")]
        return {**document, "userDirectives": _choose_directives([*others, made])}

    change(omc, edit)


def change(omc: Omc, edit: Callable[[Document], Document]) -> Document:
    """Under the lock, on the file of now: what another session added meanwhile stays."""
    result: Document = {}

    def rewritten(text: str | None) -> str:
        nonlocal result
        result = edit(make_blank(omc.top) if text is None else _loaded(text))
        return dumps_pretty(result)

    omc.change(omc.memory, rewritten)
    return result


def _choose_directives(directives: list[Any]) -> list[Any]:
    high = [each for each in directives if isinstance(each, dict) and each.get("priority") == "high"]
    others = [each for each in directives if each not in high]
    room = max(0, MOST - len(high[-MOST:]))
    return [*high[-MOST:], *(others[-room:] if room else [])]


def _loaded(text: str) -> Document:
    try:
        document = loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise Trouble(".omc/project-memory.json is not a JSON object; fix or remove it") from None
    return document


def _list(document: Document, key: str) -> list[Any]:
    entries = document.get(key)
    return entries if isinstance(entries, list) else []


def _table(document: Document, key: str) -> Document:
    table = document.get(key)
    return table if isinstance(table, dict) else {}


def _same(entry: object, other: Document, *keys: str) -> bool:
    return isinstance(entry, dict) and all(entry.get(key) == other[key] for key in keys)
