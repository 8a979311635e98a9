"""ralph at a stop: stories that are open, and what each round came to."""

from ...core import loops, prd, progress_log
from ...core import stop as rules
from ...core.errors import UltraworkError
from ...core.outcomes import PASS
from ...core.stop import Open
from ...core.wording import cut, one_line
from ...store.omc import prd as prds
from ...store.omc import progress
from ...store.omc.place import HASTE, Omc
from .loops import Counting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.loops import Seen
    from ...core.stop import Decision
    from ..standing import Standing

GOAL = "goal"
_FILES = 20
_WORDS = 160
_CAME_TO = {
    rules.REFUSE: "sent back", rules.NUDGE: "sent back", rules.PASS: "PASS",
    rules.LET_GO: "UNVERIFIED", rules.QUIET_END: "ended",
}  # fmt: skip


class Ralph(Counting):
    def look(self, standing: "Standing") -> "Seen":
        """A story that is marked counts together with a green verdict on the same files, and not alone."""
        self.standing = standing
        try:
            found = self._prd()
        except UltraworkError as error:
            mend = Open(str(error), step="mend it")
            return loops.Seen(loops.mark(standing.tree, standing.verdict), left=mend)
        if found is None:
            return loops.Seen(loops.mark(standing.tree, standing.verdict))
        upcoming = found.next.id if found.next else None
        self.learned = {"stories": found.names, "current_story_id": upcoming}
        passing = [story.id for story in found.stories if story.passes]
        return loops.Seen(
            loops.mark(standing.tree, standing.verdict, passing),
            left=self._open(found),
            closed=found.counted,
        )

    def _prd(self) -> "prd.Prd | None":
        found = prds.read(self._omc)
        kept = self.progress.facts.get("stories")
        known = (
            {str(key): str(value) for key, value in kept.items()} if isinstance(kept, dict) else {}
        )
        if found is None and known:
            found = prd.Prd("prd.json", [])
        if found is not None:
            found.known = known
        return found

    def _open(self, found: "prd.Prd") -> Open | None:
        still = prd.still_open(found)
        if still is None and self.standing.verdict == PASS and not self._worked():
            return prd.only_marked(found)
        return still

    def _worked(self) -> bool:
        """Whether anything changed beside the file that says so; stories that passed before ask for nothing."""
        if self.progress.facts.get("open_at_start") == 0:
            return True
        from ..deciding import paths

        own = (*prds.PLACES, *progress.PLACES)
        return any(path not in own for path, _ in paths(self.known))

    @property
    def _omc(self) -> Omc:
        return Omc(self.known.session.working_dir, HASTE)

    def note(self, decision: "Decision") -> None:
        """An entry for the round that is over."""
        message = self.known.message
        kept = progress_log.lessons(message)
        first = next((line for line in message.splitlines() if line.strip()), "")
        said = [f'said: "{cut(one_line(first), _WORDS)}"'] if first else []
        entry = progress_log.Entry(
            self._story,
            [*said, f"{_CAME_TO[decision.action]}: {one_line(decision.because)}"],
            self._files()[:_FILES],
            kept["learnings"],
        )
        progress.append(self._omc, entry, self.known.event.clock(), kept["patterns"])

    @property
    def _story(self) -> str:
        """The one that was next when the round began."""
        return str(self.progress.facts.get("current_story_id") or GOAL)

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
