"""
Read and update the stories of ralph, with or without a client: those it begins with, open ones, the result of a round.

Without a client, workers see only files that git knows, so the stories are read where results are merged. Stories that
are open after a passing verdict are the task of the next round, and every round has an entry in the checkout's log.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..core.course import steps
from ..core.course.steps import NextStep
from ..core.errors import UltraworkError, UsageError
from ..core.modes import modes, progress_log, record, tables
from ..core.modes.progress_log import Prd
from ..core.modes.tables import ModeProgress
from ..core.session.session import Session
from ..core.stop.rules import OpenWork
from ..core.wording import cut, join_lines
from ..gates.trees import tree as trees
from ..store import log, pins, sessions
from ..store.omc import states
from ..store.omc import states as prds
from ..store.omc.folder import Omc
from ..store.store import Store
from .course import Course

GOAL = "goal"
_FILES = 20
_WORDS = 160


def make_start_facts(stories: progress_log.Prd | None, before: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return what ralph stores about the stories that it begins with; `before` are those it already had."""
    names = stories.names if stories is not None else {}
    return {
        "prd_mode": stories is not None,
        "stories": {**(before or {}), **names},
        "open_at_start": len(stories.pending) if stories is not None else None,
        "current_story_id": _upcoming(stories) if stories is not None else None,
    }


def make_facts(stories: progress_log.Prd) -> dict[str, Any]:
    return {"stories": stories.names, "current_story_id": _upcoming(stories)}


def _upcoming(stories: progress_log.Prd) -> str | None:
    return stories.next.id if stories.next is not None else None


def read_with_known(omc: Omc, facts: Mapping[str, Any]) -> progress_log.Prd | None:
    """Return the stories, including those seen before; raise one sentence if they are malformed."""
    stories = prds.read_prd(omc)
    kept = facts.get("stories")
    known = {str(key): str(value) for key, value in kept.items()} if isinstance(kept, dict) else {}
    if stories is None and known:
        stories = progress_log.Prd("prd.json", [])
    if stories is not None:
        stories.known = known
    return stories


def find_open_story(
    stories: progress_log.Prd, facts: Mapping[str, Any], *, green: bool, changed: Callable[[], Iterable[str]]
) -> OpenWork | None:
    """Return the open work. Stories that passed before need nothing; others need more than their mark."""
    still = progress_log.find_open(stories)
    if still is not None or not green or facts.get("open_at_start") == 0:
        return still
    own = (*prds.PRD_PLACES, *states.LOG_PLACES)
    return None if any(path not in own for path in changed()) else progress_log.describe_only_marked(stories)


def note_round(
    omc: Omc, facts: Mapping[str, Any], *, said: str, came_to: str, files: Sequence[str], now: float
) -> None:
    """Add an entry for the finished round, under the story that was next when it began."""
    kept = progress_log.find_lessons(said)
    first = next((line for line in said.splitlines() if line.strip()), "")
    entry = progress_log.LogEntry(
        str(facts.get("current_story_id") or GOAL),
        [*([f'said: "{cut(join_lines(first), _WORDS)}"'] if first else []), came_to],
        list(files[:_FILES]),
        kept["learnings"],
    )
    states.append_entry(omc, entry, now, kept["patterns"])


_COUNTER = "iteration"
_CAME_TO = {steps.ITERATE: "sent back", steps.COMPLETE: "PASS", steps.FAILING: "FAIL", steps.UNVERIFIED: "UNVERIFIED"}


def read_tracked(store: Store, environ: Mapping[str, str], place: str) -> Prd | None:
    """Read the stories; raise one sentence if they are malformed or no worker would see them."""
    omc = Omc(place)
    progress_log = prds.read_prd(omc)
    if progress_log is None:
        return None
    tree = trees.take_snapshot(omc.top, store.home.cache, environ)
    if trees.read(tree, progress_log.path) is None:
        raise UsageError(
            f"{progress_log.path} is ignored by git, so workers do not see it. Add it: git add -f {progress_log.path}"
        )
    return progress_log


def record_message(store: Store, name: str, message: str) -> None:
    """Store a worker's last message until its round is over."""
    if modes.RALPH not in record.read_active(sessions.get(store.database, name)):
        return
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state.round = {**session.state.round, "said": message}
        sessions.save(change, session, "worker.heard", {})


def end_round(course: Course, step: NextStep) -> None:
    """End a round: with open stories, `step` becomes another round for the next one."""
    session = sessions.get(course.store.database, course.name)
    progress = record.read_active(session).get(modes.RALPH)
    if progress is None:
        return
    before = dict(progress.facts)
    open_work = _find_open_work(course, session, progress) if step.own == steps.COMPLETE else None
    if open_work is not None:
        step.own, step.text = steps.ITERATE, open_work.what
    over = step.own == steps.ITERATE and not tables.count_left(progress)[_COUNTER]
    _note(course, session, before, f"{'FAIL' if over else _CAME_TO[step.own]}: {step.text}")
    with course.change() as change:
        current = sessions.get(change.database, course.name)
        record.put(current, progress)
        current.state.round = {"tree": _tree(course, session)}
        if open_work is not None:
            current.state.verification = {"criteria": _list_criteria(open_work)}
        sessions.save(change, current, "round.ended", {"why": step.text})


def _find_open_work(course: Course, session: Session, progress: ModeProgress) -> OpenWork | None:
    try:
        progress_log = read_with_known(Omc(session.place), progress.facts)
    except UltraworkError as error:
        return OpenWork(str(error), step=str(error))
    if progress_log is None:
        return None
    pin = pins.get(course.store.database, course.name)

    def changed() -> list[str]:
        return _changed(course, session, pin.tree if pin else "")

    open_work = find_open_story(progress_log, progress.facts, green=True, changed=changed)
    progress.facts.update(make_facts(progress_log))
    return open_work


def _list_criteria(open_work: OpenWork) -> list[str]:
    """Return what to do, then the criteria of the story."""
    criteria = [open_work.step, *(detail.strip(" -") for detail in open_work.details[1:])]
    return [f"judged: {criterion}" for criterion in criteria]


def _note(course: Course, session: Session, facts: Mapping[str, object], came_to: str) -> None:
    """Log the round; a write error delays nothing."""
    pin = pins.get(course.store.database, course.name)
    known = session.state.round
    try:
        note_round(
            Omc(session.working_dir),
            facts,
            said=known.get("said", ""),
            came_to=join_lines(came_to),
            files=_changed(course, session, known.get("tree") or (pin.tree if pin else "")),
            now=course.store.now(),
        )
    except (UltraworkError, OSError) as error:
        log.write(course.store.home, "engine", f"ralph: {error}")


def _changed(course: Course, session: Session, since: str) -> list[str]:
    cache, place = course.store.home.cache, session.place
    if not since or not os.path.isdir(place):
        return []
    now = trees.take_snapshot(place, cache, course.environ)
    before = trees.get_recorded(since, place, cache, course.environ)
    return [file_change.path for file_change in trees.diff(before, now)]


def _tree(course: Course, session: Session) -> str:
    place = session.place
    if not os.path.isdir(place):
        return ""
    return trees.take_snapshot(place, course.store.home.cache, course.environ).id
