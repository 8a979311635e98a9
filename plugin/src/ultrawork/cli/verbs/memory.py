"""`ultrawork memory`: permanent knowledge about a project."""

from ...core.check import require_choice
from ...core.errors import UsageError
from ...store.codec import dumps_pretty
from ...store.omc import memory
from ...store.omc import memory_scan as scans
from ..command import Command, Result
from ..environment import Args, Flag, VerbEnvironment


def read(args: Args, env: VerbEnvironment) -> Result:
    document = memory.read(env.omc) or {}
    if args.rest:
        name = require_choice(args.rest[0], memory.SECTIONS, "section")
        section = memory.get_section(document, name)
        return Result(section, dumps_pretty(section).rstrip())
    return Result(document, memory.summarize(document) or "nothing is recorded for this project yet")


def scan(_args: Args, env: VerbEnvironment) -> Result:
    document = scans.renew(env.omc, env.store.now())
    return Result(document, memory.summarize(document) or "nothing is recorded for this project yet")


def add_note(args: Args, env: VerbEnvironment) -> Result:
    if len(args.rest) < 2:
        raise UsageError("give a category and a text: ultrawork memory note build TEXT")
    category, *words = args.rest
    memory.add_note(env.omc, category, env.read(" ".join(words), "note"), env.store.now())
    return Result({"category": category}, "noted")


def add_directive(args: Args, env: VerbEnvironment) -> Result:
    if not args.rest:
        raise UsageError("give the rule in quotes: ultrawork memory directive TEXT")
    words = env.read(" ".join(args.rest), "directive")
    priority = args.text("--priority") or "normal"
    memory.add_directive(env.omc, words, "", priority, env.store.now())
    return Result({"priority": priority}, "kept")


COMMANDS = (
    Command("read", "Show what is recorded, or one section", read, rest="[SECTION]", example="ultrawork memory read build"),
    Command("scan", "Scan the project again; notes and directives are kept", scan, example="ultrawork memory scan"),
    Command("note", "Add a fact about the project", add_note, rest="CATEGORY TEXT|-", example='ultrawork memory note build "needs java"'),
    Command(
        "directive",
        "Record a rule that always applies",
        add_directive,
        flags=(Flag("--priority", "its priority", choices=memory.PRIORITIES),),
        rest="TEXT|-",
        example='ultrawork memory directive "never touch vendor"',
    ),
)  # fmt: skip
