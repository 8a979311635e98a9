"""Beginning and changing sessions."""

import os

from ...core import check, phases, stages, statuses
from ...core.errors import Conflict, UsageError
from ...core.session import Session
from ...core.times import iso
from ...store import client, controls, sessions, tasks
from .. import options
from ..edge import AGENT
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.database import Database
    from ..edge import Edge
    from ..flags import Args


def new(args: "Args", edge: "Edge") -> Result:
    if args.on("--resume"):
        return _resume(edge.session(args).id, edge)
    given = edge.session_name(args)
    name = check.session_id(_own_name(edge) if given is None else given)
    session = Session(
        id=name,
        goal=check.text(args.text("--goal") or " ".join(args.rest), "goal"),
        working_dir=edge.place,
        options=options.given(args),
        started_at=edge.store.now(),
    )
    edge.store.home.session(name)
    with edge.store.change(name) as change:
        sessions.create(change, session, force=args.on("--force"))
    return _began(session, edge, "begins")


def _own_name(edge: "Edge") -> str:
    """The client's own id for its session, else a fresh one."""
    return client.own_session(edge.environ) or os.urandom(4).hex()


def _resume(name: str, edge: "Edge") -> Result:
    with edge.store.change(name) as change:
        session = sessions.get(change.database, name)
        if session.phase == phases.CANCELLED:
            session.phase = (
                phases.PLANNING if not session.plan.get("approved_at") else phases.EXECUTION
            )
            session.ended_at = None
        sessions.save(change, session, "session.resumed", {"phase": session.phase})
    return _began(session, edge, "goes on")


def _began(session: Session, edge: "Edge", verb: str) -> Result:
    folder = edge.store.home.session(session.id)
    set_options = [f"{key}={value}" for key, value in session.options.items() if value]
    lines = [
        f"session  {session.id} {verb} in {session.phase}",
        f"folder   {folder}",
        f"options  {' '.join(set_options) or 'none'}",
        f"goal     {session.goal}",
    ]
    return Result({"session_id": session.id, "dir": folder, **session.document()}, "\n".join(lines))


def set_(args: "Args", edge: "Edge") -> Result:
    design = args.text("--design")
    design = None if design is None else edge.read(design, "design")
    target = edge.session(args)
    if args.on("--plan-approved") and edge.store.actor == AGENT:
        raise Conflict("only the person approves a plan; ask, and their answer is recorded")
    with edge.store.change(target.id) as change:
        session = sessions.get(change.database, target.id)
        before = session.phase
        changed = _apply(args, session, change.database, edge.store.now(), design)
        if not changed:
            raise UsageError("nothing to set; see ultrawork session set --help for what can be")
        sessions.save(change, session, "session.changed", changed)
        if design is not None:
            change.touch("design")
    moved = f"{before} -> {session.phase}" if before != session.phase else ", ".join(changed)
    text = "" if args.on("--quiet") else f"session {session.id}: {moved}"
    return Result(session.document(), text)


def _apply(
    args: "Args", session: Session, database: "Database", now: float, design: str | None
) -> dict[str, object]:
    """Does everything that was asked for, or raises; tells what was changed."""
    changed: dict[str, object] = {}
    if args.on("--plan-approved"):
        session.plan = {**session.plan, "approved_at": iso(now)}
        changed["plan.approved_at"] = session.plan["approved_at"]
    stage = args.text("--exploration-stage")
    if stage is not None:
        session.exploration_stage = stages.parse(stage)
        changed["exploration_stage"] = session.exploration_stage
    iteration = args.number("--iteration", low=1, high=10_000)
    if iteration is not None:
        session.iteration = _iteration(session, iteration)
        changed["iteration"] = iteration
    if design is not None:
        session.design = design
        changed["design"] = f"{len(design)} characters"
    place = args.text("--design-doc")
    if place is not None:
        session.plan = {**session.plan, "design_doc": check.text(place, "path of the design", 4096)}
        changed["plan.design_doc"] = place
    if args.text("--phase") is not None or args.on("--restart"):
        _move(args, session, database, now)
        changed["phase"] = session.phase
    return changed


def _iteration(session: Session, number: int) -> int:
    limit = int(str(session.options["max_iterations"]))
    if number > limit:
        raise UsageError(
            f"iteration {number} is beyond the limit of {limit} that the session began with"
        )
    return number


def _move(args: "Args", session: Session, database: "Database", now: float) -> None:
    target = phases.parse(args.text("--phase") or phases.EXECUTION)
    before = session.phase
    session.phase = phases.move(before, target, _facts(args, session, database))
    if before == session.phase:
        return
    if before == phases.FAILED and session.phase == phases.EXECUTION:
        session.run, session.iteration = session.run + 1, 1
    session.ended_at = now if session.phase in phases.TERMINAL else None


def _facts(args: "Args", session: Session, database: "Database") -> phases.Facts:
    from ...store import tasks

    plan = tasks.listed(database, session.id)
    running = [task.id for task in plan if task.status == statuses.IN_PROGRESS]
    return phases.Facts(
        approved=session.plan.get("approved_at") is not None,
        auto=bool(session.options["auto_mode"]),
        passed=session.verdict == "PASS",
        restart=args.on("--restart"),
        unsettled=[*running, *tasks.ready(database, session.id)],
        iteration=session.iteration,
        limit=int(str(session.options["max_iterations"])),
    )


def ask(args: "Args", edge: "Edge") -> Result:
    """A wish to the engine that runs a session; it looks several times a second."""
    if len(args.rest) != 1:
        raise UsageError(f"say what to ask for: {', '.join(controls.KINDS)}")
    kind = check.choice(args.rest[0], controls.KINDS, "wish")
    subject = args.text("--id") or ""
    session = edge.session(args)
    if subject:
        tasks.get(edge.store.database, session.id, subject)
    with edge.store.change(session.id) as change:
        controls.ask(change, kind, subject, str(args.number("--value") or 0))
    return Result(
        {"session_id": session.id, "asked": kind, "task": subject},
        f"asked: {kind} {subject}".rstrip(),
    )
