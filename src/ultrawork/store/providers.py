"""Providers' limits, shared by everything that starts agents on this machine."""

from ..core.rates import Bucket, Rate, taken, wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .database import Database


def bucket(database: "Database", name: str, rate: Rate, now: float) -> Bucket:
    row = database.row("SELECT remaining, at, blocked_until FROM providers WHERE name=?", name)
    return Bucket(*row) if row else Bucket(float(rate.burst), now)


def take(database: "Database", name: str, rate: Rate, now: float) -> float:
    """Takes one start from the bucket, inside a transaction; else gives the seconds to wait for it."""
    found = bucket(database, name, rate, now)
    seconds = wait(found, rate, now)
    if not seconds and rate.per_minute:
        _save(database, name, taken(found, rate, now))
    return seconds


def block(database: "Database", name: str, until: float, now: float) -> None:
    """The provider's own word: nobody asks it before then."""
    found = bucket(database, name, Rate(), now)
    _save(database, name, Bucket(found.left, found.at, max(found.blocked_until, until)))


def _save(database: "Database", name: str, value: Bucket) -> None:
    database.rows(
        "INSERT OR REPLACE INTO providers (name, remaining, at, blocked_until) VALUES (?,?,?,?)",
        name, value.left, value.at, value.blocked_until,
    )  # fmt: skip
