"""What happened in a session."""

from ...core.errors import NotFound
from ..arguments import choice, text, whole
from ..tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..call import Call

FILTERS = ("all", "hooks", "skills", "agents", "keywords", "tools", "modes")
NOTHING = "nothing was traced in this session; it is while ultrawork is on"
COMMON = {
    "sessionId": text("default: this session"),
    "workingDirectory": text("folder in the worktree"),
}


def _entries(call: "Call") -> "list[dict[str, Any]]":
    from ...store import trace

    session = call["sessionId"] or call.session
    if not session:
        raise NotFound("the client told no session; pass sessionId")
    return trace.everything(call.room.home, session)


def timeline(call: "Call") -> str:
    from ...store.omc import timeline as shown

    lines = shown.lines(_entries(call), call["filter"], call["last"])
    return "\n".join(lines) or NOTHING


def summary(call: "Call") -> str:
    from ...store.omc import timeline as shown

    return "\n".join(shown.summary(_entries(call))) or NOTHING


_ALL = (
    Tool(
        "trace_timeline",
        "What happened in a session, line by line.",
        timeline,
        {"filter": choice("", FILTERS, "all"), "last": whole("entries", 1, 1_000, 200), **COMMON},
        reads=True,
    ),
    Tool(
        "trace_summary",
        "A session in numbers: tools, agents, failures, what is slow, circles, files.",
        summary,
        COMMON,
        reads=True,
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
