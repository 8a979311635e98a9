"""What is known of the project for good."""

from time import time

from ..arguments import anything, choice, flag, text
from ..tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..call import Call

SECTIONS = ("all", "techStack", "build", "conventions", "structure", "notes", "directives")
WHERE = {"workingDirectory": text("folder in the worktree")}


def read(call: "Call") -> str:
    from ...store.fast import pretty
    from ...store.omc import memory

    document = memory.read(call.room.omc(call["workingDirectory"]))
    if document is None:
        return "nothing is known of this project yet"
    chosen = document if call["section"] == "all" else memory.section(document, call["section"])
    return pretty(chosen).rstrip()


def write(call: "Call") -> str:
    from ...store.omc import memory

    omc = call.room.omc(call["workingDirectory"])
    document = memory.write(omc, call["memory"], merge=call["merge"])
    return f"{'merged' if call['merge'] else 'written'}: {', '.join(document)}"


def add_note(call: "Call") -> str:
    from ...store.omc import memory

    omc = call.room.omc(call["workingDirectory"])
    memory.add_note(omc, call["category"], call["content"], time())
    return "noted"


def add_directive(call: "Call") -> str:
    from ...store.omc import memory

    omc = call.room.omc(call["workingDirectory"])
    memory.add_directive(omc, call["directive"], call["context"], call["priority"], time())
    return "kept"


_ALL = (
    Tool(
        "project_memory_read",
        "What is known of this project: stack, commands, conventions, notes, directives.",
        read,
        {"section": choice("", SECTIONS, "all"), **WHERE},
        reads=True,
    ),
    Tool(
        "project_memory_write",
        "Write the project memory whole, or with merge: true key by key.",
        write,
        {"memory": anything(""), "merge": flag("", default=False), **WHERE},
        required=("memory",),
    ),
    Tool(
        "project_memory_add_note",
        "Add a fact about the project; the last 20 are kept.",
        add_note,
        {
            "category": text("build, test, deploy, env …", most=50),
            "content": text("", most=1_000),
            **WHERE,
        },
        required=("category", "content"),
    ),
    Tool(
        "project_memory_add_directive",
        "Keep something that the person wants always or never done.",
        add_directive,
        {
            "directive": text("", most=500),
            "context": text("", most=1_000, default=""),
            "priority": choice("", ("high", "normal"), "normal"),
            **WHERE,
        },
        required=("directive",),
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}
