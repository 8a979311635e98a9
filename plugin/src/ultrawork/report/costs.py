"""What sessions cost and claimed, summed by day, project, session, agent or model; nothing is invented."""

import os
from collections.abc import Callable
from typing import Any

from ..core.errors import UsageError
from ..core.run.prices import format_cost
from ..core.value import Value
from ..store import spending
from ..store.database import Database
from ..store.spending import AttemptFact

KEYS: dict[str, Callable[[AttemptFact], str]] = {
    "day": lambda fact: fact.day,
    "project": lambda fact: os.path.basename(fact.working_dir) or "/",
    "session": lambda fact: fact.session[:8],
    "agent": lambda fact: f"{fact.backend} {fact.role}",
    "model": lambda fact: fact.model or "not reported",
}
FIELDS = ("name", "attempts", "tokens", "cost_usd", "complete", "claims", "refuted")


class CostRow(Value):
    """A sum. `cost_usd` is None if no client reported it; `complete`: every attempt that used tokens did. `claims` are
    attempts that said they were done, `refuted` those that a check then rejected."""

    name: str
    attempts: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    complete: bool = True
    claims: int = 0
    refuted: int = 0

    @property
    def cells(self) -> tuple[str, ...]:
        cost = (
            "not reported" if self.cost_usd is None else format_cost(self.cost_usd, estimated=False)
        )
        partial = "" if self.complete or self.cost_usd is None else "+"
        claims = f"{self.refuted} of {self.claims}" if self.claims else "-"
        return (self.name, str(self.attempts), f"{self.tokens:,}", f"{cost}{partial}", claims)


def sum_costs(database: Database, by: str, since: float) -> list[CostRow]:
    """Each attempt is one row of the store, so each is counted once."""
    if by not in KEYS:
        raise UsageError(f"--by is {by}; known: {', '.join(KEYS)}")
    found: dict[str, CostRow] = {}
    for fact in spending.list_facts(database, since):
        name = KEYS[by](fact)
        _add(found.setdefault(name, CostRow(name)), fact)
    return sorted(found.values(), key=lambda row: row.name)


def _add(row: CostRow, fact: AttemptFact) -> None:
    row.attempts += 1
    row.tokens += fact.tokens
    if fact.cost_usd is not None:
        row.cost_usd = (row.cost_usd or 0.0) + fact.cost_usd
    elif fact.tokens:
        row.complete = False
    # An agent that ended normally claims to be done; its result was then accepted or rejected.
    if fact.code == 0:
        row.claims += 1
        row.refuted += fact.status == "failed"


def render_csv(rows: list[CostRow]) -> str:
    lines = [",".join(FIELDS)]
    for row in rows:
        values = [_quote(getattr(row, field)) for field in FIELDS]
        lines.append(",".join(values))
    return "\n".join(lines)


def _quote(value: Any) -> str:
    """A name that a spreadsheet would take for a formula is text."""
    if value is None:
        return ""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if text[:1] in ("=", "+", "-", "@"):
        text = f"'{text}"
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if set(text) & set(',"\n\r') else text
