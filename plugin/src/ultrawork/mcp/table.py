"""Every family of tools: the group a user can turn off, its module, its names."""

from collections.abc import Mapping

from ..core.check import find_nearest, quote
from ..core.errors import NotFound
from ..core.registry import FEATURES, load_part
from ..core.toolbox import FINDER, SHORT
from .tool import Tool

GROUPS = {
    "lsp": (
        "lsp_hover", "lsp_goto_definition", "lsp_find_references", "lsp_document_symbols",
        "lsp_workspace_symbols", "lsp_diagnostics", "lsp_diagnostics_directory", "lsp_servers",
        "lsp_prepare_rename", "lsp_rename", "lsp_code_actions", "lsp_code_action_resolve",
    ),
    "ast": ("ast_grep_search", "ast_grep_replace"),
    "python": ("python_repl",),
    "state": ("state_read", "state_write", "state_clear", "state_list_active", "state_get_status"),
    "memory": (
        "project_memory_read", "project_memory_write", "project_memory_add_note",
        "project_memory_add_directive",
    ),
    "trace": ("trace_timeline", "trace_summary"),
    "skills": ("load_omc_skills_local", "load_omc_skills_global", "list_omc_skills"),
    "session": ("ultrawork_status", "ultrawork_verify", "ultrawork_why", "ultrawork_next"),
}  # fmt: skip
# The toolbox has no name; each other server asks the program it is named after.
SERVERS: dict[str, dict[str, tuple[str, ...]]] = {"": GROUPS}
_OWNERS: dict[str, str] = {}
for _feature, _row in FEATURES.items():
    for _server, _groups in _row.tools.items():
        SERVERS.setdefault(_server, {}).update(_groups)
        _OWNERS |= dict.fromkeys(_groups, _feature)
OTHER_NAMES = {"python-repl": "python", "project-memory": "memory"}
# The second is document 004's name for it; if both are set, both count.
VARIABLE, OTHER_VARIABLE = "ULTRAWORK_DISABLE_TOOLS", "OMC_DISABLE_TOOLS"


def parse_disabled(words: str) -> set[str]:
    """The groups that are switched off; a word that names none is passed over."""
    typed = (word.strip().lower() for word in words.split(","))
    named = (OTHER_NAMES.get(word, word) for word in typed)
    return {group for group in named if group in GROUPS}


def read_table(environ: Mapping[str, str], server: str = "") -> "ToolTable":
    """Return the tools of a server, without those that the user turned off."""
    off = [environ.get(name, "") for name in (VARIABLE, OTHER_VARIABLE)]
    return ToolTable(parse_disabled(",".join(off)), server)


class ToolTable:
    """The enabled tools; a family is imported when one of its tools is first needed."""

    def __init__(self, off: set[str], server: str = "") -> None:
        groups = SERVERS[server].items()
        self._group_of = {name: group for group, names in groups for name in names}
        self._names = [name for name, group in self._group_of.items() if group not in off]
        if not server:
            self._group_of[FINDER] = "finder"

    def list_tools(self, *, in_full: bool = True) -> list[Tool]:
        """Return all tools, or of the toolbox the most wanted ones and the finder."""
        short = not in_full and FINDER in self._group_of
        names = [name for name in SHORT if self._has(name)] if short else self._names
        return [self._load(name) for name in names]

    def _has(self, name: str) -> bool:
        return name in self._names or (name == FINDER and name in self._group_of)

    def find(self, name: str) -> Tool:
        if self._has(name):
            return self._load(name)
        if name in self._group_of:
            raise NotFound(f"{name} is disabled by {VARIABLE}")
        close = find_nearest(name, self._names)
        raise NotFound(f"no tool {quote(name)}" + (f"; did you mean {close}?" if close else ""))

    def _load(self, name: str) -> Tool:
        group = self._group_of[name]
        tools: dict[str, Tool]
        if group in _OWNERS:
            tools = load_part(_OWNERS[group], "tools").TOOLS
        else:
            tools = __import__(f"ultrawork.mcp.tools.{group}", fromlist=["TOOLS"]).TOOLS
        return tools[name]
