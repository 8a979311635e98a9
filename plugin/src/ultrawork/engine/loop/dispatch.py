"""Claim the next work within every limit: workers, providers' rates, the budget. A claimed subject is a work item
until its end is recorded."""

import os
from dataclasses import dataclass, replace
from time import monotonic

from ...clients.headless.attempt import LOST, WORKER, Attempt, AttemptReport
from ...core.errors import Conflict
from ...core.plan import task
from ...core.plan.schedule import Schedule
from ...core.run import prices
from ...core.run.crew import ANY, AccountSeat, choose_account, name_provider
from ...core.run.rate_limits import Rate
from ...core.run.subagents import AgentLiveness
from ...store import attempts
from ...store.atomic import is_held
from ...store.attempts import AttemptEnd
from ...store.database import Change, Database
from ...store.paths import ENGINE_LOCK
from ..agents.local.attempt_folder import AttemptFolder
from ..contract import Claim, Conductor, Quote, RunLimits, Settlement

LEAST_SHARE = 0.5  # dollars that are worth starting an agent for; with less each, fewer start at once
LEAST = 0.05
MESSAGE = 0.25  # dollars that a message may cost, until a dearer one was seen
_LOOK = 1.0  # seconds between looks for accounts that were not there
_WHOLE = 1 - 1e-9  # parts of a sum may come to a little more than the sum


class Dispatcher:
    """Claims work. `refusal` is the sentence of a used-up budget; `not_before` is when a provider can be called, by
    `monotonic`. `message` is the most expensive message yet: its cost is known only afterwards, so it has to fit below
    every share but one."""

    def __init__(self, conductor: Conductor, limits: RunLimits, folder: str) -> None:
        self._conductor = conductor
        self._limits = limits
        self._folder = folder
        self._free: set[str] = set()
        self.not_before = 0.0
        self.refusal = ""
        self.message = MESSAGE

    def count_slots(self, at_work: int) -> int | None:
        """Return free slots; None means no limit."""
        return max(0, self._limits.workers - at_work) if self._limits.workers else None

    def claim_ready(self, change: Change, schedule: Schedule, role: str, at_work: int) -> list[Claim]:
        """The best of what is ready, claimed inside this change."""
        self.not_before, self.refusal = 0.0, ""
        claims: list[Claim] = []
        spent = self._spent(change)
        self._free.clear()
        self._conductor.see_claims(change.database)
        ready = list(schedule.ready(self.count_slots(at_work)))
        share = self._share(spent, len(ready))
        for subject in ready:
            quote = self._conductor.quote(subject, role)
            quote = replace(quote, usd=quote.usd or share)
            limit = self._limit_agent(quote, alone=not at_work and not claims)
            if limit < 0 or not self._affordable(spent, quote):
                break
            account_quote = self._open(change, quote)
            if account_quote is None:
                continue
            claim = self._claim(change, subject, role, account_quote, limit)
            if claim is None:
                continue
            schedule.started(subject)
            claims.append(claim)
            _add(spent, quote)
        return claims

    def _spent(self, change: Change) -> prices.Amount:
        """Return what was spent; only computed if there is a limit, because it reads all attempts."""
        if not self._limits.budget.limited:
            return prices.Amount()
        spent = attempts.sum_spent(change.database, change.session, change.now)
        spent.depth = self._limits.depth
        return spent

    def _share(self, spent: prices.Amount, count: int) -> float:
        """Split the remaining budget equally, so that all agents together stay within it."""
        if not self._limits.budget.usd or not count:
            return 0.0
        left = self._limits.budget.usd - spent.usd
        return max(left * _WHOLE / count, min(left * _WHOLE, LEAST_SHARE), LEAST)

    def _limit_agent(self, quote: Quote, *, alone: bool) -> float:
        """
        Return what an agent may spend. One that runs alone may exceed its share by its last message; beside
        others that message is reserved. Below zero it must wait until it is alone.
        """
        if alone or not quote.usd or not self._limits.budget.usd:
            return quote.usd
        limit = quote.usd - self.message
        if limit >= LEAST:
            return limit
        self.refusal = f"{quote.usd:.2f} USD is not enough for this task beside the others; raise --budget-usd"
        return -1.0

    def _affordable(self, spent: prices.Amount, quote: Quote) -> bool:
        if not self._limits.budget.limited:
            return True
        wanted = prices.Amount(1, depth=1, tokens=quote.tokens, usd=quote.usd)
        self.refusal = prices.find_refusal(self._limits.budget, spent, wanted)
        return not self.refusal

    def _open(self, change: Change, quote: Quote) -> Quote | None:
        """
        Return the same with the account to use, None if none is available; a provider without our limits is
        checked once per change.
        """
        if quote.backend in self._free:
            return quote
        rate = self._limits.rate(quote.backend)
        counted = bool(rate.concurrent or rate.per_minute)
        seats = self._list_seats(change, quote.backend, rate)
        account = choose_account(seats, most=rate.concurrent, counted=counted)
        if account is None:
            self._wait_for(seats)
            return None
        if counted:
            name = name_provider(quote.backend, account)
            attempts.claim_start(change.database, name, rate, change.now)
        elif not account:
            self._free.add(quote.backend)
        return replace(quote, account=account)

    def _wait_for(self, seats: list[AccountSeat]) -> None:
        waits = [seat.wait for seat in seats if seat.wait]
        if waits:
            # Elsewhere a machine with another account may appear meanwhile.
            look = [_LOOK] if seats[0].name else []
            self.not_before = monotonic() + min([*waits, *look])

    def _list_seats(self, change: Change, backend: str, rate: Rate) -> list[AccountSeat]:
        """Return the accounts of a backend; a local program has one without a name."""
        places = self._conductor.count_places(change.database, backend, change.now)
        account_seats = []
        for account, slots in (places or {ANY: 0}).items():
            name = name_provider(backend, account)
            wait = attempts.find_wait(change.database, name, rate, change.now)
            account_seats.append(AccountSeat(account, slots, wait=wait))
        if rate.concurrent or any(seat.wait for seat in account_seats):
            for seat in account_seats:
                seat.at_work = count_at_work(change.database, backend, seat.name)
        return account_seats

    def _claim(self, change: Change, subject: str, role: str, quote: Quote, limit: float) -> Claim | None:
        try:
            opened = attempts.claim(
                change,
                subject,
                role,
                folder=self._folder,
                backend=quote.backend,
                model=quote.model,
                account=quote.account,
                is_task=role == WORKER,
                reserved_tokens=quote.tokens,
                reserved_usd=quote.usd,
            )
        except Conflict:
            return None  # another process was faster; the next look at the plan shows it
        limited_quote = replace(quote, usd=limit)
        return Claim(subject, role, opened.epoch, folder=opened.folder, quote=limited_quote, task=opened.task)


def count_at_work(database: Database, backend: str, account: str = ANY) -> int:
    """Return how many really run: a row whose engine and wrapper were killed holds no lock."""
    return sum(map(is_at_work, attempts.list_open_folders(database, backend, account)))


def is_at_work(folder: str) -> bool:
    """Return whether a wrapper holds the lock, or an engine that is about to start or settle it."""
    session = os.path.dirname(os.path.dirname(folder))
    return AttemptFolder(folder).held or is_held(f"{session}/{ENGINE_LOCK}")


def _add(spent: prices.Amount, quote: Quote) -> None:
    spent.agents += 1
    spent.tokens += quote.tokens
    spent.usd += quote.usd


PREPARING = "preparing"
AT_WORK = "running"
SETTLING = "settling"


class WorkItem:
    """`ending`: why we asked for its end, if we did. `warned`: what was reported about it, once each."""

    def __init__(self, subject: str, epoch: int, folder: str, now: float) -> None:
        self.subject = subject
        self.epoch = epoch
        self.folder = folder
        self.phase = PREPARING
        self.attempt: Attempt | None = None
        self.pulse = AgentLiveness(now)
        self.ending = ""
        self.reason = ""
        self.warned: set[str] = set()
        self.tokens = 0
        self.cost_usd: float | None = None
        self.machine = ""
        self.account = ""
        self.noted = self.course

    @property
    def course(self) -> tuple[int, float | None, str, str]:
        return self.tokens, self.cost_usd, self.machine, self.account


@dataclass(slots=True)
class EndedItem:
    """An attempt whose end is to be recorded; `settled` is the conductor's result, if it was asked."""

    work: WorkItem
    end: AttemptEnd
    settled: Settlement | None


def make_end(settled: Settlement, report: AttemptReport) -> AttemptEnd:
    return AttemptEnd(
        settled.status,
        settled.reason,
        why=report.why,
        code=report.code,
        evidence=settled.evidence,
        started_at=report.started_at or None,
        ended_at=report.ended_at or None,
        tokens=settled.tokens,
        cost_usd=settled.cost_usd,
        commit=settled.commit,
        machine=report.machine,
        account=report.account,
    )


def make_lost_end(reason: str, report: AttemptReport | None = None) -> AttemptEnd:
    """Return the end of something that was not an attempt: the agent did not cause it."""
    attempt_report = report or AttemptReport(LOST)
    return AttemptEnd(
        task.PENDING,
        reason,
        state=attempts.LOST,
        why=attempt_report.why,
        code=attempt_report.code,
        started_at=attempt_report.started_at or None,
        ended_at=attempt_report.ended_at or None,
        machine=attempt_report.machine,
        account=attempt_report.account,
    )
