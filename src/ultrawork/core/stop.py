"""
May the agent stop? One decision over facts, taken in a fixed order.

Some rules need no check (`before_checks`): they are tried in the order of their table, the first that
speaks decides. Otherwise the gates are brought up to date and `after_checks` weighs their verdict.
"""

from . import verdict as verdicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SILENT = "silent"  # the stop passes, nothing is said, the session stays on
QUIET_END = "quiet-end"  # it ends without a verdict: nothing was asked that could be checked
PASS = "pass"  # noqa: S105 (a verdict)
REFUSE = "refuse"
NUDGE = "nudge"  # a weak refusal, shown as feedback rather than as an error
LET_GO = "let-go"


class Decision:
    """`because` and `clears` are what `ultrawork why` tells; `counts` is whether it uses up a refusal."""

    __slots__ = ("action", "because", "clears", "counts", "last", "rule")

    def __init__(
        self,
        action: str,
        rule: str,
        because: str,
        clears: str = "",
        *,
        counts: bool = True,
        last: bool = False,
    ) -> None:
        self.action = action
        self.rule = rule
        self.because = because
        self.clears = clears
        self.counts = counts
        self.last = last


class Facts:
    """What is known at a stop, before any check runs."""

    __slots__ = (
        "aborted",
        "agents",
        "asks",
        "attended",
        "background",
        "blocked",
        "changed",
        "changed_this_turn",
        "deferred_for_tree",
        "later_turn",
        "limit",
        "marker_trouble",
        "other_loop",
        "plan_mode",
        "quick",
        "read_only_goal",
        "refusals",
        "repeats",
        "row",
        "told",
    )

    def __init__(
        self,
        *,
        attended: bool = True,
        plan_mode: bool = False,
        marker_trouble: str = "",
        agents: int = 0,
        background: int = 0,
        deferred_for_tree: bool = False,
        other_loop: str = "",
        aborted: str = "",
        asks: bool = False,
        later_turn: bool = False,
        changed_this_turn: bool = True,
        changed: bool = True,
        read_only_goal: bool = False,
        blocked: str = "",
        quick: bool = False,
        refusals: int = 0,
        row: int = 0,
        limit: int = 8,
        repeats: int = 2,
        told: "Sequence[str]" = (),
    ) -> None:
        self.attended = attended
        self.plan_mode = plan_mode
        self.marker_trouble = marker_trouble
        self.agents = agents
        self.background = background
        self.deferred_for_tree = deferred_for_tree
        self.other_loop = other_loop
        self.aborted = aborted
        self.asks = asks
        self.later_turn = later_turn
        self.changed_this_turn = changed_this_turn
        self.changed = changed
        self.read_only_goal = read_only_goal
        self.blocked = blocked
        self.quick = quick
        self.refusals = refusals
        self.row = row
        self.limit = limit
        self.repeats = repeats
        self.told = frozenset(told)


def before_checks(facts: Facts) -> Decision | None:
    """What can be decided without running anything; None when the gates have to speak."""
    for rule in _BEFORE:
        decision = rule(facts)
        if decision is not None:
            return decision
    return None


def _plan_mode(facts: Facts) -> Decision | None:
    if facts.plan_mode:
        return Decision(
            SILENT, "plan-mode", "a plan is being made; nothing is refused in plan mode"
        )
    return None


def _markers(facts: Facts) -> Decision | None:
    if facts.marker_trouble:
        return Decision(
            LET_GO, "state-gone", facts.marker_trouble, "begin again with ulw", counts=False
        )
    return None


def _agents(facts: Facts) -> Decision | None:
    if facts.agents:
        return Decision(SILENT, "agents-running", f"{facts.agents} agent(s) are still at work")
    return None


def _background(facts: Facts) -> Decision | None:
    """A shell in the background is waited for once per state of the files, and only if someone is there."""
    if facts.background and facts.attended and not facts.deferred_for_tree:
        return Decision(SILENT, "background", f"{facts.background} background command(s) still run")
    return None


def _other_loop(facts: Facts) -> Decision | None:
    if facts.other_loop:
        return Decision(
            LET_GO,
            "other-loop",
            f"{facts.other_loop} decides when this session ends; ultrawork gives way",
            f"end {facts.other_loop}, then ulw",
            counts=False,
        )
    return None


def _aborted(facts: Facts) -> Decision | None:
    if facts.aborted:
        return Decision(
            LET_GO, "aborted", facts.aborted, "go on in a new session: ulw and what to do"
        )
    return None


def _talk(facts: Facts) -> Decision | None:
    if facts.later_turn and not facts.changed_this_turn:
        return Decision(SILENT, "talk", "this turn changed no file; ultrawork stays on")
    return None


def _question(facts: Facts) -> Decision | None:
    if not facts.asks:
        return None
    if facts.attended:
        return Decision(SILENT, "question", "the agent asks you something; ultrawork stays on")
    if "question" in facts.told:
        return None
    return Decision(
        NUDGE,
        "question",
        "nobody is here to answer: take the safer choice, note it, go on",
        "go on without an answer",
    )


def _read_only(facts: Facts) -> Decision | None:
    if facts.read_only_goal and not facts.changed:
        return Decision(QUIET_END, "read-only", "the goal asks for an answer, and no file changed")
    return None


_BEFORE = (
    _plan_mode,
    _markers,
    _agents,
    _background,
    _other_loop,
    _aborted,
    _talk,
    _question,
    _read_only,
)


def after_checks(facts: Facts, verdict: str, weak: "Sequence[str]", because: str) -> Decision:
    """
    Weighs a verdict. `weak` are the fingerprints of weak findings, of which each refuses once;
    `because` is the sentence of the finding that matters most.
    """
    if verdict == verdicts.PASS:
        return Decision(PASS, "green", because)
    if facts.blocked:
        return Decision(LET_GO, "blocked", f"the agent says it is blocked: {facts.blocked}")
    if verdict == verdicts.FAIL:
        return _strong(facts, because)
    untold = [finding for finding in weak if finding not in facts.told]
    if untold and facts.refusals < facts.limit:
        return Decision(NUDGE, "weak", because, "see the next step it names", last=_last(facts))
    return Decision(LET_GO, "not-proved", because, "add a check: ulw gates", counts=False)


def _strong(facts: Facts, because: str) -> Decision:
    if facts.refusals >= facts.limit:
        return Decision(
            LET_GO, "limit", f"let go after {facts.limit} refusals", "ulw and what to do"
        )
    if facts.row >= facts.repeats:
        return Decision(
            LET_GO,
            "no-progress",
            f"let go after {facts.row} refusals without progress",
            "ulw and what to do",
        )
    return Decision(
        REFUSE, "red", because, "make it green", counts=not facts.quick, last=_last(facts)
    )


def _last(facts: Facts) -> bool:
    """Whether no refusal can follow this one unless something moves."""
    return facts.row + 1 >= facts.repeats or facts.refusals + 1 >= facts.limit
