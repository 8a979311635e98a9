"""The start of a session in a checkout with Axiom: interrupted work is offered once, and knowledge about the goal and
files is shown, at most a kilobyte per session, only while its basis holds."""

import os

from ....core.errors import Conflict
from ....core.session.session import Session
from ....core.wording import count_things
from ....hooks.event import Answer, Event
from ....store import anchors, markers
from ....system import ancestry
from ..course import recall as axiom_recall
from ..store import ledger, page_edits
from ..values import telling

_LEAST = 200
_KEY, _USED = "axiom", "axiom_bytes"
_MOST_FILES = 20


def tell_at_start(event: "Event") -> Answer | None:
    """Return what was interrupted, which page edits wait for the user, and what is known for the open work."""
    if not os.path.exists(event.home.database):
        return None
    if event.text("source") == "compact":
        _forget_shown(event)
    open_one = ledger.find_requirement(event.store.database, event.place)
    offer = _offer(event, open_one)
    edited = _tell_edited(event)
    goal = open_one.goal if open_one is not None else ""
    files = _list_task_files(event, open_one) if open_one is not None else []
    context = _recall(event, goal, files, beside=offer)
    text = "\n".join(line for line in (offer, edited) if line)
    if not text and not context:
        return None
    return Answer(message=text, context="\n".join(line for line in (offer, context) if line))


def tell_for_prompt(event: "Event") -> Answer | None:
    """Return what is known about the user's request, within the session's kilobyte."""
    from ....core.prompt.order import MACHINE_MADE

    prompt = event.text("prompt")
    if not event.session or prompt.lstrip().lower().startswith(MACHINE_MADE):
        return None
    if not os.path.exists(event.home.database):
        return None
    context = _recall(event, prompt, _list_named_files(event, prompt))
    return Answer(context=context) if context else None


def _recall(event: "Event", goal: str, files: list[str], beside: str = "") -> str:
    """Return the recall; `beside` is shown with it and shares the kilobyte."""
    known = markers.get(event.home, markers.HINTED, event.session) or {}
    names = [str(name) for name in known.get(_KEY) or ()]
    taken = len(beside.encode()) + 1 if beside else 0
    room = telling.ROOM - int(known.get(_USED) or 0) - taken
    if room < _LEAST:
        return ""
    recall = axiom_recall.recall(event.store.database, event.place, goal, files, room=room, leave_out=names)
    if recall.text and event.session:
        used = len(recall.text.encode()) + telling.ROOM - room
        content = {**known, _KEY: [*names, *recall.shown], _USED: used}
        markers.put(event.home, markers.HINTED, event.session, content)
    return recall.text


def list_shown(event: "Event") -> list[str]:
    """Return the entries that this session has seen."""
    known = markers.get(event.home, markers.HINTED, event.session) or {}
    return [str(name) for name in known.get(_KEY) or ()]


def _forget_shown(event: "Event") -> None:
    """Forget what was shown, because the model knows nothing after compaction."""
    known = markers.get(event.home, markers.HINTED, event.session)
    if known:
        kept = {key: value for key, value in known.items() if key not in (_KEY, _USED)}
        markers.put(event.home, markers.HINTED, event.session, kept)


def _list_named_files(event: "Event", prompt: str) -> list[str]:
    """Return the files of the checkout that a prompt names."""
    words = [word.strip("`'\",;:()[]<>") for word in prompt[:4000].split()]
    named = [word for word in words if ("/" in word or "." in word) and ".." not in word]
    return [
        word
        for word in dict.fromkeys(named[:_MOST_FILES])
        if word[0] != "/" and os.path.isfile(f"{event.place}/{word}")
    ]


def _list_task_files(event: "Event", session: "Session") -> list[str]:
    if not session.plan.get("created_at"):
        return []
    from ....store import tasks

    plan = tasks.list_all(event.store.database, session.id)
    return [path for task in plan for path in task.files][:_MOST_FILES]


def _offer(event: "Event", session: "Session | None") -> str:
    """Offer it once per interruption, and never while its own client is running."""
    if session is None or session.state.lead.get("offered"):
        return ""
    if markers.find_planned_session(event.home, event.session) == session.id:
        return ""
    anchor = anchors.get_anchor(event.store.database, session.id)
    if (anchor is not None and not ancestry.is_gone(anchor)) or _is_driven(event, session):
        return ""
    from ....store import sessions, tasks
    from ..values import states
    from ..values.step import find_state

    plan = [task for task in tasks.list_all(event.store.database, session.id) if not task.is_verify]
    done = sum(task.status == "resolved" for task in plan)
    with event.store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        current.state.lead = {**current.state.lead, "offered": True}
        sessions.save(change, current, "axiom.offered", {"to": event.session})
    state = find_state(session)
    way = telling.RESUME if session.state.run else states.name_way_on(state)
    counts = {"done": done, "total": len(plan)}
    return telling.render_offer(session.goal, state, counts, way)


def _is_driven(event: "Event", session: "Session") -> bool:
    """Return whether an engine is working on it, without a client."""
    if not session.state.run:
        return False
    from ....store.atomic import Lock

    try:
        with Lock(f"{event.home.session(session.id)}/engine.lock", patience=0.0):
            return False
    except Conflict:
        return True


def _tell_edited(event: "Event") -> str:
    """Report that someone edited the pages. Nothing is imported until the user agrees."""
    edited = page_edits.list_edited_pages(event.store.database, event.place)
    if not edited:
        return ""
    count = sum(len(edited_page.edits) + len(edited_page.garbled) for edited_page in edited)
    where = ", ".join(edited_page.name for edited_page in edited[:3])
    return (
        f"ultrawork: {count_things(count, 'entry', 'entries')} in .omc/axiom edited by hand ({where})."
        " Review: /ultrawork:ax-context sync"
    )
