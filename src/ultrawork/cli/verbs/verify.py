"""`ultrawork verify`: what is proved about these files, and the proof kept."""

import sys

from ...core import exits
from ...core import verdict as verdicts
from ...core.check import duration
from ...core.times import spoken
from ...gates import start
from ..command import Command
from ..edge import AGENT
from ..flags import SESSION, SWITCH, Flag
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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
    limit = args.text("--within")
    outcome = start.verify(
        edge.store,
        edge.environ,
        edge.place,
        session=args.text("--session"),
        base=args.text("--base"),
        by="agent" if edge.store.actor == AGENT else "person",
        seconds=_LONGEST if limit is None else duration(limit, "time for --within"),
        fresh=args.on("--fresh"),
        progress=_progress(edge),
    )
    return Result(outcome.document, _text(outcome), exit=EXITS[outcome.value])


def _progress(edge: "Edge") -> "Callable[[str, float | None], None] | None":
    """One line a gate on the terminal, with the time it usually takes; scripts see none of it."""
    if edge.json or not sys.stderr.isatty():
        return None

    def say(what: str, usual: float | None) -> None:
        expected = f", usually {spoken(usual)}" if usual is not None else ""
        sys.stderr.write(f"running {what}{expected}\n")
        sys.stderr.flush()

    return say


def _text(outcome: "Outcome") -> str:
    lines = [outcome.line, *outcome.details()]
    notes = [one for one in outcome.verdict.facts.findings if not one.is_open]
    lines += [f"note     {one.what}" for one in notes]
    if outcome.value != verdicts.PASS:
        lines.append(f"Next: {outcome.next_step()}")
    return "\n".join([*lines, "Show: ultrawork evidence"])


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
