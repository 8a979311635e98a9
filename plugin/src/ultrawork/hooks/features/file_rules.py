"""Send rules and guides for the file that a tool touched, and report comments that describe an edit instead of the
code. A project without rules loads nothing."""

import os

from ...store.atomic import list_folder
from ..event import Answer, Event
from ..tool import find_target
from .common import fit, is_guide_read_by_client, make_relative, read_project_file

RULES, ALL_RULES = 2_000, 6_000
MOST_FILES = 200
_FOLDERS = {".github/instructions": (".instructions.md",), ".cursor/rules": (".mdc", ".md"), ".omc/rules": (".md",)}
_ALWAYS = ".github/copilot-instructions.md"


def tell_rules(event: Event) -> Answer | None:
    """Return rules that the client does not read itself, once by content."""
    path = make_relative(event, find_target(event))
    names = _names(event.place) if path and not path.startswith(".omc/") else []
    if not names:
        return None
    from ...core.project import file_rules

    pages = []
    for name in names:
        head, body = file_rules.parse(read_project_file(event.place, name))
        speaks = name == _ALWAYS or file_rules.explain_match(head, path)
        pages += [(name, body.strip())] if speaks and body.strip() else []
    return _tell_new(event, pages, f"Project rules for {path}:")


def tell_guides(event: Event) -> Answer | None:
    """Return AGENTS.md of the folders between a file and the top, nearest first; the top one came at the start."""
    folder = os.path.dirname(make_relative(event, find_target(event)))
    pages = []
    while folder:
        text = read_project_file(event.place, f"{folder}/AGENTS.md").strip()
        pages += [(f"{folder}/AGENTS.md", text)] if text else []
        folder = os.path.dirname(folder)
    return None if is_guide_read_by_client(event) else _tell_new(event, pages, "For this folder:")


def _tell_new(event: Event, pages: list[tuple[str, str]], head: str) -> Answer | None:
    if not pages:
        return None
    from ...store.codec import digest
    from ...store.omc import failures
    from ...store.omc.folder import HASTE, Omc

    marks = {f"rule {name} {digest(body)[:16]}": (name, body) for name, body in pages}
    fresh = failures.take_new(Omc(event.place, HASTE), event.session, *marks)
    texts = [f"{marks[key][0]}\n{fit(marks[key][1], RULES, marks[key][0])}" for key in fresh]
    whole = "\n\n".join([head, *texts])
    return Answer(context=fit(whole, ALL_RULES, "rules")) if texts else None


def _names(top: str) -> list[str]:
    paths = [_ALWAYS] if os.path.exists(f"{top}/{_ALWAYS}") else []
    for folder, endings in _FOLDERS.items():
        paths += [f"{folder}/{name}" for name in list_folder(f"{top}/{folder}") if name.endswith(endings)]
    return paths[:MOST_FILES]


_MARKS = ("#", "//", "/*", "--", "<!--")


def name_comments(event: Event) -> Answer | None:
    """Name comments that describe the edit, once per file."""
    given = event.mapping("tool_input")
    path = make_relative(event, find_target(event))
    after = given.get("new_string") or given.get("content")
    before = given.get("old_string")
    if not path or not isinstance(after, str) or not any(mark in after for mark in _MARKS):
        return None
    from ...core.project import file_rules
    from ...store.omc import failures
    from ...store.omc.folder import HASTE, Omc

    remarks = file_rules.find_remarks(path, before if isinstance(before, str) else "", after)
    if not remarks or not failures.take_new(Omc(event.place, HASTE), event.session, f"comments {path}"):
        return None
    lines = "; ".join(line[:80] for line in remarks)
    return Answer(
        context=f"ultrawork: comments in {path} describe the edit: {lines}. Explain what the code cannot, or remove them."
    )
