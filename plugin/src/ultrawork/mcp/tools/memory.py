"""Permanent knowledge about the project."""

from time import time

from ..call import ToolCall
from ..tool import Tool, take_choice, take_flag, take_object, take_text

# As in store.omc.memory, which a list of tools does not load; a test compares them.
SECTIONS = ("all", "techStack", "build", "conventions", "structure", "notes", "directives")
PRIORITIES = ("high", "normal")
WHERE = {"workingDirectory": take_text("folder in the worktree")}


def read(call: ToolCall) -> str:
    from ...store.codec import dumps_pretty
    from ...store.omc import memory

    document = memory.read(call.environment.omc(call["workingDirectory"]))
    if document is None:
        return "nothing is recorded for this project yet"
    chosen = document if call["section"] == "all" else memory.get_section(document, call["section"])
    return dumps_pretty(chosen).rstrip()


def write(call: ToolCall) -> str:
    from ...store.omc import memory

    omc = call.environment.omc(call["workingDirectory"])
    document = memory.write(omc, call["memory"], merge=call["merge"])
    return f"{'merged' if call['merge'] else 'written'}: {', '.join(document)}"


def add_note(call: ToolCall) -> str:
    from ...store.omc import memory

    omc = call.environment.omc(call["workingDirectory"])
    memory.add_note(omc, call["category"], call["content"], time())
    return "noted"


def add_directive(call: ToolCall) -> str:
    from ...store.omc import memory

    omc = call.environment.omc(call["workingDirectory"])
    memory.add_directive(omc, call["directive"], call["context"], call["priority"], time())
    return "kept"


_ALL = (
    Tool(
        "project_memory_read",
        "Read the project memory: stack, commands, conventions, notes, directives.",
        read,
        {"section": take_choice("", SECTIONS, "all"), **WHERE},
        reads=True,
    ),
    Tool(
        "project_memory_write",
        "Replace the project memory, or merge keys with merge: true.",
        write,
        {"memory": take_object(""), "merge": take_flag("", default=False), **WHERE},
        required=("memory",),
    ),
    Tool(
        "project_memory_add_note",
        "Add a fact about the project; the newest 20 are kept.",
        add_note,
        {"category": take_text("build, test, deploy, env …", most=50), "content": take_text("", most=1_000), **WHERE},
        required=("category", "content"),
    ),
    Tool(
        "project_memory_add_directive",
        "Record a rule that the user always wants followed.",
        add_directive,
        {
            "directive": take_text("", most=500),
            "context": take_text("", most=1_000, default=""),
            "priority": take_choice("", PRIORITIES, "normal"),
            **WHERE,
        },
        required=("directive",),
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
