"""Modes that loop over the stop decision: what ralph and ultraqa add to its facts, what they store, and their
texts.

A round lies between two stops. The first begins with the mode, each refusal begins another, and the mode's limit
bounds them; only a user restarts it. ultraqa covers some checks, and ends when the same failure occurs three times."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from ..errors import UsageError
from ..stop.rules import OpenWork, StopFacts
from ..value import Value
from ..verdict.gate import ASKED, BUILD, FUNCTIONALITY, LINT, TEST, TYPES, Gate
from ..wording import WIDTH, cut, join_lines
from . import progress_log, tables
from .progress_log import ProgressLog
from .tables import ModeProgress

NO_GATE = "ultrawork: ralph mode is on, but I found no checks, so nothing can be verified. Add one: ulw gates draft"
_OFF = ". Turn off: ulw off"
_LEARNINGS_SHOWN = 3


def announce_ralph(gates: Sequence[Gate], requirements: progress_log.Prd | None, most: int) -> str:
    """Return the user's line."""
    if not gates:
        return NO_GATE
    stories = f"{requirements.total}, " if requirements is not None else ""
    done = f"Must pass: {stories}{_names(gates)}"
    return cut(f"ultrawork: ralph, {most} rounds at most. {done}", WIDTH - len(_OFF)) + _OFF


def announce_ultraqa(gates: Sequence[Gate], most: int) -> str:
    text = f"ultrawork: ultraqa, {most} cycles at most. Must pass: {_names(gates)}"
    return cut(text, WIDTH - len(_OFF)) + _OFF


def _names(gates: Sequence[Gate]) -> str:
    return ", ".join([gates[0].label, *(gate.name for gate in gates[1:])])


def brief_ralph(requirements: progress_log.Prd | None, log: ProgressLog | None, most: int) -> str:
    """Return what ralph adds to the block of `ulw`."""
    lines = [f"ralph is on: you are sent back until the work is verified, at most {most} rounds."]
    if requirements is not None:
        lines += _stories(requirements)
    lines += [
        f"Learned before: {cut(join_lines(pattern), 90)}"
        for pattern in (log.patterns if log else [])[-_LEARNINGS_SHOWN:]
    ]
    return "\n".join(
        [*lines, "Lines `PATTERN: …` or `LEARNED: …` in your last message are saved to .omc/progress.txt."]
    )


def _stories(requirements: progress_log.Prd) -> list[str]:
    lines = [f"Stories ({requirements.path}): {requirements.counted} pass."]
    if requirements.next is not None:
        lines += ["Next:", *progress_log.outline_story(requirements.next)]
    return [
        *lines,
        f"Work on one at a time. When its criteria hold, set its passes to true in {requirements.path}.",
        "That counts only while the checks pass.",
    ]


def brief_ultraqa(gates: Sequence[Gate], most: int) -> str:
    return (
        f"ultraqa is on: run, fix and rerun, at most {most} cycles, until these pass: {_names(gates)}.\n"
        "The same failure three times ends it: find the cause before you repeat an attempt."
    )


CUSTOM = "custom"
GATE_KINDS = {"tests": TEST, "build": BUILD, "lint": LINT, "typecheck": TYPES}
TYPES_OF_GOAL = (*GATE_KINDS, CUSTOM)
SAME_FAILURE = 3
_KEPT = 400


class QaGoal(Value):
    """A goal. `kind` is one of the five; `custom` the command or name that the user gave; `goal` the rest."""

    kind: str
    goal: str = ""
    custom: str = ""


def parse_goal(words: str) -> QaGoal:
    """`--lint fix it`, `--custom "npm run smoke"`; without a flag it is about the tests."""
    flags = re.findall(r"(?<!\S)--([a-z][a-z-]*)", _outside_quotes(words))
    unknown = [flag for flag in flags if flag not in TYPES_OF_GOAL]
    if unknown:
        known = ", ".join(f"--{flag}" for flag in TYPES_OF_GOAL)
        raise UsageError(f"ultraqa has no --{unknown[0]}; it has {known}")
    if len(set(flags)) > 1:
        raise UsageError(f"ultraqa accepts one goal at a time, not --{flags[0]} and --{flags[1]}")
    if flags[:1] == [CUSTOM]:
        return _custom(words)
    return QaGoal(flags[0] if flags else "tests", re.sub(r"(?<!\S)--[a-z]+\s*", "", words).strip())


def _outside_quotes(words: str) -> str:
    """Return the words without quoted parts, because a command has its own flags."""
    text = re.sub(r"\"[^\"]*\"|'[^']*'", "", words)
    before, flag, _ = text.partition(f"--{CUSTOM}")
    return before + flag


def _custom(words: str) -> QaGoal:
    """Return the quoted text after the flag, else everything after it."""
    before, _, rest = words.partition(f"--{CUSTOM}")
    rest = rest.lstrip(" =")
    quote = rest[:1] if rest[:1] in ("'", '"') and rest[:1] in rest[1:] else ""
    given, _, goal = rest[1:].partition(quote) if quote else (rest, "", "")
    if not given.strip():
        raise UsageError('--custom needs a command or the name of a check: --custom "make smoke"')
    return QaGoal(CUSTOM, f"{before.strip()} {goal.strip()}".strip(), given.strip())


def select_gates(wanted: QaGoal, gates: Sequence[Gate]) -> list[Gate]:
    """Return checks of the kind; for a custom goal those with that name or command, else a new one."""
    if wanted.kind != CUSTOM:
        return [gate for gate in gates if gate.kind == GATE_KINDS[wanted.kind]]
    fits = [gate for gate in gates if fnmatchcase(gate.name, wanted.custom)]
    named = fits or [gate for gate in gates if gate.command == wanted.custom]
    return named or [_make_gate(wanted.custom)]


def _make_gate(command: str) -> Gate:
    return Gate(
        name=CUSTOM,
        kind=FUNCTIONALITY,
        argv=["sh", "-c", command],
        command=command,
        source=ASKED,
        reason="given with --custom",
    )


def normalise_failure(failure: str) -> str:
    """The same failure reads the same: without times, places in a line, spaces, upper case."""
    text = failure.lower()
    for pattern, instead in _PATTERNS:
        text = re.sub(pattern, instead, text)
    return " ".join(text.split())[:_KEPT]


_PATTERNS = (
    (r"(?m)^[ \t]*\d+(:\d+|:(?!\d))", ""),
    (r"(?<=[^\d\s]):\d+(:\d+)?\b", ""),
    (r"\d{4}-\d\d-\d\d[t ]?", ""),
    (r"\b\d\d?:\d\d(:\d\d)?([.,]\d+)?z?\b", ""),
    (r":\d+(:\d+)?\b", ""),
    (r"\b\d+([.,]\d+)?\s?(ms|s|sec|secs|seconds|min)\b", ""),
)


def count_repeats(failures: Sequence[str], failure: str) -> int:
    """Return how often this failure occurred in a row, including this time."""
    count = 1
    for earlier_failure in reversed(failures):
        if earlier_failure != failure:
            break
        count += 1
    return count


_FAILURES = 3


class LoopRound(Value):
    """What a loop saw at a stop. `mark` is everything that counts as progress; `failure` is the normalized failure if
    the mode counts them; `left` is still to do; `closed` is what a PASS reports beside the checks."""

    mark: str
    left: OpenWork | None = None
    failure: str = ""
    closed: str = ""


def make_mark(tree: str, verdict: str, stories: Sequence[str] = ()) -> str:
    """Files, verdict, stories that pass: if none of them changed since the last round, nothing progressed."""
    return "|".join([tree, verdict, *sorted(stories)])


def set_counts(facts: StopFacts, progress: ModeProgress) -> None:
    """Use the loop's counts instead of a plain session's, before any check has run."""
    loop = tables.LOOPS[progress.mode]
    facts.loop, facts.again, counter = progress.mode, loop.again, loop.counter
    facts.refusals = max(0, progress.counts.get(counter, 0) - 1)
    facts.limit = max(0, progress.limits.get(counter, 0) - 1)


def apply_round(facts: StopFacts, progress: ModeProgress, seen: LoopRound) -> None:
    """Add what the checks have shown."""
    facts.open = seen.left
    facts.row = _row(progress, seen)
    if seen.failure:
        times = count_repeats(_failures(progress), seen.failure)
        facts.final = times + 1 >= SAME_FAILURE
        if times >= SAME_FAILURE:
            facts.over = f"the same failure occurred {times} times: {facts.because}"


def begin_round(progress: ModeProgress, seen: LoopRound | None, now: float) -> bool:
    """Start another round; False if none was left, which the decision prevents."""
    if seen is not None:
        failures = [*_failures(progress), seen.failure] if seen.failure else []
        facts = {"row": _row(progress, seen) + 1, "mark": seen.mark}
        progress.facts.update({**facts, "failures": failures[-_FAILURES:]})
    return tables.spend(progress, tables.LOOPS[progress.mode].counter, now)


def _row(progress: ModeProgress, seen: LoopRound) -> int:
    """How often it was sent back before while nothing moved."""
    kept = progress.facts
    return int(kept.get("row") or 0) if kept.get("mark") == seen.mark else 0


def _failures(progress: ModeProgress) -> list[str]:
    kept = progress.facts.get("failures")
    return [str(failure) for failure in kept] if isinstance(kept, list) else []
