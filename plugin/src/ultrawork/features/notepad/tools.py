"""The MCP tools of the notepad."""

from time import time

from ...mcp.call import ToolCall
from ...mcp.tool import Tool, take_choice, take_text, take_whole

# As in store.omc.notepad, which a list of tools does not load; a test compares them.
SECTIONS = ("all", "priority", "working", "manual")
WHERE = {"workingDirectory": take_text("folder in the worktree")}


def read(call: ToolCall) -> str:
    from . import store as notepad

    omc, section = call.environment.omc(call["workingDirectory"]), call["section"]
    text = notepad.read_all(omc) if section == "all" else notepad.read(omc, section)
    return text or ("the notepad is empty" if section == "all" else f"{section} is empty")


def write_priority(call: ToolCall) -> str:
    from . import store as notepad

    warning = notepad.set_priority(call.environment.omc(call["workingDirectory"]), call["content"])
    return "written" + (f"; {warning}" if warning else "")


def write_working(call: ToolCall) -> str:
    return _add(call, "working")


def write_manual(call: ToolCall) -> str:
    return _add(call, "manual")


def _add(call: ToolCall, section: str) -> str:
    from . import store as notepad

    notepad.add(call.environment.omc(call["workingDirectory"]), section, call["content"], time())
    return f"added to {section}"


def prune(call: ToolCall) -> str:
    from . import store as notepad

    went, stayed = notepad.prune(call.environment.omc(call["workingDirectory"]), call["daysOld"], time())
    return f"{went} pruned, {stayed} remaining"


def show_stats(call: ToolCall) -> str:
    from ...store.codec import dumps_pretty
    from . import store as notepad

    return dumps_pretty(notepad.collect_stats(call.environment.omc(call["workingDirectory"]))).rstrip()


_ALL = (
    Tool(
        "notepad_read",
        "Read the notepad, whose notes persist across conversations.",
        read,
        {"section": take_choice("", SECTIONS, "all"), **WHERE},
        reads=True,
    ),
    Tool(
        "notepad_write_priority",
        "Replace the priority note, which every session loads; keep it under 500 characters.",
        write_priority,
        {"content": take_text("", most=2_000), **WHERE},
        required=("content",),
    ),
    Tool(
        "notepad_write_working",
        "Add a working note; old ones are pruned.",
        write_working,
        {"content": take_text("", most=4_000), **WHERE},
        required=("content",),
    ),
    Tool(
        "notepad_write_manual",
        "Add a note that is never pruned.",
        write_manual,
        {"content": take_text("", most=4_000), **WHERE},
        required=("content",),
    ),
    Tool(
        "notepad_prune",
        "Delete working notes older than a number of days.",
        prune,
        {"daysOld": take_whole("", 1, 365, 7), **WHERE},
    ),
    Tool(
        "notepad_stats", "Show the notepad's size and the number and age of its notes.", show_stats, WHERE, reads=True
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
