"""`ultrawork task …`: creating, reading, claiming and updating tasks."""

from ...core import check, errors
from ...core.errors import Conflict, UsageError
from ...core.plan import task as core_task
from ...core.plan.task import Task
from ...store import sessions, tasks
from ...store.codec import dumps_pretty, loads
from ..command import Command, Result, render_table, show_field, split_list
from ..environment import MANY, NUMBER, SESSION, Args, Flag, VerbEnvironment, switch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...core.session.session import Session
    from ...store.database import Change


def create(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    plan = args.text("--from")
    if args.on("--draft"):
        new = _from_goal(session, env)
    else:
        new = _from_flags(args, env) if plan is None else _from_file(plan, env)
    if session.state.lead:
        raise Conflict("only ax-decompose can write the plan of a requirement")
    with env.store.change(session.id) as change:
        _refuse_ended(sessions.get(change.database, session.id).active, session.id)
        held = _held_to_rules(change, new)
        tasks.create(change, held)
        if held is not new:
            tasks.wait_for_all(change, core_task.VERIFY)
        new = held
    data: dict[str, Any] = {"session_id": session.id, "created": [task.id for task in new]}
    warnings = _overlaps(env, session.id) if any(task.files for task in new) else []
    if plan is None and not args.on("--draft"):
        text = f"task {new[0].id}: {new[0].subject}"
        return Result({**data, "task": new[0].document()}, text, warnings=warnings)
    return Result(data, f"{len(new)} tasks in session {session.id}", warnings=warnings)


def _from_goal(session: "Session", env: VerbEnvironment) -> list[Task]:
    """Return a plan from the goal's own words, if no model can make a better one."""
    from ...flow import planning
    from ...store import pins

    pin = pins.get(env.store.database, session.id)
    gates = [gate.command for gate in pin.gates] if pin else []
    return planning.draft_tasks(session.goal, gates, now=env.store.now())


def _held_to_rules(change: "Change", new: list[Task]) -> list[Task]:
    """Return the tasks; if the program conducts the session, checked and with `verify` at the end."""
    from ...store import pins

    if pins.get(change.database, change.session) is None:
        return new
    from ...flow import planning

    planning.set_aside(change)
    planning.note_made(change)
    return planning.complete_tasks(new, tasks.read_needs(change.database, change.session), now=change.now)


def _overlaps(env: VerbEnvironment, session: str) -> list[str]:
    """Warn, but do not fail, when two unordered tasks write the same file."""
    from ...flow import planning

    return planning.find_overlaps(tasks.list_all(env.store.database, session))


def _refuse_ended(active: bool, name: str) -> None:
    if not active:
        raise Conflict(f"session {name} has ended, so its tasks cannot change")


def _from_flags(args: Args, env: VerbEnvironment) -> list[Task]:
    if args.text("--id") is None or args.text("--subject") is None:
        raise UsageError("give --id and --subject, or a whole plan with --from plan.json")
    entry = {
        "id": args.text("--id"),
        "subject": args.text("--subject"),
        "description": _description(args, env),
        "complexity": args.text("--complexity") or core_task.STANDARD,
        "criteria": split_list(args.text("--criteria"), "|"),
        "blockedBy": split_list(args.text("--blocked-by"), ","),
        "files": split_list(args.text("--files"), ","),
        "approach": args.text("--approach") or core_task.STANDARD,
        "test_file": args.text("--test-file") or "",
        "test_scope": args.text("--test-scope") or "",
    }
    return [core_task.parse_task(entry, now=env.store.now())]


def _description(args: Args, env: VerbEnvironment) -> str:
    path = args.text("--description-file")
    if path is not None and args.text("--description") is not None:
        raise UsageError("give --description or --description-file, not both")
    if path is not None:
        return env.read_file(path, "description file").strip()
    return env.read(args.text("--description") or "", "description").strip()


def _from_file(path: str, env: VerbEnvironment) -> list[Task]:
    text = env.read_named(path, "plan")
    try:
        plan = loads(text)
    except ValueError:
        raise UsageError(f'the plan {check.quote(path)} is not JSON; write {{"tasks": [...]}}') from None
    entries = plan.get("tasks") if isinstance(plan, dict) else plan
    if not isinstance(entries, list) or not entries:
        raise UsageError(f'the plan {check.quote(path)} has no list of tasks; write {{"tasks": [...]}}')
    for entry in entries:
        if not isinstance(entry, dict):
            raise UsageError(f"a task of the plan is {check.quote(entry)}, not an object")
    return [core_task.parse_task(entry, now=env.store.now()) for entry in entries]


def get(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    task = tasks.get(env.store.database, session.id, str(args.text("--id")))
    return show_field(task.document(), args.text("--field"))


def list_(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    status = args.text("--status")
    stored_tasks = tasks.list_all(
        env.store.database, session.id, status=None if status is None else core_task.parse(status)
    )
    documents = [task.document() for task in stored_tasks]
    field = args.text("--field")
    if field is not None:
        each = [show_field(document, field) for document in documents]
        return Result({"tasks": [result.data for result in each]}, "\n".join(result.text for result in each))
    if args.text("--format") == "json":
        return Result({"tasks": documents}, dumps_pretty(documents))
    rows = [
        (task.id, task.status, task.complexity, ", ".join(task.blocked_by) or "-", task.subject)
        for task in stored_tasks
    ]
    text = render_table(("ID", "STATUS", "COMPLEXITY", "BLOCKED BY", "SUBJECT"), rows) if rows else "no task"
    return Result({"session_id": session.id, "tasks": documents}, text)


def update(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    status = args.text("--status")
    evidence = [check.clean_text(text, "evidence") for text in args.many("--add-evidence")]
    wanted = ("--status", "--add-evidence", "--reason", "--retry-count")
    if not any(args.on(flag) for flag in wanted):
        raise UsageError(f"nothing to update; give one of {', '.join(wanted)}")
    by_hand = _require_own_word(args, env, session)
    with env.store.change(session.id) as change:
        task = tasks.update(
            change,
            str(args.text("--id")),
            status=None if status is None else core_task.parse(status),
            evidence=evidence,
            reason=args.text("--reason"),
            retry_count=args.number("--retry-count"),
            owner=args.text("--owner"),
            token=args.number("--token"),
        )
        if by_hand:
            tasks.record_by_hand(change, task, by_hand)
    text = f"task {task.id}: {task.status}, {len(task.evidence)} evidence"
    return Result({"session_id": session.id, "task": task.document()}, text)


def _require_own_word(args: Args, env: VerbEnvironment, session: "Session") -> str:
    """Return the user's terminal if the command settles a task of a conducted session, where criteria decide instead
    of an agent; empty if it settles nothing. A user may do that, and the terminal is recorded."""
    from ...store import pins

    settles = (args.text("--status") or "") in (core_task.RESOLVED, core_task.SKIPPED)
    # Used-up tries lead a requirement to BLOCKED: resetting them takes that decision from the user.
    settles = settles or (bool(session.state.lead) and (args.on("--status") or args.on("--retry-count")))
    if not settles or not pins.is_pinned(env.store.database, session.id):
        return ""
    way = "or run its criteria: ultrawork task check"
    return env.require_person("can settle a task by hand", way)


def claim(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    owner = check.clean_text(str(args.text("--owner")), "owner", 200)
    with env.store.change(session.id) as change:
        _refuse_ended(sessions.get(change.database, session.id).active, session.id)
        task = tasks.claim(change, owner, args.text("--id"))
    if task is None:
        return Result({"session_id": session.id, "task": None}, "no task is ready")
    text = f"task {task.id} for {owner} (token {task.token}): {task.subject}"
    return Result({"session_id": session.id, "task": task.document()}, text)


def check_(args: Args, env: VerbEnvironment) -> Result:
    """Run a task's own criteria; permission to run this verb is consent for exactly those commands."""
    from ...core.plan import criteria
    from ...flow import agent_ends
    from ...store import receipts

    session = env.session(args)
    task = tasks.get(env.store.database, session.id, str(args.text("--id")))
    checked = agent_ends.check_criteria(env.store, env.environ, session.id, task, by=env.store.actor)
    commands = [criterion.command for criterion in map(criteria.parse, task.criteria) if criterion.command]
    receipts.allow(env.store.database, session.working_dir, commands, at=env.store.now(), how="ultrawork task check")
    resolved = agent_ends.resolve_directly(env.store, session.id, task, checked)
    lines = [*checked.met, *checked.failed, *(f"{text}: needs a judgement" for text in checked.judged)]
    lines += [f"task {task.id} is resolved"] if resolved else []
    data = {"met": checked.met, "failed": checked.failed, "judged": checked.judged, "resolved": bool(resolved)}
    status = errors.EXIT_FAIL if checked.failed else errors.EXIT_DONE
    return Result(data, "\n".join(lines) or "this task has no acceptance criteria", exit=status)


_ID = Flag("--id", "the task", metavar="ID", aliases=("-t", "--task", "--task-id"), required=True)
_OWNER = Flag("--owner", "refuse unless this owner holds the task", metavar="NAME")
COMMANDS = (
    Command(
        "create",
        "Add one task or a whole plan to a session",
        create,
        flags=(
            SESSION,
            Flag("--id", "the task's id", metavar="ID", aliases=("-i", "--task", "--task-id")),
            Flag("--subject", "what it is, in one line", aliases=("-S",)),
            Flag("--description", "the full description, or - for standard input", aliases=("-d",)),
            Flag("--description-file", "file with the full description", metavar="FILE", aliases=("-D",)),
            Flag("--complexity", "how difficult (standard)", choices=core_task.COMPLEXITIES, aliases=("-c",)),
            Flag("--criteria", "command or sentence that shows it is done", metavar='"A|B"', aliases=("-C",)),
            Flag("--blocked-by", "tasks that must finish first", metavar="1,2", aliases=("-b",)),
            Flag("--files", "files it writes", metavar="A,B"),
            Flag("--approach", "standard or test first", choices=core_task.APPROACHES, aliases=("-a",)),
            Flag("--test-file", "file of its test", metavar="FILE", aliases=("-t",)),
            Flag("--test-scope", "tests that prove it", aliases=("-T",)),
            switch("--draft", "split the goal into tasks without a model"),
            Flag("--from", 'a plan {"tasks": [{id, subject, ...}]}, or -', metavar="FILE|-"),
        ),
        example='ultrawork task create --id 1 --subject "Add the form" --criteria "npm test passes"',
    ),
    Command(
        "get",
        "Print a task or one field of it",
        get,
        flags=(SESSION, _ID, Flag("--field", "one field, such as status", metavar="PATH")),
        example="ultrawork task get --id 1 --field status",
    ),
    Command(
        "list",
        "List the tasks of a session in plan order",
        list_,
        flags=(
            SESSION,
            Flag("--status", "only tasks with this status", metavar="STATUS", aliases=("-S",)),
            Flag("--format", "a table, or a JSON list", choices=("table", "json"), aliases=("-f",)),
            Flag("--field", "one field of each task, one per line", metavar="PATH"),
        ),
        example="ultrawork task list --status pending",
    ),
    Command(
        "update",
        "Change a task's status or add evidence",
        update,
        flags=(
            SESSION,
            _ID,
            Flag("--status", "the next status", metavar="STATUS", aliases=("-S",)),
            Flag("--add-evidence", "what you ran and saw", kind=MANY, aliases=("-e",)),
            Flag("--reason", "why it failed, is blocked, or was skipped"),
            Flag("--retry-count", "number of retries", kind=NUMBER),
            _OWNER,
            Flag("--token", "refuse if the task was claimed again since", kind=NUMBER),
        ),
        example='ultrawork task update --id 1 --status resolved --add-evidence "npm test: 12 passed"',
    ),
    Command(
        "check",
        "Run a task's acceptance commands and record the receipts",
        check_,
        flags=(SESSION, _ID),
        example="ultrawork task check --id 1",
    ),
    Command(
        "claim",
        "Claim the next ready task, or the named one",
        claim,
        flags=(
            SESSION,
            Flag("--owner", "who claims it", metavar="NAME", required=True),
            Flag("--id", "this task", metavar="ID", aliases=("-t", "--task", "--task-id")),
        ),
        example="ultrawork task claim --owner worker-1",
    ),
)
