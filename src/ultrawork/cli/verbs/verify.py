"""`ultrawork verify`: what is proved about these files, and the proof kept."""

from ...core import exits
from ...core import verdict as verdicts
from ...gates import standing
from ..command import Command
from ..edge import AGENT
from ..flags import SESSION, SWITCH, Flag
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...gates.outcome import Outcome
    from ..edge import Edge
    from ..flags import Args

EXITS = {
    verdicts.PASS: exits.DONE,
    verdicts.FAIL: exits.FAIL,
    verdicts.UNVERIFIED: exits.UNVERIFIED,
}
_LONGEST = 3600.0


def verify(args: "Args", edge: "Edge") -> Result:
    seconds = _seconds(args)
    fresh = args.on("--fresh") or args.text("--base") is not None
    kept = (
        None
        if fresh
        else standing.look(edge.store, edge.environ, edge.place, args.text("--session"))
    )
    if kept is not None:
        when = str(kept.document["decided"])[11:16]
        text = f"{kept.line}\nNothing changed since {when} UTC; --fresh runs everything again."
        return Result(kept.document, text, exit=EXITS[kept.value])
    outcome = _run(args, edge, seconds)
    text = f"{outcome.told()}\nShow: ultrawork evidence"
    return Result(outcome.document, text, exit=EXITS[outcome.value])


def _seconds(args: "Args") -> float:
    limit = args.text("--within")
    if limit is None:
        return _LONGEST
    from ...core.check import duration

    return duration(limit, "time for --within")


def _run(args: "Args", edge: "Edge", seconds: float) -> "Outcome":
    from ...gates import start
    from ..progress import Progress

    with Progress(quiet=edge.json) as progress:
        return start.verify(
            edge.store,
            edge.environ,
            edge.place,
            session=args.text("--session"),
            base=args.text("--base"),
            by="agent" if edge.store.actor == AGENT else "person",
            seconds=seconds,
            fresh=args.on("--fresh"),
            progress=progress.begin,
            tick=progress.tick,
        )


COMMANDS = (
    Command(
        "",
        "Run the project's checks on the files as they are, judge what changed, keep the receipts",
        verify,
        flags=(
            SESSION,
            Flag("--base", "compare with this commit or branch", metavar="REF"),
            Flag("--within", "stop running checks after this time (1h)", metavar="TIME"),
            Flag("--fresh", "run everything again, use no earlier receipt", kind=SWITCH),
        ),
        example="ultrawork verify --base origin/main",
    ),
)
