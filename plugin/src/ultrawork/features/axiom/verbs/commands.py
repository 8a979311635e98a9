"""`ultrawork axiom`: a requirement from its first words to its archive, and what the checkout remembers."""

import sys

from ....cli.command import Command, Result
from ....cli.environment import VerbEnvironment
from ....cli.flags import SESSION, SWITCH, Args, Flag
from ..values import memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....cli.command import Run

OPERATIONS = (
    "read_context", "update_progress", "save_decision", "update_state", "create_checkpoint", "record_error",
    "archive_task",
)  # fmt: skip


def _find(target: str) -> "Run":
    """A function of this package, loaded when it is called: a search needs little of what a requirement does."""
    module, _, function = target.partition(":")

    def run(args: Args, env: VerbEnvironment) -> Result:
        name = f"{__package__}.{module}"
        __import__(name)
        found: Run = getattr(sys.modules[name], function)
        return found(args, env)

    return run


_YES = Flag("--yes", "make it so", kind=SWITCH)
_KIND = Flag("--kind", "only of this kind", choices=tuple(memory.PREFIXES))
_NOTE = (
    _KIND,
    Flag("--text", "the whole of it, - reads standard input"),
    Flag("--files", "files that it rests on", metavar="A,B"),
    Flag("--command", "a command that shows it when green", metavar="COMMAND"),
    Flag("--category", "what it is about", choices=memory.CATEGORIES),
)
COMMANDS = (
    Command("status", "Show the open requirement, its gates, what is remembered and waits", _find("requirement:show_status"),
            example="ultrawork axiom status"),
    Command("draft", "Begin a requirement", _find("requirement:draft"), rest="TEXT",
            example='ultrawork axiom draft "number the pages of the report"'),
    Command("confirm", "Say yes or no to the PRD; only a person does", _find("requirement:confirm"), flags=(SESSION,), rest="yes|no [WISHES]",
            example="ultrawork axiom confirm yes"),
    Command("answer", "Answer what the requirement asks; only a person does", _find("requirement:answer"), flags=(SESSION,), rest="TEXT",
            example='ultrawork axiom answer "from one"'),
    Command("unblock", "Resolve what is blocked; only a person does", _find("requirement:unblock"), flags=(SESSION,), rest="again|archive",
            example="ultrawork axiom unblock again"),
    Command("paper", "Show the papers of the requirement, or one", _find("requirement:show_paper"), flags=(SESSION,), rest="[NAME]",
            example="ultrawork axiom paper prd.md"),
    Command("analyze", "Show what was red, with receipts and the BLOCKED report", _find("requirement:analyze"), flags=(SESSION,),
            example="ultrawork axiom analyze"),
    Command("reflect", "Show the last reflections, or take one in as proposals", _find("requirement:reflect"),
            flags=(Flag("--from", "read one from standard input", metavar="-"),), example="ultrawork axiom reflect"),
    Command("knowledge", "Find what is known, ranked, with what it rests on", _find("search:show_knowledge"),
            flags=(_KIND, Flag("--limit", "how many (20)", kind="number")), rest="[WORDS]",
            example='ultrawork axiom knowledge "sorting of names"'),
    Command("note", "Note what is known; an agent's note waits for a person", _find("memory:note"), flags=_NOTE, rest="TEXT",
            example='ultrawork axiom note "names sort by collation" --files src/sort.py'),
    Command("evolve", "Show what might become memory; --yes takes what receipts show", _find("memory:evolve"), flags=(_YES,),
            example="ultrawork axiom evolve"),
    Command("accept", "Take proposals into memory; only a person does", _find("memory:accept"), rest="ID…",
            example="ultrawork axiom accept Q-001"),
    Command("refuse", "Refuse proposals; only a person does", _find("memory:refuse"), rest="ID…",
            example="ultrawork axiom refuse Q-002"),
    Command("doubt", "Say that an entry misled you; only a person does", _find("memory:doubt"), rest="ID WHY",
            example='ultrawork axiom doubt k-001 "the cache is gone"'),
    Command("sync", "Show what was changed on the pages by hand, and take it in", _find("memory:sync"),
            flags=(_YES, Flag("--only", "these entries", metavar="ID,ID")), example="ultrawork axiom sync"),
    Command("check", "Look at every anchor again", _find("memory:check_memory"), example="ultrawork axiom check"),
    Command("checkpoint", "Keep the files as they are", _find("requirement:checkpoint"), flags=(SESSION,),
            example="ultrawork axiom checkpoint"),
    Command("rollback", "Show the way back to a checkpoint; a person takes it", _find("requirement:rollback"), flags=(SESSION, _YES),
            rest="[NAME]", example="ultrawork axiom rollback"),
    Command("suspend", "Leave the requirement where it is", _find("requirement:suspend"), flags=(SESSION,), example="ultrawork axiom suspend"),
    Command("context", "One of the seven memory operations; without a name it lists them", _find("requirement:context"), flags=(SESSION, *_NOTE), rest="OPERATION [TEXT]",
            example='ultrawork axiom context save_decision "SQLite is the store"'),
    Command("export", "Write the pages into a zip", _find("memory:export"),
            flags=(Flag("--full", "with the papers of all requirements", kind=SWITCH),), rest="[FILE]",
            example="ultrawork axiom export axiom.zip"),
)  # fmt: skip
