"""`ultrawork verify`: what is proved about these files, and the proof kept; on a terminal with a line of progress."""

import sys
from time import monotonic

from ...core.check import parse_duration
from ...core.times import format_duration
from ...core.verdict_values import EXITS
from ...core.wording import cut
from ...gates.session import last_verdict
from ..command import CHECK_SECONDS, Command, Result
from ..environment import VerbEnvironment
from ..flags import SESSION, SWITCH, Args, Flag

_WIDTH = 79
_EVERY = 1.0


class ProgressLine:
    """What runs, for how long, how long it usually takes; gone at the end, and scripts see none of it."""

    __slots__ = ("_began", "_next", "_shown", "_usual", "_what")

    def __init__(self, *, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._what = ""
        self._usual: float | None = None
        self._began = self._next = 0.0

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and self._what:
            _write("\r\x1b[K")

    def begin(self, what: str, usual: float | None) -> None:
        self._what, self._usual, self._began = what, usual, monotonic()
        self._next = 0.0
        self.tick()

    def tick(self) -> None:
        now = monotonic()
        if not self._shown or not self._what or now < self._next:
            return
        self._next = now + _EVERY
        usual = f" of about {format_duration(self._usual)}" if self._usual is not None else ""
        told = f"{self._what}  {format_duration(now - self._began)}{usual}"
        _write(f"\r\x1b[K{cut(told, _WIDTH)}")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def verify(args: Args, env: VerbEnvironment) -> Result:
    seconds = _seconds(args)
    fresh = args.on("--fresh") or args.text("--base") is not None
    kept = (
        None
        if fresh
        else last_verdict.find_valid(env.store, env.environ, env.place, args.text("--session"))
    )
    if kept is not None:
        when = str(kept.document["decided"])[11:16]
        text = f"{kept.line}\nNothing changed since {when} UTC; --fresh runs everything again."
        return Result(kept.document, text, exit=EXITS[kept.value])
    return _run(args, env, seconds)


def _seconds(args: Args) -> float:
    limit = args.text("--within")
    if limit is None:
        return CHECK_SECONDS
    return parse_duration(limit, "time for --within")


def _run(args: Args, env: VerbEnvironment, seconds: float) -> Result:
    from ...gates.session import verification  # nothing of it is needed where nothing changed

    with ProgressLine(quiet=env.json) as progress:
        outcome = verification.run(
            env.store,
            env.environ,
            env.place,
            session=args.text("--session"),
            base=args.text("--base"),
            by=env.store.actor,
            seconds=seconds,
            fresh=args.on("--fresh"),
            progress=progress.begin,
            tick=progress.tick,
        )
    text = f"{outcome.describe()}\nShow: ultrawork evidence"
    return Result(outcome.document, text, exit=EXITS[outcome.value])


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
