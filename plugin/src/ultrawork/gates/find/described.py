"""Find checks that a toolchain file describes completely: which files require them, and by which command.

What needs code is in `finders`; everything else is rows of `[[find]]`."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...core.toolchains.toolchain import Toolchain
from .candidate import Candidate, propose_command
from .folder import ProjectFolder
from .recipes.package import PACKAGE_FILE, list_dependencies
from .settings import read_tool_settings

# Builds the command of a family's program here, from the tool and its words.
Start = Callable[[ProjectFolder, str, list[str]], list[str]]
_FOR_A_SHELL = frozenset("&|;<>*$")


def find_described(project: ProjectFolder, family: str, start: Start | None = None) -> list[Candidate]:
    """Return what the toolchains of a family propose here."""
    candidates: list[Candidate] = []
    for tool in list_suggested(project).get(family, ()):
        for row in tool.find:
            source = _find_source(project, tool, row)
            if source:
                candidates += _propose(project, tool, row, source, start)
                break
    return candidates


def list_suggested(project: ProjectFolder) -> dict[str, list[Toolchain]]:
    """Return the families whose files are here, with the toolchains that these may belong to."""
    marked: dict[str, list[Toolchain]] = project.once("marked", _list_suggested)
    return marked


def _list_suggested(project: ProjectFolder) -> dict[str, list[Toolchain]]:
    families = project.toolchains.families
    sources = {tool.name: _list_sources(tool) for tools in families.values() for tool in tools if tool.find}
    begun = project.find_begun({path for paths in sources.values() for path in paths})
    fitting = {name for name, paths in sources.items() if not begun.isdisjoint(paths)}
    marked = {family: [tool for tool in tools if tool.name in fitting] for family, tools in families.items()}
    return {family: tools for family, tools in marked.items() if tools}


def _list_sources(tool: Toolchain) -> set[str]:
    """Return the patterns of all files that `_find_source` may return for this tool."""
    settings = [where.partition("#")[0] for where in tool.settings]
    return {path for row in tool.find for path in (settings if row.get("configured") else _list_files(row))}


def _list_files(row: Mapping[str, Any]) -> list[str]:
    files: list[str] = row.get("files", [PACKAGE_FILE] if "dependency" in row else [])
    return files


def _propose(
    project: ProjectFolder, tool: Toolchain, row: Mapping[str, Any], source: str, start: Start | None
) -> list[Candidate]:
    text = _fill(row["run"], source)
    if "note" in row:
        project.leave_out(text, _fill(row["note"], source))
        return []
    text = " ".join([*_list_before(project, row), text])
    for_shell = not _FOR_A_SHELL.isdisjoint(text)
    argv = ["sh", "-c", text] if for_shell else shlex.split(text)
    if row.get("wrapper") and project.exists(row["wrapper"]):
        argv[0] = f"./{row['wrapper']}"
    if start and not for_shell:
        argv = start(project, tool.name, argv)
    candidate = propose_command(
        project,
        tool.family,
        tool.kind.upper(),
        argv,
        source=source,
        reason=_fill(_choose_reason(row), source).replace("{name}", tool.name),
        definition="\n".join(_list_definition(project, row)),
        text=text if for_shell else "",
    )
    candidate.slot = row.get("slot", "")
    return [candidate]


def _choose_reason(row: Mapping[str, Any]) -> str:
    if "reason" in row:
        return str(row["reason"])
    if row.get("configured"):
        return "{name} is configured in {source}"
    return f"{{name}} is a dependency in {PACKAGE_FILE}" if "dependency" in row else "{name}, see {source}"


def _fill(text: str, source: str) -> str:
    return text.replace("{source}", source).replace("{folder}", source.partition("/")[0])


def _find_source(project: ProjectFolder, tool: Toolchain, row: Mapping[str, Any]) -> str:
    """Return the file shown as the source of a row; empty if the row does not match."""
    if row.get("configured"):
        setting = next(read_tool_settings(project, tool), None)
        source = setting.file.rpartition("/")[2] if setting else ""
    else:
        source = next((path for file in _list_files(row) for path in project.list_matching(file)), "")
    return source if source and _is_met(project, row, source) else ""


def _is_met(project: ProjectFolder, row: Mapping[str, Any], source: str) -> bool:
    fitting = [any(project.list_matching(_fill(pattern, source))) for pattern in row.get("with", ())]
    barred = [any(project.list_matching(_fill(pattern, source))) for pattern in row.get("without", ())]
    if not all(fitting) or any(barred):
        return False
    if "dependency" in row and row["dependency"] not in list_dependencies(project):
        return False
    return "text" not in row or any(_search(project, row["text"]))


def _search(project: ProjectFolder, wanted: Mapping[str, str]) -> Iterator[str]:
    """All that the patterns match in the files that they are for."""
    for name, pattern in wanted.items():
        for path in project.list_matching(name):
            text = project.read(path) or ""
            yield from (match[0].strip() for match in re.finditer(pattern, text) if match[0])


def _list_definition(project: ProjectFolder, row: Mapping[str, Any]) -> Iterator[str]:
    yield from _search(project, row.get("definition", {}))


def _list_before(project: ProjectFolder, row: Mapping[str, Any]) -> Sequence[str]:
    return [words for file, words in row.get("before", {}).items() if project.exists(file)]
