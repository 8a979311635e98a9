"""
What is known at a stop: the session, its files and whose changes they are, what was decided before, what the
agent says.
"""

import os
from collections.abc import Callable, Sequence

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
    """What a mode over the session adds to its stops; by itself nothing."""

    def meet(self, facts: rules.StopFacts) -> None:
        """Before the gates: what it brings along."""

    def weigh(self, facts: rules.StopFacts, standing: StopVerdict) -> None:
        """After them: what it has open beside what they say."""

    def describe_closed(self) -> str:
        """What a PASS says beside the gates."""
        return ""

    def keep(self, session: Session, decision: rules.StopDecision, now: float) -> None:
        """In the transaction of the decision, on the record of that moment."""

    def tell(self, decision: rules.StopDecision) -> None:
        """After it, what is written for people."""


class StopContext:
    """Cheap until the files are asked for: `read_files` takes their tree and everything that hangs on it."""

    def __init__(self, event: Event, session: Session, pin: Pin) -> None:
        self.event = event
        self.session = session
        self.pin = pin
        self.ulw = session.state.ulw
        self.armed_at = float(self.ulw.get("armedAt") or 0.0)
        self.tree = ""
        # What the files are by the last look at them: checks that ran may have written some.
        self.seen = ""
        self.taken: list[StoredDecision] = []
        self.history = decisions.DecisionHistory([], "")
        self._too_slow: list[str] | None = None
        self.loop: StopLoop | None = None
        # How long the run on the baseline has gone on; 0 if none does, or it may still end in a moment.
        self.baseline_seconds = 0.0

    @property
    def message(self) -> str:
        return self.event.text("last_assistant_message")

    def read_files(self) -> None:
        from ...gates.session import pinning

        event, place = self.event, self.session.working_dir
        self.tree = self.seen = pinning.take_tree(place, event.store, event.environ)
        self.settings: Settings = pinning.read_pinned_settings(
            place, event.store, event.environ, self.pin, self.tree
        )
        self.taken = decisions.list_since(event.store.database, self.session.id, self.armed_at)
        self.history = decisions.DecisionHistory(self.taken, self.tree)
        entries = trace.read_all(event.home, self.session.id)
        self.may_run: Callable[[str], bool] = consent.make_asker(
            event,
            self.session,
            entries,
            lambda: [path for path, _ in self.list_changed_files()],
            self.tree,
        )
        self.entries = [one for one in entries if float(one.get("at") or 0.0) >= self.armed_at]
        self.tools = [one for one in self.entries if one.get("tool")]

    def complete_facts(self, facts: rules.StopFacts) -> None:
        """What the files, the record and the agent's words add."""
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
        facts.blocked = last_message.find_blocked_reason(message)
        facts.disputed, why = last_message.find_disputed_test(facts.blocked)
        facts.blocked = why or facts.blocked
        held = read_confinement(self.event.environ)
        facts.confined = held.no_edits if held is not None else ""
        facts.admits = last_message.has_admission(message)
        facts.checked = self._checked()
        facts.refusals, facts.row = history.refusals, history.row
        facts.told = frozenset(history.told)
        facts.limit, facts.repeats = self.settings["stop.refusals"], self.settings["stop.repeats"]
        if self.loop is not None:
            self.loop.meet(facts)

    def _ended_outside(self) -> str:
        """What a client reports beside the message; few do."""
        reason, asked = (
            self.event.text("stop_reason"),
            self.event.data.get("user_requested") is True,
        )
        if not reason and not asked:
            return ""
        return last_message.explain_person_stop(reason, asked) or last_message.explain_full_context(
            reason
        )

    def is_quick(self) -> bool:
        cooldown = self.settings["stop.cooldown"]
        return self.history.is_cooling(self.event.clock(), cooldown, self.find_last_tool_time())

    def _other_loop(self) -> str:
        return self.event.adapter.find_other_loop(self.event.record, self.session.working_dir)

    def _turn_began(self) -> float | None:
        """
        When the person's last prompt came, if that was not the one that switched it on. What is typed
        while the agent is still at work comes under the same mark: only the first of a mark is its own.
        """
        own = self.ulw.get("prompt")
        turns = [one for one in self.entries if one.get("turn")]
        first = next((at for at, one in enumerate(turns) if one["turn"] == own), None)
        later = [one for at, one in enumerate(turns) if at != first]
        return float(later[-1]["at"]) if later else None

    def _tree_at(self, turn: float | None) -> str:
        """The files when the turn began: as they were at the stop before it, else when it was switched on."""
        before = [one.tree for one in self.taken if turn is not None and one.at < turn and one.tree]
        if before:
            return before[-1]
        known = chains.find(self.event.store.database, self.session.id)
        continues = known.continues if known is not None else {}
        return str(continues.get("files") or self.pin.tree)

    def _checked(self) -> bool:
        """Whether a check has run on these very files."""
        rows = self.event.store.database.row(
            "SELECT 1 FROM receipts WHERE session=? AND tree=? AND target='new' LIMIT 1",
            self.session.id, self.tree,
        )  # fmt: skip
        return rows is not None

    def _did_something_else(self) -> bool:
        """Whether something happened that the files do not show: a push, a commit, a moved branch."""
        from ...gates.trees.tree import describe_ref_moves

        place, environ = self.session.working_dir, self.event.environ
        return bool(self.find_outside_act() or describe_ref_moves(place, environ, self.pin))

    def find_outside_act(self) -> str:
        """What the agent did that no file shows."""
        for entry in reversed(self.tools):
            what = str(entry.get("what", ""))
            if entry.get("tool") == "Bash" and entry.get("ok"):
                done = next((said for words, said in _OUTSIDE.items() if words in what), "")
                if done:
                    return f"{done} ({join_lines(what)[:60]})"
        return ""

    def list_open_items(self) -> list[str]:
        return list_open(self.tools)

    def find_last_tool_time(self, *, began: bool = False) -> float:
        """When the agent's last tool ended, or began."""
        return max(
            (
                float(one.get("at") or 0.0) - (float(one.get("ms") or 0.0) / 1000 if began else 0.0)
                for one in self.tools
            ),
            default=0.0,
        )

    def find_slow_gates(self) -> dict[str, str]:
        """Gates that this stop cannot wait for and that have no receipt that counts: name → why."""
        from ...gates.run.receipt import make_command_key

        if goals.forbids_running(self.session.goal):
            return {}
        return {
            gate.name: gate_limits.explain_slow(self._expected_in_all(gate))
            for gate in self.pin.gates
            if self.is_long(gate) and not self._proved(make_command_key(gate))
        }

    def is_long(self, gate: Gate) -> bool:
        """Whether no stop can wait for it, beside the others."""
        if self._too_slow is None:
            self._too_slow = gate_limits.list_too_slow(
                [self._expected_in_all(one) for one in self.pin.gates],
                budget=float(self.settings["stop.budget"]),
                waited=float(self.ulw.get("waited") or 0.0),
            )
        return gate.command in self._too_slow

    def describe_time_left(self, gate: Gate) -> str:
        """Of the run on these files, and of the one on the baseline where that is still to be made or goes on."""
        from ...gates.run.receipt import make_command_key

        runs = 1 if self._is_base_known(gate) else 2
        tests = receipts.find_last_count(
            self.event.store.database, self.session.working_dir, make_command_key(gate)
        )
        return gate_limits.estimate_left(self._expected(gate), runs=runs, tests=tests or 0)

    def is_untimed(self, gate: Gate) -> bool:
        return self._expected(gate).seconds is None

    def is_base_green(self, gate: Gate) -> bool:
        found = self._find_base_run(gate)
        return found is not None and found.document["result"] == "green"

    def _expected_in_all(self, gate: Gate) -> gate_limits.GateTiming:
        """
        With the run on base that a verdict needs, where nobody has made it and somebody may be told later; an
        agent that works alone is not sent back for that.
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
        found = (
            receipts.find_latest(
                database, place=place, command=make_command_key(gate), tree=self.pin.tree, target=on
            )
            for on in (BASE, NEW)
        )
        return next((one for one in found if one is not None), None)

    def _expected(self, gate: Gate) -> gate_limits.GateTiming:
        from ...gates.run.receipt import make_command_key

        database, place = self.event.store.database, self.session.working_dir
        runs = [
            *receipts.list_durations(database, place, make_command_key(gate)),
            *self._seen(gate.command),
        ]
        cut_off = receipts.was_cut_off(database, place, make_command_key(gate))
        usual = gate_limits.find_usual_seconds(runs)
        running = self.baseline_seconds if usual is None and self.event.attended else 0.0
        return gate_limits.GateTiming(gate.command, usual, cut_off=cut_off, running_for=running)

    def _seen(self, command: str) -> list[tuple[float, float]]:
        """The agent's own runs of the same command."""
        return [
            (float(one.get("at") or 0.0), float(one.get("ms") or 0.0) / 1000)
            for one in self.tools
            if one.get("tool") == "Bash" and one.get("what") == command
        ]

    def _proved(self, command: str) -> bool:
        """Whether the agent's own `ultrawork verify` left a receipt, and nothing ran since."""
        found = receipts.find_latest(
            self.event.store.database,
            place=self.session.working_dir,
            command=command,
            tree=self.tree,
            target="new",
        )
        return found is not None and found.minted_at >= self.find_last_tool_time(began=True)

    def list_changed_files(self) -> list[tuple[str, int]]:
        """The files that changed since the start, each with its number of changed lines."""
        from ...gates.trees import tree as trees

        event, place = self.event, self.session.working_dir
        self.seen = self.seen or trees.take_snapshot(place, event.home.cache, event.environ).id
        if self.seen == self.pin.tree:
            return []
        base, now = (
            trees.get_recorded(name, place, event.home.cache, event.environ)
            for name in (self.pin.tree, self.seen)
        )
        return [(one.path, one.added + one.removed) for one in trees.diff(base, now)]

    def list_changed_by_others(self, paths: Sequence[str]) -> list[str]:
        """
        A file that moved while no tool of this session ran is somebody else's, and one that another live
        session's tools wrote. Whatever a command of this session could have done is its own.
        """
        from ...core.course.attribution import list_edited_paths

        root = self.session.working_dir
        own, theirs = list_edited_paths(self.tools), self._list_written_by_others()
        times = [*(_span(one) for one in self.tools), *_list_interrupted(self.entries)]
        return [
            path
            for path in paths
            if not {path, f"{root}/{path}"} & own
            and ({path, f"{root}/{path}"} & theirs or _is_foreign(f"{root}/{path}", times))
        ]

    def _list_written_by_others(self) -> set[str]:
        from ...core.course.attribution import list_edited_paths

        rows = self.event.store.database.rows(
            "SELECT id FROM sessions WHERE ended_at IS NULL AND working_dir=? AND id!=?",
            self.session.working_dir, self.session.id,
        )  # fmt: skip
        found = [
            one
            for row in rows
            for one in trace.read_all(self.event.home, row[0])
            if _number(one.get("at")) >= self.armed_at
        ]
        return list_edited_paths(found)


def load_context(event: Event) -> StopContext | None:
    """None if the session is none of ours any more."""
    row = event.store.database.row("SELECT kind FROM sessions WHERE id=?", event.session)
    pin = pins.get(event.store.database, event.session) if row else None
    if row is None or pin is None or row[0] != LIGHT:
        return None
    session = sessions.get(event.store.database, event.session)
    return StopContext(event, session, pin) if session.active else None


def _span(entry: dict[str, object]) -> tuple[float, float]:
    """When a tool ran; a background command may still be running."""
    end = _number(entry.get("at"))
    start = end - _number(entry.get("ms")) / 1000 - _SLACK
    return start, float("inf") if entry.get("background") else end + _SLACK


def _list_interrupted(entries: Sequence[dict[str, object]]) -> list[tuple[float, float]]:
    """Commands that began and never ended, each up to what was heard next."""
    spans = []
    for place, entry in enumerate(entries):
        if not entry.get("begun"):
            continue
        later = entries[place + 1 :]
        if any(one.get("call") == entry["begun"] for one in later):
            continue
        end = _number(later[0].get("at")) if later else float("inf")
        spans.append((_number(entry.get("at")) - _SLACK, end + _SLACK))
    return spans


def _is_foreign(path: str, times: Sequence[tuple[float, float]]) -> bool:
    """
    By the time of change, which a move or a copy that preserves times sets too, and nobody can set back.
    What is gone has no time: it is taken for one's own.
    """
    try:
        moved = os.lstat(path).st_ctime
    except OSError:
        return False
    return not any(start <= moved <= end for start, end in times)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
