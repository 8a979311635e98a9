"""`ultrawork review`: what reviewers from outside claim, and what became of it when their commands ran."""

from ...clients.headless.base import find_answer
from ...core import errors, reviews
from ...core.check import clean_text, quote
from ...core.reviews import CONFIRMED, ReviewClaim
from ...core.wording import count_things
from ...gates.context import AGENT, PERSON
from ...gates.judge.asked_checks import make_consent_key
from ...gates.session import verification
from ...store import receipts
from ...store import reviews as stored
from ...store import settings as stored_settings
from ..command import CHECK_SECONDS, Command, Result, render_table
from ..environment import Args, Flag, VerbEnvironment

HEAD = ("STATUS", "REVIEWER", "WHERE", "WEIGHT", "FINDING")
WAY = "or run: ultrawork config set helpers.run_commands true --user"


def show(_args: Args, env: VerbEnvironment) -> Result:
    return _result(stored.list_claims(env.store.home, env.place))


def _result(claims: list[ReviewClaim]) -> Result:
    ranked = reviews.rank_claims(claims)
    rows = [
        (
            review_claim.status + ("+" if reviews.is_corroborated(review_claim, claims) else ""),
            review_claim.reviewer, review_claim.where or "-", review_claim.severity, f"{review_claim.title}{_why(review_claim)}",
        )
        for review_claim in ranked
    ]  # fmt: skip
    if not rows:
        return Result({"findings": []}, "no reviewer findings here")
    red = any(claim.status == CONFIRMED for claim in claims)
    return Result(
        {"findings": [_document(review_claim, claims) for review_claim in ranked]},
        render_table(HEAD, rows),
        exit=errors.EXIT_FAIL if red else errors.EXIT_DONE,
    )


def _document(claim: ReviewClaim, claims: list[ReviewClaim]) -> dict[str, object]:
    return {**claim.document(), "corroborated": reviews.is_corroborated(claim, claims)}


def _why(claim: ReviewClaim) -> str:
    return f" ({claim.why})" if claim.why else ""


def take(args: Args, env: VerbEnvironment) -> Result:
    """Import any reviewer's answer: its JSON object with findings."""
    if len(args.rest) != 1:
        raise errors.UsageError("name one file with the answer: ultrawork review take answer.md")
    text = env.read_named(args.rest[0], "answer")
    reviewer = clean_text(args.text("--by") or "", "reviewer", 40)
    claims = reviews.read_claims(find_answer(text), reviewer)
    if not claims:
        raise errors.NotFound(f"found no findings in {quote(args.rest[0])}; it must end with a JSON object")
    fresh = stored.keep_claims(env.store.home, env.place, claims, env.store.now())
    return Result(
        {"kept": len(fresh), "known": len(claims) - len(fresh)},
        f"{count_things(len(fresh), 'new finding')}, {len(claims) - len(fresh)} already known; test them: ultrawork review check",
    )


def check(args: Args, env: VerbEnvironment) -> Result:
    place = env.place
    if not _has_consent(env, place):
        return Result({"run": False}, "nothing was run", exit=errors.EXIT_UNVERIFIED)
    by = AGENT if env.store.actor == AGENT else PERSON
    seconds = args.number("--seconds", low=1, high=86_400) or CHECK_SECONDS
    verification.adjudicate(env.store, env.environ, place, by=by, seconds=float(seconds))
    return _result(stored.list_claims(env.store.home, place))


def _has_consent(env: VerbEnvironment, place: str) -> bool:
    """Return whether each command has consent, once: by the user at the terminal, or by their own setting."""
    database = env.store.database
    review_claims = [
        claim
        for claim in stored.list_claims(env.store.home, place)
        if claim.is_open and not receipts.is_allowed(database, place, make_consent_key(claim))
    ]
    if not review_claims:
        return True
    # Not from the environment: that of an agent's shell belongs to the agent.
    settings = stored_settings.load_at({}, env.store.home, place)
    by_setting = bool(settings["helpers.run_commands"])
    far = [review_claim for review_claim in review_claims if not by_setting or reviews.find_reach(review_claim.command)]
    near = [review_claim for review_claim in review_claims if review_claim not in far]
    _allow(env, place, near, "your settings")
    if far and _has_yes(env, far, by_setting=by_setting):
        _allow(env, place, far, "approved at the terminal")
        return True
    return by_setting


def _has_yes(env: VerbEnvironment, review_claims: list[ReviewClaim], *, by_setting: bool) -> bool:
    """Return the user's answer; if the setting covers the others, a missing user is not an error: these wait."""
    shown = [
        f"{review_claim.reviewer}: {review_claim.command}{_tell_reach(review_claim)}" for review_claim in review_claims
    ]
    try:
        return env.has_yes(shown, "Run these commands in a scratch copy?", WAY)
    except errors.UltraworkError:
        if not by_setting:
            raise
        return False


def _tell_reach(claim: ReviewClaim) -> str:
    reach = reviews.find_reach(claim.command)
    return f"  ({reach})" if reach else ""


def _allow(env: VerbEnvironment, place: str, claims: list[ReviewClaim], how: str) -> None:
    keys = [make_consent_key(claim) for claim in claims]
    receipts.allow(env.store.database, place, keys, at=env.store.now(), how=how)


COMMANDS = (
    Command("", "List findings of other models, confirmed ones first", show, example="ultrawork review"),
    Command(
        "take",
        "Import the findings from a reviewer's answer",
        take,
        flags=(Flag("--by", "name of the reviewer", metavar="NAME", required=True),),
        rest="FILE",
        example="ultrawork review take answer.md --by codex",
    ),
    Command(
        "check",
        "Run the commands of open findings in a copy, after asking; a failure confirms a finding",
        check,
        flags=(Flag("--seconds", "stop after this time", kind="number"),),
        example="ultrawork review check",
    ),
)
