"""What is known about a session, read in one place, so that all screens agree. Clients are asked for their own lists
of sessions as a second source."""

import os
import re
from typing import Any

from ..clients.find import get_client
from ..core.course.planned_stop import COURSE_RULES
from ..core.course.steps import find_question
from ..core.modes.record import read_all
from ..core.run.prices import format_cost
from ..core.session.outcome import Outcome, judge_ending
from ..core.session.session import CANCELLED, CHECKOUT, FULL, Session
from ..core.state import CLIENT, ENGINE, Driver, State, StateFacts, find_disagreement, judge_state
from ..core.times import format_duration, format_iso
from ..core.value import Value
from ..core.verdict.gate_run import BROKEN
from ..core.verdict.summary import name_verdict
from ..core.verdict_values import PASS
from ..store import agents, anchors, attempts, controls, decisions, markers, receipts, sessions, tasks, trace, witness
from ..store.atomic import is_held, read_stamp, read_text
from ..store.database import Database
from ..store.decisions import StoredDecision
from ..store.paths import ENGINE_LOCK, Home
from ..store.store import Store
from ..store.witness import find_client_word
from ..system import ancestry
from .costs import sum_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Listed = dict[str, tuple[int, str, str]]

# pytest ends each line of dots with a percentage.
_SHARE = re.compile(r"\[ *(\d{1,3})%\]")
# One line per test: TAP, Go, Rust, unittest and `pytest -v`, Jest and Vitest, Mocha.
_LINES = re.compile(
    r"(?m)^(?:(?:not )?ok \d+\b|[ \t]*--- (?:PASS|FAIL|SKIP): |test .{1,300} \.\.\. |.{1,300} \.\.\. (?:ok|FAIL|ERROR|skipped)"
    r"|.{1,300} (?:PASSED|FAILED|SKIPPED|XFAIL)\b|[ \t]*[✓✔√✗✘✕] )"
)
# Modes that count rounds instead of refusals, and their counters.
_ROUNDS = {"ralph": "iteration", "ultraqa": "cycle"}
# Client notices with a question. Others only report idleness, some by a timer.
QUESTIONS = ("permission_prompt", "elicitation_dialog")
_LOG_READ = 2 << 20
_YOUR_WORDS = "your next message"
_PAUSED = "you to continue it (paused)"


class SessionSummary(Value):
    """A summary. `cost_usd` is None if unknown; `cost_complete`: all our agents reported it; `cost_estimated`: some of
    it is our estimate."""

    session: Session
    state: State
    driver: Driver
    outcome: Outcome
    strength: str | None
    sent_back: int
    rounds: str
    tries: int
    cost_usd: float | None
    cost_complete: bool
    cost_estimated: bool
    folder: str

    @property
    def seconds(self) -> float:
        """Return how long it took from `ulw` to its end, or to now if it goes on."""
        return max(0.0, (self.session.ended_at or self.session.updated_at) - self.session.started_at)

    @property
    def word(self) -> str:
        """Return what screens show: `PASS, proved`, `CANCELLED`; for an active one, its state."""
        if self.session.active:
            return self.state.word
        return name_verdict(self.outcome.word or self.session.phase, self.strength)

    @property
    def cost(self) -> str:
        """Return `$0.12`, `$0.12 or more`; empty if unknown."""
        if self.cost_usd is None:
            return ""
        amount = format_cost(self.cost_usd, estimated=self.cost_estimated)
        return amount if self.cost_complete else f"{amount} or more"

    def document(self) -> dict[str, Any]:
        session = self.session
        return {
            "session_id": session.id,
            "kind": session.kind,
            "goal": session.goal,
            "folder": self.folder,
            "active": session.active,
            "started_at": format_iso(session.started_at),
            "ended_at": format_iso(session.ended_at),
            "state": self.state.document(),
            "driver": self.driver.document(),
            **self.outcome.document(),
            "strength": self.strength,
            "sent_back": self.sent_back,
            "rounds": self.rounds or None,
            "tries": self.tries,
            "cost_usd": self.cost_usd,
            "cost_complete": self.cost_complete,
            "cost_estimated": self.cost_estimated,
        }


def summarize(store: Store, session: Session) -> SessionSummary:
    database = store.database
    outcome, strength, driver, state = read_state(store, session)
    listed = tasks.list_all(database, session.id) if session.kind == FULL else []
    cost = sum_session(database, session.id)
    return SessionSummary(
        session,
        state,
        driver,
        outcome,
        strength,
        sent_back=count_sent_back(database, session),
        rounds=name_rounds(session),
        tries=sum(task.attempts for task in listed),
        cost_usd=cost.usd,
        cost_complete=cost.complete,
        cost_estimated=cost.estimated,
        folder=session.place if os.path.isdir(session.place) else session.working_dir,
    )


def read_state(store: Store, session: Session) -> tuple[Outcome, str | None, Driver, State]:
    """Return how it ended or was last judged, how strong that is, its driving process, and its state."""
    database = store.database
    outcome = Outcome() if session.active else read_ending(database, session)
    strength = receipts.find_strength(database, session.id) if outcome.verdict == PASS else None
    driver = find_driver(store, session)
    return (outcome, strength, driver, judge_state(_collect(store, session, outcome, strength, driver)))


def read_ending(database: Database, session: Session) -> Outcome:
    """Return how a session ended, or how its files were last judged while it is active."""
    after_end = receipts.is_after_end(database, session.id)
    return judge_ending(session, find_goal_verdict(database, session), after_end=after_end)


def find_goal_verdict(database: Database, session: Session) -> dict[str, Any] | None:
    """Return the last verdict of the current goal; one of an earlier goal in the same conversation says nothing of it."""
    verdict = receipts.find_last_verdict(database, session.id)
    if verdict is not None and verdict["decided"] < str(format_iso(read_armed_at(session))):
        return None
    return verdict


def read_armed_at(session: Session) -> float:
    return float(session.state.ulw.get("armedAt") or 0.0)


def find_newest(store: Store, place: str, *, checkouts: bool = False) -> Session:
    """Return the session for a checkout's screens: an active one with a live client, else the last started. With
    `checkouts`, a newer `verify` in a terminal counts."""
    database = store.database
    here = sessions.list_all(database, place=place)
    alive = [session for session in here if session.active and not is_lost(store, session)]
    newest = next(iter([*alive, *here]), None)
    if checkouts:
        verified = sessions.find_verified_alone(database, place)
        if verified and (newest is None or verified[1] > newest.updated_at):
            return verified[0]
    return newest or sessions.find(database, None, place)


def describe_verified(store: Store, place: str, now: float) -> str:
    """Return `PASS, proved, 3 min ago (ultrawork verify)` if that came last in this checkout; empty otherwise."""
    verified = sessions.find_verified_alone(store.database, place)
    if verified is None or find_newest(store, place, checkouts=True).kind != CHECKOUT:
        return ""
    last = receipts.find_last_verdict(store.database, verified[0].id)
    if last is None:
        return ""
    age = format_duration(max(0.0, now - verified[1]))
    return f"{name_verdict(last['verdict'], last['strength'])}, {age} ago (ultrawork verify)"


def is_lost(store: Store, session: Session) -> bool:
    driver = find_driver(store, session)
    return bool(driver.kind) and not driver.is_alive


def find_driver(store: Store, session: Session) -> Driver:
    """Return the engine of a headless run by its lock, or a client by its process."""
    if session.state.run:
        lock = f"{store.home.session(session.id)}/{ENGINE_LOCK}"
        return Driver(ENGINE, *read_stamp(lock), is_alive=is_held(lock))
    anchor = anchors.get_anchor(store.database, session.id)
    if anchor is None:
        return Driver()
    # Inside a sandbox the client's process may just be invisible.
    there = store.actor != "person" or ancestry.is_there(anchor.pid, anchor.started)
    return Driver(CLIENT, anchor.pid, anchor.started, is_alive=there)


def _collect(store: Store, session: Session, outcome: Outcome, strength: str | None, driver: Driver) -> StateFacts:
    home, name = store.home, session.id
    facts = StateFacts(
        active=session.active,
        driver=driver,
        heard_at=max(session.updated_at, trace.find_last_heard(home, name)),
        ended_at=session.ended_at,
        verdict=outcome.verdict,
        strength=strength or "",
        withdrawn=session.phase == CANCELLED or session.state.answered,
        stopped=str(session.state.run.get("stopped") or ""),
    )
    if not session.active:
        facts.unable = _find_unable(store.database, name)
        return facts
    notice, check = find_client_notice(home, session), find_running_check(home, name)
    own = find_question(session)
    paused = controls.find_pause(store.database, name) if session.state.run else None
    if notice is not None and notice["kind"] in QUESTIONS:
        facts.question, facts.asked_at = notice["for"], notice["at"]
    elif own:
        facts.question, facts.asked_at = own[0], session.updated_at
    elif paused is not None:
        facts.waits_for, facts.waits_since = _PAUSED, paused.at
    elif check is not None:
        facts.waits_for, facts.waits_since = f"the check {check['gate']}", check["began"]
    elif notice is not None:
        facts.waits_for, facts.waits_since = _YOUR_WORDS, notice["at"]
    facts.contradicted = find_disagreement(find_client_word(home, name, store.now()), facts)
    return facts


def _find_unable(database: Database, name: str) -> str:
    last = receipts.find_last_verdict(database, name)
    broken = [gate for gate, state in (last or {"gates": {}})["gates"].items() if state["result"] == BROKEN]
    return ", ".join(broken)


def find_client_notice(home: Home, session: Session) -> dict[str, Any] | None:
    """Return what the client last asked its user for, unless the session was active since."""
    marker = markers.get(home, markers.WAITING, session.id)
    # A client still running since an update may have left one without that key.
    if marker is None or "heard" not in marker:
        return None
    if trace.find_last_heard(home, str(marker["client"])) > float(marker["heard"]):
        return None
    return {"at": float(marker["at"]), "for": str(marker["for"]), "kind": str(marker.get("kind", ""))}


def find_running_check(home: Home, name: str) -> dict[str, Any] | None:
    """Return the check that runs now, in a live process."""
    running = markers.get(home, markers.RUNNING, name) or {}
    process = running.get("process")
    if isinstance(process, list) and ancestry.is_there(int(process[0]), str(process[1])):
        return {**running, "done": _count_finished(running)}
    baseline = markers.locate_baseline(home, name)
    # A baseline run alone delays no one; a stop that left the checks to the background waits for it.
    wanted = (markers.get(home, markers.BACKGROUND, name) or {}).get("wanted")
    if wanted and is_held(baseline):
        return {"gate": "the baseline", "began": os.stat(baseline).st_mtime, "usual": None}
    return None


def _count_finished(running: dict[str, Any]) -> int | None:
    """Return how many tests a running check has finished; None if its output does not show that."""
    output = read_text(str(running.get("log") or ""), _LOG_READ)
    # None: it has ended, or not begun to print.
    return None if output is None else count_finished(output, running.get("tests"))


def list_refusals(database: Database, session: Session) -> list[StoredDecision]:
    """Return the session's stops that were refused since `ulw` was typed last; steps of a plan's course are none."""
    since = float(session.state.ulw.get("armedAt") or 0.0)
    return [
        stored_decision
        for stored_decision in decisions.list_since(database, session.id, since)
        if stored_decision.event == "Stop"
        and stored_decision.action in decisions.REFUSALS
        and stored_decision.rule not in COURSE_RULES
    ]


def count_sent_back(database: Database, session: Session) -> int:
    """Return the number of refused stops, rejected claims in a client, and rejected attempts of a run."""
    count = len(list_refusals(database, session))
    if session.kind == FULL:
        failed = attempts.count_failed(database, session.id)
        count += len(agents.list_refuted(database, session.id)) if failed is None else failed
    return count


def name_rounds(session: Session) -> str:
    """Return `2 of 5` for a plan, `ralph 2 of 10` for a mode that counts rounds; empty for others."""
    for mode, progress in read_all(session).items():
        counter = _ROUNDS.get(mode)
        most = progress.limits.get(counter, 0) if counter else 0
        if counter and most:
            return f"{mode} {progress.counts.get(counter, 0)} of {most}"
    if session.kind != FULL:
        return ""
    return f"{session.iteration} of {session.options['max_iterations']}"


def describe_age(summary: SessionSummary, now: float) -> str:
    """Return `ended 3 min ago`, `began 2 h 5 min ago`."""
    session = summary.session
    verb, at = ("began", session.started_at) if session.active else ("ended", session.ended_at)
    return f"{verb} {format_duration(max(0.0, now - (at or session.updated_at)))} ago"


def count_finished(output: str, tests: int | None) -> int | None:
    """Return how many tests finished; None if the output does not show it. `tests` is how many ran last time, for a
    percentage."""
    shares = _SHARE.findall(output)
    if shares:
        return None if tests is None else round(tests * min(100, int(shares[-1])) / 100)
    count = sum(1 for _ in _LINES.finditer(output))
    return count or None


EVERY = 10.0


def ask_clients(store: Store, environ: "Mapping[str, str]") -> None:
    """Ask at most every `EVERY` seconds, and only clients that have an active session."""
    if names := list_clients_to_ask(store):
        keep_listed(store, read_lists(names, environ))


def list_clients_to_ask(store: Store) -> set[str]:
    if witness.measure_age(store.home, store.now()) < EVERY:
        return set()
    database = store.database
    active = [row.id for row in sessions.list_all(database) if row.active and not row.state.run]
    return {name for session in active if (name := anchors.read_client_name(database, session))}


def read_lists(names: "Iterable[str]", environ: "Mapping[str, str]") -> "Listed | None":
    """Return what the clients list; None if none of them can answer."""
    answers = [get_client(name).list_sessions(environ) for name in names]
    known = [answer for answer in answers if answer is not None]
    return {session: words for answer in known for session, words in answer.items()} if known else None


def keep_listed(store: Store, listed: "Listed | None") -> None:
    """Store an answer. Without a new one the stored list ages, until screens no longer use it."""
    if listed is not None:
        witness.keep_words(store.home, store.now(), listed)
