"""
What a hook may run by itself: never further than the person has allowed, and no longer than a stop may wait;
the other gates run elsewhere.
"""

from collections.abc import Callable, Container, Iterable, Sequence

from ..times import format_duration
from ..value import Value
from ..wording import count_things
from .time_budget import TOGETHER

# Modes in which the client lets every command pass, and the one in which nothing is to be done yet.
OPEN_MODES = ("bypassPermissions",)
PLAN_MODE = "plan"
# Signs that make more than one command of a line: a rule with a wildcard does not cover them.
_CHAINS = (";", "&", "|", "`", "$(", ">", "<", "\n")
_WILDCARDS = (":*", " *", "*")
# What a program's name may stand behind.
_STARTS = ";&|`$()/<>{}=\n\t\"'"


class ConsentFacts(Value):
    """
    `ruled` are commands that a rule of the client allowed when the session began, `ran` those that the client let
    run in it; of a checkout whose gates the person `denied`, only those since then. `sandboxed`: the agent's commands
    are confined, and checks could only run outside. `unasked`: the client runs every command there without a question.
    """

    mode: str
    ruled: Container[str] = ()
    ran: Container[str] = ()
    sandboxed: bool = False
    denied: bool = False
    unasked: bool = False


def may_run_command(
    facts: ConsentFacts,
    command: str,
    *,
    allowed: bool = False,
    is_asked_for: Callable[[str], bool] | None = None,
) -> bool:
    """
    Whether a hook may run a command: the session's mode lets every command pass, or this one was allowed or is
    known to pass, or the person asked for it by typing `ulw`. Outside a sandbox it would reach further than inside:
    there it never may. A denial takes back all but what the client let run after it.
    """
    if facts.sandboxed:
        return False
    if allowed or command in facts.ran:
        return True
    if facts.denied:
        return False
    if facts.unasked or facts.mode in OPEN_MODES or command in facts.ruled:
        return True
    return facts.mode != PLAN_MODE and is_asked_for is not None and is_asked_for(command)


def is_allowed_by_rules(command: str, *, allow: Iterable[str], refuse: Iterable[str]) -> bool:
    """Whether the client's own permission rules let this command pass without a question."""
    return not is_refused_by_rules(command, refuse) and any(
        _matches(rule, command) for rule in allow
    )


def is_refused_by_rules(command: str, refuse: Iterable[str]) -> bool:
    return any(_may_match(rule, command) for rule in refuse)


def _matches(rule: str, command: str) -> bool:
    """`Bash(make test)` and `Bash(make:*)`; a rule with a wildcard never covers a chained command."""
    if rule == "Bash":
        return True
    if not rule.startswith("Bash(") or not rule.endswith(")"):
        return False
    pattern = rule[5:-1]
    ending = next((one for one in _WILDCARDS if pattern.endswith(one)), "")
    if not ending:
        return pattern == command
    prefix = pattern[: -len(ending)]
    rest = command[len(prefix) :]
    ends_a_word = not rest or rest[0] == " " or ending == "*"
    plain = "*" not in prefix and not any(sign in command for sign in _CHAINS)
    return plain and command.startswith(prefix) and ends_a_word


def _may_match(rule: str, command: str) -> bool:
    """Generous: in doubt a rule that asks or denies is meant, wherever in the line a word begins with it."""
    if not rule.startswith("Bash"):
        return False
    pattern = rule.removeprefix("Bash").strip("()").partition("*")[0].rstrip(": ")
    starts = "".join(" " if sign in _STARTS else sign for sign in command)
    return not pattern or any(f" {pattern}" in f" {text}" for text in (command, starts))


RECENT = 3


class GateTiming(Value):
    """
    The usual time of a check. `cut_off`: its last run was interrupted. `running_for`: it was never timed, and its
    baseline run has taken this long so far.
    """

    command: str
    seconds: float | None
    cut_off: bool = False
    running_for: float = 0.0


def find_usual_seconds(runs: Iterable[tuple[float, float]]) -> float | None:
    """The longest of the last three runs, given as (when, how long)."""
    return max((seconds for _, seconds in sorted(runs)[-RECENT:]), default=None)


def list_too_slow(gates: Sequence[GateTiming], *, budget: float, waited: float) -> list[str]:
    """
    Return the commands that this stop cannot wait for: over its budget, alone or together. A command that was
    never timed is tried while the budget lasts.
    """
    slow: list[str] = []
    room = min(budget, TOGETHER - waited)
    for gate in gates:
        seconds = gate.seconds or 0.0
        if gate.cut_off or gate.running_for or room <= 0 or seconds > room:
            slow.append(gate.command)
        else:
            room -= seconds
    return slow


def estimate_left(gate: GateTiming, *, runs: int, tests: int = 0) -> str:
    """
    `300 tests, about 5 min left`: by earlier runs, else by what is known of the one that goes on. `tests` is how many
    the last run counted, if it named them.
    """
    if gate.seconds is not None and not gate.cut_off:
        counted = f"{count_things(tests, 'test')}, " if tests else ""
        return f"{counted}about {format_duration(runs * gate.seconds)} left"
    least = gate.running_for or gate.seconds or 0.0
    return f"for more than {format_duration(least)}" if least else "duration not known yet"


def explain_slow(gate: GateTiming) -> str:
    """Why a stop does not wait for a gate, to be put after its name."""
    if gate.cut_off:
        return "did not finish last time, and a stop cannot wait for it"
    if gate.running_for:
        return f"has run for {format_duration(gate.running_for)} on the baseline and is not done"
    if gate.seconds is None:
        return "did not run: this session has used up its waiting time"
    return f"takes about {format_duration(gate.seconds)}, longer than a stop can wait"
