"""`ultrawork review`: what reviewers from outside claim, and what became of it when their commands ran."""

from ...core import errors
from ...core.check import clean_text, quote
from ...core.verdict import reviews
from ...core.verdict.reviews import CONFIRMED, ReviewClaim
from ...core.wording import count_things
from ...store import receipts
from ...store import reviews as stored
from ...store import settings as stored_settings
from ..command import CHECK_SECONDS, Command, Result, render_table
from ..environment import VerbEnvironment
from ..flags import Args, Flag

HEAD = ("STATUS", "REVIEWER", "WHERE", "WEIGHT", "FINDING")
WAY = "or `[helpers] run_commands = true` in your own settings"


def show(_args: Args, env: VerbEnvironment) -> Result:
    return _result(stored.list_claims(env.store.home, env.place))


def _result(claims: list[ReviewClaim]) -> Result:
    ranked = reviews.rank_claims(claims)
    rows = [
        (
            one.status + ("+" if reviews.is_corroborated(one, claims) else ""),
            one.reviewer, one.where or "-", one.severity, f"{one.title}{_why(one)}",
        )
        for one in ranked
    ]  # fmt: skip
    if not rows:
        return Result({"findings": []}, "no findings of reviewers here")
    red = any(one.status == CONFIRMED for one in claims)
    return Result(
        {"findings": [_document(one, claims) for one in ranked]},
        render_table(HEAD, rows),
        exit=errors.EXIT_FAIL if red else errors.EXIT_DONE,
    )


def _document(claim: ReviewClaim, claims: list[ReviewClaim]) -> dict[str, object]:
    return {**claim.document(), "corroborated": reviews.is_corroborated(claim, claims)}


def _why(claim: ReviewClaim) -> str:
    return f" ({claim.why})" if claim.why else ""


def take(args: Args, env: VerbEnvironment) -> Result:
    """An answer of anybody who reviews: its JSON object with findings."""
    from ...engine.agents.backends.base import find_answer

    if len(args.rest) != 1:
        raise errors.UsageError("name one file with the answer, or - for standard input")
    text = env.read_named(args.rest[0], "answer")
    reviewer = clean_text(args.text("--by") or "", "reviewer", 40)
    claims = reviews.read_claims(find_answer(text), reviewer)
    if not claims:
        raise errors.NotFound(
            f"{quote(args.rest[0])} holds no findings; it ends with a JSON object"
        )
    fresh = stored.keep_claims(env.store.home, env.place, claims, env.store.now())
    return Result(
        {"kept": len(fresh), "known": len(claims) - len(fresh)},
        f"{count_things(len(fresh), 'finding')} kept, {len(claims) - len(fresh)} known; ultrawork review check runs them",
    )


def check(args: Args, env: VerbEnvironment) -> Result:
    from ...gates.context import AGENT, PERSON
    from ...gates.session import verification

    place = env.place
    if not _has_consent(env, place):
        return Result({"run": False}, "nothing was run", exit=errors.EXIT_UNVERIFIED)
    by = AGENT if env.store.actor == AGENT else PERSON
    seconds = args.number("--seconds", low=1, high=86_400) or CHECK_SECONDS
    verification.adjudicate(env.store, env.environ, place, by=by, seconds=float(seconds))
    return _result(stored.list_claims(env.store.home, place))


def _has_consent(env: VerbEnvironment, place: str) -> bool:
    """A yes for each command, once: by the person at the terminal, or by the person's own setting."""
    from ...gates.judge.reviewers import make_consent_key

    database = env.store.database
    asked = [
        one
        for one in stored.list_claims(env.store.home, place)
        if one.is_open and not receipts.is_allowed(database, place, make_consent_key(one))
    ]
    if not asked:
        return True
    # Not from the environment: that of an agent's shell is the agent's.
    settings = stored_settings.load_at({}, env.store.home, place)
    how = "your own setting"
    if not settings["helpers.run_commands"]:
        how = "a yes at the terminal"
        shown = [f"{one.reviewer}: {one.command}" for one in asked]
        if not env.has_yes(shown, "Run these commands in a scratch copy?", WAY):
            return False
    keys = [make_consent_key(one) for one in asked]
    receipts.allow(database, place, keys, at=env.store.now(), how=how)
    return True


COMMANDS = (
    Command(
        "",
        "Show what reviewers from outside found here, the confirmed first",
        show,
        example="ultrawork review",
    ),
    Command(
        "take",
        "Keep the findings of a reviewer's answer",
        take,
        flags=(Flag("--by", "who reviewed", metavar="NAME", required=True),),
        rest="FILE",
        example="ultrawork review take answer.md --by codex",
    ),
    Command(
        "check",
        "Run the commands of open findings in a scratch copy, after a yes; red confirms, green refutes",
        check,
        flags=(Flag("--seconds", "stop after", kind="number"),),
        example="ultrawork review check",
    ),
)
