"""
Collect the facts of a stop: the session, its files and who changed them, earlier decisions, and the agent's claims.
"""

import os
from collections.abc import Sequence

from ...clients.confinement import read_confinement
from ...core.goal import goals
from ...core.session.session import LIGHT, Session
from ...core.stop import gate_limits, last_message, rules
from ...core.verdict.gate import TEST, Gate
from ...core.wording import join_lines
from ...store import chains, decisions, pins, receipts, sessions, trace
from ...store.decisions import StoredDecision
from ...store.pins import Pin
from ...store.settings import Settings
from .. import consent
from ..event import Event
from ..todo_list import list_open
from .message import StopVerdict

_OUTSIDE = {
    "git push": "pushed",
    "gh pr ": "worked on a pull request",
    "gh issue ": "worked on an issue",
    "gh release ": "made a release",
    "glab ": "worked on the code host",
}
_SLACK = 2.0


class StopLoop:
    """What a mode adds to the stops of its session. The base class adds nothing."""

    def meet(self, facts: rules.StopFacts) -> None:
        """Add facts before the gates run."""

    def weigh(self, facts: rules.StopFacts, standing: StopVerdict) -> None:
        """Add, after the gates ran, what the mode still has open."""

    def describe_closed(self) -> str:
        """Return what the line of a PASS adds to the gates."""
        return ""

    def keep(self, session: Session, decision: rules.StopDecision, now: float) -> None:
        """Update the stored session, in the transaction that stores the decision."""

    def tell(self, decision: rules.StopDecision) -> None:
        """Write what users read, after the decision is stored."""


class StopContext:
    """Everything about one stop. It costs nothing until `read_files` takes the tree and what depends on it."""

    def __init__(self, event: Event, session: Session, pin: Pin) -> None:
        self.event = event
        self.session = session
        self.pin = pin
        self.ulw = session.state.ulw
        self.armed_at = float(self.ulw.get("armedAt") or 0.0)
        self.tree = ""
        # The tree of the last scan: checks that ran since may have written files.
        self.seen = ""
        self.taken: list[StoredDecision] = []
        self.history = decisions.DecisionHistory([], "")
        self._too_slow: list[str] | None = None
        self.loop: StopLoop | None = None
        # How long the current run on the baseline has taken; 0 if there is none, or if it may end in a moment.
        self.baseline_seconds = 0.0

    @property
    def message(self) -> str:
        return self.event.text("last_assistant_message")

    def read_files(self) -> None:
        from ...gates.session import pinning

        event, place = self.event, self.session.working_dir
        self.tree = self.seen = pinning.take_tree(place, event.store, event.environ)
        self.settings: Settings = pinning.read_pinned_settings(place, event.store, event.environ, self.pin, self.tree)
        self.taken = decisions.list_since(event.store.database, self.session.id, self.armed_at)
        self.history = decisions.DecisionHistory(self.taken, self.tree)
        entries = trace.read_all(event.home, self.session.id)
        self.may_run, self.may_run_old = consent.make_askers(
            event, self.session, entries, lambda: [path for path, _ in self.list_changed_files()], self.tree
        )
        self.entries = [row for row in entries if float(row.get("at") or 0.0) >= self.armed_at]
        self.tools = [row for row in self.entries if row.get("tool")]

    def complete_facts(self, facts: rules.StopFacts) -> None:
        """Fill in what the files, the trace and the agent's last message show."""
        message, history = self.message, self.history
        turn = self._turn_began()
        facts.other_loop = self._other_loop()
        facts.aborted = last_message.explain_abort(message) or self._ended_outside()
        facts.asks = bool(self.settings["stop.questions"]) and last_message.has_question(message)
        facts.later_turn = turn is not None
        facts.changed_this_turn = self.tree != self._tree_at(turn)
        facts.changed = self.tree != self._tree_at(None) or self._did_something_else()
        expects = goals.find_expectation(self.session.goal)
        facts.read_only_goal, facts.doubtful_goal = expects == goals.ANSWER, expects == goals.EITHER
        facts.claims = last_message.has_claim(message)
        facts.claims_checks = last_message.has_check_claim(message)
        facts.claims_only_tests = last_message.claims_only_tests(message)
        facts.blocked = last_message.find_blocked_reason(message)
        facts.disputed, why = last_message.find_disputed_test(facts.blocked)
        facts.blocked = why or facts.blocked
        held = read_confinement(self.event.environ)
        facts.confined = held.no_edits if held is not None else ""
        facts.admits = last_message.has_admission(message)
        facts.checked = self._checked()
        facts.refusals, facts.row = history.refusals, history.row
        facts.shown = frozenset(history.shown)
        facts.limit, facts.repeats = self.settings["stop.refusals"], self.settings["stop.repeats"]
        if self.loop is not None:
            self.loop.meet(facts)

    def _ended_outside(self) -> str:
        """Return why the client itself ended the turn; few clients report that."""
        reason, is_requested = (self.event.text("stop_reason"), self.event.data.get("user_requested") is True)
        if not reason and not is_requested:
            return ""
        return last_message.explain_person_stop(reason, is_requested) or last_message.explain_full_context(reason)

    def is_quick(self) -> bool:
        cooldown = self.settings["stop.cooldown"]
        return self.history.is_cooling(self.event.clock(), cooldown, self.find_last_tool_time())

    def _other_loop(self) -> str:
        return self.event.adapter.find_other_loop(self.event.record, self.session.working_dir)

    def _turn_began(self) -> float | None:
        """
        Return when the user's last prompt came, unless that prompt turned ultrawork on. What the user types while
        the agent works has the same prompt id, so only the first entry of an id counts as that prompt.
        """
        own = self.ulw.get("prompt")
        turns = [row for row in self.entries if row.get("turn")]
        first = next((at for at, row in enumerate(turns) if row["turn"] == own), None)
        later = [row for at, row in enumerate(turns) if at != first]
        return float(later[-1]["at"]) if later else None

    def _tree_at(self, turn: float | None) -> str:
        """Return the tree at the start of the turn: that of the stop before it, else of the moment ultrawork was turned on."""
        before = [row.tree for row in self.taken if turn is not None and row.at < turn and row.tree]
        if before:
            return before[-1]
        known = chains.find(self.event.store.database, self.session.id)
        continues = known.continues if known is not None else {}
        return str(continues.get("files") or self.pin.tree)

    def _checked(self) -> bool:
        """Return whether a check has run on exactly these files."""
        row = self.event.store.database.row(
            "SELECT 1 FROM receipts WHERE session=? AND tree=? AND target='new' LIMIT 1", self.session.id, self.tree
        )
        return row is not None

    def _did_something_else(self) -> bool:
        """Return whether something happened that the files do not show: a push, a commit, a moved branch."""
        from ...gates.trees.tree import describe_ref_moves

        place, environ = self.session.working_dir, self.event.environ
        return bool(self.find_outside_act() or describe_ref_moves(place, environ, self.pin))

    def find_outside_act(self) -> str:
        """Return what the agent did outside the files, such as a push; empty if nothing."""
        for entry in reversed(self.tools):
            command = str(entry.get("what", ""))
            if entry.get("tool") == "Bash" and entry.get("ok"):
                done = next((act for words, act in _OUTSIDE.items() if words in command), "")
                if done:
                    return f"{done} ({join_lines(command)[:60]})"
        return ""

    def list_open_items(self) -> list[str]:
        return list_open(self.tools)

    def find_last_tool_time(self, *, began: bool = False) -> float:
        """Return when the agent's last tool ended, or began."""
        return max(
            (
                float(row.get("at") or 0.0) - (float(row.get("ms") or 0.0) / 1000 if began else 0.0)
                for row in self.tools
            ),
            default=0.0,
        )

    def find_slow_gates(self) -> dict[str, str]:
        """Return the gates that this stop cannot wait for and that have no valid receipt: name → why."""
        from ...gates.run.receipt import make_command_key

        if goals.forbids_running(self.session.goal):
            return {}
        return {
            gate.name: gate_limits.explain_slow(self._expected_in_all(gate))
            for gate in self.pin.gates
            if self.is_long(gate) and not self._proved(make_command_key(gate))
        }

    def is_long(self, gate: Gate) -> bool:
        """Return whether no stop can wait for this gate in addition to the others."""
        if self._too_slow is None:
            self._too_slow = gate_limits.list_too_slow(
                [self._expected_in_all(each) for each in self.pin.gates],
                budget=float(self.settings["stop.budget"]),
                waited=float(self.ulw.get("waited") or 0.0),
            )
        return gate.command in self._too_slow

    def describe_time_left(self, gate: Gate) -> str:
        """Return the time left of the run on these files, and of the baseline run if that is still missing."""
        from ...gates.run.receipt import make_command_key

        runs = 1 if self._is_base_known(gate) else 2
        tests = receipts.find_last_count(self.event.store.database, self.session.working_dir, make_command_key(gate))
        return gate_limits.estimate_left(self._expected(gate), runs=runs, tests=tests or 0)

    def is_untimed(self, gate: Gate) -> bool:
        return self._expected(gate).seconds is None

    def is_base_green(self, gate: Gate) -> bool:
        run = self._find_base_run(gate)
        return run is not None and run.document["result"] == "green"

    def _expected_in_all(self, gate: Gate) -> gate_limits.GateTiming:
        """
        Return the time with the baseline run that a verdict needs, if it is missing and the user can be notified
        later. An agent that works unattended is not sent back for that run.
        """
        once = self._expected(gate)
        if not self.event.attended or once.seconds is None or self._is_base_known(gate):
            return once
        return gate_limits.GateTiming(once.command, 2 * once.seconds, cut_off=once.cut_off)

    def _is_base_known(self, gate: Gate) -> bool:
        if gate.kind != TEST or self.tree == self.pin.tree:
            return True
        return self._find_base_run(gate) is not None

    def _find_base_run(self, gate: Gate) -> receipts.StoredReceipt | None:
        from ...gates.run.receipt import BASE, NEW, make_command_key

        database, place = self.event.store.database, self.session.working_dir
        runs = (
            receipts.find_latest(database, place=place, command=make_command_key(gate), tree=self.pin.tree, target=on)
            for on in (BASE, NEW)
        )
        return next((run for run in runs if run is not None), None)

    def _expected(self, gate: Gate) -> gate_limits.GateTiming:
        from ...gates.run.receipt import make_command_key

        database, place = self.event.store.database, self.session.working_dir
        runs = [*receipts.list_durations(database, place, make_command_key(gate)), *self._seen(gate.command)]
        cut_off = receipts.was_cut_off(database, place, make_command_key(gate))
        usual = gate_limits.find_usual_seconds(runs)
        running = self.baseline_seconds if usual is None and self.event.attended else 0.0
        return gate_limits.GateTiming(gate.command, usual, cut_off=cut_off, running_for=running)

    def _seen(self, command: str) -> list[tuple[float, float]]:
        """Return the agent's own runs of the same command, as (when, how long)."""
        return [
            (float(row.get("at") or 0.0), float(row.get("ms") or 0.0) / 1000)
            for row in self.tools
            if row.get("tool") == "Bash" and row.get("what") == command
        ]

    def _proved(self, command: str) -> bool:
        """Return whether the agent's own `ultrawork verify` left a receipt and no tool has run since."""
        receipt = receipts.find_latest(
            self.event.store.database, place=self.session.working_dir, command=command, tree=self.tree, target="new"
        )
        return receipt is not None and receipt.minted_at >= self.find_last_tool_time(began=True)

    def list_changed_files(self) -> list[tuple[str, int]]:
        """Return the files that changed since the start, each with its number of changed lines."""
        from ...gates.trees import tree as trees

        event, place = self.event, self.session.working_dir
        self.seen = self.seen or trees.take_snapshot(place, event.home.cache, event.environ).id
        if self.seen == self.pin.tree:
            return []
        now = trees.get_recorded(self.seen, place, event.home.cache, event.environ)
        base = trees.get_beside(now, self.pin.tree, place)
        return [(file.path, file.added + file.removed) for file in trees.diff(base, now)]

    def list_changed_by_others(self, paths: Sequence[str]) -> list[str]:
        """
        Return the files that someone else changed: those that changed while no tool of this session ran, and those
        that the tools of another active session wrote. What a command of this session could have written is its own.
        """
        from ...core.course.chain import list_edited_paths

        root = self.session.working_dir
        own, theirs = list_edited_paths(self.tools), self._list_written_by_others()
        times = [*(_span(row) for row in self.tools), *_list_interrupted(self.entries)]
        return [
            path
            for path in paths
            if not {path, f"{root}/{path}"} & own
            and ({path, f"{root}/{path}"} & theirs or _is_foreign(f"{root}/{path}", times))
        ]

    def _list_written_by_others(self) -> set[str]:
        from ...core.course.chain import list_edited_paths

        rows = self.event.store.database.rows(
            "SELECT id FROM sessions WHERE ended_at IS NULL AND working_dir=? AND id!=?",
            self.session.working_dir, self.session.id,
        )  # fmt: skip
        entries = [
            entry
            for row in rows
            for entry in trace.read_all(self.event.home, row[0])
            if _number(entry.get("at")) >= self.armed_at
        ]
        return list_edited_paths(entries)


def load_context(event: Event) -> StopContext | None:
    """Return the context of a stop; None if the session is not ours or has ended."""
    row = event.store.database.row("SELECT kind FROM sessions WHERE id=?", event.session)
    pin = pins.get(event.store.database, event.session) if row else None
    if row is None or pin is None or row[0] != LIGHT:
        return None
    session = sessions.get(event.store.database, event.session)
    return StopContext(event, session, pin) if session.active else None


def _span(entry: dict[str, object]) -> tuple[float, float]:
    """Return when a tool ran. A background command may still be running."""
    end = _number(entry.get("at"))
    start = end - _number(entry.get("ms")) / 1000 - _SLACK
    return start, float("inf") if entry.get("background") else end + _SLACK


def _list_interrupted(entries: Sequence[dict[str, object]]) -> list[tuple[float, float]]:
    """Return when commands ran that began and never ended, each until the next event."""
    spans = []
    for place, entry in enumerate(entries):
        if not entry.get("begun"):
            continue
        later = entries[place + 1 :]
        if any(row.get("call") == entry["begun"] for row in later):
            continue
        end = _number(later[0].get("at")) if later else float("inf")
        spans.append((_number(entry.get("at")) - _SLACK, end + _SLACK))
    return spans


def _is_foreign(path: str, times: Sequence[tuple[float, float]]) -> bool:
    """
    Return whether a file changed outside these times. The change time (ctime) is also set by a move or by a copy that
    preserves times, and no program can set it back. A deleted file has none, so it counts as the session's own.
    """
    try:
        moved = os.lstat(path).st_ctime
    except OSError:
        return False
    return not any(start <= moved <= end for start, end in times)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
