"""
Run ralph and ultraqa without a client: one task in rounds until the checks pass and the verifier agrees.

In a client these modes run in one conversation. Here each round is a new worker that gets what was wrong with the
last one. The mode's own limit ends it, and for ultraqa also the same failure three times. ralph's stories are in
files that the workers share.
"""

import re
from collections.abc import Mapping
from typing import Any

from ..core.errors import UsageError
from ..core.modes import loops, modes, record, tables
from ..core.modes.progress_log import Prd
from ..core.plan import task as core_task
from ..core.plan.task import Task
from ..core.session import exploration
from ..core.session.session import Session
from ..core.times import format_iso
from ..store import pins, sessions, tasks
from ..store.database import Change
from ..store.omc import states
from ..store.omc.folder import Omc
from ..store.settings import read_file
from ..store.store import Store
from . import beginning, planning, stories
from . import beginning as plain
from . import modes as kept
from .course import Course

TASK = "work"
_LINES = 8


def begin(
    store: Store, environ: Mapping[str, str], place: str, name: str, *, mode: str, words: plain.GoalCommand
) -> Session:
    """Create the session with its one task, and the mode over it; raise first if something is in the way."""
    kept.refuse_rivals(store, place, name, mode)
    wanted = loops.parse_goal(words.goal) if mode == modes.ULTRAQA else None
    loop = tables.LOOPS[mode]
    rounds = int(words.options.get("max_iterations") or loop.limits[loop.counter])
    prd = stories.read_tracked(store, environ, place) if mode == modes.RALPH else None
    words.options = {**words.options, "max_iterations": rounds}
    if wanted is not None:
        words.goal = wanted.goal or f"Make {wanted.custom or wanted.kind} pass"

    brief = loops.brief_ralph(prd, states.read_log(Omc(place)), rounds) if not wanted else ""

    def fill(change: Change, session: Session) -> None:
        _fill(change, session, wanted, brief)

    session = plain.begin(store, environ, place, name, words, fill=fill)
    facts = {"goal_type": wanted.kind} if wanted else _facts(session, prd)
    beginning.add_mode(store, place, name, mode, facts=facts, limits={loop.counter: rounds})
    return session


def _facts(session: Session, prd: Prd | None) -> dict[str, Any]:
    return {"prompt": session.goal, **stories.make_start_facts(prd)}


def _fill(change: Change, session: Session, wanted: loops.QaGoal | None, brief: str) -> None:
    task = Task(
        id=TASK,
        subject=session.goal[:200],
        description=f"{session.goal}\n\n{brief}".strip(),
        complexity=core_task.COMPLEX,
        criteria=_criteria(change, wanted),
        max_retry=0,
        created_at=change.now,
        updated_at=change.now,
    )
    tasks.create(change, planning.complete_tasks([task], {}, now=change.now))
    session.exploration_stage = exploration.COMPLETE
    session.plan = {**session.plan, "created_at": format_iso(change.now)}
    sessions.save(change, session, "plan.made", {"task": TASK})


def _criteria(change: Change, wanted: loops.QaGoal | None) -> list[str]:
    """Return the criteria: ultraqa's are its checks; elsewhere the checks run anyway, and know what failed before."""
    if wanted is None:
        return ["judged: the goal, in its own words"]
    pin = pins.get(change.database, change.session)
    gates = loops.select_gates(wanted, pin.gates if pin else [])
    if not gates:
        raise UsageError(f"I found no {wanted.kind} check in this project. List the checks: ultrawork gates")
    return [f"{gate.command} => exit 0" for gate in gates]


def count_round(course: Course, why: str) -> str:
    """Count the round. Return why no round remains; empty if one does."""
    session = sessions.get(course.store.database, course.name)
    on = [mode_progress for mode_progress in record.read_active(session).values() if _find_counter(mode_progress.mode)]
    if not on or not session.state.run:
        return ""
    mode = on[0]
    failure = loops.normalise_failure(_failure(course, why))
    failures = [*_texts(mode.facts), failure]
    times = loops.count_repeats(failures[:-1], failure)
    counter = _find_counter(mode.mode)
    if mode.mode == modes.ULTRAQA and times >= loops.SAME_FAILURE:
        return f"the same failure occurred {times} times: {why}"
    if not tables.spend(mode, counter, course.store.now()):
        return f"{why}, and all {mode.limits[counter]} {counter}s are used up"
    mode.facts["failures"] = failures[-loops.SAME_FAILURE :]
    with course.change() as change:
        kept.save(change, sessions.get(change.database, course.name), mode)
    return ""


def _find_counter(mode: str) -> str:
    loop = tables.LOOPS.get(mode)
    return loop.counter if loop is not None else ""


def _texts(facts: Mapping[str, Any]) -> list[str]:
    failures = facts.get("failures")
    return [str(failure) for failure in failures] if isinstance(failures, list) else []


def _failure(course: Course, why: str) -> str:
    """Return what failed, without receipt numbers, which differ in every run."""
    failed = tasks.list_all(course.store.database, course.name, status=core_task.FAILED)
    text = "\n".join(task.reason or "" for task in failed) or why
    numbers = [int(number) for number in re.findall(r"\(#(\d+)\)", text)]
    return "\n".join([*_messages(course, numbers), re.sub(r"#\d+", "", text)])


def _messages(course: Course, numbers: list[int]) -> list[str]:
    """Return what these checks printed about the failure; their own sentence is always the same."""
    folder = course.store.home.session(course.name)
    printed = [read_file(f"{folder}/evidence/{number}.log") or "" for number in numbers]
    lines = [line for text in printed for line in text.splitlines() if _tells(line)]
    return lines[-_LINES:]


def _tells(line: str) -> bool:
    lower = line.lower()
    return any(word in lower for word in ("error", "fail", "assert", "expected"))
