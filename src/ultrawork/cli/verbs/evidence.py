"""`ultrawork evidence`: receipts and the last verdict; its exit status is the verdict's."""

from ...core import errors
from ...core.check import parse_number
from ...core.errors import UsageError
from ...core.times import format_duration
from ...report import evidence as report
from ...store import receipts
from ..command import Command, Result, render_table
from ..environment import VerbEnvironment
from ..flags import SESSION, SWITCH, Args, Flag

_MARKDOWN = Flag("--markdown", "as text for a pull request", kind=SWITCH)


def show(args: Args, env: VerbEnvironment) -> Result:
    session = env.shown_session(args, checkouts=True)
    if args.rest:
        number = parse_number(args.rest[0].lstrip("#"), "receipt number", 1)
        receipt = receipts.get(env.store.database, session.id, number)
        return Result(receipt, report.render_receipt(receipt))
    proof = report.read_proof(env.store, session, markdown=args.on("--markdown"))
    return Result(proof.document, proof.text, exit=proof.exit)


def list_(args: Args, env: VerbEnvironment) -> Result:
    session = env.shown_session(args, checkouts=True)
    found = receipts.list_all(env.store.database, session.id)
    rows = [
        (
            f"#{one['id']}",
            one["gate"]["name"],
            one["result"],
            one["run"]["on"],
            format_duration(one["run"]["seconds"]),
            one["run"]["by"],
            one["gate"]["command"],
        )
        for one in found
    ]
    text = render_table(("NO", "GATE", "RESULT", "ON", "TIME", "BY", "COMMAND"), rows)
    return Result(
        {"receipts": found}, text if rows else "no receipt yet; ultrawork verify makes them"
    )


def check(args: Args, env: VerbEnvironment) -> Result:
    """Compares a proof with the files at hand; with `--rerun` the commands run again."""
    from ...gates.session import proof

    if len(args.rest) != 1:
        raise UsageError("name one file, or - for standard input: ultrawork evidence check FILE")
    text = env.read("-", "proof") if args.rest[0] == "-" else proof.read(args.rest[0])
    answer = proof.check(env.store, env.environ, env.place, text, rerun=args.on("--rerun"))
    status = errors.EXIT_DONE if answer.same else errors.EXIT_FAIL
    return Result(answer.document(), "\n".join(answer.lines), exit=status)


COMMANDS = (
    Command(
        "",
        "Show the last verdict with everything behind it; the exit status is the verdict's",
        show,
        rest="[show [N]]",
        flags=(SESSION, _MARKDOWN),
        example="ultrawork evidence --markdown",
    ),
    Command(
        "show",
        "Show the last verdict, or one receipt",
        show,
        rest="[N]",
        flags=(SESSION, _MARKDOWN),
        example="ultrawork evidence show 12",
    ),
    Command(
        "list",
        "List every receipt of a session",
        list_,
        flags=(SESSION,),
        example="ultrawork evidence list",
    ),
    Command(
        "check",
        "Compare a proof (JSON or the Markdown of a pull request) with the files at hand",
        check,
        rest="FILE|-",
        flags=(SESSION, Flag("--rerun", "run the same commands again", kind=SWITCH)),
        example="ultrawork evidence check proof.md --rerun",
    ),
)
