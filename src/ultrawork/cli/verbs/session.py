"""`ultrawork session …`: the table of its commands; the work is in the modules beside."""

from ..command import Command
from ..flags import MANY, NUMBER, SESSION, SWITCH, Flag
from . import session_care, session_change, session_read

_ID = Flag("--session", "the session's id; else one is made", metavar="ID", aliases=("-s",))
_SINCE = Flag("--since", "only those touched within this time, e.g. 12h", metavar="TIME")

COMMANDS = (
    Command(
        "new",
        "Begin a session",
        session_change.new,
        rest="[GOAL]",
        flags=(
            _ID,
            Flag("--goal", "what is to be done", aliases=("-g",)),
            Flag("--auto", "no approval between plan and execution", kind=SWITCH, aliases=("-a",)),
            Flag("--max-workers", "workers at a time, 0 = no limit", kind=NUMBER, aliases=("-w",)),
            Flag(
                "--max-iterations", "rounds of execute and verify (5)", kind=NUMBER, aliases=("-i",)
            ),
            Flag("--skip-verify", "end UNVERIFIED instead of verifying", kind=SWITCH),
            Flag("--plan-only", "stop when the plan stands", kind=SWITCH, aliases=("-p",)),
            Flag("--barrier", "let a wave end before the next begins", kind=SWITCH),
            Flag("--force", "begin anew over an active session", kind=SWITCH, aliases=("-f",)),
            Flag("--resume", "take up the session as it is", kind=SWITCH, aliases=("-r",)),
        ),
        example='ultrawork session new --goal "fix the login bug" --auto',
    ),
    Command(
        "ask",
        "Ask the engine of a run: pause, resume, finish, stop, cancel, or a task's priority",
        session_change.ask,
        rest="WISH",
        flags=(
            SESSION,
            Flag("--id", "the task that is meant", metavar="TASK"),
            Flag("--value", "how much a task is preferred", kind=NUMBER),
        ),
        example="ultrawork session ask priority --id 3 --value 5",
    ),
    Command(
        "get",
        "Print a session, one field of it, or its folder",
        session_read.get,
        flags=(
            SESSION,
            Flag(
                "--field",
                "one field, e.g. phase or plan.approved_at",
                metavar="PATH",
                aliases=("-f",),
            ),
            Flag("--dir", "the session's folder", kind=SWITCH, aliases=("-d",)),
            Flag("--file", "the path of its session.json", kind=SWITCH, aliases=("-F",)),
        ),
        example="ultrawork session get --field phase",
    ),
    Command(
        "set",
        "Change a session: its phase, plan, stage, iteration or design",
        session_change.set_,
        flags=(
            SESSION,
            Flag("--phase", "the next phase", metavar="PHASE", aliases=("-p",)),
            Flag(
                "--plan-approved", "record that the plan is approved", kind=SWITCH, aliases=("-P",)
            ),
            Flag("--exploration-stage", "how far exploration is", metavar="STAGE", aliases=("-e",)),
            Flag("--iteration", "the round of execute and verify", kind=NUMBER, aliases=("-i",)),
            Flag("--design", "the design text, - reads it from standard input", metavar="TEXT|-"),
            Flag("--design-doc", "where the project keeps the design", metavar="PATH"),
            Flag("--restart", "let a failed session go on as a new run", kind=SWITCH),
            Flag("--quiet", "print nothing", kind=SWITCH, aliases=("-q",)),
        ),
        example="ultrawork session set --plan-approved --phase EXECUTION",
    ),
    Command(
        "list",
        "List sessions, newest first",
        session_read.list_,
        flags=(_SINCE, Flag("--here", "only those of this checkout", kind=SWITCH)),
        example="ultrawork session list --since 12h",
    ),
    Command(
        "rebuild",
        "Write a session's files again from the database",
        session_care.rebuild,
        flags=(SESSION, Flag("--all", "every session", kind=SWITCH)),
        example="ultrawork session rebuild --all",
    ),
    Command(
        "check",
        "Check the record of a session, or of all: no event changed, none missing",
        session_care.check,
        flags=(SESSION, Flag("--all", "every session, and the database file", kind=SWITCH)),
        example="ultrawork session check --all",
    ),
    Command(
        "import",
        "Take in sessions of the documents' earlier layouts (5.0 to 7.0)",
        session_care.import_,
        rest="[FOLDER...]",
        flags=(Flag("--force", "replace sessions that are known already", kind=SWITCH),),
        example="ultrawork session import ~/.claude/ultrawork",
    ),
    Command(
        "clean",
        "Remove ended sessions and their files",
        session_care.clean,
        flags=(
            Flag("--session", "only this one", kind=MANY, metavar="ID", aliases=("-s",)),
            Flag("--older-than", "ended ones older than this (7d)", metavar="TIME"),
            Flag("--completed", "ended ones of any age", kind=SWITCH),
            Flag("--all", "active ones too", kind=SWITCH),
        ),
        example="ultrawork session clean --older-than 7d",
    ),
)
