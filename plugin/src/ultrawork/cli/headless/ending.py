"""How a headless run ended: its result, where the work is, what to do next. And what a session changed, as a patch and
as its page, for `report` too; and removing its work."""

import os
import shlex
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any

from ...core import errors, registry
from ...core.course.chain import list_edited
from ...core.errors import NotFound, UltraworkError
from ...core.modes.modes import PIPELINE
from ...core.plan.evidence import SHELL
from ...core.plan.task import RESOLVED, SKIPPED
from ...core.run.prices import format_cost
from ...core.session.outcome import ANSWERED, Outcome
from ...core.session.session import CANCELLED, COMPLETE, PLANNING, PLANNING_COMPLETE, Session
from ...core.times import format_duration
from ...core.verdict import verdict as verdicts
from ...core.wording import count_things, cut, join_lines
from ...engine.agents.executor import LOCAL
from ...engine.contract import INTERRUPTED, RunStop
from ...engine.repository.cleanup import forget_session, remove_worktrees
from ...engine.repository.delivery import deliver
from ...engine.repository.repository import RefNames
from ...engine.repository.results import TASK
from ...engine.repository.worktrees import name_path
from ...engine.run import HeadlessRun
from ...gates.context import PERSON, GateContext
from ...gates.trees.source import Source
from ...report import page, timeline
from ...report.board import read_parts
from ...report.course import list_crew
from ...report.page_proof import TaskPatch
from ...report.plan import count_tasks, render_plan
from ...report.summary import read_ending
from ...report.why import read_cause
from ...store import agents, atomic, attempts, pins, receipts, sessions, tasks, trace
from ...system.git import FileChange, Git
from ..command import Result
from ..environment import VerbEnvironment

_WIDTH = 160
_SLOW = 3.0  # seconds without a line, after which a user wonders


def summarize(run: HeadlessRun, env: VerbEnvironment, session: Session, stopped: RunStop | None) -> Result:
    """How it ended, where the work is, and where to read more."""
    facts = _facts(run, session)
    if is_unfinished(session, stopped):
        return _unfinished(run, facts, session, stopped)
    delivered = _bring(run) if session.phase == COMPLETE else _describe_results(run)
    path = name_page(run)
    write_page(env, session, path)
    with tell_if_slow(run.tell, "removing the agents' worktrees"):
        kept = remove_worktrees(run.repository).kept
    if session.state.answered:
        return _answered(run, session, facts, path)
    why = "" if session.verdict == verdicts.PASS else _why(run, session)
    reasons = [*_because(why), *_unsettled(run, why)]
    lines = [
        _line(facts),
        *_tell_crew(run),
        *reasons,
        f"work     {delivered}",
        *_tell_kept(run, kept),
        f"report   {path}",
    ]
    data = {**facts, "because": why or None, "work": delivered, "report": path}
    return Result(data, "\n".join(lines), exit=read_ending(run.store.database, session).exit)


def is_unfinished(session: Session, stopped: RunStop | None) -> bool:
    """Return whether the run can go on. A verdict that another machine may have reached too is delivered by the one
    whose journal holds it."""
    return session.active or (stopped is not None and session.phase == COMPLETE)


def name_page(run: HeadlessRun) -> str:
    return f"{run.folder}/report.html"


@contextmanager
def tell_if_slow(tell: Callable[..., None], text: str, after: float = _SLOW) -> Generator[None, None, None]:
    """Say what is being done once it takes long, as the removal of 20,000 files on a busy disk."""
    timer = Timer(after, tell, (timeline.NOTE,), {"text": text})
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _bring(run: HeadlessRun) -> str:
    detail = deliver(run.repository, verify=not run.wishes.no_verify).detail
    if run.wishes.no_verify:
        detail = f"{detail}; git hooks and commit signing were skipped (--no-verify)"
    with run.store.change(run.name) as change:
        change.record(sessions.DELIVERED, {"told": detail})
    return detail


def _why(run: HeadlessRun, session: Session) -> str:
    """Return what `ultrawork why` would print."""
    cause = read_cause(run.store.database, run.name)
    return f"cancelled: {cause}" if session.phase == CANCELLED else cause


def _because(why: str) -> list[str]:
    return [f"because  {cut(join_lines(why), _WIDTH)}"] if why else []


def _unsettled(run: HeadlessRun, why: str) -> list[str]:
    """Return the reason of the first unfinished task: that tasks are left does not explain why."""
    plan = tasks.list_all(run.store.database, run.name) if why else []
    left = [task for task in plan if task.status not in (RESOLVED, SKIPPED)]
    reasons = (f"{task.id}: {join_lines(task.reason)}" for task in left if task.reason)
    return [f"task     {cut(reason, _WIDTH)}" for reason in reasons][:1]


def _tell_kept(run: HeadlessRun, kept: list[tuple[str, str]]) -> list[str]:
    """Return the worktrees that still exist, each with the reason and the command that removes it."""
    paths = [(shlex.quote(name_path(run.repository, name)), cut(join_lines(why), _WIDTH)) for name, why in kept]
    return [f"kept     {path}: {why}. Remove it: git worktree remove --force {path}" for path, why in paths]


def _answered(run: HeadlessRun, session: Session, facts: dict[str, Any], path: str) -> Result:
    """Return the result of a read-only pipeline: its last reports."""
    answer, voted = registry.ask(PIPELINE, "read_answer")(run, session)
    lines = [f"vote     {voted}"] if voted else []
    last = "\n".join([*lines, _line({**facts, "phase": ANSWERED}), f"report   {path}"])
    data = {**facts, "phase": ANSWERED, "answer": answer, "vote": voted, "report": path}
    return Result(data, "\n\n".join([*answer, last]))


def _facts(run: HeadlessRun, session: Session) -> dict[str, Any]:
    counted = count_tasks(tasks.list_all(run.store.database, run.name))
    spent = attempts.sum_spent(run.store.database, run.name, run.store.now())
    return {
        "session_id": run.name,
        "phase": session.phase,
        **(Outcome() if session.active else read_ending(run.store.database, session)).document(),
        "strength": receipts.find_strength(run.store.database, run.name),
        "rounds": session.iteration,
        "tasks": counted.all,
        "resolved": counted.resolved,
        "attempts": spent.agents,
        "tokens": spent.tokens,
        "cost_usd": spent.usd,
        "cost_estimated": attempts.has_estimates(run.store.database, run.name),
        "unpriced": attempts.count_unpriced(run.store.database, run.name),
        "providers": [
            {"name": name, "attempts": agents, "tokens": tokens, "cost_usd": usd}
            for name, agents, tokens, usd in attempts.sum_by_backend(run.store.database, run.name)
        ],
        "seconds": round((session.ended_at or run.store.now()) - session.started_at, 1),
    }


def _line(facts: dict[str, Any]) -> str:
    strength = f"; {facts['strength']}" if facts["strength"] else ""
    unknown = f" and an unknown cost of {count_things(facts['unpriced'], 'agent')}"
    cost = format_cost(facts["cost_usd"], estimated=facts["cost_estimated"])
    cost += unknown if facts["unpriced"] else ""
    return (
        f"{facts['ending'] or facts['phase']}  {facts['resolved']} of {count_things(facts['tasks'], 'task')},"
        f" {count_things(facts['attempts'], 'agent')}, {format_duration(facts['seconds'])}, {cost}{strength}"
    )


def _tell_crew(run: HeadlessRun) -> list[str]:
    """Return the crew, if there were several programs."""
    crew = list_crew(run.store.database, run.name)
    return [f"crew     {'; '.join(crew)}"] if len(crew) > 1 else []


def _describe_results(run: HeadlessRun) -> str:
    if run.repository.head() == run.repository.base:
        return "nothing was merged; your files are unchanged"
    return f"merged results are on branch {run.repository.branch}; your files are unchanged"


def _unfinished(run: HeadlessRun, facts: dict[str, Any], session: Session, stopped: RunStop | None) -> Result:
    why = stopped.detail if stopped else "no task can continue"
    interrupted = stopped is not None and stopped.why == INTERRUPTED
    _record_stop(run, run.orders.why if interrupted else why)
    if session.phase in (PLANNING, PLANNING_COMPLETE) and facts["tasks"]:
        shown = render_plan(session, tasks.list_all(run.store.database, run.name))
        text = f"{shown}\n\nPlan saved. Execute it: ultrawork exec --session {session.id}"
        return Result(facts, text)
    text = f"Stopped: {why}. Continue: ultrawork resume --session {session.id}"
    status = errors.EXIT_INTERRUPTED if interrupted else errors.EXIT_UNVERIFIED
    return Result({**facts, "stopped": why}, text, exit=status)


def _record_stop(run: HeadlessRun, why: str) -> None:
    """Record why it stopped until it is resumed: `status` would call it lost. A full or missing disk prevents that."""
    with suppress(errors.UltraworkError, OSError), run.store.change(run.name) as change:
        session = sessions.get(change.database, run.name)
        session.state.run["stopped"] = why
        sessions.save(change, session, "run.stopped", {"why": why})


_SECONDS = 60
_TRACE = 4_000_000


def write_page(env: VerbEnvironment, session: Session, path: str) -> None:
    text = page.render(
        env.store.database,
        session,
        list_changes(env, session),
        parts=read_parts(env.store, session),
        now=env.store.now(),
        patches=list_patches(env, session),
        folder=env.store.home.session(session.id),
    )
    atomic.write(path, text, mode=0o644)


def list_changes(env: VerbEnvironment, session: Session) -> list[FileChange]:
    pin = pins.get(env.store.database, session.id)
    if pin is None:
        return []
    source = _open_source(env, session)
    return list(source.changes(pin.tree, _find_tree(env, session, source)))


def list_patches(env: VerbEnvironment, session: Session) -> list[TaskPatch]:
    """Return what each task changed: by the commits of a headless run, else by who edited which file."""
    merged = _list_merged(env, session)
    if merged:
        return merged
    try:
        whole = make_patch(env, session)
    except NotFound:
        return []
    authors = _find_authors(env, session)
    grouped: dict[str, str] = {}
    for part in _split_patch(whole):
        path = part.partition("\n")[0].rpartition(" b/")[2]
        name = ", ".join(sorted(authors.get(f"{session.working_dir}/{path}", ())))
        grouped[name] = grouped.get(name, "") + part
    return [TaskPatch(name, text) for name, text in grouped.items()]


def _list_merged(env: VerbEnvironment, session: Session) -> list[TaskPatch]:
    names, git = RefNames(session.id), Git(session.working_dir, env.environ)
    if git.commit(names.integration) is None or git.commit(names.base) is None:
        return []
    flags = ["--reverse", "--first-parent", "--no-ext-diff", "--no-textconv", "--no-color", "-M", "-p"]
    span = f"{names.base}..{names.integration}"
    printed = git.ask(["log", *flags, f"--format=%x00%(trailers:key={TASK},valueonly)%x01", span])
    steps = [part.partition("\x01") for part in printed.decode("utf-8", "replace").split("\0")]
    return [
        TaskPatch(trailer.strip().rpartition("/")[2], text.strip("\n")) for trailer, _, text in steps if text.strip()
    ]


def _find_authors(env: VerbEnvironment, session: Session) -> dict[str, set[str]]:
    """Return paths with the tasks whose agents wrote them with an edit tool."""
    entries = trace.read_tail(env.store.home, session.id, size=_TRACE)
    authors: dict[str, set[str]] = {}
    for agent_call in agents.list_all(env.store.database, session.id):
        own = [entry for entry in entries if agent_call.agent and entry.get("agent") == agent_call.agent]
        for path in list_edited(own):
            authors.setdefault(path, set()).add(agent_call.subject)
    for task in tasks.list_all(env.store.database, session.id):
        pieces = [piece for piece in task.evidence if isinstance(piece, dict) and piece.get("type") == SHELL]
        for path in (name for piece in pieces for name in piece.get("files") or ()):
            authors.setdefault(f"{session.working_dir}/{path}", set()).add(task.id)
    return authors


def _split_patch(whole: str) -> list[str]:
    parts = whole.split("\ndiff --git ")
    return [part if n == 0 else f"diff --git {part}" for n, part in enumerate(parts) if part.strip()]


def make_patch(env: VerbEnvironment, session: Session) -> str:
    pin = pins.get(env.store.database, session.id)
    if pin is None:
        raise NotFound("this session has no baseline yet; it is recorded at the first step")
    source = _open_source(env, session)
    return source.patch(pin.tree, _find_tree(env, session, source))


def _open_source(env: VerbEnvironment, session: Session) -> Source:
    settings = env.read_settings(session.working_dir)
    context = GateContext(
        env.store,
        session,
        root=session.working_dir,
        settings=settings,
        environ=env.environ,
        by=PERSON,
        seconds=_SECONDS,
    )
    return Source(context)


def _find_tree(env: VerbEnvironment, session: Session, source: Source) -> str:
    """Return the session's result: the merged results of a headless run, else the current files."""
    merged = Git(session.working_dir, env.environ).tree_id(RefNames(session.id).integration)
    return merged or source.snapshot()


def forget_work(env: VerbEnvironment, session: Session) -> None:
    """Remove a run's worktrees and refs; what only it holds stays, and is named."""
    if not session.state.run or not os.path.isdir(session.working_dir):
        return

    try:
        kept = forget_session(session.working_dir, env.store.home, session.id, env.environ)
    except (UltraworkError, OSError) as error:
        kept = ""
        env.store.warnings.append(f"could not remove worktrees of {session.id}: {error}")
    forget_elsewhere(env, session)
    if kept:
        env.store.warnings.append(f"kept {kept}: no other branch has its results")


def forget_elsewhere(env: VerbEnvironment, session: Session) -> None:
    """Remove what the remote of a run over many machines has: it was offline at the end, or no engine was left."""
    if session.state.run.get("executor", LOCAL) == LOCAL:
        return
    from ...cluster.journal import remove_run
    from ...cluster.remote import GitRemote

    now = env.read_settings(session.working_dir)["cluster.remote"]  # for a run of an older version
    for url in filter(None, session.state.run.get("remotes") or [str(now)]):
        try:
            remote = GitRemote(session.working_dir, url, env.environ)
            remove_run(remote, RefNames(session.id).session)
        except (UltraworkError, OSError) as error:
            env.store.warnings.append(f"could not remove refs of {session.id} from {url}: {error}")
