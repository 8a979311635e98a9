"""Add to the prompts of planner and verifier what they need to read, because they have no shell."""

from ..core import registry
from ..core.course import roles
from ..core.course.roles import Spawn
from ..core.modes.modes import PIPELINE
from ..store import pins, sessions
from .course import Course

FINDINGS = 12_000
DIFF = 40_000


def brief(course: Course, spawn: Spawn) -> Spawn:
    """Return the spawn with everything it needs in its prompt."""
    if spawn.stage:
        stage: Spawn = registry.ask(PIPELINE, "brief_stage")(course, spawn)
        return stage
    if spawn.key == roles.PART:
        session = sessions.get(course.store.database, course.name)
        if session.state.lead and registry.ask_lead("is_paper")(spawn.subject):
            reading = registry.ask_lead("describe_reading")
            prompt = reading(course.store.database, session, spawn.subject)
            return spawn.with_prompt(prompt) if prompt else spawn
    more = _MORE.get(spawn.agent)
    return spawn if more is None else spawn.with_prompt(more(course))


def _findings(course: Course) -> str:
    listed = sessions.list_explorers(course.store.database, course.name)
    reports = [
        f"## {explorer.id}: {explorer.hint}\n{explorer.report or explorer.summary}"
        for explorer in listed
        if explorer.done_at
    ]
    text = "FINDINGS:\n" + _cut("\n\n".join(reports), FINDINGS)
    design = sessions.get(course.store.database, course.name).design
    return f"DESIGN:\n{_cut(design, FINDINGS)}\n\n{text}" if design else text


def describe_diff(course: Course, place: str = "") -> str:
    from ..gates.context import HOOK, GateContext
    from ..gates.trees.source import Source

    pin = pins.get(course.store.database, course.name)
    if pin is None:
        return "DIFF: (no baseline to compare with)"
    session = sessions.get(course.store.database, course.name)
    work = GateContext(
        course.store,
        session,
        root=place or session.place,
        settings=course.load_settings(session),
        environ=course.environ,
        by=HOOK,
        seconds=60.0,
    )
    source = Source(work)
    return "DIFF:\n" + _cut(source.patch(pin.tree, source.snapshot()), DIFF)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}\n({len(text) - limit:,} more characters omitted)"


_MORE = {roles.PLANNER: _findings, roles.VERIFIER: describe_diff, roles.REVIEWER: describe_diff}
