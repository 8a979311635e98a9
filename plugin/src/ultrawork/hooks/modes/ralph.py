"""ralph at a stop: open stories, and the result of each round."""

from ...core.errors import UltraworkError
from ...core.modes import loops, progress_log
from ...core.modes.loops import LoopRound
from ...core.stop import rules
from ...core.stop.rules import OpenWork, StopDecision
from ...core.verdict_values import PASS
from ...core.wording import join_lines
from ...flow import stories
from ...store.omc.folder import HASTE, Omc
from ..stop.message import StopVerdict
from .loops import CountingLoop, find_failing

_CAME_TO = {
    rules.REFUSE: "sent back", rules.NUDGE: "sent back", rules.PASS: "PASS",
    rules.LET_GO: "UNVERIFIED", rules.QUIET_END: "ended",
}  # fmt: skip


class Ralph(CountingLoop):
    def look(self, standing: StopVerdict) -> LoopRound:
        """Return the round; a marked story counts only with a passing verdict on the same files."""
        self.standing = standing
        try:
            progress_log = stories.read_with_known(self._omc, self.progress.facts)
        except UltraworkError as error:
            mend = OpenWork(str(error), step="fix it")
            return loops.LoopRound(loops.make_mark(standing.tree, standing.verdict), left=mend)
        failing = find_failing(standing, [gate.name for gate in self.known.pin.gates if gate.required])
        if progress_log is None:
            return loops.LoopRound(loops.make_mark(standing.tree, standing.verdict), left=failing)
        self.learned = stories.make_facts(progress_log)
        passing = [story.id for story in progress_log.stories if story.passes]
        return loops.LoopRound(
            loops.make_mark(standing.tree, standing.verdict, passing),
            left=self._open(progress_log) or failing,
            closed=progress_log.counted,
        )

    def _open(self, document: progress_log.Prd) -> OpenWork | None:
        green = self.standing.verdict == PASS
        return stories.find_open_story(document, self.progress.facts, green=green, changed=self._changed)

    def _changed(self) -> list[str]:
        return [path for path, _ in self.known.list_changed_files()]

    @property
    def _omc(self) -> Omc:
        return Omc(self.known.session.working_dir, HASTE)

    def note(self, decision: StopDecision) -> None:
        """Add an entry for the finished round."""
        stories.note_round(
            self._omc,
            self.progress.facts,
            said=self.known.message,
            came_to=f"{_CAME_TO[decision.action]}: {join_lines(decision.because)}",
            files=self._files(),
            now=self.known.event.clock(),
        )

    def _files(self) -> list[str]:
        """Return what changed since the last round."""
        from ...gates.trees import tree as trees

        known, last = self.known, self.known.history.last
        if not known.tree:
            return []
        place, cache, environ = (known.session.working_dir, known.event.home.cache, known.event.environ)
        before = trees.get_recorded(last.tree if last and last.tree else known.pin.tree, place, cache, environ)
        after = trees.get_recorded(known.tree, place, cache, environ)
        return [file_change.path for file_change in trees.diff(before, after)]
