"""Texts of the looping modes, for their start and for a resumed session."""

from collections.abc import Sequence

from ..verdict.gate import Gate
from ..wording import WIDTH, cut, join_lines
from . import prd
from .progress_log import ProgressLog

NO_GATE = "ultrawork: ralph mode is on, but I found no checks, so nothing can be verified. Add one: ulw gates draft"
_OFF = ". Turn off: ulw off"
_KEPT = 3


def announce_ralph(gates: Sequence[Gate], requirements: prd.Prd | None, most: int) -> str:
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


def brief_ralph(requirements: prd.Prd | None, log: ProgressLog | None, most: int) -> str:
    """Return what ralph adds to the block of `ulw`."""
    lines = [f"ralph is on: you are sent back until the work is verified, at most {most} rounds."]
    if requirements is not None:
        lines += _stories(requirements)
    lines += [f"Learned before: {cut(join_lines(pattern), 90)}" for pattern in (log.patterns if log else [])[-_KEPT:]]
    return "\n".join(
        [*lines, "Lines `PATTERN: …` or `LEARNED: …` in your last message are saved to .omc/progress.txt."]
    )


def _stories(requirements: prd.Prd) -> list[str]:
    lines = [f"Stories ({requirements.path}): {requirements.counted} pass."]
    if requirements.next is not None:
        lines += ["Next:", *prd.outline_story(requirements.next)]
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
