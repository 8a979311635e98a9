"""`ultrawork axiom …`, a requirement: begun, answered, shown, taken back; and document 004's seven operations."""

import os

from ....cli.command import Result
from ....cli.environment import Args, VerbEnvironment
from ....core.check import clean_text, require_choice
from ....core.errors import Conflict, UsageError
from ....core.session.session import Session
from ....core.wording import cut, join_lines
from ....flow import beginning, planning
from ....store import receipts, sessions
from .. import report as screens
from ..course import archive as axiom_archive
from ..course import checkpoints as axiom_checkpoints
from ..course import memory as axiom_memory
from ..course import progress as axiom_course
from ..course import work as axiom_work
from ..store import entries, ledger, proposals
from ..values import memory, queue, states
from ..values import step as axiom_step
from ..values.answers import read_reflection
from ..values.queue import Proposal
from .commands import OPERATIONS
from .memory import note


def show_status(_args: Args, env: VerbEnvironment) -> Result:
    status = screens.read(env.store, env.place, axiom_memory.list_stale_ids(env.store, env.place))
    return Result(status, screens.render_status(status))


def draft(args: Args, env: VerbEnvironment) -> Result:
    """Start a requirement that a client or `ultrawork resume` continues."""
    goal = clean_text(" ".join(args.rest), "requirement", 20_000)
    words = beginning.GoalCommand({}, goal)
    name = os.urandom(4).hex()
    session = axiom_course.begin(env.store, env.environ, env.place, name, words)
    text = f"requirement {session.id}: {states.PLANNING}\ncontinue: ultrawork resume --session {session.id}, or /ultrawork:ax-draft in a client"
    return Result({"session": session.id, "state": states.PLANNING}, text)


def _requirement(args: Args, env: VerbEnvironment) -> Session:
    return axiom_course.require_requirement(env.store, env.place, env.session_name(args) or "")


def confirm(args: Args, env: VerbEnvironment) -> Result:
    """Answer the User Gate: yes to the current PRD, or no with what should be different."""
    if not args.rest:
        raise UsageError("answer yes or no: ultrawork axiom confirm yes")
    word = require_choice(args.rest[0].lower(), ("yes", "no"), "answer")
    wishes = " ".join(args.rest[1:])
    given = axiom_step.YES if word == "yes" else wishes or axiom_step.NO
    return _answer(args, env, axiom_step.CONFIRM[0], given, "can confirm a PRD")


def unblock(args: Args, env: VerbEnvironment) -> Result:
    word = args.rest[0] if args.rest else "again"
    chosen = require_choice(word, ("again", "archive"), "way on")
    given = axiom_step.AGAIN if chosen == "again" else axiom_step.AS_IT_IS
    return _answer(args, env, axiom_step.BLOCKED[0], given, "can resolve a blocked requirement")


def answer(args: Args, env: VerbEnvironment) -> Result:
    """Answer the current question, in any words."""
    words = clean_text(" ".join(args.rest), "answer", 1000)
    question, _ = axiom_work.find_question(_requirement(args, env))
    return _answer(args, env, question, words, "answers")


def _answer(args: Args, env: VerbEnvironment, question: str, words: str, act: str) -> Result:
    terminal = env.require_person(act, "in the client, answer the question there")
    session = _requirement(args, env)
    current_question, _ = axiom_work.find_question(session)
    if not current_question or current_question != question:
        state = axiom_step.find_state(session)
        raise Conflict(
            f"that is not asked now; the requirement is in {state} and asks: {current_question or 'nothing'}"
        )
    axiom_work.answer_question(env.store, session.id, question, words, how=terminal)
    session = sessions.get(env.store.database, session.id)
    state = axiom_step.find_state(session)
    text = f"{cut(join_lines(words), 60)}: the requirement is in {state}; continue: ultrawork resume --session {session.id[:8]}"
    return Result({"session": session.id, "state": state, "answer": words}, text)


def show_paper(args: Args, env: VerbEnvironment) -> Result:
    """Show a paper of the requirement, as its agent wrote it."""
    session = _requirement(args, env)
    known = {paper.name: paper for paper in proposals.list_papers(env.store.database, session.id)}
    if not args.rest:
        rows = [f"{paper.name}  version {paper.version}  by {paper.by}" for paper in known.values()]
        data = [{key: value for key, value in paper.document().items() if key != "text"} for paper in known.values()]
        return Result({"papers": data}, "\n".join(rows) or "no document yet")
    paper = known[require_choice(args.rest[0], known, "paper")]
    return Result({"paper": paper.document()}, paper.text)


def analyze(args: Args, env: VerbEnvironment) -> Result:
    """Show what failed, run by run, with the receipts to read."""
    session = _requirement(args, env)
    kept, reds = session.state.lead, ledger.list_failing_runs(env.store.database, session.id)
    red = [receipt for receipt in receipts.list_all(env.store.database, session.id) if receipt["result"] != "green"]
    runs = [
        {"receipt": receipt["id"], "gate": receipt["gate"]["name"], "command": receipt["gate"]["command"],
         "result": receipt["result"], "failed": receipt["tests"]["failed"][:10],
         "priority": queue.choose_priority(receipt["gate"]["kind"])}
        for receipt in red[-10:]
    ]  # fmt: skip
    lines = [f"#{run['receipt']} {run['priority']} {run['result']}: {run['command']}" for run in runs]
    lines += [cut(join_lines(line), 100) for line in reds[-20:]]
    lines += [str(kept["blocked"])] if kept.get("blocked") else []
    data = {"runs": runs, "reds": reds[-20:], "blocked": kept.get("blocked") or ""}
    return Result(data, "\n".join(lines) or "no check failed")


def reflect(args: Args, env: VerbEnvironment) -> Result:
    """Store a reflection, given as fenced JSON: its lessons become proposals, and nothing more."""
    text = env.read("-", "reflection") if args.on("--from") else ""
    if not text:
        return _last_reflections(env)
    reflection = read_reflection(planning.parse_block(text))
    made = axiom_archive.take_reflection(env.store, env.place, reflection)
    return Result({"proposals": made}, f"{len(made)} proposals to review: ultrawork axiom evolve")


def _last_reflections(env: VerbEnvironment) -> Result:
    book = ledger.name_ledger(env.place)
    memory_entries = entries.list_all(env.store.database, book, (memory.REFLECTION,))[-5:]
    text = "\n\n".join(
        f"{memory_entry.id}: {memory_entry.title}\n{memory_entry.text}" for memory_entry in reversed(memory_entries)
    )
    return Result(
        {"reflections": [memory_entry.document() for memory_entry in memory_entries]}, text or "no reflection yet"
    )


def checkpoint(args: Args, env: VerbEnvironment) -> Result:
    session = _requirement(args, env)
    name = axiom_checkpoints.make_checkpoint(env.store, env.environ, session, "asked for")
    return Result({"checkpoint": name}, name)


def rollback(args: Args, env: VerbEnvironment) -> Result:
    """Show what would go; a user's --yes applies it."""
    session = _requirement(args, env)
    plan = axiom_checkpoints.plan_rollback(env.store, env.environ, session, args.rest[0] if args.rest else "")
    shown = screens.render_rollback(plan.name, plan.restored, plan.removed)
    if plan.is_empty:
        return Result(plan.document(), "the files already match that checkpoint")
    if not args.on("--yes"):
        return Result(plan.document(), f"{shown}\nrestore it: ultrawork axiom rollback {plan.name} --yes")
    env.require_person("can restore files", "run it there")
    saved = axiom_checkpoints.roll_back(env.store, env.environ, session, plan)
    text = f"{shown}\nthe files before are {saved}"
    return Result({**plan.document(), "saved": saved}, text)


def suspend(args: Args, env: VerbEnvironment) -> Result:
    session = _requirement(args, env)
    with env.store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        current.state.lead = {**current.state.lead, "suspended": round(change.now), "offered": False}
        sessions.save(change, current, "axiom.suspended", {"reason": "ultrawork axiom suspend"})
        change.touch(ledger.VIEW)
    return Result({"session": session.id}, f"suspended in {axiom_step.find_state(session)}")


def context(args: Args, env: VerbEnvironment) -> Result:
    """Return the seven operations of document 004, each as the verb that does it."""
    if not args.rest:
        raise UsageError(f"name an operation: {', '.join(OPERATIONS)}")
    operation = require_choice(args.rest[0], OPERATIONS, "operation")
    return _CONTEXT[operation](args.having("", "", args.rest[1:]), env)


def _update_progress(args: Args, env: VerbEnvironment) -> Result:
    session = _requirement(args, env)
    words = clean_text(" ".join(args.rest), "progress", 500)
    with env.store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        sessions.save(change, current, "axiom.progress", {"said": words})
    return Result({"session": session.id}, "recorded; receipts decide what is done")


def _update_state(args: Args, env: VerbEnvironment) -> Result:
    """Show what is missing for a state; no command moves it."""
    session = _requirement(args, env)
    progress = axiom_step.read_progress(session)
    assert progress is not None
    target = require_choice((args.rest or [""])[0], states.ALL, "state")
    lack = states.explain_shut(progress, target)
    if lack:
        raise Conflict(f"{progress.phase} cannot become {target}: {lack}")
    raise Conflict(
        f"{progress.phase} becomes {target} from recorded results, not by command; continue with ultrawork next"
    )


def _save_decision(args: Args, env: VerbEnvironment) -> Result:
    return note(args.having("--kind", memory.DECISION), env)


def _record_error(args: Args, env: VerbEnvironment) -> Result:
    words = clean_text(" ".join(args.rest), "error", memory.TITLE_LIMIT)
    entry = {"kind": memory.KNOWLEDGE, "title": words, "category": "debugging", "anchors": []}
    made = axiom_memory.propose(env.store, env.place, Proposal("", queue.ERROR, queue.ADD, queue.P1, entry=entry))
    return Result({"proposal": made.id}, f"{made.id} is in the learning queue")


def _archive_task(args: Args, env: VerbEnvironment) -> Result:
    session = _requirement(args, env)
    raise Conflict(
        f"a task is done when its criteria and the checks pass; run: ultrawork task check --session {session.id[:8]}"
    )


_CONTEXT = {
    "read_context": show_status,
    "update_progress": _update_progress,
    "save_decision": _save_decision,
    "update_state": _update_state,
    "create_checkpoint": checkpoint,
    "record_error": _record_error,
    "archive_task": _archive_task,
}
