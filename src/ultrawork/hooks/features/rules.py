"""Rules and guides for the file at hand. Where a project has none, nothing is loaded."""

import os

from ..answer import Answer
from ..handlers.tool import target
from .light import fitted, read, reads_guides, relative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

RULES, ALL_RULES = 2_000, 6_000
MOST_FILES = 200
_FOLDERS = {
    ".github/instructions": (".instructions.md",),
    ".cursor/rules": (".mdc", ".md"),
    ".omc/rules": (".md",),
}
_ALWAYS = ".github/copilot-instructions.md"


def rules(event: "Event") -> Answer | None:
    """Rules that the client does not read itself, once by content."""
    path = relative(event, target(event))
    names = _names(event.place) if path and not path.startswith(".omc/") else []
    if not names:
        return None
    from ...core import rulings

    found = []
    for name in names:
        head, body = rulings.parted(read(event.place, name))
        speaks = name == _ALWAYS or rulings.applies(head, path)
        found += [(name, body.strip())] if speaks and body.strip() else []
    return _said(event, found, f"Rules of this project for {path}:")


def guides(event: "Event") -> Answer | None:
    """AGENTS.md of the folders between a file and the top, nearest first; that of the top came at the start."""
    folder = os.path.dirname(relative(event, target(event)))
    found = []
    while folder:
        text = read(event.place, f"{folder}/AGENTS.md").strip()
        found += [(f"{folder}/AGENTS.md", text)] if text else []
        folder = os.path.dirname(folder)
    return None if reads_guides(event) else _said(event, found, "For this folder:")


def _said(event: "Event", found: list[tuple[str, str]], head: str) -> Answer | None:
    if not found:
        return None
    from ...store.fast import digest
    from ...store.omc import told
    from ...store.omc.place import HASTE, Omc

    marks = {f"rule {name} {digest(body)[:16]}": (name, body) for name, body in found}
    fresh = told.first(Omc(event.place, HASTE), event.session, *marks)
    texts = [f"{marks[key][0]}\n{fitted(marks[key][1], RULES, marks[key][0])}" for key in fresh]
    whole = "\n\n".join([head, *texts])
    return Answer(context=fitted(whole, ALL_RULES, "rules")) if texts else None


def _names(top: str) -> list[str]:
    found = [_ALWAYS] if os.path.exists(f"{top}/{_ALWAYS}") else []
    for folder, endings in _FOLDERS.items():
        try:
            names = os.listdir(f"{top}/{folder}")
        except OSError:
            continue
        found += sorted(f"{folder}/{name}" for name in names if name.endswith(endings))
    return found[:MOST_FILES]
