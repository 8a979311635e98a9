"""`ultrawork evidence`: receipts, the last verdict, and proofs for others; its exit status is the verdict's.

Whoever only looks does not wait for the judge: code of proofs is loaded where it is used."""

import os

from ...core import errors
from ...core.check import parse_number
from ...core.errors import UsageError
from ...core.times import format_duration
from ...core.verdict_values import EXITS
from ...report import evidence as report
from ...store import atomic, receipts
from ...store.codec import dumps_pretty
from ...store.paths import read_version
from ...system.git import Git
from ..command import CHECK_SECONDS, Command, Result, render_table
from ..environment import SESSION, Args, Flag, VerbEnvironment, switch
from ..progress import ProgressLine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...proof.checking import ProofAnswer

_MARKDOWN = switch("--markdown", "print Markdown for a pull request")
_SARIF = Flag("--sarif", "write the findings as SARIF 2.1.0", metavar="FILE")
_JUNIT = Flag("--junit", "write the tests as JUnit XML", metavar="FILE")
_BASELINE = Flag("--baseline", "branch whose policy and keys apply", metavar="REF")


def show(args: Args, env: VerbEnvironment) -> Result:
    session = env.shown_session(args, checkouts=True)
    if args.rest:
        number = parse_number(args.rest[0].lstrip("#"), "receipt number", 1)
        receipt = receipts.get(env.store.database, session.id, number)
        return Result(receipt, report.render_receipt(receipt))
    proof = report.read_proof(env.store, session, markdown=args.on("--markdown"))
    _write_reports(args, env, session.id, proof.document)
    return Result(proof.document, proof.text, exit=proof.exit)


def _write_reports(args: Args, env: VerbEnvironment, session: str, verdict: report.Document) -> None:
    sarif, junit = args.text("--sarif"), args.text("--junit")
    if sarif is None and junit is None:
        return
    from ...proof import reports

    if "gates" not in verdict:
        raise UsageError("no check has a result yet; run ultrawork verify")
    if sarif is not None:
        _write(sarif, dumps_pretty(reports.make_sarif(verdict, read_version())))
    if junit is not None:
        numbers = [gate["receipt"] for gate in verdict["gates"].values() if gate["receipt"]]
        stored_receipts = (receipts.find(env.store.database, session, number) for number in numbers)
        runs = [(stored.document, stored.report) for stored in stored_receipts if stored is not None]
        _write(junit, reports.make_junit(runs))


def _write(path: str, text: str) -> None:
    try:
        atomic.write(os.path.abspath(path), text, mode=0o644)
    except OSError as error:
        raise UsageError(f"could not write {path}: {error.strerror}") from None


def list_(args: Args, env: VerbEnvironment) -> Result:
    session = env.shown_session(args, checkouts=True)
    stored_receipts = receipts.list_all(env.store.database, session.id)
    rows = [
        (
            f"#{receipt['id']}",
            receipt["gate"]["name"],
            receipt["result"],
            receipt["run"]["on"],
            format_duration(receipt["run"]["seconds"]),
            receipt["run"]["by"],
            receipt["gate"]["command"],
        )
        for receipt in stored_receipts
    ]
    text = render_table(("NO", "GATE", "RESULT", "ON", "TIME", "BY", "COMMAND"), rows)
    return Result({"receipts": stored_receipts}, text if rows else "no receipt yet; run ultrawork verify")


def publish(args: Args, env: VerbEnvironment) -> Result:
    """Puts the verdict of a commit's files into a git note, signed, and pushes it."""
    from ...proof import publishing

    if len(args.rest) > 1:
        raise UsageError("name one commit: ultrawork evidence publish [REF]")
    if args.on("--unsigned") and args.text("--key") is not None:
        raise UsageError("--key and --unsigned exclude each other; give one")
    order = publishing.PublishOrder(
        ref=args.rest[0] if args.rest else "HEAD",
        remote=args.text("--remote"),
        push=not args.on("--no-push"),
        key=args.text("--key"),
        signed=not args.on("--unsigned"),
    )
    done = publishing.publish(env.store, env.environ, env.place, order)
    data = {
        "tree": done.tree,
        "verdict": done.verdict["verdict"],
        "strength": done.verdict["strength"],
        "signed": done.signed,
        "new": done.fresh,
        "pushed": done.pushed.remote if done.pushed else None,
        "measured_against_baseline": done.on_baseline,
        "statements": done.statements,
    }
    return Result(data, "\n".join(publishing.describe_published(done)))


def check(args: Args, env: VerbEnvironment) -> Result:
    """
    Whether a commit is proved, by its note; with `--rerun` its checks run again in a clean copy. A proof in a file
    is compared with the files at hand.
    """
    from ...proof import checking, covering, pages

    if len(args.rest) > 1:
        raise UsageError("name one commit, or a file: ultrawork evidence check [REF|FILE|-]")
    given = args.rest[0] if args.rest else "HEAD"
    if _is_file(given, env):
        return _check_file(args, env, given)
    order = checking.CheckOrder(
        ref=given, baseline=args.text("--baseline"), merge=args.text("--merge"), trust=_read_trust(args, env)
    )
    if args.on("--fetch"):
        _fetch(env)
    answer = checking.ProofReader(env.store, env.environ, env.place).check(order)
    if args.on("--rerun"):
        _run_again(env, answer)
    data = answer.document()
    if args.on("--cover"):
        data["covered"] = covering.list_covered(answer, env.place, env.environ)
        return Result(data, "\n".join(data["covered"]))
    if (path := args.text("--summary")) is not None:
        _write(path, pages.render_summary(answer) + "\n")
    render = pages.render_summary if args.on("--markdown") else checking.render_proof
    lines = [render(answer), *(pages.list_annotations(answer) if args.on("--annotations") else [])]
    return Result(data, "\n".join(lines), exit=EXITS[answer.value])


def _is_file(given: str, env: VerbEnvironment) -> bool:
    """Return whether a file is meant; a commit takes precedence, so that no file named HEAD can replace it."""
    if given == "-":
        return True
    if not os.path.isfile(given):
        return False
    return Git(env.place, env.environ).commit(given) is None


def _read_trust(args: Args, env: VerbEnvironment) -> bytes | None:
    path = args.text("--trust")
    return None if path is None else env.read_file(path, "list of allowed signers").encode()


def _fetch(env: VerbEnvironment) -> None:
    from ...proof.notes import ProofNotes

    notes = ProofNotes(env.place, env.environ)
    remote = notes.choose_remote(None)
    if remote is None:
        raise UsageError("this repository has no remote; run it without --fetch")
    notes.fetch(remote)


def _run_again(env: VerbEnvironment, answer: "ProofAnswer") -> None:
    from ...proof.rerun import run_again

    with ProgressLine(quiet=env.json) as progress:
        run_again(env.store, env.environ, env.place, answer, seconds=CHECK_SECONDS, progress=progress.begin)


def _check_file(args: Args, env: VerbEnvironment, given: str) -> Result:
    from ...gates.session import proof

    text = env.read("-", "proof") if given == "-" else proof.read(given)
    answer = proof.check(env.store, env.environ, env.place, text, rerun=args.on("--rerun"))
    status = errors.EXIT_DONE if answer.same else errors.EXIT_FAIL
    return Result(answer.document(), "\n".join(answer.lines), exit=status)


def badge(args: Args, env: VerbEnvironment) -> Result:
    """Return an SVG of a commit's proof; print it, or write it to a file."""
    from ...proof import checking, pages

    if len(args.rest) > 1:
        raise UsageError("name one commit: ultrawork evidence badge [REF]")
    order = checking.CheckOrder(ref=args.rest[0] if args.rest else "HEAD", baseline=args.text("--baseline"))
    answer = checking.ProofReader(env.store, env.environ, env.place).check(order)
    image = pages.render_badge(answer.value, answer.strength)
    path = args.text("--out")
    if path is not None:
        _write(path, image)
    data = {"verdict": answer.value, "strength": answer.strength, "svg": image, "path": path}
    return Result(data, path or image.rstrip())


COMMANDS = (
    Command(
        "",
        "Show the last verdict; the exit status is the verdict's",
        show,
        rest="[show [N]]",
        flags=(SESSION, _MARKDOWN, _SARIF, _JUNIT),
        example="ultrawork evidence\nultrawork evidence --markdown",
    ),
    Command(
        "show",
        "Show the last verdict or one receipt",
        show,
        rest="[N]",
        flags=(SESSION, _MARKDOWN, _SARIF, _JUNIT),
        example="ultrawork evidence show --junit tests.xml",
    ),
    Command("list", "List all receipts of a session", list_, flags=(SESSION,), example="ultrawork evidence list"),
    Command(
        "publish",
        "Publish a commit's verdict as a signed git note",
        publish,
        rest="[REF]",
        flags=(
            Flag("--remote", "push to this remote instead of the branch's own", metavar="NAME"),
            switch("--no-push", "write the note but do not push it"),
            Flag("--key", "sign with this SSH key instead of git's user.signingkey", metavar="FILE"),
            switch("--unsigned", "do not sign; `evidence check` will not accept it"),
        ),
        example="ultrawork evidence publish",
    ),
    Command(
        "check",
        "Check the published verdict of a commit, or of a file",
        check,
        rest="[REF|FILE|-]",
        flags=(
            switch("--rerun", "run the checks again in a clean copy and compare"),
            _BASELINE,
            Flag("--trust", "use these allowed signers instead of the baseline's", metavar="FILE"),
            Flag("--merge", "check that this merge commit has the same files", metavar="REF"),
            switch("--fetch", "fetch published verdicts from the remote first"),
            switch("--markdown", "print Markdown"),
            Flag("--summary", "also write the Markdown to this file", metavar="FILE"),
            switch("--annotations", "add GitHub workflow annotations"),
            switch("--cover", "print only the checks that do not need to run again"),
        ),
        example="ultrawork evidence check origin/topic --baseline origin/main",
    ),
    Command(
        "badge",
        "Draw an SVG badge of a commit's verdict",
        badge,
        rest="[REF]",
        flags=(_BASELINE, Flag("--out", "write it to this file", metavar="FILE")),
        example="ultrawork evidence badge main --out proof.svg",
    ),
)
