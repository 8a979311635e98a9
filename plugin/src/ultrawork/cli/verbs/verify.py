"""`ultrawork verify`: what is proved about these files, and the proof kept; on a terminal with a line of progress."""

from ...core.check import parse_duration
from ...core.errors import UsageError
from ...core.verdict_values import EXITS, PASS, UNVERIFIED
from ...gates.context import AGENT
from ...gates.session import last_verdict
from ...proof.lost import LostTests
from ..command import CHECK_SECONDS, Command, Result
from ..environment import SESSION, Args, Flag, VerbEnvironment, switch
from ..progress import ProgressLine


def verify(args: Args, env: VerbEnvironment) -> Result:
    seconds = _seconds(args)
    request = _Asked(args, env)
    kept = None if request.afresh else request.find_kept()
    if kept is not None:
        when = str(kept.document["decided"])[11:16]
        text = f"{kept.line}\nNothing changed since {when} UTC; --fresh runs everything again."
        return Result(kept.document, text, exit=EXITS[kept.value])
    return _run(args, env, request, seconds)


class _Asked:
    """What to judge: in an agent's shell what its stop would, else this checkout as it is, where every failure counts.
    `--baseline` excuses what failed there and is unrelated to the change."""

    def __init__(self, args: Args, env: VerbEnvironment) -> None:
        self._env = env
        baseline = args.text("--baseline")
        if baseline is not None and args.text("--base") is not None:
            raise UsageError("--base and --baseline exclude each other; give one")
        self.session = args.text("--session")
        self.against = args.text("--against")
        self.base = args.text("--base") or baseline or self.against
        self.quick = args.on("--quick")
        self.own = self.session is None and (env.store.actor != AGENT or self.base is not None)
        self.strict = self.own and baseline is None
        self.taken: dict[str, str] = {}
        self.afresh = args.on("--fresh") or self.quick or self.base is not None

    def find_kept(self) -> last_verdict.LastVerdict | None:
        env = self._env
        return last_verdict.find_valid(
            env.store, env.environ, env.place, self.session, own=self.own, strict=self.strict, taken=self.taken
        )


def _seconds(args: Args) -> float:
    limit = args.text("--within")
    if limit is None:
        return CHECK_SECONDS
    return parse_duration(limit, "time for --within")


def _run(args: Args, env: VerbEnvironment, request: _Asked, seconds: float) -> Result:
    from ...flow import retention
    from ...gates.session import verification  # nothing of it is needed where nothing changed

    with ProgressLine(quiet=env.json) as progress:
        outcome = verification.run(
            env.store,
            env.environ,
            env.place,
            session=request.session,
            base=request.base,
            own=request.own,
            strict=request.strict,
            quick=request.quick,
            taken=request.taken,
            by=env.store.actor,
            seconds=seconds,
            fresh=args.on("--fresh"),
            announce=progress.announce,
            progress=progress.begin,
            tick=progress.tick,
        )
    description = outcome.describe(for_agent=env.store.actor == AGENT)
    text = f"{description}\nShow: ultrawork evidence"
    retention.sweep_when_due(env.store, env.environ)
    result = Result(outcome.document, text, exit=EXITS[outcome.value])
    if request.against is not None:
        lost = _find_lost(env, request.against)
        result.data = {**outcome.document, "against": lost.document()}
        _add_lost(result, lost, passes=outcome.value == PASS)
    return result


def _find_lost(env: VerbEnvironment, against: str) -> LostTests:
    from ...gates.trees.tree import take_snapshot
    from ...proof.lost import find_lost_tests
    from ...system.git import Git

    git = Git(env.place, env.environ)
    snapshot = take_snapshot(env.place, env.store.home.cache, env.environ)
    return find_lost_tests(git, git.commit(against) or against, against, snapshot)


def _add_lost(result: Result, lost: LostTests, *, passes: bool) -> None:
    """Add what a merge of these files would take from the other branch; if it undoes a whole commit, it is not a
    PASS."""
    from ...proof.lost import advise_undone, describe_lost

    lines = describe_lost(lost) or [f"No test of {lost.baseline} was removed or weakened here."]
    if lost.undone:
        lines = [f"UNVERIFIED. {lines[0][:1].upper()}{lines[0][1:]}", *lines[1:], f"To clear it: {advise_undone(lost)}"]
    if lost.undone and passes:
        result.exit = EXITS[UNVERIFIED]
        result.data["verdict"] = UNVERIFIED  # type: ignore[index]  # a verdict's document
    result.text = "\n".join([*lines, result.text])


COMMANDS = (
    Command(
        "",
        "Runs the checks on the current files, judges what changed, and records receipts",
        verify,
        flags=(
            SESSION,
            Flag("--base", "compare with this commit or branch", metavar="REF"),
            Flag("--baseline", "ignore unrelated failures that this commit already has", metavar="REF"),
            Flag("--against", "also list tests of this branch that are missing here", metavar="REF"),
            switch("--quick", "run each check once and list what that leaves out"),
            Flag("--within", "stop running checks after this time (1h)", metavar="TIME"),
            switch("--fresh", "run everything again instead of reusing receipts"),
        ),
        example="ultrawork verify\nultrawork verify --base origin/main",
    ),
)
