"""`ultrawork` alone: the session here, the checks and whether they may run, and what to type next."""

from ...core.errors import NotFound
from ...core.wording import count_things, cut, join_lines
from ...gates.session import preparation
from ...report.summary import SessionSummary, describe_age, describe_verified, summarize
from ..command import Command, Result
from ..environment import Args, VerbEnvironment

_WIDTH = 88
_SHOWN = 6


def show(args: Args, env: VerbEnvironment) -> Result:
    session = _find_session(args, env)
    listing = preparation.read(env.store, env.environ, env.place)
    verified = describe_verified(env.store, env.place, env.store.now())
    steps = _list_steps(session, listing, verified)
    checks = [(gate.name, gate.command, _say_may(listing, gate.name)) for gate in listing.gates]
    lines = [
        f"folder   {cut(env.place, _WIDTH)}",
        f"session  {_describe(session, env.store.now())}",
        *([f"verdict  {verified}"] if verified else []),
        *_render_checks(checks),
        "",
        "Next:",
        *(f"  {command:<28} {description}" for command, description in steps),
        "",
        "All verbs: ultrawork --help",
    ]
    data = {
        "folder": env.place,
        "session": session.document() if session else None,
        "verified": verified or None,
        "checks": [{"name": name, "command": run, "may_run": may} for name, run, may in checks],
        "next": [command for command, _ in steps],
    }
    return Result(data, "\n".join(lines))


def _find_session(args: Args, env: VerbEnvironment) -> SessionSummary | None:
    try:
        return summarize(env.store, env.shown_session(args))
    except NotFound:
        return None


def _describe(session_summary: SessionSummary | None, now: float) -> str:
    if session_summary is None:
        return "none yet"
    goal = cut(join_lines(session_summary.session.goal), 50)
    return f'{session_summary.word}: "{goal}" {session_summary.session.id[:8]}, {describe_age(session_summary, now)}'


def _say_may(listing: preparation.GateList, name: str) -> str:
    if listing.denied:
        return "you denied it"
    return "allowed" if listing.allowed[name] else "runs after you type ulw"


def _render_checks(checks: list[tuple[str, str, str]]) -> list[str]:
    if not checks:
        return ["checks   none found"]
    rows = [f"{name}: {cut(command, 50)}  ({may})" for name, command, may in checks[:_SHOWN]]
    more = len(checks) - len(rows)
    rows += [f"and {count_things(more, 'more check')}"] if more else []
    return [f"{'checks' if not at else '':<8} {row}" for at, row in enumerate(rows)]


def _list_steps(session: SessionSummary | None, listing: preparation.GateList, verified: str) -> list[tuple[str, str]]:
    """Return commands that make sense in this state, each with what it does."""
    if session is not None and session.session.active:
        steps = [
            ("ultrawork status", "details of the session"),
            ("ultrawork why", "the last decision and what would change it"),
            ("ultrawork cancel", "turn the session off"),
        ]
    elif session is not None:
        steps = [("ultrawork evidence", "the last verdict"), ("ultrawork why", "why it ended that way")]
    else:
        steps = [("ulw <task>", "in Claude Code or Codex: start a request with ulw")]
    if verified and not (session and session.session.active):
        steps = [("ultrawork why", "why the last verdict is what it is"), *steps[-1:]]
    if not listing.gates:
        return [*steps, ("ultrawork gates draft", "draft a first check for this project")]
    if listing.denied:
        return [*steps, ("ultrawork gates allow", "let hooks run the checks again")]
    return [*steps, ("ultrawork verify", "run the checks now")]


COMMANDS = (
    Command("", "Show what is going on here and what to type next", show, example="ultrawork\nultrawork here --json"),
)
