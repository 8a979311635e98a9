"""`ultrawork evidence`: receipts and the last verdict; its exit status is the verdict's."""

from ...core import exits
from ...core import verdict as verdicts
from ...core.check import whole
from ...core.errors import UsageError
from ...core.times import spoken
from ...report import evidence as screens
from ...report import sessions as report
from ...store import receipts
from ..command import Command
from ..flags import SESSION, SWITCH, Flag
from ..result import Result
from ..table import table
from .verify import EXITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args

_MARKDOWN = Flag("--markdown", "as text for a pull request", kind=SWITCH)


def show(args: "Args", edge: "Edge") -> Result:
    session = edge.session(args)
    if args.rest:
        number = whole(args.rest[0].lstrip("#"), "receipt number", 1)
        receipt = receipts.get(edge.store.database, session.id, number)
        return Result(receipt, screens.one(receipt))
    verdict = report.verdict(edge.store.database, session.id)
    text = report.proof(edge.store.database, session.id, markdown=args.on("--markdown"))
    return Result(verdict, text, exit=EXITS[verdicts.read(verdict)])


def list_(args: "Args", edge: "Edge") -> Result:
    session = edge.session(args)
    found = receipts.listed(edge.store.database, session.id)
    rows = [
        (
            f"#{one['id']}",
            one["gate"]["name"],
            one["result"],
            one["run"]["on"],
            spoken(one["run"]["seconds"]),
            one["run"]["by"],
            one["gate"]["command"],
        )
        for one in found
    ]
    text = table(("NO", "GATE", "RESULT", "ON", "TIME", "BY", "COMMAND"), rows)
    return Result(
        {"receipts": found}, text if rows else "no receipt yet; ultrawork verify makes them"
    )


def check(args: "Args", edge: "Edge") -> Result:
    """Compares a proof with the files at hand; with `--rerun` the commands run again."""
    from ...gates import proof

    if len(args.rest) != 1:
        raise UsageError("name one file, or - for standard input: ultrawork evidence check FILE")
    text = edge.read("-", "proof") if args.rest[0] == "-" else proof.read(args.rest[0])
    answer = proof.check(edge.store, edge.environ, edge.place, text, rerun=args.on("--rerun"))
    status = exits.DONE if answer.same else exits.FAIL
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
