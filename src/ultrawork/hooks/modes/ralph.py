"""ralph at a stop: stories that are open, and what each round came to."""

from ...core import loops
from ...core import stop as rules
from ...core.errors import UltraworkError
from ...core.outcomes import PASS
from ...core.stop import Open
from ...core.wording import one_line
from ...flow import stories
from ...store.omc.place import HASTE, Omc
from .loops import Counting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core import prd
    from ...core.loops import Seen
    from ...core.stop import Decision
    from ..standing import Standing

_CAME_TO = {
    rules.REFUSE: "sent back", rules.NUDGE: "sent back", rules.PASS: "PASS",
    rules.LET_GO: "UNVERIFIED", rules.QUIET_END: "ended",
}  # fmt: skip


class Ralph(Counting):
    def look(self, standing: "Standing") -> "Seen":
        """A story that is marked counts together with a green verdict on the same files, and not alone."""
        self.standing = standing
        try:
            found = stories.read(self._omc, self.progress.facts)
        except UltraworkError as error:
            mend = Open(str(error), step="mend it")
            return loops.Seen(loops.mark(standing.tree, standing.verdict), left=mend)
        if found is None:
            return loops.Seen(loops.mark(standing.tree, standing.verdict))
        self.learned = stories.learned(found)
        passing = [story.id for story in found.stories if story.passes]
        return loops.Seen(
            loops.mark(standing.tree, standing.verdict, passing),
            left=self._open(found),
            closed=found.counted,
        )

    def _open(self, found: "prd.Prd") -> Open | None:
        green = self.standing.verdict == PASS
        return stories.left(found, self.progress.facts, green=green, changed=self._changed)

    def _changed(self) -> list[str]:
        from ..deciding import paths

        return [path for path, _ in paths(self.known)]

    @property
    def _omc(self) -> Omc:
        return Omc(self.known.session.working_dir, HASTE)

    def note(self, decision: "Decision") -> None:
        """An entry for the round that is over."""
        stories.note(
            self._omc,
            self.progress.facts,
            said=self.known.message,
            came_to=f"{_CAME_TO[decision.action]}: {one_line(decision.because)}",
            files=self._files(),
            now=self.known.event.clock(),
        )

    def _files(self) -> list[str]:
        """What changed since the last round."""
        from ...gates import tree as trees

        known, last = self.known, self.known.history.last
        if not known.tree:
            return []
        place, cache, environ = (
            known.session.working_dir,
            known.event.home.cache,
            known.event.environ,
        )
        before = trees.at(
            last.tree if last and last.tree else known.pin.tree, place, cache, environ
        )
        after = trees.at(known.tree, place, cache, environ)
        return [one.path for one in trees.diff(before, after)]
