"""Maintain sessions: rebuild views, check the record, import old ones, clean up."""

from ...core import check as checks
from ...core import errors
from ...core.errors import Conflict
from ...core.registry import find_keeper
from ...core.session.session import Session
from ...core.wording import count_things, cut, join_lines
from ...store import sessions
from ..command import Result
from ..environment import Args, VerbEnvironment

_WEEK = 7 * 86400.0


def rebuild(args: Args, env: VerbEnvironment) -> Result:
    from ...store import views

    database = env.store.database
    names = [session.id for session in _chosen(args, env)]
    for name in names:
        env.store.warnings += views.refresh(database, env.store.home, name, views.list_names(database, name))
    return Result({"rebuilt": names}, f"rebuilt the files of {count_things(len(names), 'session')}")


def _chosen(args: Args, env: VerbEnvironment) -> list[Session]:
    return sessions.list_all(env.store.database, checkouts=True) if args.on("--all") else [env.session(args)]


def check(args: Args, env: VerbEnvironment) -> Result:
    from ...store.database import find_damage

    database = env.store.database
    problems = {name: problem for name, problem in _problems(args, env) if problem}
    if args.on("--all"):
        damaged = sessions.list_damaged(database)
        problems.update({name: ["its row is unreadable"] for name in damaged})
        damage = find_damage(database)
        problems.update({"database": damage} if damage else {})
    lines = [f"{name}: {text}" for name, problem in problems.items() for text in problem]
    return Result(
        {"ok": not problems, "problems": problems},
        "\n".join(lines) or "ok: all events are intact",
        exit=errors.EXIT_FAIL if problems else errors.EXIT_DONE,
    )


def _problems(args: Args, env: VerbEnvironment) -> list[tuple[str, list[str]]]:
    from ...store.database import find_broken_links

    database = env.store.database
    return [(session.id, find_broken_links(database, session.id)) for session in _chosen(args, env)]


def import_(args: Args, env: VerbEnvironment) -> Result:
    from ...store import legacy

    folders = args.rest or [env.store.home.root]
    taken, refused = legacy.import_all(env.store, folders, force=args.on("--force"))
    lines = [f"imported {name}" for name in taken]
    lines += [f"skipped {path}: {why}" for path, why in refused]
    status = errors.EXIT_DONE if taken or not refused else errors.EXIT_FAIL
    data = {"imported": taken, "refused": [{"path": path, "why": why} for path, why in refused]}
    return Result(data, "\n".join(lines) or "found no session of an earlier layout", exit=status)


def clean(args: Args, env: VerbEnvironment) -> Result:
    from ...flow import retention
    from ..headless.ending import forget_work

    removed = _clean_damaged(env) if args.on("--damaged") else []
    chosen = [] if args.on("--damaged") else _to_clean(args, env)
    active = [f'{session.id}  "{cut(join_lines(session.goal), 50)}"' for session in chosen if session.active]
    way = "in a script, add --yes"
    if active and not args.on("--yes") and not env.has_yes(active, "Delete active sessions?", way):
        return Result({"removed": []}, "nothing was deleted")
    for session in chosen:
        retention.remove_ended_session(env.store, session, lambda ended_session: forget_work(env, ended_session))
        removed.append(session.id)
    return Result({"removed": removed}, f"removed {count_things(len(removed), 'session')}")


def _clean_damaged(env: VerbEnvironment) -> list[str]:
    from ...flow import retention

    names = sessions.list_damaged(env.store.database)
    for name in names:
        with env.store.change(name) as change:
            sessions.delete(change, name)
        retention.remove_files(env.store, name)
    return names


def _to_clean(args: Args, env: VerbEnvironment) -> list[Session]:
    from ...flow import retention

    database = env.store.database
    if args.on("--session"):
        named = [sessions.find(database, name, env.place) for name in args.many("--session")]
        active = [session.id for session in named if session.active and not args.on("--all")]
        if active:
            raise Conflict(f"session {active[0]} is active; cancel it first, or add --all")
        return named
    here = [
        session
        for session in sessions.list_all(database, checkouts=True)
        if args.on("--everywhere") or session.working_dir == env.place
    ]
    # What a checkout remembers is not an ended session.
    here = [session for session in here if not find_keeper(session.id)]
    if args.on("--all"):
        return here
    age = checks.parse_duration(args.text("--older-than") or _WEEK, "time for --older-than")
    limit = env.store.now() - (0.0 if args.on("--completed") else age)
    return [session for session in here if retention.has_ended(session) and session.updated_at <= limit]
