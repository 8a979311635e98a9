"""
May the agent stop? One decision over facts, taken in a fixed order.

Three tables of rules, the first rule that speaks decides: `at_once` needs nothing but the event,
`before_checks` also the files, `after_checks` the verdict of the gates as well.
"""

from . import outcomes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Rule = Callable[["Facts"], "Decision | None"]

SILENT = "silent"  # the stop passes, nothing is said, the session stays on
QUIET_END = "quiet-end"  # it ends without a verdict: nothing was asked that could be checked
LATER = "later"  # the stop passes, the gates run in the background
PASS = "pass"  # noqa: S105 (a verdict)
REFUSE = "refuse"
NUDGE = "nudge"  # a weak refusal, shown as feedback rather than as an error
LET_GO = "let-go"
REFUSALS = (REFUSE, NUDGE)
ENDS = (PASS, LET_GO, QUIET_END)
TRY_AGAIN = "ulw and what to do"


class Decision:
    """`because` and `clears` are what `ultrawork why` tells; `last`: no refusal can follow as things are."""

    __slots__ = ("action", "because", "clears", "last", "rule")

    def __init__(
        self, action: str, rule: str, because: str, clears: str = "", *, last: bool = False
    ) -> None:
        self.action = action
        self.rule = rule
        self.because = because
        self.clears = clears
        self.last = last


class Facts:
    """
    What is known at a stop. `told` are the weak findings that were held against it before, `refusals`
    all since the last `ulw`, `row` those on exactly these files; `others`: files somebody else changed.
    """

    __slots__ = (
        "aborted",
        "admits",
        "agents",
        "asks",
        "attended",
        "background",
        "because",
        "blocked",
        "changed",
        "changed_this_turn",
        "checked",
        "deferred_for_tree",
        "later_turn",
        "limit",
        "other_loop",
        "others",
        "plan_mode",
        "read_only_goal",
        "refusals",
        "repeats",
        "row",
        "told",
        "trouble",
        "verdict",
        "weak",
    )

    def __init__(
        self,
        *,
        attended: bool = True,
        trouble: str = "",
        plan_mode: bool = False,
        agents: int = 0,
        background: int = 0,
        deferred_for_tree: bool = False,
        aborted: str = "",
        other_loop: str = "",
        later_turn: bool = False,
        changed_this_turn: bool = True,
        changed: bool = True,
        asks: bool = False,
        read_only_goal: bool = False,
        blocked: str = "",
        checked: bool = False,
        admits: bool = False,
        others: "Sequence[str]" = (),
        refusals: int = 0,
        row: int = 0,
        limit: int = 8,
        repeats: int = 2,
        told: "Sequence[str]" = (),
        verdict: str = "",
        weak: "Sequence[str]" = (),
        because: str = "",
    ) -> None:
        self.attended = attended
        self.trouble = trouble
        self.plan_mode = plan_mode
        self.agents = agents
        self.background = background
        self.deferred_for_tree = deferred_for_tree
        self.aborted = aborted
        self.other_loop = other_loop
        self.later_turn = later_turn
        self.changed_this_turn = changed_this_turn
        self.changed = changed
        self.asks = asks
        self.read_only_goal = read_only_goal
        self.blocked = blocked
        self.checked = checked
        self.admits = admits
        self.others = tuple(others)
        self.refusals = refusals
        self.row = row
        self.limit = limit
        self.repeats = repeats
        self.told = frozenset(told)
        self.verdict = verdict
        self.weak = tuple(weak)
        self.because = because

    @property
    def may_refuse(self) -> bool:
        """Bounded twice: in all, and in a row while nothing moves."""
        return self.refusals < self.limit and self.row < self.repeats

    @property
    def is_last(self) -> bool:
        return self.row + 1 >= self.repeats or self.refusals + 1 >= self.limit

    @property
    def untold(self) -> list[str]:
        return [finding for finding in self.weak if finding not in self.told]


def at_once(facts: Facts) -> Decision | None:
    return _first(_AT_ONCE, facts)


def before_checks(facts: Facts) -> Decision | None:
    """What can be decided without running anything; None when the gates have to speak."""
    return _first(_BEFORE, facts)


def after_checks(facts: Facts) -> Decision:
    """Weighs a verdict; `facts.because` is the sentence of the finding that matters most."""
    decision = _first(_AFTER, facts)
    assert decision is not None
    return decision


def _first(rules: "Sequence[Rule]", facts: Facts) -> Decision | None:
    for rule in rules:
        decision = rule(facts)
        if decision is not None:
            return decision
    return None


def _state_gone(facts: Facts) -> Decision | None:
    if facts.trouble:
        return Decision(LET_GO, "state-gone", facts.trouble, TRY_AGAIN)
    return None


def _plan_mode(facts: Facts) -> Decision | None:
    if facts.plan_mode:
        return Decision(SILENT, "plan-mode", "a plan is being made; nothing is refused meanwhile")
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


def _aborted(facts: Facts) -> Decision | None:
    if facts.aborted:
        return Decision(LET_GO, "aborted", facts.aborted, f"go on in a new session: {TRY_AGAIN}")
    return None


def _other_loop(facts: Facts) -> Decision | None:
    if facts.other_loop:
        because = f"{facts.other_loop} decides when this session ends; ultrawork gives way"
        return Decision(LET_GO, "other-loop", because, f"end {facts.other_loop}, then {TRY_AGAIN}")
    return None


def _question(facts: Facts) -> Decision | None:
    if not facts.asks:
        return None
    if facts.attended:
        return Decision(SILENT, "question", "the agent asks you something; ultrawork stays on")
    if "question" in facts.told or not facts.may_refuse:
        return None
    because = "nobody is here to answer: take the safer choice, note it, go on"
    return Decision(NUDGE, "question", because, "go on without an answer")


def _talk(facts: Facts) -> Decision | None:
    if facts.later_turn and not facts.changed_this_turn:
        return Decision(SILENT, "talk", "this turn changed no file; ultrawork stays on")
    return None


def _blocked(facts: Facts) -> Decision | None:
    """Accepted at once where a check has run on these very files; else the check comes first."""
    if facts.blocked and facts.checked:
        return Decision(
            LET_GO, "blocked", f"the agent says it is blocked: {facts.blocked}", TRY_AGAIN
        )
    return None


def _read_only(facts: Facts) -> Decision | None:
    if facts.read_only_goal and not facts.changed:
        return Decision(QUIET_END, "read-only", "the goal asks for an answer, and no file changed")
    return None


def _green(facts: Facts) -> Decision | None:
    if facts.verdict == outcomes.PASS and not facts.weak:
        return Decision(PASS, "green", facts.because)
    return None


def _used_up(facts: Facts) -> Decision | None:
    if facts.verdict != outcomes.FAIL:
        return None
    if facts.refusals >= facts.limit:
        return Decision(LET_GO, "limit", f"let go after {facts.refusals} refusals", TRY_AGAIN)
    if facts.row >= facts.repeats:
        because = f"let go after {facts.row} refusals without progress"
        return Decision(LET_GO, "no-progress", because, TRY_AGAIN)
    return None


def _admitted(facts: Facts) -> Decision | None:
    """It says red and is red: once is enough."""
    if facts.verdict == outcomes.FAIL and facts.admits and facts.refusals:
        return Decision(LET_GO, "admitted", "the agent says itself that it is red", TRY_AGAIN)
    return None


def _others(facts: Facts) -> Decision | None:
    if facts.verdict == outcomes.FAIL and facts.others and facts.refusals:
        names = ", ".join(facts.others[:2])
        return Decision(LET_GO, "others", f"red, and changed by someone else: {names}", TRY_AGAIN)
    return None


def _red(facts: Facts) -> Decision | None:
    if facts.verdict == outcomes.FAIL:
        last = facts.is_last or bool(facts.others)
        return Decision(REFUSE, "red", facts.because, "make it green", last=last)
    return None


def _weak(facts: Facts) -> Decision | None:
    """Each weak finding is held against it once."""
    if facts.untold and facts.may_refuse:
        return Decision(NUDGE, "weak", facts.because, "the next step that it names", last=True)
    return None


def _not_proved(facts: Facts) -> Decision:
    return Decision(LET_GO, "not-proved", facts.because, "add a check, or run it: ulw gates")


_AT_ONCE: "Sequence[Rule]" = (_state_gone, _plan_mode, _agents)
_BEFORE: "Sequence[Rule]" = (
    _background,
    _aborted,
    _other_loop,
    _question,
    _talk,
    _blocked,
    _read_only,
)
_AFTER: "Sequence[Rule]" = (
    _blocked,
    _green,
    _used_up,
    _admitted,
    _others,
    _red,
    _weak,
    _not_proved,
)
