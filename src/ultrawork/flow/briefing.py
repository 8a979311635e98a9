"""What planner and verifier are given beside their task: they read, they have no shell."""

from ..core import roles
from ..core.roles import Spawn
from ..store import contexts, pins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .course import Course

FINDINGS = 12_000
DIFF = 40_000


def briefed(course: "Course", spawn: Spawn) -> Spawn:
    """The same spawn with everything it needs in its prompt."""
    more = _MORE.get(spawn.agent)
    if more is None:
        return spawn
    prompt = f"{spawn.prompt}\n\n{more(course)}"
    return Spawn(spawn.agent, spawn.model, spawn.subject, spawn.description, prompt)


def _findings(course: "Course") -> str:
    found = contexts.listed(course.store.database, course.name)
    reports = [
        f"## {one.id}: {one.hint}\n{one.report or one.summary}" for one in found if one.done_at
    ]
    return "FINDINGS:\n" + _cut("\n\n".join(reports), FINDINGS)


def _diff(course: "Course") -> str:
    from ..gates.source import Source
    from ..gates.work import HOOK, Work
    from ..store import sessions

    pin = pins.get(course.store.database, course.name)
    if pin is None:
        return "DIFF: (no base to compare with)"
    session = sessions.get(course.store.database, course.name)
    work = Work(
        course.store,
        session,
        root=session.place,
        settings=course.settings(session),
        environ=course.environ,
        by=HOOK,
        seconds=60.0,
    )
    source = Source(work)
    return "DIFF:\n" + _cut(source.patch(pin.tree, source.snapshot()), DIFF)


def _cut(text: str, limit: int) -> str:
    return (
        text
        if len(text) <= limit
        else f"{text[:limit]}\n({len(text) - limit:,} more characters left out)"
    )


_MORE = {roles.PLANNER: _findings, roles.VERIFIER: _diff}
