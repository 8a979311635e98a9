"""
Decide whether the agent may stop, from facts, in a fixed order.

There are three rule tables, and the first matching rule decides: `at_once` needs only the event, `before_checks` also
the files, `after_checks` also the verdict.
"""

from .. import verdict_values
from ..value import Value, fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import TypeVar

    _F = TypeVar("_F")

    Rule = Callable[["StopFacts"], "StopDecision | None"]

SILENT = "silent"  # the stop passes, nothing is printed, the session stays on
QUIET_END = "quiet-end"  # it ends without a verdict, because the request cannot be checked
LATER = "later"  # the stop passes, the gates run in the background
PASS = "pass"  # noqa: S105 (a verdict)
REFUSE = "refuse"
NUDGE = "nudge"  # a weak refusal, shown as feedback rather than as an error
LET_GO = "let-go"
REFUSALS = (REFUSE, NUDGE)
ENDS = (PASS, LET_GO, QUIET_END)
TRY_AGAIN = "ulw <task>"
CONTRADICTED = "contradicted"
NOTHING_DONE = "nothing-done"
BLOCKED = "blocked"
RELATED = "related"
_ASKS_FOR_A_CHECK = "ultraqa"


class StopDecision(Value):
    """`because` and `clears` are what `ultrawork why` prints. `last`: no further refusal can follow."""

    action: str
    rule: str
    because: str
    clears: str = ""
    last: bool = False


class OpenWork(Value):
    """What a mode still has to do although no check fails; `strong` if a check showed it."""

    what: str
    step: str
    details: list[str] = fresh(list)
    strong: bool = False


class StopFacts(Value):
    """
    What is known at a stop. `shown`: weak findings that were already sent back. `refusals`: all since the last
    `ulw`; `row`: those on exactly these files. `others`: files that someone else changed. `claims`: the agent
    says that the work is done or that checks pass; `claims_checks`: only the latter; `claims_only_tests`: that
    tests pass, not other checks. `doubtful_goal`: the goal may be met without a change. `disputed`: the test that a BLOCKED line calls wrong. `confined`: a sandbox
    prevents all edits, and what would allow them. `running`: commands and scheduled jobs beside the session,
    which postpone nothing. `failing_related`: tests that reach the change and fail, with their output;
    `broke_related`: the whole check passed on the baseline. `step`: what would change the verdict. A looping mode (`loop`) brings its own counts, what
    it has `open`, why it is `over`, whether one more failure would end it (`final`), and how the user can
    continue it (`again`).
    """

    attended: bool = True
    trouble: str = ""
    plan_mode: bool = False
    agents: int = 0
    running: "Sequence[str]" = ()
    aborted: str = ""
    other_loop: str = ""
    later_turn: bool = False
    changed_this_turn: bool = True
    changed: bool = True
    asks: bool = False
    claims: bool = False
    claims_checks: bool = False
    claims_only_tests: bool = False
    read_only_goal: bool = False
    doubtful_goal: bool = False
    blocked: str = ""
    disputed: str = ""
    confined: str = ""
    checked: bool = False
    admits: bool = False
    others: "Sequence[str]" = ()
    refusals: int = 0
    row: int = 0
    limit: int = 8
    repeats: int = 2
    shown: "Collection[str]" = ()
    verdict: str = ""
    weak: "Sequence[str]" = ()
    failing: "Sequence[str]" = ()
    because: str = ""
    step: str = ""
    failing_related: "Sequence[str]" = ()
    related_output: "Sequence[str]" = ()
    broke_related: bool = False
    loop: str = ""
    open: OpenWork | None = None
    over: str = ""
    final: bool = False
    again: str = TRY_AGAIN

    @property
    def may_refuse(self) -> bool:
        """Return whether another refusal fits both limits: in total, and in a row without progress."""
        return self.refusals < self.limit and self.row < self.repeats

    @property
    def is_last(self) -> bool:
        return self.final or self.row + 1 >= self.repeats or self.refusals + 1 >= self.limit

    @property
    def spent(self) -> str:
        """Describe how often it was sent back; for a loop, its rounds, including the one that just ended."""
        from ..wording import count_times

        if self.loop:
            return f"all {self.refusals + 1} rounds of {self.loop} are used up"
        return f"sent back {count_times(self.refusals)}"

    @property
    def new_findings(self) -> list[str]:
        return [finding for finding in self.weak if finding not in self.shown]


def decide_at_once(facts: StopFacts) -> StopDecision | None:
    return apply_rules(_AT_ONCE, facts)


def decide_before_checks(facts: StopFacts) -> StopDecision | None:
    """Return a decision that needs no run, or None if the checks must run."""
    return apply_rules(_BEFORE, facts)


def decide_after_checks(facts: StopFacts) -> StopDecision:
    """Decide by the verdict. `facts.because` is the sentence of the most important finding."""
    decision = apply_rules(_AFTER, facts)
    assert decision is not None
    return decision


def decide_out_of_time() -> StopDecision:
    """Decide when the checks did not finish in time."""
    because = "the checks did not finish in the time that a stop may take"
    return StopDecision(SILENT, "out-of-time", because, "ulw verify")


def decide_later(gate: str, why: str) -> StopDecision:
    """Decide when a check takes longer than any stop can wait."""
    return StopDecision(LATER, "slow", f"{gate} {why}", "wait for it, or ulw off")


def decide_related(facts: StopFacts) -> StopDecision | None:
    """
    Decide when tests that reach the change fail and the whole check has not run yet. Send back if the agent says
    that they pass, or if they passed on the baseline. Otherwise it is unknown whether they failed before.
    """
    if not facts.failing_related or not facts.may_refuse:
        return None
    if not facts.claims_checks and not facts.broke_related:
        return None
    first, more = facts.failing_related[0], len(facts.failing_related) - 1
    because = f"{first} fails" + (f", and {more} more" if more else "")
    return StopDecision(REFUSE, RELATED, because, "make it pass", last=facts.is_last)


def decide_release(rule: str, how: str) -> StopDecision:
    """Decide a stop that no check decides: the user turned ultrawork off, or the record is unusable."""
    return StopDecision(LET_GO, rule, how, TRY_AGAIN)


def apply_rules(rules: "Sequence[Callable[[_F], StopDecision | None]]", facts: "_F") -> StopDecision | None:
    """Return the decision of the first matching rule, for any kind of `facts` that the rules accept."""
    for rule in rules:
        decision = rule(facts)
        if decision is not None:
            return decision
    return None


def _state_gone(facts: StopFacts) -> StopDecision | None:
    if facts.trouble:
        return StopDecision(LET_GO, "state-gone", facts.trouble, TRY_AGAIN)
    return None


def _plan_mode(facts: StopFacts) -> StopDecision | None:
    if facts.plan_mode:
        return StopDecision(SILENT, "plan-mode", "the client is in plan mode, so ultrawork checks nothing")
    return None


def _agents(facts: StopFacts) -> StopDecision | None:
    if facts.agents:
        return StopDecision(SILENT, "agents-running", f"agents still running: {facts.agents}")
    return None


def _aborted(facts: StopFacts) -> StopDecision | None:
    if facts.aborted:
        return StopDecision(LET_GO, "aborted", facts.aborted, f"start again: {TRY_AGAIN}")
    return None


def _other_loop(facts: StopFacts) -> StopDecision | None:
    if facts.other_loop:
        because = f"{facts.other_loop} decides when this session ends, so ultrawork turned itself off"
        return StopDecision(LET_GO, "other-loop", because, f"end {facts.other_loop}, then {TRY_AGAIN}")
    return None


def _question(facts: StopFacts) -> StopDecision | None:
    # A BLOCKED line ends the session, also where its reason is a question.
    if not facts.asks or facts.blocked:
        return None
    if facts.attended:
        # "All tests pass. Shall I commit?" is a claim first.
        if facts.claims_checks:
            return None
        return StopDecision(SILENT, "question", "the agent asked you a question; ultrawork stays on")
    if "question" in facts.shown or not facts.may_refuse:
        return None
    because = "no one is here to answer. Take the safer choice, note it, and continue"
    return StopDecision(NUDGE, "question", because, "continue without an answer")


def _talk(facts: StopFacts) -> StopDecision | None:
    """Judge a claim in whichever turn it is made."""
    if facts.later_turn and not facts.changed_this_turn and not facts.claims:
        return StopDecision(SILENT, "talk", "this turn changed no file; ultrawork stays on")
    return None


def _blocked(facts: StopFacts) -> StopDecision | None:
    """
    Accept BLOCKED at once if a check ran on these files, or if no file changed and nothing may run. Otherwise the
    check runs first, so that the user sees what fails.
    """
    if not facts.blocked or not (facts.checked or not facts.changed):
        return None
    if facts.disputed:
        because = f"the agent reports that test {facts.disputed} is wrong: {facts.blocked}"
        return StopDecision(LET_GO, BLOCKED, because, f"ulw accept test {facts.disputed}")
    because = f"the agent reports that it is blocked: {facts.blocked}"
    return StopDecision(LET_GO, BLOCKED, because, TRY_AGAIN)


def _read_only(facts: StopFacts) -> StopDecision | None:
    if facts.read_only_goal and not facts.changed:
        return StopDecision(QUIET_END, "read-only", "the goal asks a question, and no file changed")
    return None


def _nothing_done(facts: StopFacts) -> StopDecision | None:
    """Run nothing if no file changed, unless the user asked for a check by name."""
    if facts.changed or facts.loop == _ASKS_FOR_A_CHECK:
        return None
    if facts.doubtful_goal and not facts.claims_checks:
        return StopDecision(QUIET_END, NOTHING_DONE, "no file changed", "ulw verify")
    if facts.confined:
        # Sending it back would not help: the agent cannot do what is asked.
        return StopDecision(LET_GO, NOTHING_DONE, facts.confined, TRY_AGAIN)
    if facts.doubtful_goal or NOTHING_DONE in facts.shown or not facts.may_refuse:
        because = "no file changed, so no check ran"
        return StopDecision(LET_GO, NOTHING_DONE, because, "run the checks: ulw verify")
    because = "no file has changed since the start"
    return StopDecision(REFUSE, NOTHING_DONE, because, "do what was asked", last=True)


def _contradicted(facts: StopFacts) -> StopDecision | None:
    """
    Send back once if the agent says that checks pass and one fails, even one that failed before; then no PASS. A
    mode that wants this check to pass uses its own limits.
    """
    if not facts.failing or not facts.claims_checks or facts.verdict == verdict_values.FAIL:
        return None
    # What else is open sends back by itself.
    if facts.open is not None or (facts.weak and facts.verdict != verdict_values.PASS):
        return None
    because = f"{facts.failing[0]} fails, as it did before"
    if CONTRADICTED in facts.shown or not facts.may_refuse:
        text = f"the agent still claims success, but {because}"
        return StopDecision(LET_GO, CONTRADICTED, text, TRY_AGAIN)
    return StopDecision(NUDGE, CONTRADICTED, because, "make it pass, or report that it still fails")


def _green(facts: StopFacts) -> StopDecision | None:
    if facts.verdict == verdict_values.PASS and not facts.weak and facts.open is None:
        return StopDecision(PASS, "green", facts.because)
    return None


def _over(facts: StopFacts) -> StopDecision | None:
    if facts.over:
        return StopDecision(LET_GO, "same-failure", facts.over, facts.again)
    return None


def _used_up(facts: StopFacts) -> StopDecision | None:
    if facts.verdict != verdict_values.FAIL and facts.open is None:
        return None
    from ..wording import count_times

    # There is room for one sentence: open work matters more than that the agent could stop.
    allowed = "so the agent was allowed to stop" if facts.open is None else f"and {facts.open.what}"
    if facts.refusals >= facts.limit:
        because = f"{facts.spent}, {allowed}"
        return StopDecision(LET_GO, "limit", because, facts.again)
    if facts.row >= facts.repeats:
        because = f"sent back {count_times(facts.row)} without progress, {allowed}"
        return StopDecision(LET_GO, "no-progress", because, facts.again)
    return None


def _admitted(facts: StopFacts) -> StopDecision | None:
    """Send back once if the agent says that a check fails and it does, unless a loop was requested."""
    if facts.verdict == verdict_values.FAIL and facts.admits and facts.refusals and not facts.loop:
        return StopDecision(LET_GO, "admitted", "the agent itself reports that the checks fail", TRY_AGAIN)
    return None


def _others(facts: StopFacts) -> StopDecision | None:
    if facts.verdict == verdict_values.FAIL and facts.others and facts.refusals:
        because = f"the checks fail, and someone else changed {', '.join(facts.others[:2])}"
        return StopDecision(LET_GO, "others", because, TRY_AGAIN)
    return None


def _red(facts: StopFacts) -> StopDecision | None:
    if facts.verdict == verdict_values.FAIL:
        last = facts.is_last or bool(facts.others)
        return StopDecision(REFUSE, "red", facts.because, facts.step or "make it pass", last=last)
    return None


def _weak(facts: StopFacts) -> StopDecision | None:
    """Send back each weak finding once."""
    if facts.new_findings and facts.may_refuse:
        return StopDecision(NUDGE, "weak", facts.because, facts.step or "ultrawork verify", last=True)
    return None


def _open(facts: StopFacts) -> StopDecision | None:
    """Send back while a mode has open work although no check fails, within the mode's own limits."""
    if facts.open is None:
        return None
    action = REFUSE if facts.open.strong else NUDGE
    return StopDecision(action, "open", facts.open.what, facts.open.step, last=facts.is_last)


def _not_proved(facts: StopFacts) -> StopDecision:
    step = facts.step or "see what is open: ulw evidence; accept it: ulw accept <reason>"
    return StopDecision(LET_GO, "not-proved", facts.because, step)


_AT_ONCE: "Sequence[Rule]" = (_state_gone, _plan_mode, _agents)
_BEFORE: "Sequence[Rule]" = (_aborted, _other_loop, _blocked, _question, _talk, _read_only, _nothing_done)
_AFTER: "Sequence[Rule]" = (
    _blocked,
    _contradicted,
    _green,
    _over,
    _used_up,
    _admitted,
    _others,
    _red,
    _weak,
    _open,
    _not_proved,
)
