"""`ultrawork session …`: beginning, changing and reading sessions; `session_maintenance` cares for them."""

import os

from ...core import check
from ...core.errors import Conflict, UsageError
from ...core.plan.task import IN_PROGRESS, RESOLVED, SKIPPED
from ...core.session import exploration
from ...core.session.session import CANCELLED, EXECUTION, FAILED, PLANNING, TERMINAL, PhaseFacts, Session, move, parse
from ...core.times import format_iso
from ...core.verdict_values import PASS
from ...core.wording import cut, join_lines
from ...store import controls, paths, sessions, tasks
from ...store.database import Database
from ..command import Command, Result, render_table, show_field
from ..environment import MANY, NUMBER, SESSION, SINCE, Args, Flag, VerbEnvironment, read_options, switch
from . import session_maintenance


def begin(args: Args, env: VerbEnvironment) -> Result:
    if args.on("--resume"):
        return _resume(env.session(args).id, env)
    given = env.session_name(args)
    name = check.require_session_id(_own_name(env) if given is None else given)
    session = Session(
        id=name,
        goal=check.clean_text(args.text("--goal") or " ".join(args.rest), "goal"),
        working_dir=env.place,
        options=read_options(args),
        started_at=env.store.now(),
    )
    env.store.home.session(name)
    with env.store.change(name) as change:
        sessions.create(change, session, force=args.on("--force"))
    return _began(session, env, "begins")


def _own_name(env: VerbEnvironment) -> str:
    """Return the client's own id for its session, else a new one."""
    return paths.find_client_session(env.environ) or os.urandom(4).hex()


def _resume(name: str, env: VerbEnvironment) -> Result:
    with env.store.change(name) as change:
        session = sessions.get(change.database, name)
        if session.phase == CANCELLED:
            session.phase = PLANNING if not session.plan.get("approved_at") else EXECUTION
            session.ended_at = None
        sessions.save(change, session, "session.resumed", {"phase": session.phase})
    return _began(session, env, "goes on")


def _began(session: Session, env: VerbEnvironment, verb: str) -> Result:
    folder = env.store.home.session(session.id)
    set_options = [f"{key}={value}" for key, value in session.options.items() if value]
    lines = [
        f"session  {session.id} {verb} in {session.phase}",
        f"folder   {folder}",
        f"options  {' '.join(set_options) or 'none'}",
        f"goal     {session.goal}",
    ]
    return Result({"session_id": session.id, "dir": folder, **session.document()}, "\n".join(lines))


def set_(args: Args, env: VerbEnvironment) -> Result:
    design = args.text("--design")
    design = None if design is None else env.read(design, "design")
    target = env.session(args)
    terminal = ""
    if args.on("--plan-approved"):
        way = "in the client, ask the user and the answer is recorded; to run unattended, start with --auto"
        terminal = env.require_person("can approve a plan", way)
    with env.store.change(target.id) as change:
        session = sessions.get(change.database, target.id)
        _refuse_led(args, session)
        before = session.phase
        changed = _apply(args, session, change.database, env.store.now(), design)
        if not changed:
            raise UsageError("nothing to set; see ultrawork session set --help")
        by_hand = {"terminal": terminal} if terminal else {}
        if terminal:
            session.plan = {**session.plan, "approved_by": f"you, at {terminal}"}
        sessions.save(change, session, "session.changed", {**changed, **by_hand})
        if design is not None:
            change.touch("design")
    moved = f"{before} -> {session.phase}" if before != session.phase else ", ".join(changed)
    text = "" if args.on("--quiet") else f"session {session.id}: {moved}"
    return Result(session.document(), text)


_SHORT_ID, _LONGEST_ID = 8, 16
_GOAL = 50
_LED = ("--phase", "--restart", "--iteration", "--plan-approved")


def _refuse_led(args: Args, session: Session) -> None:
    """Refuse to move a requirement by hand: that would bypass its checks."""
    named = next((flag for flag in _LED if args.on(flag)), "")
    if named and session.state.lead:
        raise Conflict(f"{named} has no effect while Axiom controls this session; see ultrawork axiom status")


def _apply(args: Args, session: Session, database: Database, now: float, design: str | None) -> dict[str, object]:
    """Apply everything that was requested, or raise; return what changed."""
    changed: dict[str, object] = {}
    if args.on("--plan-approved"):
        session.plan = {**session.plan, "approved_at": format_iso(now)}
        changed["plan.approved_at"] = session.plan["approved_at"]
    stage = args.text("--exploration-stage")
    if stage is not None:
        session.exploration_stage = exploration.parse_stage(stage)
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
        session.plan = {**session.plan, "design_doc": check.clean_text(place, "path of the design", 4096)}
        changed["plan.design_doc"] = place
    if args.text("--phase") is not None or args.on("--restart"):
        _move(args, session, database, now)
        changed["phase"] = session.phase
    return changed


def _iteration(session: Session, number: int) -> int:
    limit = int(str(session.options["max_iterations"]))
    if number > limit:
        raise UsageError(f"iteration {number} exceeds this session's limit of {limit}")
    return number


def _move(args: Args, session: Session, database: Database, now: float) -> None:
    target = parse(args.text("--phase") or EXECUTION)
    before = session.phase
    session.phase = move(before, target, _facts(args, session, database))
    if before == session.phase:
        return
    if before == FAILED and session.phase == EXECUTION:
        session.run, session.iteration = session.run + 1, 1
    session.ended_at = now if session.phase in TERMINAL else None


def _facts(args: Args, session: Session, database: Database) -> PhaseFacts:
    plan = tasks.list_all(database, session.id)
    running = [task.id for task in plan if task.status == IN_PROGRESS]
    return PhaseFacts(
        approved=session.plan.get("approved_at") is not None,
        auto=bool(session.options["auto_mode"]),
        passed=session.verdict == PASS,
        restart=args.on("--restart"),
        unsettled=[*running, *tasks.list_ready(database, session.id)],
        iteration=session.iteration,
        limit=int(str(session.options["max_iterations"])),
    )


def get(args: Args, env: VerbEnvironment) -> Result:
    name = env.session_name(args)
    if name not in (None, "last") and (args.on("--dir") or args.on("--file")):
        return _path(args, env.store.home.session(str(name)))
    session = env.session(args)
    if args.on("--dir") or args.on("--file"):
        return _path(args, env.store.home.session(session.id))
    return show_field(session.document(), args.text("--field"))


def _path(args: Args, folder: str) -> Result:
    path = folder if args.on("--dir") else folder + "/session.json"
    return Result({"path": path}, path)


def list_(args: Args, env: VerbEnvironment) -> Result:
    place = env.place if args.on("--here") else ""
    stored_sessions = sessions.list_all(env.store.database, since=env.since(args), place=place)
    if not stored_sessions:
        return Result({"sessions": []}, "no session")
    from ...report.summary import describe_age, summarize

    summaries = [summarize(env.store, session) for session in stored_sessions]
    rows = [
        (
            _shorten(summary.session.id),
            summary.word,
            describe_age(summary, env.store.now()),
            str(summary.sent_back),
            summary.cost or "-",
            summary.folder,
            cut(join_lines(summary.session.goal), _GOAL),
        )
        for summary in summaries
    ]
    head = ("SESSION", "STATE", "WHEN", "SENT BACK", "COST", "FOLDER", "GOAL")
    data = [{**summary.session.document(), "summary": summary.document()} for summary in summaries]
    return Result({"sessions": data}, render_table(head, rows))


def _shorten(name: str) -> str:
    """Return enough of a client's long id to name it; short ones were chosen by people."""
    return name if len(name) <= _LONGEST_ID else name[:_SHORT_ID]


def ask(args: Args, env: VerbEnvironment) -> Result:
    """Send an order to the engine of a session; it reads orders several times a second."""
    if len(args.rest) != 1:
        raise UsageError(f"name what to ask for: {', '.join(controls.KINDS)}")
    kind = check.require_choice(args.rest[0], controls.KINDS, "wish")
    subject = args.text("--id") or ""
    session = env.session(args)
    if not session.active:
        raise Conflict(f"session {session.id} has ended ({session.phase}), so {kind} has no effect")
    if subject:
        status = tasks.get(env.store.database, session.id, subject).status
        if status in (RESOLVED, SKIPPED):
            raise Conflict(f"task {subject} is already {status}; to remove its result: ultrawork undo {subject}")
    _require_engine(env, session, kind)
    with env.store.change(session.id) as change:
        controls.ask(change, kind, subject, str(args.number("--value") or 0))
    return Result({"session_id": session.id, "asked": kind, "task": subject}, f"asked: {kind} {subject}".rstrip())


def _require_engine(env: VerbEnvironment, session: Session, kind: str) -> None:
    """Require a running engine: otherwise a later one would obey the order at the wrong time."""
    from ...store.atomic import is_held

    if not is_held(f"{env.store.home.session(session.id)}/{paths.ENGINE_LOCK}"):
        instead = "to end it: ultrawork cancel" if kind == controls.CANCEL else "to continue it: ultrawork resume"
        raise Conflict(f"no process is running session {session.id}, so {kind} has no effect; {instead}")


_ID = Flag("--session", "the session's id (default: a new one)", metavar="ID", aliases=("-s",))

COMMANDS = (
    Command(
        "new",
        "Start a session",
        begin,
        rest="[GOAL]",
        flags=(
            _ID,
            Flag("--goal", "what to do", aliases=("-g",)),
            switch("--auto", "do not ask for approval of the plan", aliases=("-a",)),
            Flag("--max-workers", "run at most N workers at a time, 0 for no limit", kind=NUMBER, aliases=("-w",)),
            Flag(
                "--max-iterations", "allow at most N rounds of work and verification (5)", kind=NUMBER, aliases=("-i",)
            ),
            switch("--skip-verify", "skip verification; the session ends UNVERIFIED"),
            switch("--plan-only", "stop when the plan is complete", aliases=("-p",)),
            switch("--barrier", "finish one wave of tasks before the next"),
            switch("--force", "start over, even if a session is active", aliases=("-f",)),
            switch("--resume", "resume the session as it is", aliases=("-r",)),
        ),
        example='ultrawork session new --goal "fix the login bug" --auto',
    ),
    Command(
        "ask",
        "Ask the engine of a run: pause, resume, finish, stop, cancel, or a task's priority",
        ask,
        rest="WISH",
        flags=(SESSION, Flag("--id", "the task", metavar="TASK"), Flag("--value", "the task's priority", kind=NUMBER)),
        example="ultrawork session ask priority --id 3 --value 5",
    ),
    Command(
        "get",
        "Print a session, one field, or its folder",
        get,
        flags=(
            SESSION,
            Flag("--field", "one field, such as phase or plan.approved_at", metavar="PATH", aliases=("-f",)),
            switch("--dir", "print the session's folder", aliases=("-d",)),
            switch("--file", "print the path of its session.json", aliases=("-F",)),
        ),
        example="ultrawork session get --field phase",
    ),
    Command(
        "set",
        "Change a session's phase, plan, stage, iteration or design",
        set_,
        flags=(
            SESSION,
            Flag("--phase", "the next phase", metavar="PHASE", aliases=("-p",)),
            switch("--plan-approved", "record that the plan is approved", aliases=("-P",)),
            Flag("--exploration-stage", "stage of the exploration", metavar="STAGE", aliases=("-e",)),
            Flag("--iteration", "the round of work and verification", kind=NUMBER, aliases=("-i",)),
            Flag("--design", "the design, or - for standard input", metavar="TEXT|-"),
            Flag("--design-doc", "path of the design in the project", metavar="PATH"),
            switch("--restart", "restart a failed session as a new run"),
            switch("--quiet", "print nothing", aliases=("-q",)),
        ),
        example="ultrawork session set --plan-approved --phase EXECUTION",
    ),
    Command(
        "list",
        "List sessions, newest first",
        list_,
        flags=(SINCE, switch("--here", "only sessions of this checkout")),
        example="ultrawork session list --since 12h",
    ),
    Command(
        "rebuild",
        "Rebuild a session's files from the database",
        session_maintenance.rebuild,
        flags=(SESSION, switch("--all", "all sessions")),
        example="ultrawork session rebuild --all",
    ),
    Command(
        "check",
        "Check that no recorded event was changed or is missing",
        session_maintenance.check,
        flags=(SESSION, switch("--all", "all sessions and the database file")),
        example="ultrawork session check --all",
    ),
    Command(
        "import",
        "Import sessions of earlier layouts (5.0 to 7.0)",
        session_maintenance.import_,
        rest="[FOLDER...]",
        flags=(switch("--force", "replace sessions that already exist"),),
        example="ultrawork session import ~/.claude/ultrawork",
    ),
    Command(
        "clean",
        "Delete ended sessions of this project and their files",
        session_maintenance.clean,
        flags=(
            Flag("--session", "only this session", kind=MANY, metavar="ID", aliases=("-s",)),
            Flag("--older-than", "ended sessions older than this (7d)", metavar="TIME"),
            switch("--completed", "ended sessions of any age"),
            switch("--damaged", "only sessions whose record cannot be read"),
            switch("--all", "include active sessions, after asking"),
            switch("--everywhere", "include other projects"),
            switch("--yes", "do not ask"),
        ),
        example="ultrawork session clean --older-than 7d",
    ),
)
