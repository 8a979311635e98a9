"""`ultrawork axiom`: a requirement from its first words to its archive, and what the checkout remembers."""

import sys

from ....cli.command import Command, Result
from ....cli.environment import SESSION, Args, Flag, VerbEnvironment, switch
from ..values import memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....cli.command import Run

OPERATIONS = (
    "read_context", "update_progress", "save_decision", "update_state", "create_checkpoint", "record_error",
    "archive_task",
)  # fmt: skip


def _find(target: str) -> "Run":
    """Return a function of this package, loaded when it is called: a search needs little of what a requirement does."""
    module, _, function = target.partition(":")

    def run(args: Args, env: VerbEnvironment) -> Result:
        name = f"{__package__}.{module}"
        __import__(name)
        verb: Run = getattr(sys.modules[name], function)
        return verb(args, env)

    return run


_YES = switch("--yes", "apply it")
_KIND = Flag("--kind", "only this kind", choices=tuple(memory.PREFIXES))
_NOTE = (
    _KIND,
    Flag("--text", "the full text, or - for standard input"),
    Flag("--files", "files that support it", metavar="A,B"),
    Flag("--command", "command that passes if it is true", metavar="COMMAND"),
    Flag("--category", "topic", choices=memory.CATEGORIES),
)
COMMANDS = (
    Command("status", "Show the open requirement, its gates and its memory", _find("requirement:show_status"),
            example="ultrawork axiom status"),
    Command("draft", "Start a requirement", _find("requirement:draft"), rest="TEXT",
            example='ultrawork axiom draft "number the pages of the report"'),
    Command("confirm", "Approve or reject the PRD (user only)", _find("requirement:confirm"), flags=(SESSION,), rest="yes|no [WISHES]",
            example="ultrawork axiom confirm yes"),
    Command("answer", "Answer the requirement's question (user only)", _find("requirement:answer"), flags=(SESSION,), rest="TEXT",
            example='ultrawork axiom answer "from one"'),
    Command("unblock", "Resolve a blocked requirement (user only)", _find("requirement:unblock"), flags=(SESSION,), rest="again|archive",
            example="ultrawork axiom unblock again"),
    Command("paper", "Show the requirement's documents, or one of them", _find("requirement:show_paper"), flags=(SESSION,), rest="[NAME]",
            example="ultrawork axiom paper prd.md"),
    Command("analyze", "Show failed checks with receipts and the BLOCKED report", _find("requirement:analyze"), flags=(SESSION,),
            example="ultrawork axiom analyze"),
    Command("reflect", "Show the last reflections, or import one as proposals", _find("requirement:reflect"),
            flags=(Flag("--from", "read it from standard input", metavar="-"),), example="ultrawork axiom reflect"),
    Command("knowledge", "Search the memory; shows what supports each entry", _find("search:show_knowledge"),
            flags=(_KIND, Flag("--limit", "how many (20)", kind="number")), rest="[WORDS]",
            example='ultrawork axiom knowledge "sorting of names"'),
    Command("note", "Add a note; an agent's note needs your approval", _find("memory:note"), flags=_NOTE, rest="TEXT",
            example='ultrawork axiom note "names sort by collation" --files src/sort.py'),
    Command("evolve", "Show proposals; --yes accepts those that receipts support", _find("memory:evolve"), flags=(_YES,),
            example="ultrawork axiom evolve"),
    Command("accept", "Accept proposals into the memory (user only)", _find("memory:accept"), rest="ID…",
            example="ultrawork axiom accept Q-001"),
    Command("refuse", "Reject proposals (user only)", _find("memory:refuse"), rest="ID…",
            example="ultrawork axiom refuse Q-002"),
    Command("doubt", "Report that an entry misled you (user only)", _find("memory:doubt"), rest="ID WHY",
            example='ultrawork axiom doubt k-001 "the cache is gone"'),
    Command("sync", "Show manual edits of the pages and import them", _find("memory:sync"),
            flags=(_YES, Flag("--only", "only these entries", metavar="ID,ID")), example="ultrawork axiom sync"),
    Command("check", "Check again what every entry is based on", _find("memory:check_memory"), example="ultrawork axiom check"),
    Command("checkpoint", "Save the current files as a checkpoint", _find("requirement:checkpoint"), flags=(SESSION,),
            example="ultrawork axiom checkpoint"),
    Command("rollback", "Show how to return to a checkpoint; --yes does it", _find("requirement:rollback"), flags=(SESSION, _YES),
            rest="[NAME]", example="ultrawork axiom rollback"),
    Command("suspend", "Suspend the requirement", _find("requirement:suspend"), flags=(SESSION,), example="ultrawork axiom suspend"),
    Command("context", "Run one of the seven memory operations; without a name, list them", _find("requirement:context"), flags=(SESSION, *_NOTE), rest="OPERATION [TEXT]",
            example='ultrawork axiom context save_decision "SQLite is the store"'),
    Command("export", "Export the pages as a zip file", _find("memory:export"),
            flags=(switch("--full", "include the documents of all requirements"),), rest="[FILE]",
            example="ultrawork axiom export axiom.zip"),
)  # fmt: skip
