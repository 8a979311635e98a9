"""What sessions cost and claimed, summed by day, project, session, agent or model; nothing is invented."""

import os
from collections.abc import Callable, Iterator
from typing import Any

from ..core.errors import UsageError
from ..core.run.prices import format_cost
from ..core.value import Value
from ..store import attempts
from ..store.agents import list_message_sums, list_silent, list_stop_claims, sum_messages
from ..store.attempts import AttemptFact
from ..store.database import Database

_CLIENT, _SUBAGENT = "session", "subagent"
_DONE = 0  # the exit code of an agent that ended normally
FIELDS = ("name", "agents", "tokens", "cost_usd", "complete", "estimated", "claims", "refuted")


class CostFact(Value):
    """What one agent used, or claimed, with one model on one day. `unpriced`: it used tokens of unknown cost, or
    reported nothing. A fact about a claim alone has no `agent`."""

    session: str
    working_dir: str
    day: str
    kind: str
    model: str
    agent: str = ""
    tokens: int = 0
    cost_usd: float | None = None
    unpriced: bool = False
    estimated: bool = False
    claims: int = 0
    refuted: int = 0


KEYS: dict[str, Callable[[CostFact], str]] = {
    "day": lambda fact: fact.day,
    "project": lambda fact: os.path.basename(fact.working_dir) or "/",
    "session": lambda fact: fact.session[:8],
    "agent": lambda fact: fact.kind,
    "model": lambda fact: fact.model or "not reported",
}


class CostRow(Value):
    """A sum. `cost_usd` is None if no client reported anything that has a price; `complete`: all that used tokens did;
    `estimated`: some of it is a client's token count at a known price. `claims`: how often an agent said that it was
    done; `refuted`: how often a check showed that it was not."""

    name: str
    agents: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    complete: bool = True
    estimated: bool = False
    claims: int = 0
    refuted: int = 0

    @property
    def cells(self) -> tuple[str, ...]:
        cost = "not reported" if self.cost_usd is None else format_cost(self.cost_usd, estimated=self.estimated)
        partial = "" if self.complete or self.cost_usd is None else "+"
        claims = f"{self.refuted} of {self.claims}" if self.claims else "-"
        return (self.name, str(self.agents), f"{self.tokens:,}", f"{cost}{partial}", claims)


def sum_costs(database: Database, by: str, since: float) -> list[CostRow]:
    """Return the sums. Each attempt and each message of a client is one row of the store, so each is counted once."""
    if by not in KEYS:
        raise UsageError(f"--by is {by}; known: {', '.join(KEYS)}")
    rows: dict[str, CostRow] = {}
    seen: set[tuple[str, str, str]] = set()
    for fact in list_cost_facts(database, since):
        name = KEYS[by](fact)
        row = rows.setdefault(name, CostRow(name))
        _add(row, fact)
        agent = name, fact.session, fact.agent
        row.agents += bool(fact.agent) and agent not in seen
        seen.add(agent)
    return sorted(rows.values(), key=lambda row: row.name)


def list_cost_facts(database: Database, since: float) -> Iterator[CostFact]:
    """Yield what headless agents and sessions inside a client used and claimed."""
    for number, attempt in enumerate(attempts.list_facts(database, since)):
        yield _read_attempt(attempt, str(number))
    for message_sum in list_message_sums(database, since):
        kind = f"{message_sum.client} {_SUBAGENT if message_sum.agent else _CLIENT}"
        yield CostFact(
            message_sum.session, message_sum.working_dir, message_sum.day, kind, message_sum.model, message_sum.agent or _CLIENT,
            message_sum.tokens, message_sum.cost_usd, bool(message_sum.unpriced), bool(message_sum.estimated),
        )  # fmt: skip
    for session, place, client, day in list_silent(database, since):
        yield CostFact(session, place, day, f"{client} {_CLIENT}", "", _CLIENT, unpriced=True)
    for session, place, client, day, agent, model, refuted in list_stop_claims(database, since):
        kind = f"{client} {_SUBAGENT if agent else _CLIENT}".strip()
        yield CostFact(session, place, day, kind, model, claims=1, refuted=int(refuted))


def _read_attempt(fact: AttemptFact, name: str) -> CostFact:
    """Return what an attempt used and claimed. An agent that ended normally claims to be done; its result was then
    accepted or rejected."""
    claims = fact.code == _DONE
    return CostFact(
        fact.session,
        fact.working_dir,
        fact.day,
        f"{fact.backend} {fact.role}",
        fact.model,
        f"attempt {name}",
        fact.tokens,
        fact.cost_usd,
        unpriced=fact.cost_usd is None and fact.tokens > 0,
        claims=int(claims),
        refuted=int(claims and fact.status == "failed"),
    )


def _add(row: CostRow, fact: CostFact) -> None:
    row.tokens += fact.tokens
    row.claims += fact.claims
    row.refuted += fact.refuted
    row.complete = row.complete and not fact.unpriced
    row.estimated = row.estimated or fact.estimated
    if fact.cost_usd is not None:
        row.cost_usd = (row.cost_usd or 0.0) + fact.cost_usd


class SessionCost(Value):
    """The cost of one session, headless agents and its client together."""

    usd: float | None = None
    complete: bool = False
    estimated: bool = False


def sum_session(database: Database, session: str) -> SessionCost:
    return sum_sessions(database, session).get(session) or SessionCost()


def sum_sessions(database: Database, session: str = "") -> dict[str, SessionCost]:
    """Return the cost of every session that reports one, or of one alone, with two queries for all."""
    costs: dict[str, SessionCost] = {}
    for name, usd, missing, estimated in (
        *attempts.sum_by_session(database, session),
        *sum_messages(database, session),
    ):
        cost = costs.setdefault(name, SessionCost(complete=True))
        cost.complete = cost.complete and not missing
        cost.estimated = cost.estimated or bool(estimated)
        if usd is not None:
            cost.usd = (cost.usd or 0.0) + usd
    return {name: cost for name, cost in costs.items() if cost.usd is not None}


def render_csv(rows: list[CostRow]) -> str:
    lines = [",".join(FIELDS)]
    for row in rows:
        values = [_quote(getattr(row, field)) for field in FIELDS]
        lines.append(",".join(values))
    return "\n".join(lines)


def _quote(value: Any) -> str:
    """Return a name that no spreadsheet takes for a formula."""
    if value is None:
        return ""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if text[:1] in ("=", "+", "-", "@"):
        text = f"'{text}"
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if set(text) & set(',"\n\r') else text
