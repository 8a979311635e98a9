"""Search and rewrite by structure."""

from ...codeintel.astgrep import SearchJob
from ..call import ToolCall
from ..tool import Tool, take_choice, take_flag, take_text, take_whole

QUEUE = "ast"
# As in codeintel.astgrep, which is too heavy to load for a list; a test compares them.
LANGUAGES = (
    "bash", "c", "cpp", "csharp", "css", "elixir", "go", "haskell", "html", "java", "javascript",
    "json", "kotlin", "lua", "php", "python", "ruby", "rust", "scala", "swift", "tsx", "typescript",
    "yaml",
)  # fmt: skip
COMMON = {
    "pattern": take_text("code with $A for one node, $$$A for several", most=20_000),
    "language": take_choice("", LANGUAGES),
    "path": take_text("file or folder in the worktree", default="."),
}


def _job(call: ToolCall) -> SearchJob:
    from ...codeintel.astgrep import SearchJob

    environment = call.environment
    return SearchJob(
        environment.top,
        environment.inside(call["path"]),
        extras=environment.extras,
        progress=call.progress,
        should_stop=call.should_stop,
    )


def search(call: ToolCall) -> str:
    from ...codeintel import astgrep

    limits = {"context": call["context"], "most": call["maxResults"]}
    return astgrep.search(_job(call), call["language"], call["pattern"], **limits)


def replace(call: ToolCall) -> str:
    from ...codeintel import astgrep

    texts = call["pattern"], call["replacement"]
    return astgrep.replace(_job(call), call["language"], *texts, dry_run=call["dryRun"])


_ALL = (
    Tool(
        "ast_grep_search",
        "Search code by structure, with patterns such as `console.log($$$A)` or `if $X: return $X`.",
        search,
        {**COMMON, "context": take_whole("lines of context", 0, 10, 2), "maxResults": take_whole("", 1, 100, 20)},
        required=("pattern", "language"),
        reads=True,
        queue=QUEUE,
    ),
    Tool(
        "ast_grep_replace",
        "Rewrite code by structure. Shows the diff; writes only with dryRun: false.",
        replace,
        {
            **COMMON,
            "replacement": take_text("replacement; may use the pattern's $A and $$$A", most=20_000),
            "dryRun": take_flag("", default=True),
        },
        required=("pattern", "language", "replacement"),
        queue=QUEUE,
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
