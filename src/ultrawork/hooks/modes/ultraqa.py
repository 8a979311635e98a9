"""ultraqa at a stop: the checks that it is about have to be green, and the same failure ends it."""

from ...core import loops, qa
from ...core.outcomes import FAIL, PASS
from ...core.results import RED
from ...core.stop import Open
from .loops import Counting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.loops import Seen
    from ...core.stop import Facts
    from ..standing import Standing


class Ultraqa(Counting):
    def meet(self, facts: "Facts") -> None:
        """To look whether it is green is what was asked for, so the checks run also if nothing changed."""
        super().meet(facts)
        facts.read_only_goal = False

    def look(self, standing: "Standing") -> "Seen":
        left = self._open(standing)
        return loops.Seen(
            loops.mark(standing.tree, standing.verdict),
            left=left,
            failure=self._failure(standing) if left or standing.verdict == FAIL else "",
        )

    def _open(self, standing: "Standing") -> Open | None:
        """A check that was red before is still what this is about."""
        gates = standing.document["gates"]
        for name in self._names:
            result = gates.get(name, {}).get("result")
            if result == RED and standing.verdict != FAIL:
                return Open(
                    f"{name} is red as at the start", step=f"make {name} green", strong=True
                )
            if name not in gates and standing.verdict == PASS:
                return Open(f"{name} did not run on these files", step=f"make {name} run")
        return None

    @property
    def _names(self) -> list[str]:
        kept = self.progress.facts.get("gates")
        return [str(one) for one in kept] if isinstance(kept, list) else []

    def _failure(self, standing: "Standing") -> str:
        """What was found a moment ago has no output of its own: it is the failure of then."""
        kept = self.progress.facts.get("failures")
        if not standing.details and isinstance(kept, list) and kept:
            return str(kept[-1])
        shown = [line for line in standing.details if line.startswith(" ")]
        return qa.normalised("\n".join([standing.because, *shown]))
