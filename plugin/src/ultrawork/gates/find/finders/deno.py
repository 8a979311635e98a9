"""Deno: its test task, else its own runner; linter and formatter if deno.json configures them."""

import json
import re

from ....core.patterns import compile_late
from ....core.verdict.gate import LINT, TEST, TYPES
from ..candidate import FORMAT, Candidate, propose_command
from ..folder import ProjectFolder, Table, get_table

FAMILY = "deno"
_FILES = ("deno.json", "deno.jsonc")
_TEST_FILE = compile_late(r"(?:.*[._])?test\.[cm]?[jt]sx?")
_COMMENT = compile_late(r"^[ \t]*//.*$", re.MULTILINE)


def find(project: ProjectFolder) -> list[Candidate]:
    file = project.find_first(*_FILES)
    if not file:
        return []
    options = _read(project, file)
    tasks = get_table(options, "tasks")
    candidates = []
    if "test" in tasks:
        candidates.append(_gate(project, TEST, ["deno", "task", "test"], file, f"task test in {file}"))
    elif _has_tests(project):
        candidates.append(_gate(project, TEST, ["deno", "test", "-A"], file, f"Deno tests, see {file}"))
    for task, kind in (("lint", LINT), ("check", TYPES)):
        if task in tasks:
            reason = f"task {task} in {file}"
            candidates.append(_gate(project, kind, ["deno", "task", task], file, reason))
    if "lint" in options and "lint" not in tasks:
        candidates.append(_gate(project, LINT, ["deno", "lint"], file, f"lint is set up in {file}"))
    if "fmt" in options:
        candidates.append(_gate(project, LINT, ["deno", "fmt", "--check"], file, f"fmt is set up in {file}"))
        candidates[-1].slot = FORMAT
    return candidates


def _gate(project: ProjectFolder, kind: str, argv: list[str], file: str, reason: str) -> Candidate:
    definition = json.dumps(get_table(_read(project, file), "tasks"), sort_keys=True)
    definition = definition if "task" in argv else ""
    return propose_command(project, FAMILY, kind, argv, source=file, reason=reason, definition=definition)


def _read(project: ProjectFolder, file: str) -> Table:
    if file.endswith(".json"):
        return project.read_json(file)
    try:
        document = json.loads(_COMMENT.sub("", project.read(file) or ""))
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _has_tests(project: ProjectFolder) -> bool:
    return any(_TEST_FILE.fullmatch(name) for folder in (".", "test", "tests", "src") for name in project.names(folder))
