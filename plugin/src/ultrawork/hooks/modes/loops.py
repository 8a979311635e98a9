"""What ralph and ultraqa do at the stops of a session: the facts they add, what they store, and what they show. It also
tells a model that lost its context what they require. A session without a mode loads none of this."""

import sys
from collections.abc import Sequence
from typing import Any

from ...core.errors import UltraworkError
from ...core.modes import loops, record, tables
from ...core.modes.loops import LoopRound
from ...core.modes.tables import ModeProgress
from ...core.session.session import Session
from ...core.stop import rules
from ...core.stop.rules import OpenWork, StopDecision, StopFacts
from ...core.verdict.gate_run import RED
from ...core.verdict_values import FAIL, PASS
from ...core.wording import cut, join_lines
from ...store.omc import states
from ...store.omc.folder import Omc
from ..event import Event
from ..stop.facts import StopContext, StopLoop
from ..stop.message import StopVerdict
from ..table import is_skipped

# Mode → `module:class` in this folder.
LOOPS = {"ralph": "ralph:Ralph", "ultraqa": "loops:Ultraqa"}
# Decisions after which nothing is left to resume.
_USED_UP = ("limit", "no-progress", "same-failure", "blocked")


def make_loop(known: StopContext) -> "ModeLoop | None":
    """Return the loop that decides beside the checks, else one for modes that only end."""
    on = record.read_active(known.session)
    for mode, target in LOOPS.items():
        if mode in on and not is_skipped(known.event.environ, mode):
            return _load_loop(target, known, on[mode])
    return ModeLoop(known, next(iter(on.values()))) if on else None


def _load_loop(target: str, known: StopContext, progress: ModeProgress) -> "ModeLoop":
    module, _, name = target.partition(":")
    path = f"{__package__}.{module}"
    __import__(path)
    made: ModeLoop = getattr(sys.modules[path], name)(known, progress)
    return made


class ModeLoop(StopLoop):
    """A mode's loop. By itself it adds nothing: for a mode that is disabled by name and ends with its session."""

    def __init__(self, known: StopContext, progress: ModeProgress) -> None:
        self.known = known
        self.progress = progress
        self.seen: LoopRound | None = None
        self.learned: dict[str, Any] = {}

    def note(self, decision: StopDecision) -> None:
        """Write what users read after a round."""

    def keep(self, session: Session, decision: StopDecision, now: float) -> None:
        """Store the mode's state in the transaction of the decision; it ends with the session."""
        progress = record.read_active(session).get(self.progress.mode)
        if progress is None:
            return
        progress.facts.update(self.learned)
        if decision.action in rules.REFUSALS:
            self.go_on(progress, now)
        elif decision.rule in _USED_UP:
            record.leave(progress, tables.FAILED, now)
        record.put(session, progress)

    def go_on(self, progress: ModeProgress, now: float) -> None:
        pass

    def tell(self, decision: StopDecision) -> None:
        """Write files after the decision; a write error delays nothing."""
        if decision.action not in (*rules.REFUSALS, *rules.ENDS):
            return
        try:
            self.note(decision)
        except (UltraworkError, OSError) as error:
            from ...store import log

            log.write(self.known.event.home, "hooks", f"{self.progress.mode}: {error}")


class CountingLoop(ModeLoop):
    """A loop that counts its own rounds."""

    def meet(self, facts: StopFacts) -> None:
        loops.set_counts(facts, self.progress)

    def weigh(self, facts: StopFacts, standing: StopVerdict) -> None:
        self.seen = self.look(standing)
        loops.apply_round(facts, self.progress, self.seen)

    def look(self, standing: StopVerdict) -> LoopRound:
        raise NotImplementedError

    def describe_closed(self) -> str:
        return self.seen.closed if self.seen is not None else ""

    def go_on(self, progress: ModeProgress, now: float) -> None:
        loops.begin_round(progress, self.seen, now)


def find_failing(standing: StopVerdict, names: Sequence[str]) -> OpenWork | None:
    """Return a check that failed before. It does not matter in a plain session; here the goal requires it to pass."""
    for name in names:
        result = standing.record["gates"].get(name, {}).get("result")
        if result == RED and standing.verdict != FAIL:
            fails, step = f"{name} fails as it did at the start", f"get `{name}` to pass"
            return OpenWork(fails, step=step, details=list(standing.details), strong=True)
    return None


class Ultraqa(CountingLoop):
    def meet(self, facts: StopFacts) -> None:
        """Run the checks even if nothing changed, because that is what was asked for."""
        super().meet(facts)
        facts.read_only_goal = False

    def look(self, standing: StopVerdict) -> LoopRound:
        open_work = self._open(standing)
        return loops.LoopRound(
            loops.make_mark(standing.tree, standing.verdict),
            left=open_work,
            failure=self._failure(standing) if open_work or standing.verdict == FAIL else "",
        )

    def _open(self, standing: StopVerdict) -> OpenWork | None:
        missing = [name for name in self._names if name not in standing.record["gates"]]
        failing = find_failing(standing, self._names)
        if failing is None and missing and standing.verdict == PASS:
            return OpenWork(f"{missing[0]} did not run on these files", step=f"make {missing[0]} run")
        return failing

    @property
    def _names(self) -> list[str]:
        kept = self.progress.facts.get("gates")
        return [str(name) for name in kept] if isinstance(kept, list) else []

    def _failure(self, standing: StopVerdict) -> str:
        """Return the failure; a result from a moment ago has no output, so the earlier one is used."""
        kept = self.progress.facts.get("failures")
        if not standing.details and isinstance(kept, list) and kept:
            return str(kept[-1])
        shown = [line for line in standing.details if line.startswith(" ")]
        return loops.normalise_failure("\n".join([standing.because, *shown]))


_KEPT = 3


def describe_modes(event: Event, session: Session) -> list[str]:
    modes: list[str] = []
    for mode, mode_progress in record.read_active(session).items():
        modes += _TOLD[mode](event, mode_progress) if mode in _TOLD else []
    return modes


def _ralph(event: Event, ralph: ModeProgress) -> list[str]:
    lines = [f"ralph: round {ralph.counts['iteration']} of {ralph.limits['iteration']}."]
    try:
        omc = Omc(event.place)
        stories, log = states.read_prd(omc), states.read_log(omc)
    except UltraworkError as error:
        return [*lines, str(error)]
    if stories is not None:
        upcoming = f" Next: {stories.next.name}" if stories.next is not None else ""
        lines.append(f"Stories ({stories.path}): {stories.counted} pass.{upcoming}")
    patterns = log.patterns[-_KEPT:] if log is not None else []
    return lines + [f"Learned before: {cut(join_lines(pattern), 90)}" for pattern in patterns]


def _ultraqa(_event: Event, qa: ModeProgress) -> list[str]:
    names = ", ".join(str(gate) for gate in qa.facts.get("gates") or ())
    return [f"ultraqa: cycle {qa.counts['cycle']} of {qa.limits['cycle']}, until these pass: {names}."]


_TOLD = {"ralph": _ralph, "ultraqa": _ultraqa}
