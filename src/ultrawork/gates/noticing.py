"""The tests that fail when the change is taken out: green because of it, not merely green."""

from ..core.matching import unloaded
from ..core.results import GREEN, PASSED
from ..core.testcases import ADDED, CHANGED
from .bench import QUICK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .mint import Minted
    from .retest import Retest


def noticed_by(retest: "Retest") -> list[str] | None:
    """None if that was not tried: the gate is slow, or does not tell its tests."""
    now = retest.measured.now
    if now is None or now.side.report is None or now.seconds > QUICK:
        return None
    without = retest.new_on_base()
    if without is None or without.side.report is None:
        return None
    told = [name for name in without.side.report.failed if _passes(now, name)]
    # A file that asks for what base did not have fails there as a whole.
    whole = [
        one.name
        for one in retest.side.changed
        if one.kind in (ADDED, CHANGED) and unloaded(without.side.report, one.path)
    ]
    files = {one.path for one in retest.side.changed}
    return list(dict.fromkeys([name for name in told if name not in files] + whole))


def _passes(now: "Minted", name: str) -> bool:
    """A green run that skipped nothing passed them all, even where it names none."""
    report = now.side.report
    assert report is not None
    if report.complete:
        return report.outcomes.get(name) == PASSED
    return now.side.colour == GREEN and not report.skipped_count
