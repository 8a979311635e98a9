"""`ultrawork clean`: what ended sessions left (branches, worktrees, state), listed first and then taken away."""

from ...core.session.session import Session
from ...core.times import format_duration
from ...core.wording import cut, join_lines
from ...flow import retention
from ...report.summary import read_ending
from ...store import sessions
from ...system.files import measure_folder
from ..command import Command, Result
from ..environment import Args, VerbEnvironment, switch
from ..headless.ending import forget_work

_WAY = "in a script, run: ultrawork clean --yes"


def clean(args: Args, env: VerbEnvironment) -> Result:
    """Remove ended sessions; those that can continue stay, so that no work is lost."""
    ended = [session for session in _list_here(args, env) if retention.has_ended(session)]
    over = [session for session in ended if args.on("--unfinished") or not _can_go_on(session)]
    left = len(ended) - len(over)
    stays = f"kept {left} that can still be resumed; add --unfinished to delete them too" if left else ""
    if not over:
        return Result({"removed": [], "kept": left}, stays or "nothing to delete")
    lines = [_describe(env, session) for session in over]
    if not args.on("--yes") and not env.has_yes(lines, "Delete these?", _WAY):
        return Result({"removed": [], "kept": left}, "nothing was deleted")
    for ended_session in over:
        retention.remove_ended_session(env.store, ended_session, lambda session: forget_work(env, session))
    report = [*(f"removed  {line}" for line in lines), *([stays] if stays else [])]
    return Result({"removed": [session.id for session in over], "kept": left}, "\n".join(report))


def _list_here(args: Args, env: VerbEnvironment) -> list[Session]:
    stored_sessions = sessions.list_all(env.store.database)
    return [session for session in stored_sessions if args.on("--everywhere") or session.working_dir == env.place]


def _can_go_on(session: Session) -> bool:
    return bool(session.state.run or session.plan.get("created_at")) and session.can_go_on


def _describe(env: VerbEnvironment, session: Session) -> str:
    came_to = read_ending(env.store.database, session).word or session.phase
    age = format_duration(env.store.now() - session.updated_at)
    size = measure_folder(env.store.home.session(session.id)) / 1_000_000
    goal = cut(join_lines(session.goal), 40)
    return f"{session.id[:8]}  {came_to:<10}  {age:>8} ago  {size:5.1f} MB  {goal}"


COMMANDS = (
    Command(
        "",
        "Delete branches, worktrees and state of finished sessions of this project",
        clean,
        flags=(
            switch("--everywhere", "include other projects"),
            switch("--unfinished", "include sessions that could still be resumed"),
            switch("--yes", "do not ask"),
        ),
        example="ultrawork clean\nultrawork clean --unfinished --yes",
    ),
)
