"""
Decide what a hook may run by itself: nothing the user has not allowed, and nothing longer than a stop can wait.

The other gates run in the background.
"""

from collections.abc import Callable, Container, Iterable, Sequence

from ..time_budget import TOGETHER
from ..times import format_duration
from ..value import Value
from ..wording import count_things

# The modes in which the client allows every command, and the one in which nothing runs yet.
OPEN_MODES = ("bypassPermissions",)
PLAN_MODE = "plan"
# Characters that chain commands. A rule with a wildcard does not cover a chain.
_CHAINS = (";", "&", "|", "`", "$(", ">", "<", "\n")
_WILDCARDS = (":*", " *", "*")
# Characters that the name of a program may follow.
_STARTS = ";&|`$()/<>{}=\n\t\"'"


class ConsentFacts(Value):
    """
    `ruled` are commands that a rule of the client allowed when the session began. `ran` are those that the client ran
    in it; after the user `denied` the gates of this checkout, only the later ones. `sandboxed`: the agent's commands
    are confined, and checks could only run outside. `unasked`: the client runs every command there without asking.
    """

    mode: str
    ruled: Container[str] = ()
    ran: Container[str] = ()
    sandboxed: bool = False
    denied: bool = False
    unasked: bool = False


def may_run_command(
    facts: ConsentFacts, command: str, *, allowed: bool = False, is_asked_for: Callable[[str], bool] | None = None
) -> bool:
    """
    Return whether a hook may run a command: the session's mode allows every command, this one was allowed or has
    run, or the user asked for it by typing `ulw`. In a sandboxed session it never may, because it would run outside
    the sandbox. A denial withdraws everything but what the client ran after it.
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
    """Return whether the client's permission rules allow this command without asking."""
    return not is_refused_by_rules(command, refuse) and any(_matches(rule, command) for rule in allow)


def is_refused_by_rules(command: str, refuse: Iterable[str]) -> bool:
    return any(_may_match(rule, command) for rule in refuse)


def _matches(rule: str, command: str) -> bool:
    """Match `Bash(make test)` and `Bash(make:*)`. A rule with a wildcard never covers a chained command."""
    if rule == "Bash":
        return True
    if not rule.startswith("Bash(") or not rule.endswith(")"):
        return False
    pattern = rule[5:-1]
    ending = next((mark for mark in _WILDCARDS if pattern.endswith(mark)), "")
    if not ending:
        return pattern == command
    prefix = pattern[: -len(ending)]
    rest = command[len(prefix) :]
    ends_a_word = not rest or rest[0] == " " or ending == "*"
    plain = "*" not in prefix and not any(sign in command for sign in _CHAINS)
    return plain and command.startswith(prefix) and ends_a_word


def _may_match(rule: str, command: str) -> bool:
    """Match generously: a rule that asks or denies applies wherever a word in the line begins with its pattern."""
    if not rule.startswith("Bash"):
        return False
    pattern = rule.removeprefix("Bash").strip("()").partition("*")[0].rstrip(": ")
    starts = "".join(" " if sign in _STARTS else sign for sign in command)
    return not pattern or any(f" {pattern}" in f" {text}" for text in (command, starts))


RECENT = 3


class GateTiming(Value):
    """
    The usual time of a check. `cut_off`: its last run was interrupted. `running_for`: it was never timed, and its
    run on the baseline has taken this long so far.
    """

    command: str
    seconds: float | None
    cut_off: bool = False
    running_for: float = 0.0


def find_usual_seconds(runs: Iterable[tuple[float, float]]) -> float | None:
    """Return the longest of the last three runs, which are given as (when, how long)."""
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
    Return `300 tests, about 5 min left`, estimated from earlier runs, or from the current one if there are none.
    `tests` is how many the last run counted, if it named them.
    """
    if gate.seconds is not None and not gate.cut_off:
        counted = f"{count_things(tests, 'test')}, " if tests else ""
        return f"{counted}about {format_duration(runs * gate.seconds)} left"
    least = gate.running_for or gate.seconds or 0.0
    return f"expected to take more than {format_duration(least)}" if least else "duration not known yet"


def explain_slow(gate: GateTiming) -> str:
    """Return why a stop does not wait for a gate, as words that follow its name."""
    if gate.cut_off:
        return "did not finish last time, and a stop cannot wait for it"
    if gate.running_for:
        return f"has run for {format_duration(gate.running_for)} on the baseline and is not done"
    if gate.seconds is None:
        return "did not run: this session has used up its waiting time"
    return f"takes about {format_duration(gate.seconds)}, longer than a stop can wait"
