"""Questions to language servers."""

from ..arguments import choice, flag, text, whole
from ..tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...codeintel.lsp.questions import Place
    from ..arguments import Schema
    from ..call import Call
    from ..tool import Run

FILE = {"file": text("path in the worktree")}
PLACE = {**FILE, "line": whole("from 1", 1), "character": whole("from 0", 0)}
AT = ("file", "line", "character")
SPAN = {
    **FILE,
    "startLine": whole("from 1", 1),
    "startCharacter": whole("from 0", 0),
    "endLine": whole("from 1", 1),
    "endCharacter": whole("from 0", 0),
}
APPLY = {"apply": flag("write the files", default=False)}


def _place(call: "Call", line: str = "line", character: str = "character") -> "Place":
    from ...codeintel.lsp.questions import Place

    return Place(call.room.inside(call["file"]), call[line], call[character])


def _span(call: "Call") -> "tuple[Place, Place]":
    start = _place(call, "startLine", "startCharacter")
    return start, _place(call, "endLine", "endCharacter")


def hover(call: "Call") -> str:
    return call.wait(call.languages.hover(_place(call)))


def definition(call: "Call") -> str:
    return call.wait(call.languages.definition(_place(call)))


def references(call: "Call") -> str:
    place, declaration = _place(call), call["includeDeclaration"]
    return call.wait(call.languages.references(place, declaration=declaration))


def document_symbols(call: "Call") -> str:
    return call.wait(call.languages.document_symbols(call.room.inside(call["file"])))


def workspace_symbols(call: "Call") -> str:
    path = call.room.inside(call["file"])
    return call.wait(call.languages.workspace_symbols(call["query"], path))


def diagnostics(call: "Call") -> str:
    path, severity = call.room.inside(call["file"]), call["severity"]
    lines = call.wait(call.languages.diagnostics(path, severity))
    return "\n".join(lines) or f"no problems{' of this severity' if severity else ''}"


def directory(call: "Call") -> str:
    folder = call.room.inside(call["directory"])
    return call.wait(call.languages.directory(folder, call["strategy"], call.progress))


def servers(call: "Call") -> str:
    return call.languages.known_servers()


def prepare_rename(call: "Call") -> str:
    return call.wait(call.languages.prepare_rename(_place(call)))


def rename(call: "Call") -> str:
    languages, name = call.languages, call["newName"]
    return call.wait(languages.rename(_place(call), name, apply=call["apply"]))


def code_actions(call: "Call") -> str:
    return call.wait(call.languages.code_actions(*_span(call)))


def resolve(call: "Call") -> str:
    number, apply = call["actionIndex"], call["apply"]
    return call.wait(call.languages.resolve_action(*_span(call), number, apply=apply))


def _tool(
    name: str,
    about: str,
    run: "Run",
    properties: "Mapping[str, Schema] | None" = None,
    *,
    required: "tuple[str, ...]" = (),
    writes: bool = False,
) -> Tool:
    return Tool(name, about, run, properties, required=required, reads=not writes, lane="lsp")


_ALL = (
    _tool(
        "lsp_hover", "Type and documentation of the symbol at a place.", hover, PLACE, required=AT
    ),
    _tool(
        "lsp_goto_definition",
        "Where the symbol at a place is defined.",
        definition,
        PLACE,
        required=AT,
    ),
    _tool(
        "lsp_find_references",
        "Every use of the symbol at a place, in the whole project.",
        references,
        {**PLACE, "includeDeclaration": flag("", default=True)},
        required=AT,
    ),
    _tool("lsp_document_symbols", "Outline of a file.", document_symbols, FILE, required=("file",)),
    _tool(
        "lsp_workspace_symbols",
        "Symbols of the project by a part of their name.",
        workspace_symbols,
        {"query": text("part of a name"), "file": text("any file of the project")},
        required=("query", "file"),
    ),
    _tool(
        "lsp_diagnostics",
        "What the language server finds wrong with a file.",
        diagnostics,
        {**FILE, "severity": choice("only these", ("error", "warning", "info", "hint"))},
        required=("file",),
    ),
    _tool(
        "lsp_diagnostics_directory",
        "Problems of every source file in a folder, by the compiler (tsc) or by language servers.",
        directory,
        {
            "directory": text("path in the worktree"),
            "strategy": choice("", ("auto", "tsc", "lsp"), "auto"),
        },
        required=("directory",),
    ),
    _tool("lsp_servers", "Language servers: installed, running, or how to install them.", servers),
    _tool(
        "lsp_prepare_rename",
        "Whether the symbol at a place can be renamed.",
        prepare_rename,
        PLACE,
        required=AT,
    ),
    _tool(
        "lsp_rename",
        "Rename a symbol in every file. Shows the diff; writes only with apply: true.",
        rename,
        {**PLACE, "newName": text("", most=500), **APPLY},
        required=(*AT, "newName"),
        writes=True,
    ),
    _tool(
        "lsp_code_actions",
        "Fixes and refactorings that the server offers for a range, numbered.",
        code_actions,
        SPAN,
        required=tuple(SPAN),
    ),
    _tool(
        "lsp_code_action_resolve",
        "The edit of one listed action. Shows the diff; writes only with apply: true.",
        resolve,
        {**SPAN, "actionIndex": whole("number in the list", 1), **APPLY},
        required=(*SPAN, "actionIndex"),
        writes=True,
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
