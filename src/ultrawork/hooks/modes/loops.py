"""
A mode that loops, at a stop: what it adds to the facts, what it keeps, what it shows.

`Known` asks for it only where the session's record names a mode; a plain session loads nothing of this.
"""

from ...core import loops, machines
from ...core import stop as rules
from ...core.errors import UltraworkError
from ...store import modes as kept
from ..table import skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...core.loops import Seen
    from ...core.machines import Progress
    from ...core.session import Session
    from ...core.stop import Decision, Facts
    from ..known import Known
    from ..standing import Standing

# Mode → `module:class` in this folder.
LOOPS = {"ralph": "ralph:Ralph", "ultraqa": "ultraqa:Ultraqa"}
# Decisions after which there is nothing left to take up again.
_USED_UP = ("limit", "no-progress", "same-failure", "blocked")


def of(known: "Known") -> "Loop | None":
    """The loop that decides beside the gates; without one, that of modes that are only ended."""
    on = kept.on(known.session)
    for mode, target in LOOPS.items():
        if mode in on and not skipped(known.event.environ, mode):
            return _made(target, known, on[mode])
    return Loop(known, next(iter(on.values()))) if on else None


def _made(target: str, known: "Known", progress: "Progress") -> "Loop":
    import sys

    module, _, name = target.partition(":")
    path = f"{__package__}.{module}"
    __import__(path)
    made: Loop = getattr(sys.modules[path], name)(known, progress)
    return made


class Loop:
    """Itself it adds nothing: a mode that was switched off by its name, and ends with its session."""

    def __init__(self, known: "Known", progress: "Progress") -> None:
        self.known = known
        self.progress = progress
        self.seen: Seen | None = None
        self.learned: dict[str, Any] = {}

    def meet(self, facts: "Facts") -> None:
        pass

    def weigh(self, facts: "Facts", standing: "Standing") -> None:
        pass

    def closed(self) -> str:
        """What a PASS says beside the gates."""
        return ""

    def note(self, decision: "Decision") -> None:
        """What is written for people after a round."""

    def keep(self, session: "Session", decision: "Decision", now: float) -> None:
        """In the transaction of the decision, on the record of that moment; its end is the session's."""
        progress = kept.on(session).get(self.progress.mode)
        if progress is None:
            return
        progress.facts.update(self.learned)
        if decision.action in rules.REFUSALS:
            self.go_on(progress, now)
        elif decision.rule in _USED_UP:
            kept.leave(progress, machines.FAILED, now)
        kept.put(session, progress)

    def go_on(self, progress: "Progress", now: float) -> None:
        pass

    def tell(self, decision: "Decision") -> None:
        """After it. What cannot be written holds nothing up."""
        if decision.action not in (*rules.REFUSALS, *rules.ENDS):
            return
        try:
            self.note(decision)
        except (UltraworkError, OSError) as error:
            from ...store import log

            log.write(self.known.event.home, "hooks", f"{self.progress.mode}: {error}")


class Counting(Loop):
    """One that has rounds of its own."""

    def meet(self, facts: "Facts") -> None:
        loops.meet(facts, self.progress)

    def weigh(self, facts: "Facts", standing: "Standing") -> None:
        self.seen = self.look(standing)
        loops.weigh(facts, self.progress, self.seen)

    def look(self, standing: "Standing") -> "Seen":
        raise NotImplementedError

    def closed(self) -> str:
        return self.seen.closed if self.seen is not None else ""

    def go_on(self, progress: "Progress", now: float) -> None:
        loops.refused(progress, self.seen, now)
