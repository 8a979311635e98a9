"""Tool calls: rules for the file at hand, what commands teach, comments about the edit, failures."""

import os

from ...core import directives, remarks, rulings
from ...store.fast import digest
from ...store.omc import failures, memory, told
from ...store.omc.place import Omc
from ..answer import Answer
from ..handlers.tool import target
from .start import fitted, relative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..event import Event

RULES, ALL_RULES = 2_000, 6_000
MOST_FILES = 200
ESCALATE = 5
_FOLDERS = {
    ".github/instructions": (".instructions.md",),
    ".cursor/rules": (".mdc", ".md"),
    ".omc/rules": (".md",),
}
_ALWAYS = (".github/copilot-instructions.md",)


def rules(event: "Event") -> Answer | None:
    """Rules that the client does not read itself, nearest first, once by content."""
    path = relative(event, target(event))
    if not path or path.startswith(".omc/"):
        return None
    found = [
        (name, body) for name, head, body in _rules(event.place) if rulings.applies(head, path)
    ]
    return _said(event, found, f"Rules of this project for {path}:")


def guides(event: "Event") -> Answer | None:
    """AGENTS.md of the folders between a file and the top; that of the top came at the start."""
    folder = os.path.dirname(relative(event, target(event)))
    found = []
    while folder:
        text = _read(f"{event.place}/{folder}/AGENTS.md").strip()
        found += [(f"{folder}/AGENTS.md", text)] if text else []
        folder = os.path.dirname(folder)
    return _said(event, found, "For this folder:")


def _said(event: "Event", found: list[tuple[str, str]], head: str) -> Answer | None:
    marks = {f"rule {name} {digest(body)[:16]}": (name, body) for name, body in found}
    fresh = told.first(Omc(event.place), event.session, *marks)
    texts = [f"{marks[key][0]}\n{fitted(marks[key][1], RULES, marks[key][0])}" for key in fresh]
    return (
        Answer(context=fitted("\n\n".join([head, *texts]), ALL_RULES, "rules")) if texts else None
    )


def _rules(top: str) -> "list[tuple[str, dict[str, Any], str]]":
    found: list[tuple[str, dict[str, Any], str]] = []
    for name in _ALWAYS:
        text = _read(f"{top}/{name}").strip()
        found += [(name, {"alwaysApply": True}, text)] if text else []
    for folder, endings in _FOLDERS.items():
        for name in _names(f"{top}/{folder}", endings):
            head, body = rulings.parted(_read(f"{top}/{folder}/{name}"))
            found += [(f"{folder}/{name}", head, body)] if body.strip() else []
    return found


def _names(folder: str, endings: tuple[str, ...]) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(endings))[:MOST_FILES]
    except OSError:
        return []


def _read(path: str) -> str:
    """A link that leads elsewhere is no rule of this project."""
    if os.path.islink(path):
        return ""
    try:
        with open(path, "rb") as file:
            return file.read(100_000).decode("utf-8", "replace")
    except OSError:
        return ""


def learned(event: "Event") -> Answer | None:
    """What a command was, and what its output shows; which files are worked in most."""
    omc, now = Omc(event.place), event.clock()
    if event.text("tool_name") != "Bash":
        path = relative(event, target(event))
        if path and "node_modules/" not in path:
            memory.visited(omc, path, now)
        return None
    command = str(event.mapping("tool_input").get("command") or "")
    output = event.mapping("tool_response")
    said = "\n".join(str(output.get(key) or "") for key in ("stdout", "stderr"))
    if event.name == "PostToolUseFailure":
        said = event.text("error")
    worked = directives.commands(command) if event.name == "PostToolUse" else {}
    facts = directives.facts(command, said)
    if worked or facts:
        memory.learn(omc, worked, facts, now)
    return None


def comments(event: "Event") -> Answer | None:
    """Comments that tell of the edit: named once a file."""
    given = event.mapping("tool_input")
    path = relative(event, target(event))
    after = given.get("new_string") or given.get("content")
    before = given.get("old_string")
    if not path or not isinstance(after, str):
        return None
    found = remarks.about_the_edit(path, before if isinstance(before, str) else "", after)
    if not found or not told.first(Omc(event.place), event.session, f"comments {path}"):
        return None
    lines = "; ".join(line[:80] for line in found)
    return Answer(
        context=f"ultrawork: comments in {path} tell of the edit, which history does: {lines}."
        " Say what the code cannot say, or leave them out."
    )


def failed(event: "Event") -> Answer | None:
    """Written down; when the same thing fails again and again, it is said."""
    tool, error = event.text("tool_name"), event.text("error")
    if not event.session or event.data.get("is_interrupt") is True:
        return None
    given = event.mapping("tool_input")
    shown = str(given.get("command") or given.get("file_path") or "")
    count = failures.note(
        Omc(event.place), event.session, tool, given=shown, error=error, now=event.clock()
    )
    if count != ESCALATE:
        return None
    return Answer(
        context=f"ultrawork: {tool} has failed {count} times in the same way. Stop repeating it: find"
        " out why it fails, take another way, or say what is in the way."
    )


def mended(event: "Event") -> None:
    omc = Omc(event.place)
    if event.session and os.path.exists(f"{omc.state_folder(event.session)}/last-tool-error.json"):
        failures.mended(omc, event.session, event.text("tool_name"))
