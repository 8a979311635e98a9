"""The first words between us and a server: what we can do, where the project is, how it is set up."""

import os

from ..leash import venv_of
from .documents import uri_of
from .positions import UTF16, UTF32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MARKUP = ["plaintext", "markdown"]
_SYMBOLS = {"valueSet": list(range(1, 27))}
_ACTION_KINDS = ["", "quickfix", "refactor", "refactor.extract", "refactor.inline"]
_ACTION_KINDS += ["refactor.rewrite", "source", "source.organizeImports", "source.fixAll"]

CAPABILITIES: "dict[str, Any]" = {
    "general": {"positionEncodings": [UTF32, UTF16]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "applyEdit": True,
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "executeCommand": {},
        "symbol": {"symbolKind": _SYMBOLS},
        "workspaceFolders": True,
        "workspaceEdit": {
            "documentChanges": True,
            "resourceOperations": ["create", "rename", "delete"],
        },
    },
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": _ACTION_KINDS}},
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit", "command"]},
        },
        "definition": {"linkSupport": True},
        "diagnostic": {"dynamicRegistration": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True, "symbolKind": _SYMBOLS},
        "hover": {"contentFormat": _MARKUP},
        "publishDiagnostics": {"versionSupport": True, "codeDescriptionSupport": True},
        "references": {},
        "rename": {"prepareSupport": True},
        "synchronization": {"didSave": True},
    },
}


# Without this typescript-language-server answers from a second, typeless server while it loads.
OPTIONS = {"tsserver": {"useSyntaxServer": "never"}}


def parameters(folder: str) -> "dict[str, Any]":
    uri = uri_of(folder)
    return {
        "processId": os.getpid(),
        "clientInfo": {"name": "ultrawork"},
        "rootUri": uri,
        "rootPath": folder,
        "workspaceFolders": [{"uri": uri, "name": os.path.basename(folder)}],
        "capabilities": CAPABILITIES,
        "initializationOptions": OPTIONS,
    }


# Some servers check nothing unless they are told to; their editors send these by default.
CHECKING: "dict[str, Any]" = {
    "css": {"validate": True},
    "html": {"validate": {"scripts": True, "styles": True}},
    "json": {"validate": {"enable": True}},
    "less": {"validate": True},
    "scss": {"validate": True},
    "yaml": {"validate": True},
}


def settings(folder: str, top: str) -> "dict[str, Any]":
    """What servers ask for by `workspace/configuration`; Python ones need the interpreter."""
    venv = venv_of(folder, top)
    python = {"pythonPath": os.path.join(venv, "bin", "python")} if venv else {}
    plugins = {"jedi": {"environment": python.get("pythonPath")}} if venv else {}
    return {**CHECKING, "python": python, "pylsp": {"plugins": plugins}}
