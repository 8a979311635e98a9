"""What happened in a session."""

from typing import Any

from ...core.errors import NotFound
from ..call import ToolCall
from ..tool import Tool, take_choice, take_text, take_whole

FILTERS = ("all", "hooks", "skills", "agents", "keywords", "tools", "modes")
NOTHING = "this session has no trace; tracing needs an active ultrawork or the tracker feature"
COMMON = {"sessionId": take_text("default: this session"), "workingDirectory": take_text("folder in the worktree")}


def _entries(call: ToolCall) -> list[dict[str, Any]]:
    from ...report import timeline
    from ...store import trace

    session = call["sessionId"] or call.session
    if not session:
        raise NotFound("the client did not name a session; pass sessionId")
    entries = trace.read_all(call.environment.home, session)
    return timeline.merge_events(entries, _read_mode_events(call, session)) if entries else []


def _read_mode_events(call: ToolCall, session: str) -> list[dict[str, Any]]:
    """Return started, moved and ended modes from the session's record."""
    from ...store import modes
    from .session import ToolStore

    with ToolStore(call) as store:
        return modes.list_mode_events(store.database, session)


def show_timeline(call: ToolCall) -> str:
    from ...report import timeline as shown

    lines = shown.render_lines(_entries(call), call["filter"], call["last"])
    return "\n".join(lines) or NOTHING


def show_summary(call: ToolCall) -> str:
    from ...report import timeline as shown

    return "\n".join(shown.summarize(_entries(call))) or NOTHING


_ALL = (
    Tool(
        "trace_timeline",
        "Show a session's events, one per line.",
        show_timeline,
        {"filter": take_choice("", FILTERS, "all"), "last": take_whole("entries", 1, 1_000, 200), **COMMON},
        reads=True,
    ),
    Tool(
        "trace_summary",
        "Summarize a session: tools, agents, failures, slow steps, loops, files.",
        show_summary,
        COMMON,
        reads=True,
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
