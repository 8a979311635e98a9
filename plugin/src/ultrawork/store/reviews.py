"""Claims of external reviewers, kept permanently: one line per change, the newest of each counts.

They belong to the user, not to a session, because a reviewer's record needs many."""

import os
from collections.abc import Iterable

from ..core.reviews import ReviewClaim
from .codec import digest, dumps, loads
from .paths import Home

_LARGEST = 50_000_000


def keep_claims(home: Home, place: str, claims: Iterable[ReviewClaim], at: float) -> list[ReviewClaim]:
    """Store claims and return the new ones; a known one keeps its status."""
    known = {claim.id for claim in list_claims(home, place)}
    fresh = []
    for claim in claims:
        claim.id = digest(dumps([place, claim.reviewer, claim.path, claim.title, claim.command]))[:16]
        claim.at = at
        if claim.id not in known:
            known.add(claim.id)
            fresh.append(claim)
    write(home, place, fresh)
    return fresh


def write(home: Home, place: str, claims: Iterable[ReviewClaim]) -> None:
    text = "".join(dumps({"place": place, **claim.document()}) + "\n" for claim in claims)
    if not text:
        return
    os.makedirs(home.root, mode=0o700, exist_ok=True)
    handle = os.open(home.reviews, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, text.encode("utf-8", "replace"))
    finally:
        os.close(handle)


def list_claims(home: Home, place: str | None = None) -> list[ReviewClaim]:
    """Return claims in order; of every checkout without a place."""
    claims: dict[str, ReviewClaim] = {}
    for line in _lines(home):
        try:
            raw = loads(line)
            where = raw.pop("place")
            if place is None or where == place:
                claims[raw["id"]] = ReviewClaim(**raw)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue  # half a line of a writer that was killed
    return list(claims.values())


def _lines(home: Home) -> list[str]:
    try:
        with open(home.reviews, "rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []
