"""The way to every tool for a client that is told only of a few: by words, then by name."""

from ...core.check import quote
from ...core.toolbox import FINDER, rank_tools
from ..table import read_table
from ..tool import Tool, take_object, take_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..call import ToolCall

MOST = 6


def find_tools(call: "ToolCall") -> str:
    """A call that names a tool never comes here: it is a call of that tool."""
    from ...store.codec import dumps

    tools = {tool.name: tool for tool in read_table(call.environment.environ).list_tools()}
    texts = ((tool.name, tool.about) for tool in tools.values())
    fitting = rank_tools(texts, call["words"])[:MOST]
    if not fitting:
        wanted = f"no tool is about {quote(call['words'])}; " if call["words"] else ""
        return f"{wanted}there are: {', '.join(tools)}"
    example = dumps({"name": fitting[0], "arguments": {}})
    shown = [_describe(tools[name]) for name in fitting]
    return "\n".join([*shown, f"Call one through {FINDER}: {example}"])


def _describe(tool: Tool) -> str:
    from ...store.codec import dumps

    needed = f"; needed: {', '.join(tool.required)}" if tool.required else ""
    return f"{tool.name}: {tool.about}\n  arguments: {dumps(dict(tool.properties))}{needed}"


TOOLS = {
    FINDER: Tool(
        FINDER,
        "Finds and calls the tools that are not listed: rename, code actions, hover, symbols, structural"
        " replace, notes, project memory, mode state, traces, skills, the next step of a session.",
        find_tools,
        {
            "words": take_text("what is wanted, or part of a name", most=500, default=""),
            "name": take_text("the tool to call, once found"),
            "arguments": take_object("its arguments"),
        },
    )
}
