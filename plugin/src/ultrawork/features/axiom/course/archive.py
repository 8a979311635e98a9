"""Close a requirement: lessons become proposals, failures stay failures, the run is counted.

An agent's reflection is stored as written and never presented as knowledge. The basis of a lesson is looked up here:
the current files, and the receipts of the command it names, failing before and passing after."""

from typing import Any

from ....core.plan.task import FAILED, RESOLVED, Task
from ....core.session.session import Session
from ....core.wording import cut, join_lines
from ....store import receipts, sessions, tasks
from ....store.codec import loads
from ....store.database import Change, Database
from ....store.store import Store
from ..store import entries, ledger, opening, proposals
from ..values import answers as said
from ..values import memory, queue, states
from ..values.context_pages import RunMetrics
from ..values.memory import Anchor, MemoryEntry
from ..values.queue import Proposal
from ..values.step import read_progress
from . import memory as axiom_memory
from .progress import keep


def close(store: "Store", name: str) -> bool:
    """Propose what was learned, store failures, count the run, and return the machine to IDLE. Return whether the work
    is proved. Idempotent, so that it can be repeated after a kill."""
    session = sessions.get(store.database, name)
    progress = read_progress(session)
    assert progress is not None
    proved = progress.facts.get("proved") is True
    if progress.phase == states.IDLE:
        return proved
    lessons = _harvest(store, session, proved=proved)
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        progress = read_progress(session) or progress
        progress.facts["archived"] = True
        states.move_to(progress, states.IDLE, change.now)
        move = {"from": states.ARCHIVING, "to": states.IDLE, "lessons": lessons, "proved": proved}
        keep(change, session, progress, "axiom.moved", move)
    return proved


def _harvest(store: "Store", session: "Session", *, proved: bool) -> int:
    book = opening.open_ledger(store, session.working_dir)
    reflection = _read_reflection(store, session.id)
    wanted = [_make_lesson(store, session, lesson) for lesson in reflection.lessons]
    plan = [planned_task for planned_task in tasks.list_all(store.database, session.id) if not planned_task.is_verify]
    with store.change(book) as change:
        if _is_counted(change, book, session.id):
            return len(wanted)
        for proposal in wanted:
            proposals.add(change, proposal)
        _keep_reflection(change, reflection, session.goal, session.id)
        for task in plan:
            if task.status == FAILED:
                _keep_failure(change, session, task)
        if proved:
            _raise_used(change, session)
        run = _measure(store.database, session, len(wanted), proved=proved, now=change.now)
        ledger.record_run(change, run)
    return len(wanted)


def _is_counted(change: "Change", book: str, name: str) -> bool:
    run_metrics = ledger.list_runs(change.database, book)
    return any(metrics.requirement == name for metrics in run_metrics)


def _read_reflection(store: "Store", name: str) -> said.Reflection:
    paper = proposals.find_paper(store.database, name, "reflection.json")
    return said.Reflection(**loads(paper.text)) if paper is not None else said.Reflection()


def _make_lesson(store: "Store", session: "Session", lesson: "dict[str, Any]") -> Proposal:
    """Return a lesson with its basis as we see it; its receipts are those of the command it names."""
    mended = receipts.list_mended(store.database, session.id)
    pair = next((mend for mend in mended if mend[0] == lesson["command"]), None)
    # A run without a client works elsewhere; it delivers the files there.
    anchors = axiom_memory.make_anchors(session.place, lesson["files"])
    if not anchors and pair is not None:
        anchors = [Anchor(memory.RECEIPT, session.id, str(pair[3]))]
    entry = {key: lesson[key] for key in ("kind", "title", "text", "category")}
    return Proposal(
        "",
        queue.LESSON,
        queue.ADD,
        queue.choose_priority(pair[1]) if pair else queue.P2,
        entry={**entry, "anchors": [anchor.document() for anchor in anchors]},
        why=cut(join_lines(session.goal), 100),
        origin=session.id,
        red=f"{session.id}#{pair[2]}" if pair else "",
        green=f"{session.id}#{pair[3]}" if pair else "",
    )


def take_reflection(store: "Store", place: str, reflection: said.Reflection) -> list[str]:
    """Store a reflection on a session without a requirement as written; its lessons wait in the queue."""
    book = opening.open_ledger(store, place)
    made = []
    with store.change(book) as change:
        for lesson in reflection.lessons:
            anchors = axiom_memory.make_anchors(place, lesson["files"], lesson["command"])
            entry = {key: lesson[key] for key in ("kind", "title", "text", "category")}
            entry["anchors"] = [anchor.document() for anchor in anchors]
            made.append(proposals.add(change, Proposal("", queue.LESSON, queue.ADD, entry=entry)).id)
        _keep_reflection(change, reflection, f"Session of {queue.make_day(change.now)}", book)
    return made


def _keep_reflection(change: "Change", reflection: said.Reflection, goal: str, name: str) -> None:
    """Store an agent's reflection: it can be found and read, but is never presented as knowledge."""
    parts = (
        ("Went well", reflection.went_well), ("Went wrong", reflection.went_wrong), ("Learned", reflection.learned),
        ("[REFLECTION] to do", reflection.actions),
    )  # fmt: skip
    text = "\n\n".join(f"{head}:\n" + "\n".join(f"- {line}" for line in lines) for head, lines in parts if lines)
    if text:
        known = entries.list_ids(change.database, change.session)
        # An invalid receipt never holds.
        entry = MemoryEntry(
            memory.make_id(memory.REFLECTION, known), memory.REFLECTION, cut(join_lines(goal), 100), text,
            status=memory.PENDING, anchors=[Anchor(memory.RECEIPT, name, "")], source="agent", requirement=name,
            created_at=change.now, used_at=change.now,
        )  # fmt: skip
        entries.save(change, entry, "axiom.reflected", name)


def _keep_failure(change: "Change", session: "Session", task: "Task") -> None:
    """Store a failure in the program's own words, based on the files that it was tried on."""
    anchors = axiom_memory.make_anchors(session.place, task.files) or [
        Anchor(memory.PERSON, queue.make_day(change.now), session.id)
    ]
    name = memory.make_id(memory.FAILURE, entries.list_ids(change.database, change.session))
    text = cut(join_lines(task.reason or ""), 400)
    entry = MemoryEntry(
        name, memory.FAILURE, cut(join_lines(task.subject), 100), text, "debugging", anchors=anchors,
        source=memory.RECEIPT, requirement=session.id, created_at=change.now, used_at=change.now,
    )  # fmt: skip
    entries.save(change, entry, "axiom.noted", session.id)


def _raise_used(change: "Change", session: "Session") -> None:
    """Raise entries that were shown in a requirement that reached PASS, by the verdict's receipt."""
    last = receipts.find_last_verdict(change.database, session.id) or {"gates": {}}
    number = next((gate["receipt"] for gate in last["gates"].values() if gate["receipt"]), None)
    known = entries.list_ids(change.database, change.session)
    for name in session.state.lead.get("told") or ():
        if number is not None and name in known:
            entry = entries.get(change.database, change.session, name)
            if entry.kind != memory.FAILURE:
                memory.apply_step(entry, memory.REFERENCED, change.now, f"{session.id}#{number}")
                entries.save(change, entry, "axiom.raised", f"{session.id}#{number}")


def _measure(database: "Database", session: "Session", lessons: int, *, proved: bool, now: float) -> RunMetrics:
    plan = [task for task in tasks.list_all(database, session.id) if not task.is_verify]
    kept = session.state.lead
    return RunMetrics(
        session.id,
        cut(join_lines(session.goal), 120),
        "PASS" if proved else "UNVERIFIED",
        session.started_at,
        now,
        questions=len(kept.get("asked") or ()),
        tasks=len(plan),
        done=sum(task.status == RESOLVED for task in plan),
        red_runs=len(ledger.list_failing_runs(database, session.id)),
        mends=ledger.count_mends(database, session.id),
        blocked=int(kept.get("blocks") or 0),
        lessons=lessons,
        clarity=int(kept.get("screened") or 0),
    )
