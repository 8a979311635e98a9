"""The tests that fail when the change is taken out: green because of it, not merely green."""

from ..core.matching import module, unloaded
from ..core.results import GREEN, PASSED
from ..core.testcases import ADDED, CHANGED
from .bench import QUICK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .mint import Minted
    from .retest import Retest


class Noticed:
    """`failed` are tests that ran and failed; `unloaded` those of files that did not even load there."""

    __slots__ = ("failed", "unloaded")

    def __init__(self, failed: list[str], unloaded: list[str]) -> None:
        self.failed = failed
        self.unloaded = unloaded

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys([*self.failed, *self.unloaded]))


def noticed_by(retest: "Retest") -> Noticed | None:
    """None if that was not tried: the gate is slow, or does not tell its tests."""
    now = retest.measured.now
    if now is None or now.side.report is None or now.seconds > QUICK:
        return None
    without = retest.crossing.new_on_base()
    if without is None or without.side.report is None:
        return None
    changed = retest.side.changed
    files = {spelling for one in changed for spelling in (one.path, module(one.path))}
    told = [name for name in without.side.report.failed if name not in files]
    # A file that asks for what base did not have fails there as a whole.
    whole = [
        one.name
        for one in changed
        if one.kind in (ADDED, CHANGED) and unloaded(without.side.report, one.path)
    ]
    return Noticed([name for name in told if _passes(now, name)], whole)


def _passes(now: "Minted", name: str) -> bool:
    """A green run that skipped nothing passed them all, even where it names none."""
    report = now.side.report
    assert report is not None
    if report.complete:
        return report.outcomes.get(name) == PASSED
    return now.side.colour == GREEN and not report.skipped_count
