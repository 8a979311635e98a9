"""When a provider may be asked again: starts within its rate, and limits that it named itself."""

from ..core.run.rate_limits import Bucket, Rate, find_start_wait, take_start
from .database import Database

LONGEST_BLOCK = 8 * 86_400.0  # a weekly limit, and a day


def read_bucket(database: Database, name: str, rate: Rate, now: float) -> Bucket:
    row = database.row("SELECT remaining, at, blocked_until FROM providers WHERE name=?", name)
    return Bucket(*row) if row else Bucket(float(rate.burst), now)


def find_wait(database: Database, name: str, rate: Rate, now: float) -> float:
    """Return seconds until it may be called; takes nothing."""
    return find_start_wait(read_bucket(database, name, rate, now), rate, now)


def claim_start(database: Database, name: str, rate: Rate, now: float) -> float:
    """Take one start from the bucket, inside a transaction; else return the seconds to wait."""
    bucket = read_bucket(database, name, rate, now)
    seconds = find_start_wait(bucket, rate, now)
    if not seconds and rate.per_minute:
        _save_bucket(database, name, take_start(bucket, rate, now))
    return seconds


def block_provider(database: Database, name: str, until: float, now: float) -> None:
    """Record the provider's own limit: it is not used before then."""
    bucket = read_bucket(database, name, Rate(), now)
    until = min(max(bucket.blocked_until, until), now + LONGEST_BLOCK)
    _save_bucket(database, name, Bucket(bucket.left, bucket.at, until))


def list_providers(database: Database) -> list[tuple[str, float]]:
    """Return each provider that was ever limited, with the end of its limit."""
    rows = database.rows("SELECT name, blocked_until FROM providers ORDER BY name")
    return [(name, until) for name, until in rows]


def clear_provider(database: Database, name: str) -> None:
    """Allow a provider again on the user's command."""
    database.rows("UPDATE providers SET blocked_until=0 WHERE name=?", name)


def _save_bucket(database: Database, name: str, value: Bucket) -> None:
    database.rows(
        "INSERT OR REPLACE INTO providers (name, remaining, at, blocked_until) VALUES (?,?,?,?)",
        name, value.left, value.at, value.blocked_until,
    )  # fmt: skip
