"""Access to every tool for a client that lists only a few: by words, then by name."""

from ...core.check import quote
from ...core.errors import UsageError
from ...core.toolbox import FINDER, OWN_NAME_ONLY, rank_tools
from ..call import ToolCall
from ..table import read_table
from ..tool import Tool, take_object, take_text

MOST = 6


def find_tools(call: ToolCall) -> str:
    """Find tools by words; a call that names a tool gets here only if it must use its own name."""
    from ...store.codec import dumps

    if call["name"]:
        raise UsageError(f"{quote(call['name'])} runs code; call it directly by its own name")
    listed = read_table(call.environment.environ).list_tools()
    tools = {tool.name: tool for tool in listed if tool.name not in OWN_NAME_ONLY}
    texts = ((tool.name, tool.about) for tool in tools.values())
    words = call["words"] or ""
    fitting = rank_tools(texts, words)[:MOST]
    if not fitting:
        wanted = f"no tool matches {quote(words)}" if words else "describe what you need"
        return f"{wanted}; available: {', '.join(tools)}"
    example = dumps({"name": fitting[0], "arguments": {}})
    shown = [_describe(tools[name]) for name in fitting]
    return "\n".join([*shown, f"Call one through {FINDER}: {example}"])


def _describe(tool: Tool) -> str:
    from ...store.codec import dumps

    needed = f"; required: {', '.join(tool.required)}" if tool.required else ""
    return f"{tool.name}: {tool.about}\n  arguments: {dumps(dict(tool.properties))}{needed}"


TOOLS = {
    FINDER: Tool(
        FINDER,
        "Find and call unlisted tools: rename, code actions, hover, symbols, structural replace, notes, project memory, mode state, traces, skills, next step.",
        find_tools,
        {
            "words": take_text("what you need, or part of a name", most=500, default=""),
            "name": take_text("the tool to call, once found"),
            "arguments": take_object("its arguments"),
        },
    )
}
