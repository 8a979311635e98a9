"""The questions one can put to a language server about a place, a file, a project."""

import re
from dataclasses import dataclass
from typing import Any

from ...core.errors import NotFound
from . import diagnostics, render
from .documents import Document
from .protocol import ServerRefused
from .workspace import Workspace


@dataclass(slots=True, frozen=True)
class FilePosition:
    """A line from 1 and a character from 0 in a file."""

    path: str
    line: int
    character: int


async def hover(workspace: Workspace, place: FilePosition) -> str:
    answer = await ask_at(workspace, place, "hover", "textDocument/hover")
    text = render.describe_hover(answer) if answer else ""
    return text or f"{workspace.client.name} has no information about this position"


async def find_definition(workspace: Workspace, place: FilePosition) -> str:
    answer = await ask_at(workspace, place, "definition", "textDocument/definition")
    lines = render.list_locations(answer, _places(workspace))
    return render.join_lines(lines) or f"{workspace.client.name} found no definition"


async def find_references(workspace: Workspace, place: FilePosition, *, declaration: bool) -> str:
    await workspace.show(find_word(workspace, place))
    context = {"context": {"includeDeclaration": declaration}}
    answer = await ask_at(workspace, place, "references", "textDocument/references", context)
    lines = sorted(render.list_locations(answer, _places(workspace)))
    if not lines:
        return f"{workspace.client.name} found no references"
    return render.join_lines([f"references: {len(lines)}", *lines])


async def list_document_symbols(workspace: Workspace, path: str) -> str:
    require_feature(workspace, "documentSymbol")
    document = workspace.document(path)
    answer = await workspace.ask("textDocument/documentSymbol", {"textDocument": document.identifier})
    return render.join_lines(list(render.list_outline(answer or []))) or "no symbols"


async def find_workspace_symbols(workspace: Workspace, query: str, path: str) -> str:
    require_feature(workspace, "workspaceSymbol")
    workspace.document(path)  # many servers know a project only once a file of it is open
    answer = await workspace.ask("workspace/symbol", {"query": query})
    lines = render.list_symbols(answer or [], _places(workspace))
    return render.join_lines(lines) or f"{workspace.client.name} found no matching symbol"


async def list_problems(workspace: Workspace, path: str, severity: str | None = None) -> list[str]:
    """Return one line per diagnostic, most severe first."""
    problems = await diagnostics.fetch(workspace, path)
    document = workspace.documents.sync(path)
    name = _places(workspace).name(path)
    wanted = [item for item in problems if severity in (None, _severity(item))]
    wanted.sort(key=lambda item: (item.get("severity", 1), item["range"]["start"]["line"]))
    return [render.describe_diagnostic(item, name, document.text) for item in wanted]


async def prepare_rename(workspace: Workspace, place: FilePosition) -> str:
    provider = workspace.client.capabilities.get("renameProvider")
    if isinstance(provider, dict) and provider.get("prepareProvider"):
        document = workspace.document(place.path)
        answer = await ask_at(workspace, place, "rename", "textDocument/prepareRename")
        return _nameable(answer, document)
    require_feature(workspace, "rename")
    return f"{workspace.client.name} cannot check this in advance; try lsp_rename, which only previews"


async def ask_at(
    workspace: Workspace, place: FilePosition, feature: str, method: str, more: dict[str, Any] | None = None
) -> Any:
    require_feature(workspace, feature)
    document = workspace.document(place.path)
    position = document.text.position(place.line, place.character)
    params = {"textDocument": document.identifier, "position": position, **(more or {})}
    return await workspace.ask(method, params)


def require_feature(workspace: Workspace, feature: str) -> None:
    if not workspace.client.provides(feature + "Provider"):
        raise ServerRefused(f"{workspace.client.name} does not support {feature}", 0)


def find_word(workspace: Workspace, place: FilePosition) -> str:
    """Return the name at a place, or what is there instead."""
    line = workspace.document(place.path).text.line(place.line)
    names = re.finditer(r"[\w$]+", line)
    here = (name for name in names if name.start() <= place.character <= name.end())
    match = next(here, None)
    return match.group() if match else line.strip()


def _nameable(answer: Any, document: Document) -> str:
    if not answer:
        raise NotFound("nothing at this position can be renamed")
    if answer.get("defaultBehavior"):
        return "can be renamed"
    span = answer.get("range", answer)
    line, start = document.text.place(span["start"])
    word = answer.get("placeholder")
    if word is None:
        word = document.text.line(line)[start : document.text.place(span["end"])[1]]
    return f"{word} can be renamed ({line}:{start})"


def _severity(item: dict[str, Any]) -> str:
    return render.SEVERITIES.get(item.get("severity", 1), "error")


def _places(workspace: Workspace) -> render.Locations:
    return render.Locations(workspace.top, workspace.documents.encoding)
