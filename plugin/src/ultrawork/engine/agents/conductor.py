"""Run the agents of a session: from a claim to an attempt, and from its result to facts of the session."""

import os
from collections.abc import Callable, Mapping

from ...clients.headless import base
from ...clients.headless.attempt import (
    ENDED,
    EXPLORER,
    PLANNER,
    VERIFIER,
    WORKER,
    AgentCommand,
    AgentOutcome,
    Attempt,
    AttemptReport,
    read_note,
)
from ...core import registry
from ...core.course import judges, next_step, roles
from ...core.course.roles import Spawn
from ...core.errors import UltraworkError
from ...core.modes.modes import PIPELINE
from ...core.plan.task import FAILED, PENDING, RESOLVED
from ...core.run.crew import choose_member, find_wait_end, name_provider
from ...core.run.subagents import HUNG, LOOPING, QUIET, REPEATING
from ...core.times import format_iso
from ...flow import agent_ends, planned_mode, planning, stories
from ...flow.course import Course
from ...report import timeline
from ...store import attempts, codec, tasks, witness
from ...store.database import Database
from ..contract import AgentSigns, Claim, Conductor, Quote, RunHalted, Settlement
from ..repository import worktrees
from ..run import HeadlessRun
from . import prompts
from .executor import CANCELLED
from .integration import Integration, check_out_results, read_left, record_checkout
from .prompts import AgentFollower, choose_prompt, count_spent, find_resumable, read_signs

Settle = Callable[["AgentConductor", Attempt, AgentOutcome], Settlement]

SECONDS = {EXPLORER: 600.0, PLANNER: 1200.0, WORKER: 3600.0, VERIFIER: 1200.0}


MOST_WAITS = 8  # then it counts as a failure: an endless limit may be another error
# Signs of a running agent that are worth a line.
_TOLD = {
    QUIET: "{subject}: silent for a while; last: {detail}",
    HUNG: "{subject}: stopped, it was silent for too long; last: {detail}",
    REPEATING: "{subject}: repeats the same call with the same result: {detail}",
    LOOPING: "{subject}: stopped, it only repeated the same call: {detail}",
    "late": "{subject}: {detail}",
    "adopted": "{subject}: still running",
}
# Task statuses that may start or end a fix of a requirement.
_TURNS = (PENDING, RESOLVED)


class AgentConductor(Conductor):
    """Runs the agents of a session. `spawns` are the agents outside the plan that the next step requires."""

    def __init__(self, run: HeadlessRun) -> None:
        self.run = run
        self.spawns: dict[str, Spawn] = {}
        self._integration = Integration(run)
        self._followers: dict[str, AgentFollower] = {}
        self._claims: Database | None = None
        self._told_waits: set[tuple[str, float]] = set()
        self._full = ""
        self._most_seconds = float(run.settings["run.agent_deadline"])
        self._models: Mapping[str, str] = {key: str(run.settings[f"models.{key}"]) for key in roles.DEFAULT_MODELS}

    def see_claims(self, database: Database) -> None:
        self._claims = database

    def count_places(self, database: Database, backend: str, now: float) -> Mapping[str, int]:
        if self.run.is_local:
            return {}
        label = str(self.run.settings["cluster.label"])
        return witness.count_places(database, backend, label, now)

    def quote(self, subject: str, role: str) -> Quote:
        return Quote(self._choose_backend(role), self._spawn(subject, role).model)

    def _choose_backend(self, role: str) -> str:
        """
        Choose a crew member with a free seat for work, and the first one for reading. Report a replacement
        once per wait.
        """
        if not self.run.crew:
            return self.run.backend.name
        database, now = self._claims or self.run.store.database, self.run.store.now()
        rows = attempts.list_running(database, self.run.name) if role == WORKER else []
        running = [row.backend for row in rows]
        providers = dict(attempts.list_providers(database))
        blocked = {
            name: find_wait_end(name, self.count_places(database, name, now), providers) for name in self.run.crew
        }
        at_work = {name: running.count(name) for name in self.run.crew}
        crew_choice = choose_member(self.run.crew, at_work, blocked, now)
        self._tell_stand_in(crew_choice.name, crew_choice.instead_of, blocked.get(crew_choice.instead_of, 0.0))
        return crew_choice.name

    def _tell_stand_in(self, name: str, instead_of: str, until: float) -> None:
        if instead_of and (instead_of, until) not in self._told_waits:
            self._told_waits.add((instead_of, until))
            text = f"{instead_of} is rate limited until {format_iso(until)}, so {name} takes its work"
            self.run.tell(timeline.NOTE, text=text)

    def _spawn(self, subject: str, role: str) -> Spawn:
        if role != WORKER:
            return self.spawns[subject]
        task = tasks.get(self.run.store.database, self.run.name, subject)
        return next_step.spawn_task(self.run.session, task, self._models)

    def prepare(self, claim: Claim) -> tuple[Attempt, AgentCommand]:
        spawn = self._spawn(claim.subject, claim.role)
        read_only = claim.role in prompts.READ_ONLY or spawn.counts_as == roles.READING
        place = self._place(claim, read_only=read_only)
        spawn = self._staged(spawn, place.path)
        before = self._folders_before(claim)
        backend = self.run.get_backend(claim.quote.backend)
        left = self._find_left(before[-1]) if before else ""
        resume = ""
        if read_only and self.run.is_local:  # on another machine its program does not know that session
            resume = find_resumable(backend, before, place.path)
        attempt = Attempt(
            self.run.name,
            claim.subject,
            claim.role,
            claim.epoch,
            backend=claim.quote.backend,
            model=claim.quote.model,
            place=place.path,
            folder=claim.folder,
            prompt=choose_prompt(prompts.compose(spawn, left), spawn.prompt, resume),
            resume=resume,
            read_only=read_only,
            schema=prompts.find_schema(claim.role, claim.subject),
            seconds=min(SECONDS[_pace(claim.role, spawn)], self._most_seconds),
            budget_usd=claim.quote.usd,
            account=claim.quote.account,
        )
        if not read_only:
            record_checkout(self.run.repository, claim.folder)
        tried = len(before) + 1
        if not self.run.orders.is_ending:  # it is given back, and begins with the resume
            self.run.tell(
                timeline.STARTED,
                subject=claim.subject,
                role=spawn.agent.rpartition(":")[2],
                model=claim.quote.model,
                attempt=tried,
            )
        if not self.run.is_local:  # its machine makes the command, with its own program and keys
            return attempt, AgentCommand([], {})
        return attempt, backend.command(attempt, {**self.run.environ, **place.environ})

    def _staged(self, spawn: Spawn, place: str) -> Spawn:
        """Give a pipeline stage the results of earlier stages, and show its state."""
        if not spawn.stage:
            return spawn
        course = self._make_course()
        registry.ask(PIPELINE, "show_stages")(course, course.read_facts())
        briefed: Spawn = registry.ask(PIPELINE, "brief_stage")(course, spawn, place)
        return briefed

    def _make_course(self) -> Course:
        run = self.run
        return Course(run.store, run.environ, run.name, attended=False, settings=run.settings)

    def _place(self, claim: Claim, *, read_only: bool) -> worktrees.Worktree:
        self.run.require_ground()
        os.makedirs(claim.folder, mode=0o700, exist_ok=True)
        if read_only:
            return check_out_results(self.run, "whole")
        return worktrees.prepare(self.run.repository, claim.subject, claim.epoch, installed=self.run.is_local)

    def require_room(self) -> None:
        """Halt a run whose disk stays full: agents wait for room to store their results, and no one would be told."""
        before, self._full = self._full, self.run.find_full_disk()
        if before and self._full:
            raise RunHalted(self._full)

    def _folders_before(self, claim: Claim) -> list[str]:
        rows = attempts.list_of_subject(self.run.store.database, self.run.name, claim.subject)
        return [row.folder for row in rows if row.epoch < claim.epoch]

    def _find_left(self, folder: str) -> str:
        """Return what earlier attempts left, including a lost one whose files may still exist."""
        left, note = read_left(folder), read_note(folder)
        if left or note is None or note.read_only:
            return left
        name = self.run.repository.names.attempt_name(note.subject, note.epoch)
        if worktrees.find(self.run.repository, name) is None:
            return ""
        self._integration.salvage(note)
        return read_left(folder)

    def signs(self, attempt: Attempt) -> AgentSigns:
        follower = self._followers.get(attempt.key)
        if follower is None:
            follower = AgentFollower(self.run.get_backend(attempt.backend), attempt.folder)
            self._followers[attempt.key] = follower
        return read_signs(follower.look())

    def count_spent(self, attempt: Attempt) -> tuple[int, float | None]:
        self._followers.pop(attempt.key, None)
        return count_spent(self.run.get_backend(attempt.backend), attempt.folder)

    def has_finished(self, attempt: Attempt) -> bool:
        backend = self.run.get_backend(attempt.backend)
        return backend.read(attempt, AttemptReport(ENDED, why=ENDED)).is_whole

    def tell(self, event: str, subject: str, detail: str = "") -> None:
        if event == "heard":
            self.run.tell(timeline.NOTE, text=f"heard: {detail} {subject}".rstrip())
        elif event in _TOLD:
            self.run.tell(timeline.NOTE, text=_TOLD[event].format(subject=subject, detail=detail))
        if event in _TURNS and self.run.session.state.lead:
            course = self._make_course()
            registry.ask_lead("sync")(course, course.read_facts())

    def settle(self, attempt: Attempt, report: AttemptReport) -> Settlement:
        """
        Settle an attempt. This may take as long as the checks, and is repeated after a crash. A judgment made
        while a folder was missing does not count.
        """
        self.run.require_ground()
        try:
            settled = self._judge(attempt, report)
        except (UltraworkError, OSError):
            self.run.require_ground()
            raise
        if settled.status != RESOLVED:
            self.run.require_ground()
        return settled

    def _judge(self, attempt: Attempt, report: AttemptReport) -> Settlement:
        self._followers.pop(attempt.key, None)
        outcome = self.run.get_backend(attempt.backend).read(attempt, report)
        settled = self._not_its_fault(attempt, outcome, report)
        settled = settled or _SETTLE[attempt.role](self, attempt, outcome)
        settled.tokens, settled.cost_usd = outcome.tokens, outcome.cost_usd
        self.run.take_bills(outcome.bills)
        return settled

    def _not_its_fault(self, attempt: Attempt, outcome: AgentOutcome, report: AttemptReport) -> Settlement | None:
        """Count no attempt, and show the partial work to the next one."""
        if outcome.trouble:
            self._refuse_without_program(attempt)
        if outcome.trouble == base.MISSING:
            return Settlement(PENDING, "its program is not installed")
        limited = outcome.trouble == base.LIMIT and self._count_waits(attempt) < MOST_WAITS
        broke = outcome.trouble == base.BUDGET and attempt.budget_usd > 0
        if report.why != CANCELLED and not limited and not broke:
            return None
        if not attempt.read_only:
            self._integration.salvage(attempt)
        if broke:
            self.run.tell(timeline.NOTE, text=f"{attempt.subject}: {outcome.detail}; I retry if there is more budget")
            return Settlement(PENDING, outcome.detail)
        if not limited:
            return Settlement(PENDING, "it was cancelled")
        until = outcome.retry_at or self.run.store.now() + 60
        provider = name_provider(attempt.backend, report.account or attempt.account)
        self.run.tell(timeline.WAITING, why=f"{provider}: {outcome.detail}", seconds=until - self.run.store.now())
        return Settlement(PENDING, outcome.detail, retry_at=until, blocks=provider)

    def _refuse_without_program(self, attempt: Attempt) -> None:
        """
        Halt the run if the agent's program is gone: no other attempt or model brings it back. A shell that
        loses its script while it starts exits with any status, so every failed attempt checks.
        """
        backend = self.run.get_backend(attempt.backend)
        if self.run.is_local and backend.find_program(self.run.environ) is None:
            raise RunHalted(f"{backend.title} is no longer installed: {backend.how_to_get}")

    def _count_waits(self, attempt: Attempt) -> int:
        """Return how often in a row this subject was delayed by its provider."""
        rows = attempts.list_of_subject(self.run.store.database, self.run.name, attempt.subject)
        ends = [(row.state, row.status) for row in rows if row.epoch < attempt.epoch]
        put_off = (attempts.ENDED, PENDING)
        others = [place for place, end in enumerate(ends, 1) if end != put_off]
        return len(ends) - max(others, default=0)

    def settle_explorer(self, attempt: Attempt, outcome: AgentOutcome) -> Settlement:
        if outcome.trouble:
            return Settlement(FAILED, outcome.detail)
        agent_ends.record_report(self.run.store, self.run.name, attempt.subject, outcome.text)
        self.run.tell(timeline.REPORTED, subject=attempt.subject, said=outcome.text)
        return Settlement(RESOLVED)

    def settle_planner(self, attempt: Attempt, outcome: AgentOutcome) -> Settlement:
        if outcome.trouble:
            return Settlement(FAILED, outcome.detail)
        store, name, message = self.run.store, self.run.name, _message(outcome)
        if attempt.subject == prompts.PLAN:
            tries = int(self.run.settings["run.max_retry"])
            errors = planning.take_plan(store, name, message, max_retry=tries)
        else:
            by = f"{attempt.subject}/{attempt.epoch}"
            errors = planned_mode.take_draft(store, name, attempt.subject, message, by)
        return Settlement(FAILED, errors[0]) if errors else Settlement(RESOLVED)

    def settle_worker(self, attempt: Attempt, outcome: AgentOutcome) -> Settlement:
        stories.record_message(self.run.store, self.run.name, outcome.text)
        if self.run.session.state.lead:
            hear = registry.ask_lead("hear_worker")
            waits: Settlement | None = hear(self.run, self._integration, attempt, outcome)
            if waits is not None:
                return waits
        if self.run.session.state.pipeline:
            settle = registry.ask(PIPELINE, "settle_stage")
            settled: Settlement = settle(self.run, self._integration, attempt, outcome)
            return settled
        return self._integration.integrate(attempt, outcome)

    def settle_verifier(self, attempt: Attempt, outcome: AgentOutcome) -> Settlement:
        if outcome.trouble:
            return Settlement(FAILED, outcome.detail)
        part, message = attempt.subject, _message(outcome)
        if not judges.is_clear(agent_ends.read_verdict_block(message)):
            return Settlement(FAILED, "the verdict could not be read")
        if not agent_ends.record_ruling(self.run.store, self.run.name, message, part):
            for finding in self.run.read_session().state.verification.get("findings") or []:
                problem = finding.get("what", finding) if isinstance(finding, dict) else finding
                self.run.tell(timeline.NOTE, text=f"the verifier: {problem}")
        return Settlement(RESOLVED)


def _pace(role: str, spawn: Spawn) -> str:
    """Give a read-only stage the time of a judge, not of a worker."""
    return VERIFIER if spawn.counts_as == roles.READING else role


def _message(outcome: AgentOutcome) -> str:
    """Return a structured answer in the form that agents in a client use."""
    if outcome.answer is None:
        return outcome.text
    return f"```json\n{codec.dumps(outcome.answer)}\n```"


_SETTLE: dict[str, Settle] = {
    EXPLORER: AgentConductor.settle_explorer,
    PLANNER: AgentConductor.settle_planner,
    WORKER: AgentConductor.settle_worker,
    VERIFIER: AgentConductor.settle_verifier,
}
