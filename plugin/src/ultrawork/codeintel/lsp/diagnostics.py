"""What a server finds wrong with a file. Most answer on request, some only push, and one that pushes in parts has its
own command."""

import asyncio
import time
from typing import Any

from .documents import Document
from .protocol import ServerSlow
from .workspace import Workspace

PUSH_SECONDS = 20.0
_QUIET_LEAST = 0.3
_QUIET_MOST = 3.0
_QUIET_INDEXED = 1.0
_TSSERVER = "typescript.tsserverRequest"
_TSSERVER_KINDS = ("syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync")
_TSSERVER_SEVERITY = {"error": 1, "warning": 2, "suggestion": 4}


async def fetch(workspace: Workspace, path: str) -> list[dict[str, Any]]:
    """Return the diagnostics; a server that does not answer is an error, never an empty list."""
    document = workspace.document(path)
    if _TSSERVER in _commands(workspace):
        return await _from_tsserver(workspace, document)
    if workspace.client.provides("diagnosticProvider"):
        return await _pulled(workspace, document)
    return await _pushed(workspace, document)


async def _pulled(workspace: Workspace, document: Document) -> list[dict[str, Any]]:
    report = await workspace.ask("textDocument/diagnostic", {"textDocument": document.identifier})
    pushed = workspace.client.published.get(document.uri)
    return [*(report or {}).get("items", []), *(pushed.items if pushed else [])]


async def _pushed(workspace: Workspace, document: Document) -> list[dict[str, Any]]:
    published = workspace.client.published
    if document.requested == workspace.documents.changes and document.uri in published:
        return published[document.uri].items
    if document.requested >= 0:
        published.pop(document.uri, None)
        document = workspace.documents.reopen(document.path)
    document.requested = workspace.documents.changes
    began = time.monotonic()
    await workspace.wait_for(lambda: _pushes(workspace, document), PUSH_SECONDS)
    if workspace.client.provides("diagnosticProvider"):  # announced only after it started
        return await _pulled(workspace, document)
    if document.uri not in published:
        name = workspace.client.name
        raise ServerSlow(f"{name} reported nothing about the file within {PUSH_SECONDS:g} s; try again")
    return await _wait_until_stable(workspace, document, time.monotonic() - began)


def _pushes(workspace: Workspace, document: Document) -> bool | None:
    if workspace.client.provides("diagnosticProvider"):
        return True
    publication = workspace.client.published.get(document.uri)
    current = publication is not None and (publication.version is None or publication.version >= document.version)
    return current or None


async def _wait_until_stable(workspace: Workspace, document: Document, took: float) -> list[dict[str, Any]]:
    """Return pushed diagnostics once they are unchanged for as long as the first took: servers push in parts. One that
    is indexing pushes the result only afterwards."""
    quiet = min(_QUIET_MOST, max(_QUIET_LEAST, took))
    while True:
        seen = workspace.client.published[document.uri]
        busy = bool(workspace.client.working)
        await asyncio.sleep(max(quiet, _QUIET_INDEXED) if busy else quiet)
        busy = busy or bool(workspace.client.working)
        await workspace.wait_idle()
        workspace.client.check()
        early = not seen.items and (workspace.young or busy)
        if seen is workspace.client.published[document.uri] and not early:
            return seen.items


def _commands(workspace: Workspace) -> list[str]:
    provider = workspace.client.capabilities.get("executeCommandProvider") or {}
    return list(provider.get("commands") or [])


async def _from_tsserver(workspace: Workspace, document: Document) -> list[dict[str, Any]]:
    diagnostics: list[dict[str, Any]] = []
    for kind in _TSSERVER_KINDS:
        arguments = [kind, {"file": document.path}]
        answer = await workspace.ask("workspace/executeCommand", {"command": _TSSERVER, "arguments": arguments})
        diagnostics += [_translated(item) for item in (answer or {}).get("body") or []]
    return diagnostics


def _translated(item: dict[str, Any]) -> dict[str, Any]:
    """tsserver counts lines and characters from 1."""
    ends = {end: {"line": item[end]["line"] - 1, "character": item[end]["offset"] - 1} for end in ("start", "end")}
    severity = _TSSERVER_SEVERITY.get(str(item.get("category")), 3)
    details = {"message": item.get("text", ""), "code": item.get("code"), "source": "typescript"}
    return {"range": ends, "severity": severity, **details}
