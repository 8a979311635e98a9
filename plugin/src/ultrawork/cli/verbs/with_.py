"""`ultrawork with CLIENT …`: a client's own command, and after it the verdict, as the last line and as the exit status."""

from ...clients.confinement import Confinement
from ...clients.find import find_run_client
from ...core.errors import EXIT_UNVERIFIED, NotFound, UsageError
from ...core.session.session import Session
from ...core.verdict_values import EXITS, PASS, UNVERIFIED
from ...core.wording import capitalize, cut, join_lines
from ...gates.session import pinning, verification
from ...report.evidence import read_proof
from ...report.why import read_cause
from ...store import sessions
from ...store.anchors import get_anchor
from ...system import ancestry
from ...system.program import find_program, run_in_front
from ..command import CHECK_SECONDS, Command, Result
from ..environment import Args, VerbEnvironment

_WIDTH = 100


def accompany(args: Args, env: VerbEnvironment) -> Result:
    """Return the result of our session, if the client started or resumed one here. A client without our hooks leaves
    only files: those are checked like `verify`, and without changes it is not a PASS."""
    if not args.rest:
        raise UsageError('name a client and its arguments: ultrawork with claude -p "ulw fix it"')
    program = find_program(args.rest[0], env.environ)
    if program is None:
        raise NotFound(f"{args.rest[0]} is not on PATH; install it or give its path")

    began = env.store.now()
    before = pinning.take_tree(env.place, env.store, env.environ)
    status = run_in_front([program, *args.rest[1:]], env.environ)
    ran = {"client": args.rest[0], "client_exit": status}
    session = _find_session(env, began)
    client = find_run_client(args.rest[0])
    held = client.find_run_confinement(args.rest, env.environ, env.place, began)
    if session is not None:
        return _tell_session(env, session, ran, held)
    if pinning.take_tree(env.place, env.store, env.environ) == before:
        why = held.no_edits if held is not None else ""
        return _tell_unchecked(why or f"{args.rest[0]} changed no file", ran)
    return _tell_files(env, ran, held)


def _find_session(env: VerbEnvironment, began: float) -> Session | None:
    """Return the newest session that changed meanwhile and whose client is gone, like ours: not another terminal's."""
    for session in sessions.list_all(env.store.database, since=began):
        if session.working_dir == env.place and ancestry.is_gone(get_anchor(env.store.database, session.id)):
            return session
    return None


def _tell_session(env: VerbEnvironment, session: Session, ran: dict[str, object], held: Confinement | None) -> Result:
    if session.active:
        _verify(env, held, session.id)
        session = sessions.get(env.store.database, session.id)
    proof = read_proof(env.store, session)
    word = str(proof.document.get("verdict") or proof.document.get("ending") or UNVERIFIED)
    cause = "" if word == PASS else read_cause(env.store.database, session.id)
    return Result({**proof.document, **ran}, f"{proof.text}\n{_line(word, cause)}", exit=proof.exit)


def _tell_files(env: VerbEnvironment, ran: dict[str, object], held: Confinement | None) -> Result:
    document, value, report = _verify(env, held)
    if value == PASS and ran["client_exit"]:
        return _tell_unchecked(f"{ran['client']} exited with status {ran['client_exit']}", ran, report)
    data = {**document, "session": None, **ran}
    return Result(data, f"{report}\n{_line(value, '')}", exit=EXITS[value])


def _tell_unchecked(why: str, ran: dict[str, object], report: str = "") -> Result:
    text = "\n".join(filter(None, [report, _line(UNVERIFIED, why)]))
    data = {"verdict": UNVERIFIED, "session": None, "because": why, **ran}
    return Result(data, text, exit=EXIT_UNVERIFIED)


def _verify(
    env: VerbEnvironment, held: Confinement | None, session: str | None = None
) -> tuple[dict[str, object], str, str]:
    """Verify in the sandbox that the client used for the agent, and nowhere else."""
    if held is not None and not held.is_working(env.environ):
        held = Confinement(held.client, held.kind)
    outcome = verification.run(
        env.store,
        env.environ,
        env.place,
        session=session,
        own=session is None,
        strict=session is None,
        by=env.store.actor,
        seconds=CHECK_SECONDS,
        held=held,
    )
    return outcome.document, outcome.value, outcome.describe(for_agent=False)


def _line(word: str, cause: str) -> str:
    return cut(f"ultrawork: {word}" + (f". {capitalize(join_lines(cause))}" if cause else ""), _WIDTH)


COMMANDS = (
    Command(
        "",
        "The exit status is that of the verdict",
        accompany,
        rest="CLIENT WORDS...",
        example='ultrawork with claude -p "ulw fix the login bug"\nultrawork with codex exec "ulw fix the login bug"',
    ),
)
