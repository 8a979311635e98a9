"""Axiom on a screen: the open requirement with its gates, what is remembered and waits, and results of runs."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from ...core.check import quote
from ...core.session.session import Session
from ...core.times import format_duration
from ...core.wording import count_things, cut, join_lines
from ...store.database import Database
from ...store.store import Store
from .store import entries, ledger, page_edits, pages, proposals
from .store.page_edits import EditedPage
from .values import context_pages, memory, queue, states
from .values.queue import Proposal
from .values.step import read_progress

_FEW = 5
_NEXT = {
    states.PLANNING: states.CONFIRMING,
    states.CONFIRMING: states.EXECUTING,
    states.EXECUTING: states.ARCHIVING,
    states.BLOCKED: states.EXECUTING,
}


def read(store: "Store", place: str, stale: "Sequence[str]" = ()) -> "dict[str, Any]":
    """Return everything that `ultrawork axiom status` shows; `stale` are entries whose anchors moved."""
    database, book = store.database, ledger.name_ledger(place)
    if not ledger.is_begun(store.home, place):
        left = dict(pages.find_foreign_state(place))
        return {"state": states.IDLE, "begun": False, "left": left}
    session = ledger.find_requirement(database, place)
    waiting = proposals.list_all(database, book, queue.PENDING)
    runs = ledger.list_runs(database, book)
    return {
        "state": states.IDLE if session is None else _read_state(session),
        "begun": True,
        "requirement": None if session is None else _read_requirement(store, session),
        "entries": entries.count_by_kind(database, book),
        "stale": list(stale),
        "queue": {"waiting": len(waiting), "next": [proposal.document() for proposal in queue.choose_batch(waiting)]},
        "edited": [page.name for page in page_edits.list_edited_pages(database, place)],
        "metrics": context_pages.sum_metrics(runs),
        "runs": [run.document() for run in runs[:_FEW]],
    }


def _read_state(session: "Session") -> str:
    progress = read_progress(session)
    return progress.phase if progress is not None else states.IDLE


def _read_requirement(store: "Store", session: "Session") -> "dict[str, Any]":
    view = pages.make_view(store.database, session)
    progress = read_progress(session)
    assert progress is not None
    target = _NEXT.get(progress.phase, "")
    kept = session.state.lead
    return {
        "session": session.id,
        "goal": session.goal,
        "phase": session.phase,
        "tasks": [{"id": name, "subject": text, "status": status} for name, text, status in view.tasks],
        "missing": states.explain_shut(progress, target) if target else "",
        "last_gate": view.last_gate,
        "question": (kept.get("open") or {}).get("question", ""),
        "blocked": view.blocked,
        "checkpoints": list(kept.get("checkpoints") or ()),
        "papers": [paper.name for paper in proposals.list_papers(store.database, session.id)],
        "history": [list(move) for move in progress.history],
    }


def render_status(status: "dict[str, Any]") -> str:
    if not status["begun"]:
        begin = "Axiom has never been used here. Start: /ultrawork:ax-draft TEXT (in a terminal: ultrawork axiom draft TEXT)"
        return "\n".join([begin, *_render_left(status["left"])])
    lines = [f"state     {status['state']}"]
    requirement = status["requirement"]
    if requirement is not None:
        lines += _render_requirement(requirement)
    known = ", ".join(f"{count} {kind}" for kind, count in status["entries"].items())
    lines.append(f"memory    {known or 'empty'}")
    if status["stale"]:
        lines.append(f"stale     {cut(', '.join(status['stale']), 60)}: ultrawork axiom check")
    waiting = status["queue"]["waiting"]
    lines.append(f"queue     {waiting} waiting" + (": ultrawork axiom evolve" if waiting else ""))
    if status["edited"]:
        lines.append(f"edited    {', '.join(status['edited'])}: ultrawork axiom sync")
    figures = status["metrics"]
    lines.append(
        f"runs      {figures['proved']} of {figures['requirements']} proved,"
        f" {count_things(figures['red_runs'], 'failing run')},"
        f" {count_things(figures['mends'], 'automatic fix', 'automatic fixes')}, {figures['blocked']} blocked"
    )
    return "\n".join(lines)


def _render_left(left: "dict[str, str]") -> list[str]:
    if not left:
        return []
    text = " ".join(left[name] for name in ("state", "task", "checkpoint") if name in left)
    return [f"Another tool's page says {cut(text, 60)}; none of it is imported."]


def _render_requirement(requirement: "dict[str, Any]") -> list[str]:
    done = sum(task["status"] == "resolved" for task in requirement["tasks"])
    lines = [
        f"goal      {cut(join_lines(requirement['goal']), 88)}",
        f"session   {requirement['session'][:8]}, {requirement['phase']}",
    ]
    lines += [f"tasks     {done} of {len(requirement['tasks'])} resolved"] if requirement["tasks"] else []
    for title, key in (("gate", "last_gate"), ("missing", "missing"), ("asks", "question")):
        lines += [f"{title:10}{requirement[key]}"] if requirement[key] else []
    lines += [f"blocked   {cut(join_lines(requirement['blocked']), 88)}"] if requirement["blocked"] else []
    lines += [f"kept      {requirement['checkpoints'][-1]}"] if requirement["checkpoints"] else []
    return lines


def list_figures(database: "Database", session: "Session") -> list[str]:
    """Return a requirement in a few lines for its session's page; none if Axiom does not lead it."""
    progress = read_progress(session)
    if progress is None:
        return []
    kept, facts = session.state.lead, progress.facts
    began = progress.history[0][1]
    walked = ", ".join(f"{state} ({format_duration(at - began)})" for state, at in progress.history[1:])
    given = facts.get("reviews") or {}
    reviews = ", ".join(f"{part} {review.get('verdict')}" for part, review in given.items())
    papers = [f"{paper.name} ({paper.version})" for paper in proposals.list_papers(database, session.id)]
    reds = ledger.list_failing_runs(database, session.id)
    lines = [
        f"States: {walked}",
        f"Clarity {facts.get('clarity', 0)} %, {len(kept.get('asked') or ())} questions answered",
        f"Reviews: {reviews or 'none'}",
        f"Confirmed: {'yes' if facts.get('confirmed') else 'no'}",
        f"{count_things(len(reds), 'failing run')}, blocked {kept.get('blocks') or 0} times",
        f"Documents and versions: {', '.join(papers) or 'none'}",
    ]
    return [*lines, *(f"Red: {cut(join_lines(red), 160)}" for red in reds[-20:])]


def render_proposals(proposals: "Sequence[Proposal]", shown_by: "dict[str, bool]") -> str:
    """Return waiting proposals, one block each: what would change, and what shows it."""
    lines = []
    for proposal in proposals:
        proof = (
            f"receipts {proposal.red} red, {proposal.green} green"
            if shown_by.get(proposal.id)
            else "no receipts; you decide"
        )
        lines += [
            f"{proposal.id}  {proposal.priority}  {proposal.operation} {proposal.entry.get('kind', '')}: {proposal.title}"
        ]
        # In full, because the user accepts what they read.
        text = join_lines(str(proposal.entry.get("text") or ""))
        lines += [f"        {line}" for line in wrap(text, 90)]
        rests = [memory.read_anchor(anchor).describe() for anchor in proposal.entry.get("anchors") or ()]
        lines += [f"        rests on {cut('; '.join(rests), 80)}"] if rests else []
        lines += [f"        {proof}"]
    return "\n".join(lines) or "the learning queue is empty"


def list_page_edits(edited_pages: "Sequence[EditedPage]") -> list[str]:
    """Return page changes, one line each, and unreadable parts."""
    lines = [
        f"{page.name}: {edit.operation} {edit.id} {_list_words(edit.fields)}".rstrip()
        for page in edited_pages
        for edit in page.edits
    ]
    return lines + [
        f"{page.name}: garbled: {why}: {quote(piece)}" for page in edited_pages for piece, why in page.garbled
    ]


def _list_words(fields: "dict[str, str]") -> str:
    """Return the new words in full, because whoever imports them must have read them."""
    return "; ".join(f"{name}: {join_lines(value)}" for name, value in fields.items())


def render_rollback(name: str, restored: "Sequence[str]", removed: "Sequence[str]") -> str:
    lines = [f"to {name}:", *(f"  restore {path}" for path in restored)]
    return "\n".join([*lines, *(f"  remove  {path}" for path in removed)])
