"""What the modes that loop say when they begin and when a session is taken up again."""

from collections.abc import Sequence

from ..verdict.gate import Gate
from ..wording import WIDTH, cut, join_lines
from . import prd
from .progress_log import ProgressLog

NO_GATE = "ultrawork: ralph is on, but I found no checks in this project. Add one: ulw gates"
_OFF = ". Off: ulw off"
_KEPT = 3


def announce_ralph(gates: Sequence[Gate], found: prd.Prd | None, most: int) -> str:
    """The person's line."""
    if not gates:
        return NO_GATE
    stories = f"{found.total} and " if found is not None else ""
    done = f"Done means {stories}these pass: {_names(gates)}"
    return cut(f"ultrawork: ralph, {most} rounds at most. {done}", WIDTH - len(_OFF)) + _OFF


def announce_ultraqa(gates: Sequence[Gate], most: int) -> str:
    text = f"ultrawork: ultraqa, {most} cycles at most. Done means these pass: {_names(gates)}"
    return cut(text, WIDTH - len(_OFF)) + _OFF


def _names(gates: Sequence[Gate]) -> str:
    return ", ".join([f"{gates[0].name} ({gates[0].command})", *(one.name for one in gates[1:])])


def brief_ralph(found: prd.Prd | None, log: ProgressLog | None, most: int) -> str:
    """What the model is told beside the block of `ulw`."""
    lines = [f"ralph is on: I send you back until the work is verified, {most} rounds at most."]
    if found is not None:
        lines += _stories(found)
    lines += [
        f"Learned before: {cut(join_lines(one), 90)}"
        for one in (log.patterns if log else [])[-_KEPT:]
    ]
    return "\n".join([
        *lines,
        "Lines `PATTERN: …` or `LEARNED: …` in your last message are kept in .omc/progress.txt.",
    ])  # fmt: skip


def _stories(found: prd.Prd) -> list[str]:
    lines = [f"Stories ({found.path}): {found.counted} pass."]
    if found.next is not None:
        lines += ["Next:", *prd.outline_story(found.next)]
    return [
        *lines,
        f"One at a time. When its criteria hold, set its passes to true in {found.path};",
        "that counts only while the checks pass.",
    ]


def brief_ultraqa(gates: Sequence[Gate], most: int) -> str:
    return (
        f"ultraqa is on: run, fix, run again, {most} cycles at most, until these pass: {_names(gates)}.\n"
        "The same failure three times ends the loop. Find the cause before you retry."
    )
