"""Questions to language servers."""

from ..tool import Tool, take_choice, take_flag, take_text, take_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...codeintel.lsp.questions import FilePosition
    from ..call import ToolCall
    from ..tool import Run, Schema

FILE = {"file": take_text("path in the worktree")}
PLACE = {**FILE, "line": take_whole("from 1", 1), "character": take_whole("from 0", 0)}
AT = ("file", "line", "character")
SPAN = {
    **FILE,
    "startLine": take_whole("from 1", 1),
    "startCharacter": take_whole("from 0", 0),
    "endLine": take_whole("from 1", 1),
    "endCharacter": take_whole("from 0", 0),
}
APPLY = {"apply": take_flag("write the changes", default=False)}


def _place(call: "ToolCall", line: str = "line", character: str = "character") -> "FilePosition":
    from ...codeintel.lsp.questions import FilePosition

    return FilePosition(call.environment.inside(call["file"]), call[line], call[character])


def _span(call: "ToolCall") -> "tuple[FilePosition, FilePosition]":
    start = _place(call, "startLine", "startCharacter")
    return start, _place(call, "endLine", "endCharacter")


def hover(call: "ToolCall") -> str:
    return call.wait(call.languages.hover(_place(call)))


def find_definition(call: "ToolCall") -> str:
    return call.wait(call.languages.definition(_place(call)))


def find_references(call: "ToolCall") -> str:
    place, declaration = _place(call), call["includeDeclaration"]
    return call.wait(call.languages.references(place, declaration=declaration))


def list_document_symbols(call: "ToolCall") -> str:
    return call.wait(call.languages.document_symbols(call.environment.inside(call["file"])))


def find_workspace_symbols(call: "ToolCall") -> str:
    path = call.environment.inside(call["file"])
    return call.wait(call.languages.workspace_symbols(call["query"], path))


def list_problems(call: "ToolCall") -> str:
    path, severity = call.environment.inside(call["file"]), call["severity"]
    lines = call.wait(call.languages.diagnostics(path, severity))
    return "\n".join(lines) or f"no problems{' of this severity' if severity else ''}"


def check_directory(call: "ToolCall") -> str:
    folder = call.environment.inside(call["directory"])
    return call.wait(call.languages.directory(folder, call["strategy"], call.progress))


def list_servers(call: "ToolCall") -> str:
    return call.languages.known_servers()


def prepare_rename(call: "ToolCall") -> str:
    return call.wait(call.languages.prepare_rename(_place(call)))


def rename(call: "ToolCall") -> str:
    languages, name = call.languages, call["newName"]
    return call.wait(languages.rename(_place(call), name, apply=call["apply"]))


def list_actions(call: "ToolCall") -> str:
    return call.wait(call.languages.code_actions(*_span(call)))


def resolve_action(call: "ToolCall") -> str:
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
    return Tool(name, about, run, properties or {}, required=required, reads=not writes, queue="lsp")


_ALL = (
    _tool("lsp_hover", "Show type and documentation of the symbol at a position.", hover, PLACE, required=AT),
    _tool(
        "lsp_goto_definition", "Find the definition of the symbol at a position.", find_definition, PLACE, required=AT
    ),
    _tool(
        "lsp_find_references",
        "Find all references to the symbol at a position, project-wide.",
        find_references,
        {**PLACE, "includeDeclaration": take_flag("", default=True)},
        required=AT,
    ),
    _tool("lsp_document_symbols", "List the symbols of a file.", list_document_symbols, FILE, required=("file",)),
    _tool(
        "lsp_workspace_symbols",
        "Search the project's symbols by part of their name.",
        find_workspace_symbols,
        {"query": take_text("part of a name"), "file": take_text("any file in the project")},
        required=("query", "file"),
    ),
    _tool(
        "lsp_diagnostics",
        "List a file's errors and warnings from the language server.",
        list_problems,
        {**FILE, "severity": take_choice("only this severity", ("error", "warning", "info", "hint"))},
        required=("file",),
    ),
    _tool(
        "lsp_diagnostics_directory",
        "List problems of all source files in a folder, from tsc or language servers.",
        check_directory,
        {"directory": take_text("path in the worktree"), "strategy": take_choice("", ("auto", "tsc", "lsp"), "auto")},
        required=("directory",),
    ),
    _tool("lsp_servers", "List language servers: installed, running, or how to install them.", list_servers),
    _tool(
        "lsp_prepare_rename",
        "Check whether the symbol at a position can be renamed.",
        prepare_rename,
        PLACE,
        required=AT,
    ),
    _tool(
        "lsp_rename",
        "Rename a symbol in every file. Shows the diff; writes only with apply: true.",
        rename,
        {**PLACE, "newName": take_text("", most=500), **APPLY},
        required=(*AT, "newName"),
        writes=True,
    ),
    _tool(
        "lsp_code_actions",
        "List the fixes and refactorings available for a range.",
        list_actions,
        SPAN,
        required=tuple(SPAN),
    ),
    _tool(
        "lsp_code_action_resolve",
        "Apply one listed action. Shows the diff; writes only with apply: true.",
        resolve_action,
        {**SPAN, "actionIndex": take_whole("number in the list", 1), **APPLY},
        required=(*SPAN, "actionIndex"),
        writes=True,
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
