"""`ultrawork notepad`: the project's notes, as scripts and people read and write them."""

from ...cli.command import Command, Result
from ...cli.environment import NUMBER, Args, Flag, VerbEnvironment
from ...core.check import require_choice
from ...core.errors import UsageError
from . import store as notepad

SECTIONS = ("all", *notepad.TITLES)


def _words(args: Args, env: VerbEnvironment) -> str:
    if not args.rest:
        raise UsageError("give the note in quotes, or - for standard input")
    return env.read(" ".join(args.rest), "note")


def read(args: Args, env: VerbEnvironment) -> Result:
    section = require_choice(args.rest[0] if args.rest else "all", SECTIONS, "section")
    omc = env.omc
    text = notepad.read_all(omc) if section == "all" else notepad.read(omc, section)
    return Result({"section": section, "text": text}, (text or f"{section} is empty").rstrip())


def set_priority(args: Args, env: VerbEnvironment) -> Result:
    warning = notepad.set_priority(env.omc, _words(args, env))
    return Result({"section": "priority"}, "written", warnings=[warning] if warning else [])


def add_working(args: Args, env: VerbEnvironment) -> Result:
    return _added(args, env, "working")


def add_manual(args: Args, env: VerbEnvironment) -> Result:
    return _added(args, env, "manual")


def _added(args: Args, env: VerbEnvironment, section: str) -> Result:
    notepad.add(env.omc, section, _words(args, env), env.store.now())
    return Result({"section": section}, "noted")


def prune(args: Args, env: VerbEnvironment) -> Result:
    days = args.number("--days", low=1, high=365) or notepad.PRUNE_DAYS
    went, stayed = notepad.prune(env.omc, days, env.store.now())
    return Result({"pruned": went, "remaining": stayed}, f"{went} deleted, {stayed} remaining")


COMMANDS = (
    Command("read", "Show all notes, or one section: priority, working, manual", read, rest="[SECTION]", example="ultrawork notepad read priority"),
    Command("priority", "Replace the short note that every session loads", set_priority, rest="TEXT|-", example='ultrawork notepad priority "the port is 8081"'),
    Command("add", "Add a working note; old ones are pruned", add_working, rest="TEXT|-", example='ultrawork notepad add "tried X"'),
    Command("manual", "Add a note that is never pruned", add_manual, rest="TEXT|-", example='ultrawork notepad manual "ask Ada"'),
    Command("prune", "Delete working notes older than a week", prune, flags=(Flag("--days", "older than this many days", kind=NUMBER),), example="ultrawork notepad prune --days 30"),
)  # fmt: skip
